#include "cli/testing/story.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ranges>
#include <stdexcept>

#include "base/json.h"
#include "base/testing/child.h"
#include "base/testing/temp_dir.h"
#include "cli/program.h"

namespace gittxn::cli::testing {
namespace {

constexpr const char* kGitConfig =
    "[user]\nname = Pat Person\nemail = pat@example.org\n[init]\ndefaultBranch = main\n"
    "[advice]\ndetachedHead = false\n[maintenance]\nauto = false\n";
constexpr const char* kSampleRepo = R"(
git init -q -b main repo
cd repo
rm -f .git/hooks/*.sample
mkdir src docs
for i in 1 2 3 4 5 6 7; do printf 'line one of f%s\nline two of f%s\n' $i $i >src/f$i.txt; done
echo hello >README
echo guide >docs/guide.md
printf '*.log\nbuild/\n' >.gitignore
git add -A
git commit -qm start)";

void end_story(const Where& where, const std::string& why) {
  throw std::runtime_error(std::string(where.file_name()) + ":" + std::to_string(where.line()) +
                           ": " + why);
}

template <typename T>
T told(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().where + ": " + result.error().message);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

std::string trimmed(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string value_at(const std::string& line, const std::string& pointer) {
  const Json json = parse_json(line).value();
  const Json* value = &json;
  for (const auto piece : std::views::split(std::string_view(pointer).substr(1), '/')) {
    const std::string_view part(piece);
    value = value->is_array() ? &value->at(std::stoul(std::string(part))) : &value->at(part);
  }
  return value->is_string() ? value->text() : dump_json(*value);
}

std::string variable_or(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

// The program that was built beside the tests.
std::string built_program() {
  return parent_dir(told(read_link("/proc/self/exe"))) + "/git-txn";
}

std::string fresh_world() {
  std::string name = variable_or("TMPDIR", "/tmp") + "/git-txn-story.XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp " + name);
  return told(real_path(name));
}

Environment world_env(const std::string& world) {
  Environment env = {
      {"PATH", world + "/bin:" + variable_or("PATH", "/usr/local/bin:/usr/bin:/bin")},
      {"HOME", world + "/home"},
      {"XDG_STATE_HOME", world + "/state"},
      {"XDG_CONFIG_HOME", world + "/config"},
      {"XDG_CACHE_HOME", world + "/cache"},
      {"WORLD", world},
      {"TZ", "UTC"},
      {"LC_ALL", "C.UTF-8"},
      {"TERM", "dumb"},
      {"GIT_CONFIG_NOSYSTEM", "1"}};
  if (const char* bug = std::getenv("GIT_TXN_BUG")) env["GIT_TXN_BUG"] = bug;
  return env;
}

// What --json printed in all stories, as e2e_record of tests/e2e/lib.sh writes it for outputs.py.
std::string& outputs() {
  static std::string all;
  return all;
}

void record_output(const Words& argv, int code, const std::string& out) {
  if (std::ranges::find(argv, "--json") == argv.end()) return;
  outputs() += std::to_string(argv.size()) + '\0';
  for (const std::string& word : argv) outputs() += word + '\0';
  outputs() += std::to_string(code) + '\0' + out + '\0';
}

Result<gittxn::Output> judged(const std::string& records) {
  const gittxn::testing::TempDir dir;
  TRY(write_file(dir.at("records"), records, Sync::kNo));
  const std::string here = Where::current().file_name();
  Command judge;
  judge.argv = {"/usr/bin/python3",
                here.substr(0, here.rfind("/src/cli/")) + "/tests/e2e/outputs.py",
                dir.at("records")};
  judge.env = {{"PATH", "/usr/bin:/bin"}, {"GIT_TXN_PROGRAM", built_program()}};
  return gittxn::run(judge);
}

class OutputsJudge final : public ::testing::Environment {
 public:
  void TearDown() override {  // of a bug that was put in on purpose a story has to tell
    if (outputs().empty() || std::getenv("GIT_TXN_BUG") != nullptr) return;
    const Result<gittxn::Output> said = judged(outputs());
    ASSERT_TRUE(said) << said.error().message;
    EXPECT_TRUE(said->exit.success()) << said->out << said->err;
  }
};
::testing::Environment* const kOutputsJudge = ::testing::AddGlobalTestEnvironment(new OutputsJudge);

int run_here(const Words& argv, Environment env, StoryClock& clock, const std::string& files) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  const int to_out = ::open((files + "/.out").c_str(), flags, 0600);
  const int to_err = ::open((files + "/.err").c_str(), flags, 0600);
  if (::dup2(null, 0) != 0 || ::dup2(to_out, 1) != 1 || ::dup2(to_err, 2) != 2) return 99;
  Random random;
  std::atomic<int> interrupts{0};
  Process process;
  process.arguments = argv;
  process.env = std::move(env);
  process.program = built_program();
  process.clock = &clock;
  process.random = &random;
  process.interrupts = &interrupts;
  return run_program(std::move(process));
}

}  // namespace

void is(const std::string& seen, const std::string& wanted, Where where) {
  if (seen != wanted) end_story(where, "expected '" + wanted + "', got '" + seen + "'");
}

void has(const std::string& text, std::string_view part, Where where) {
  if (text.find(part) == std::string::npos)
    end_story(where, "expected to find '" + std::string(part) + "' in: " + text);
}

void lacks(const std::string& text, std::string_view part, Where where) {
  if (text.find(part) != std::string::npos)
    end_story(where, "did not expect '" + std::string(part) + "' in: " + text);
}

Line::Line(const std::string& line) {
  std::string word;
  bool quoted = false;
  bool any = false;
  for (const char c : line + " ") {
    if (c == '\'') {
      quoted = !quoted;
      any = true;
    } else if (c != ' ' || quoted) {
      word += c;
    } else {
      if (any || !word.empty()) words.push_back(std::exchange(word, {}));
      any = false;
    }
  }
}

Story::Story() : world_(fresh_world()), env_(world_env(world_)) {
  at(world_);
  for (const char* dir : {"/home", "/state", "/config", "/bin"})
    told(make_dirs(world_ + dir, 0755));
  if (::symlink(built_program().c_str(), (world_ + "/bin/git-txn").c_str()) != 0)
    throw std::runtime_error("no link to " + built_program());
  write("home/.gitconfig", kGitConfig);
}

Story::~Story() {
  if (::chdir("/") != 0 || !remove_tree(world_)) std::abort();
}

void Story::at(const std::string& dir) {
  dir_ = dir;
  if (::chdir(dir.c_str()) != 0) throw std::runtime_error("no directory " + dir);
}

// The repository that all stories of this process copy.
std::string Story::make_sample() {
  static const struct Sample {
    std::string path = fresh_world();
    ~Sample() { static_cast<void>(remove_tree(path)); }
  } sample;
  at(sample.path);
  sh(kSampleRepo);
  return sample.path;
}

void Story::new_repo(const std::string& name) {
  static const std::string sample = make_sample();
  must_run({"cp", "-a", sample + "/repo", world_ + "/" + name});
  at(world_ + "/" + name);
  git("update-index -q --refresh");
}

void Story::tries(const Line& line) {
  txn(line.words);
}

void Story::exits(int want, const Line& line, Where where) {
  txn(line.words);
  if (code != want)
    end_story(where, "'" + quote_argv(line.words) + "' exited " + std::to_string(code) + ", not " +
                         std::to_string(want) + "; stdout: " + out + "; stderr: " + err);
}

void Story::agent(const std::string& script, const Line& options) {
  Words argv = {"run", "--json"};
  argv.insert(argv.end(), options.words.begin(), options.words.end());
  argv.insert(argv.end(), {"--", "bash", "-c", script});
  txn(argv);
}

void Story::lands(const std::string& script, const Line& options, Where where) {
  agent(script, options);
  if (became() != "0 landed") end_story(where, out + err);
}

void Story::open_work(const std::string& script, Where where) {
  agent(script, "--no-land");
  if (became() != "0 open") end_story(where, out + err);
  id = field("/txn");
}

void Story::killed_at(const std::string& point, const Line& line, Where where) {
  env_["GIT_TXN_FAILPOINT"] = point;
  txn(line.words);
  env_.erase("GIT_TXN_FAILPOINT");
  if (code != 137) end_story(where, "not killed at " + point + ": " + out + err);
}

std::vector<std::string> Story::lines() const {
  std::vector<std::string> found = {""};
  for (const char c : out) {
    if (c == '\n') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

std::string Story::field(const std::string& pointer) const {
  return value_at(lines().back(), pointer);
}

std::string Story::fields(const std::string& pointer) const {
  std::string all;
  for (const std::string& line : lines()) all += (all.empty() ? "" : " ") + value_at(line, pointer);
  return all;
}

std::string Story::git(const Line& line) {
  Words argv = {"git"};
  argv.insert(argv.end(), line.words.begin(), line.words.end());
  return must_run(argv);
}

std::string Story::sh(const std::string& script) {
  return must_run({"bash", "-ec", script});
}

std::string Story::sql(const std::string& statement) {
  return must_run({"sqlite3", ".git/txn/kernel.db", statement});
}

int Story::events(const std::string& type) {
  return std::stoi(sql("SELECT count(*) FROM events WHERE type = '" + type + "'"));
}

std::string Story::last(const std::string& type, const std::string& pointer) {
  return value_at(
      sql("SELECT payload FROM events WHERE type = '" + type + "' ORDER BY seq DESC LIMIT 1"),
      pointer);
}

void Story::write(const std::string& name, const std::string& text) {
  told(make_dirs(parent_dir(join_path(dir_, name)), 0755));
  told(write_file(join_path(dir_, name), text, Sync::kNo, 0644));
}

std::string Story::read(const std::string& name) {
  return trimmed(told(read_file(join_path(dir_, name), 1u << 20)));
}

bool Story::exists(const std::string& name) {
  return ::access(join_path(dir_, name).c_str(), F_OK) == 0;
}

std::string Story::shown(const std::string& path) {
  return must_run({"git", "show", "main:" + path});
}

void Story::person_commits(const std::string& name, const std::string& text) {
  write(name, text + "\n");
  must_run({"git", "add", "--", name});
  must_run({"git", "commit", "-qm", "person edits " + name, "--", name});
}

void Story::trust() {
  exits(0, "trust --json");
  exits(0, "trust --yes " + field("/hash"));
}

void Story::policy(const std::string& text) {
  commit_policy(text);
  trust();
}

void Story::sound(Where where) {
  exits(0, "verify --replay", where);
  must_run({"git", "fsck", "--connectivity-only", "--no-dangling"});
  is(must_run({"find", ".git", "-name", "*.lock", "-not", "-path", "*/txn/*"}), "", where);
}

std::string Story::must_run(Words argv) {
  Command command;
  command.argv = std::move(argv);
  command.cwd = dir_;
  command.env = env_;
  const gittxn::Output output = told(gittxn::run(command));
  if (!output.exit.success())
    throw std::runtime_error(quote_argv(command.argv) + ": " + output.err + output.out);
  return trimmed(output.out);
}

void Story::txn(const Words& argv) {
  const int status = gittxn::testing::status_of(
      gittxn::testing::in_child([&] { return run_here(argv, env_, clock_, world_); }));
  out = trimmed(told(read_file(world_ + "/.out", 1u << 24)));
  err = trimmed(told(read_file(world_ + "/.err", 1u << 24)));
  code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  record_output(argv, code, out);
}

// ---- of the stories themselves

namespace {

TEST(StoryLine, HasWordsBetweenSpacesAndInQuotes) {
  EXPECT_THAT(Line("a  'b c' d'e f'g ''").words, ::testing::ElementsAre("a", "b c", "de fg", ""));
}

class StoryOfStories : public Story {};

TEST_F(StoryOfStories, EndsAtWhatDoesNotHold) {
  new_repo();
  EXPECT_THROW(exits(3, "log"), std::runtime_error);
  EXPECT_THROW(lands("exit 5"), std::runtime_error);
  EXPECT_THROW(git("no-such-command"), std::runtime_error);
  EXPECT_THROW(is("a", "b"), std::runtime_error);
  EXPECT_THROW(has("a", "b"), std::runtime_error);
  EXPECT_THROW(lacks("ab", "b"), std::runtime_error);
  EXPECT_THROW(killed_at("land.after_prepared", "log"), std::runtime_error);
}

TEST_F(StoryOfStories, JudgesWhatJsonPrinted) {
  std::string record;
  for (const char* part : {"3", "lease", "list", "--json", "0", R"({"id":"l-1"})"})
    record += std::string(part) + '\0';
  const Result<gittxn::Output> said = judged(record);
  ASSERT_TRUE(said);
  EXPECT_FALSE(said->exit.success());
  has(said->out, "1 outputs judged, 1 problems");
}

}  // namespace
}  // namespace gittxn::cli::testing

// txn-hammer: many processes that do all that can be done to one store, some of them killed or
// stopped at any moment, and a judge of what they say against the log.
//
// DIR is empty or absent; the store and the journals are in it. On a server connections are ended
// too. Exit 0: nothing is wrong; 1: what is wrong, one line each. Waits are reported and never
// judged; --explain says of the longest what else was under way.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/bug.h"
#include "base/fs.h"
#include "db/database.h"
#include "hammer/judge.h"
#include "hammer/worker.h"
#include "store/log/consumers.h"
#include "store/log/feed.h"
#include "store/summaries.h"
#include "store/work/budgets.h"

namespace gittxn::hammer {
namespace {

constexpr std::int64_t kEndMs = 90'000;  // for the processes to end when they are told to
volatile sig_atomic_t g_stop = 0;
void on_stop(int) {
  g_stop = 1;
}

struct Options {
  std::vector<std::string> words;  // that say all this
  std::int64_t seconds;
  std::uint64_t seed;
  int processes;
  bool explain;
  std::string dir;
  World world;
};

int work(const Options& options, const Who& who) {
  struct sigaction stop{};
  stop.sa_handler = on_stop;
  ::sigaction(SIGTERM, &stop, nullptr);
  const std::uint64_t seed = options.seed * 1'000'003 +
                             static_cast<std::uint64_t>(who.place) * 1'009 +
                             static_cast<std::uint64_t>(who.life);
  auto worker = Worker::start(options.world, who, seed);
  Status status = worker ? Status() : Status(std::unexpected(worker.error()));
  while (status && g_stop == 0) status = worker->work();
  if (status) return 0;
  fmt::print(stderr, "WRONG process {}.{}: {}: {}: {}\n", who.place, who.life,
             code_name(status.error().code), status.error().where, status.error().message);
  return 1;
}

// The processes, from where the judge's outside knowledge of them is.
class Hammer {
 public:
  explicit Hammer(Options options) : options_(std::move(options)), random_(options_.seed) {}

  Result<bool> run() {
    TRY(prepare());
    for (int place = 0; place < options_.processes; ++place) TRY(start({place, 0}));
    const std::int64_t end_ns = clock_.monotonic_ns() + options_.seconds * 1'000 * kNsPerMs;
    bool sound = true;
    while (sound && clock_.monotonic_ns() < end_ns) {
      clock_.sleep_ms(20 + static_cast<std::int64_t>(random_.below(180)));
      sound = nobody_failed();
      TRY(read_log());
      if (sound) TRY(disturb());
    }
    sound = end_all() && sound;
    return TRY(judged()) && sound;
  }

 private:
  Status prepare() {
    TRY(make_dirs(world_.journals, 0700));
    TRY(make_dirs(world_.repository, 0700));
    TRY(make_dirs(options_.dir + "/member/.git", 0700));
    if (world_.place.on_server()) {
      server_.emplace(TRY(db::Database::connect(world_.place.url, world_.place.schema, {})));
      for (const std::string& schema : {world_.place.schema, world_.member.schema}) {
        TRY(server_->execute(fmt::format("DROP SCHEMA IF EXISTS {} CASCADE", schema)));
      }
    }
    if (!world_.program.empty()) TRY(make_repository());
    TRY(make_dirs(world_.repository + "/.git", 0700));
    TRY(make_world(world_));
    store_.emplace(TRY(store::Store::open(world_.place, clock_)));
    member_.emplace(TRY(store::Store::open(world_.member, clock_)));
    return {};
  }

  // With a hub, where the log is a server's.
  Status make_repository() {
    const std::string hub = options_.dir + "/hub.git";
    std::vector<std::vector<std::string>> lines{
        {"git", "init", "-q", "-b", "main"},
        {"git", "config", "user.name", "Hammer"},
        {"git", "config", "user.email", "hammer@example.org"},
        {"git", "commit", "-q", "--allow-empty", "-m", "start"}};
    if (world_.place.on_server()) {
      lines.push_back({"git", "clone", "-q", "--bare", world_.repository, hub});
      lines.push_back({"git", "remote", "add", "origin", hub});
      lines.push_back({world_.program, "init", "--store", world_.place.url, "--hub", "origin",
                       "--schema", world_.place.schema, "--clone", "hammer"});
    }
    for (const auto& line : lines) {
      Command command;
      command.argv = line;
      command.env = world_.env;
      command.cwd = world_.repository;
      const Output output = TRY(gittxn::run(command));
      if (!output.exit.success()) return fail(Code::kFault, quote_argv(line) + ": " + output.err);
    }
    return {};
  }

  Status start(const Who& who) {
    std::vector<std::string> argv{TRY(read_link("/proc/self/exe")), "worker",
                                  std::to_string(who.place), std::to_string(who.life)};
    argv.insert(argv.end(), options_.words.begin(), options_.words.end());
    const pid_t child = ::fork();
    if (child < 0) return fail_errno(errno, "fork");
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      close_other_descriptors({});
      std::vector<char*> words;
      for (std::string& word : argv) words.push_back(word.data());
      words.push_back(nullptr);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
    alive_[who.place] = {child, who};
    return {};
  }

  // A process that ended without being killed has found something.
  bool nobody_failed() {
    for (const auto& [place, process] : alive_) {
      int status = 0;
      if (::waitpid(process.pid, &status, WNOHANG) != process.pid) continue;
      fmt::print("WRONG process {}.{} ended by itself, status {}\n", place, process.who.life,
                 status);
      alive_.erase(place);
      return false;
    }
    return true;
  }

  // A kill, a stop, on a server a connection that is ended, or nothing.
  Status disturb() {
    const std::uint64_t what = random_.below(20);
    Process& victim = alive_[static_cast<int>(random_.below(alive_.size()))];
    if (what < 2) {
      ::kill(victim.pid, SIGKILL);
      int status = 0;
      ::waitpid(victim.pid, &status, 0);
      told_.killed.emplace(victim.who.place, victim.who.life);
      disturbed("a kill", victim.who);
      return start({victim.who.place, victim.who.life + 1});
    }
    if (what == 2) {
      const std::int64_t begun = clock_.monotonic_ns();
      ::kill(victim.pid, SIGSTOP);
      clock_.sleep_ms(50 + static_cast<std::int64_t>(random_.below(250)));
      ::kill(victim.pid, SIGCONT);
      told_.stops_ns.emplace_back(begun, clock_.monotonic_ns());
    }
    if (what > 2 && what < 5 && server_) return cut(victim.who);
    return {};
  }

  void disturbed(std::string_view how, const Who& who) {
    told_.disturbances.emplace_back(clock_.monotonic_ns(),
                                    fmt::format("{} of h{}", how, who.place));
  }

  // The connections of its stores. That of its locks is left alone: with it a server forgets the
  // locks, and who has them is then promised by nobody (store/server/locks.h).
  Status cut(const Who& who) {
    db::Statement end = TRY(server_->statement(
        "SELECT count(*) FROM (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE "
        "application_name = ?) ended"));
    end.bind_all(name_of(who));
    const bool row = TRY(end.step());
    cuts_ += row ? end.integer(0) : 0;
    disturbed("a cut", who);
    return {};
  }

  bool end_all() {
    for (const auto& [place, process] : alive_) ::kill(process.pid, SIGTERM);
    const std::int64_t end_ns = clock_.monotonic_ns() + kEndMs * kNsPerMs;
    bool sound = true;
    for (const auto& [place, process] : alive_) {
      int status = 0;
      pid_t ended = 0;
      while ((ended = ::waitpid(process.pid, &status, WNOHANG)) == 0 &&
             clock_.monotonic_ns() < end_ns) {
        clock_.sleep_ms(5);
      }
      // Told before it had begun to listen, one ends as anybody does.
      const bool at_once = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
      const bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
      if (ended == process.pid && (well || at_once)) continue;
      fmt::print("WRONG process {}.{} did not end when it was told to, status {}\n", place,
                 process.who.life, status);
      ::kill(process.pid, SIGKILL);
      if (ended == 0) ::waitpid(process.pid, &status, 0);
      sound = false;
    }
    alive_.clear();
    return sound;
  }

  // What comes after those that are there.
  static Status read_on(const store::Store& store, std::vector<Event>& log) {
    for (bool more = true; more;) {
      const Seq next = static_cast<Seq>(log.size()) + 1;
      store::EventBatch batch = TRY(store::read_batch(store, next, {}, 2'000));
      for (Event& event : batch.events) log.push_back(std::move(event));
      more = !batch.at_end;
    }
    return {};
  }

  // As a consumer that pruning waits for.
  Status read_log() {
    const std::size_t before = told_.log.size();
    TRY(read_on(*store_, told_.log));
    if (told_.log.size() == before) return {};
    return store::acknowledge(*store_, "archive", static_cast<Seq>(told_.log.size()));
  }

  // What is left to tell the member, by whoever comes next.
  Status read_member() {
    constexpr int kMost = 500;
    while (TRY(relay_some(*store_, *member_, kMost)).left > 0) {
    }
    return read_on(*member_, told_.member);
  }

  // Of one name the last in the log counts, and its text is there.
  Status add_summaries(std::vector<std::string>& wrong) {
    std::map<std::string, std::string> last;
    for (const Event& event : told_.log) {
      if (event.type != event_type::kSummaryAdded) continue;
      const Json payload = payload_of(event);
      last[text_of(payload, "name")] = text_of(payload, "manifest");
    }
    const auto known = TRY(store::summaries(*store_));
    if (known.size() != last.size()) wrong.push_back("some summary is lost");
    for (const store::StoredSummary& summary : known) {
      if (last[summary.name] != summary.manifest.str()) {
        wrong.push_back(fmt::format("lost update: {} is not its last", summary.name));
      }
      const auto text = store_->artifact(summary.manifest);
      if (!text) wrong.push_back(fmt::format("{}: {}", summary.name, text.error().message));
    }
    return {};
  }

  // The shared transaction's usage is what the reports in the log add up to.
  Status add_usage(std::vector<std::string>& wrong) {
    std::int64_t reported = 0;
    for (const Event& event : told_.log) {
      if (event.type != event_type::kUsageReported) continue;
      const Json payload = payload_of(event);
      for (const Json& item : payload["items"]) reported += number_of(item, "input");
    }
    const auto used = TRY(store::used(*store_, store::Scope{store::Scope::Of::kTxn, kShared}));
    if (used[0] == reported) return {};
    wrong.push_back(
        fmt::format("lost update: {} were reported, {} are counted", reported, used[0]));
    return {};
  }

  Result<bool> judged() {
    TRY(read_member());
    TRY(read_log());
    told_.operations = TRY(read_journals(world_.journals));
    std::vector<std::string> wrong = judge(told_);
    TRY(add_usage(wrong));
    TRY(add_summaries(wrong));
    for (const auto& report : {TRY(store_->verify()), TRY(store_->verify_replay()),
                               TRY(member_->verify()), TRY(member_->verify_replay())}) {
      wrong.insert(wrong.end(), report.problems.begin(), report.problems.end());
    }
    std::map<std::string, std::size_t> made;
    for (const Operation& op : told_.operations) made[op.verb] += op.ended == Ended::kMade ? 1 : 0;
    fmt::print(
        "hammer: {} s, {} processes, {} operations, {} events, {} told to a member, {} kills, {} "
        "stops, {} connections ended\n",
        options_.seconds, options_.processes, told_.operations.size(), told_.log.size(),
        told_.member.size(), told_.killed.size(), told_.stops_ns.size(), cuts_);
    for (const auto& [verb, count] : made) fmt::print("made {} {}\n", verb, count);
    for (const Wait& wait : waits_of(told_)) {
      fmt::print(
          "wait {:<16} n={:<6} median_ms={:<8.2f} p99_ms={:<8.2f} longest_ms={:<8.2f} "
          "longest/median={:.1f}\n",
          wait.verb, wait.count, wait.median_ms, wait.of_100_ms, wait.longest_ms,
          wait.longest_ms / wait.median_ms);
    }
    constexpr std::size_t kExplained = 5;
    if (options_.explain) {
      for (const std::string& line : explain_longest(told_, kExplained)) {
        fmt::print("explain {}\n", line);
      }
    }
    for (const std::string& line : wrong) fmt::print("WRONG {}\n", line);
    return wrong.empty();
  }

  struct Process {
    pid_t pid = -1;
    Who who;
  };
  Options options_;
  const World& world_ = options_.world;
  SystemClock clock_;
  Random random_;
  std::map<int, Process> alive_;
  std::optional<store::Store> store_;
  std::optional<store::Store> member_;
  std::optional<db::Database> server_;
  std::int64_t cuts_ = 0;
  Told told_;
};

constexpr const char* kUsage =
    "usage: txn-hammer run DIR [--seconds N] [--seed S] [--processes N] [--postgres URL] "
    "[--program GIT-TXN] [--often VERB,VERB...] [--explain]";

Result<Options> parse(std::vector<std::string> words, const Environment& env) {
  const std::vector<std::string> given = words;
  const bool explain = std::erase(words, "--explain") > 0;
  if (words.size() < 2 || words.size() % 2 != 0) return fail(Code::kUsage, kUsage);
  std::map<std::string, std::string> values{{"--seconds", "30"},  {"--seed", "1"},
                                            {"--processes", "8"}, {"--postgres", ""},
                                            {"--program", ""},    {"--often", ""}};
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    const auto value = values.find(words[i]);
    if (value == values.end()) return fail(Code::kUsage, kUsage);
    value->second = words[i + 1];
  }
  const std::string& dir = words[1];
  World world{.place = store::Location(dir + "/repo/.git/txn"),
              .member = store::Location(dir + "/member/.git/txn"),
              .journals = dir + "/journals",
              .program = values["--program"],
              .often = "," + values["--often"] + ",",
              .repository = dir + "/repo",
              .env = env};
  world.env["HOME"] = dir;
  world.env["XDG_STATE_HOME"] = dir + "/state";
  world.place.url = world.member.url = values["--postgres"];
  world.place.schema = "hammer";
  world.member.schema = "hammer_member";
  return Options{given,
                 std::stoll(values["--seconds"]),
                 std::stoull(values["--seed"]),
                 std::stoi(values["--processes"]),
                 explain,
                 dir,
                 std::move(world)};
}

Result<int> run(std::vector<std::string> words, const Environment& env) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  if (const auto bug = env.find("GIT_TXN_BUG"); bug != env.end()) arm_bug(bug->second);
  if (words.size() > 3 && words[0] == "worker") {
    const Who who{std::stoi(words[1]), std::stoi(words[2])};
    words.erase(words.begin(), words.begin() + 3);
    return work(TRY(parse(words, env)), who);
  }
  const Options options = TRY(parse(words, env));
  fmt::print("hammer: seed {}\n", options.seed);
  return TRY(Hammer(options).run()) ? 0 : 1;
}

}  // namespace
}  // namespace gittxn::hammer

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto ended = gittxn::hammer::run(words, gittxn::environment_from(environ));
  if (ended) return *ended;
  fmt::print(stderr, "txn-hammer: {}: {}\n", ended.error().where, ended.error().message);
  return ended.error().code == gittxn::Code::kUsage ? 3 : 2;
}

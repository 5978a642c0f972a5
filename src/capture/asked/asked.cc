#include "capture/asked/asked.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/channels.h"
#include "capture/tool_digest.h"
#include "questions/question.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kMostCandidates = 100'000;
constexpr std::size_t kMostArgumentBytes = 64u << 10;
constexpr std::size_t kMostTold = 100;     // processes that are no questions
constexpr std::size_t kMostLeftOut = 400;  // paths that rules are asked about

// Directories that an asking has of its own (asking/ask.h).
bool is_of_this_place(std::string_view real) {
  constexpr std::string_view kPlaces[] = {"/tmp/", "/var/tmp/", "/dev/shm/", "/run/", "/var/run/"};
  return std::ranges::any_of(kPlaces, [&](auto place) { return real.starts_with(place); });
}

bool makes_a_file(const Record& record) {
  return changes_something(record) && record.op != Op::kUnlink && record.op != Op::kRmdir;
}

// What it makes is not a regular file, or may not be (mknod and bind are named).
bool makes_another(const Record& record) {
  const bool given = record.op == Op::kRename || record.op == Op::kLink;
  if (given) return !S_ISREG(record.mode);
  return record.op == Op::kSymlink || record.op == Op::kMkdir ||
         (record.op == Op::kOpenCreate && !record.path2.empty());
}

// A file of tests, as the runners that are known find them, or beside one.
bool is_test(std::string_view path) {
  constexpr std::string_view kFolders[] = {"test", "tests", "__tests__", "spec", "specs"};
  constexpr std::string_view kWords[] = {"test_",  "_test.", "tests.", ".test.", ".spec.",
                                         "_spec.", "Test.",  "Tests.", "test-",  "-test."};
  const std::string name = base_name(path);
  const auto in_name = [&](std::string_view word) { return name.contains(word); };
  if (std::ranges::any_of(kWords, in_name)) return true;
  for (std::size_t at = 0, end = path.find('/'); end != path.npos; end = path.find('/', at)) {
    if (std::ranges::find(kFolders, path.substr(at, end - at)) != std::end(kFolders)) return true;
    at = end + 1;
  }
  return false;
}

// Why standard input keeps it from being a question; "" nothing does.
std::string_view given_input(const Record& exec, Question& question) {
  if (exec.given.empty()) return "what its input is is not known";
  const Given& input = exec.given.front();
  switch (input.kind) {
    case Given::Kind::kClosed:
    case Given::Kind::kNull:
    case Given::Kind::kTerminal:
      return {};
    case Given::Kind::kFile:
      if (input.at != 0) return "its input was read by another process before";
      if (!path_below(input.path, question.tree, nullptr)) return "its input is another file";
      question.input = input.path;
      return {};
    default:
      return "its input is a pipe, or a socket";
  }
}

std::size_t bytes_of(const std::vector<std::string>& argv) {
  std::size_t bytes = 0;
  for (const std::string& word : argv) bytes += word.size() + 1;
  return bytes;
}

}  // namespace

// ---- processes ----

Asked::Candidate* Asked::candidate(std::int64_t number) {
  return number == 0 ? nullptr : &candidates_[static_cast<std::size_t>(number - 1)];
}

void Asked::spoil(std::int64_t number, std::string_view why) {
  for (Candidate* one = candidate(number); one != nullptr; one = candidate(one->outer)) {
    if (one->spoiled.empty()) one->spoiled = why;
  }
}

void Asked::unfit(std::int64_t number, std::string why) {
  Candidate* one = candidate(number);
  if (one != nullptr && one->spoiled.empty()) one->spoiled = std::move(why);
}

// A pure process spoils what it is inside of, too. git does not: builds and tests ask it as well.
void Asked::unfit_as(std::int64_t number, std::string_view why) {
  if (!candidate(number)->reads_git) return spoil(number, why);
  unfit(number, std::string(why));
}

void Asked::next(const Record& record) {
  ++now_;
  if (record.time_ms <= last_ms_) return;
  last_ms_ = record.time_ms;
  for (; not_begun_yet_ < candidates_.size(); ++not_begun_yet_) {
    candidates_[not_begun_yet_].after_ms = last_ms_;
  }
}

// The number of a process is used again, and its end was not seen.
void Asked::forget(std::int32_t pid) {
  ended_.erase(pid);
  const auto at = member_of_.find(pid);
  if (at == member_of_.end()) return;
  spoil(at->second, "the end of one of its processes was not seen");
  member_of_.erase(at);
}

void Asked::forked(const Record& fork, std::int64_t parent) {
  forget(fork.pid);
  if (parent == 0) return;
  member_of_[fork.pid] = parent;
  for (Candidate* one = candidate(parent); one != nullptr; one = candidate(one->outer)) {
    ++one->alive;
    const bool pure = one->question.kind == Question::Kind::kPure;
    if (pure && one->spoiled.empty()) one->spoiled = "it started another process";
  }
}

// A command that policy declares is a runner, even if it is git.
questions::Classified Asked::asked_by(const Record& exec) const {
  const bool moved = !input_.base.empty() && input_.base != input_.snapshot;
  if (moved) return questions::no_question("the transaction had taken in the branch before it");
  if (candidates_.size() >= kMostCandidates)
    return questions::no_question("too many ran before it");
  if (exec.argv_cut || bytes_of(exec.argv) > kMostArgumentBytes)
    return questions::no_question("it has too many arguments");
  const auto declared = [&](const std::vector<std::string>& command) {
    return questions::is_command(command, exec.argv);
  };
  auto known = questions::classify(exec.argv);
  if (known && known->git == questions::GitState::kNone) return known;
  if (std::ranges::none_of(input_.runners, declared)) return known;
  return questions::Question{.kind = questions::Kind::kRunner,
                             .name = base_name(exec.argv.front())};
}

// One that came with the system and only reads stages nothing, whether it is a question or not.
void Asked::begin_git(const Record& exec, const questions::Question& question, Candidate& one) {
  if (question.git == questions::GitState::kNone) return;
  one.git = question.git;
  one.reads_git = one.spoiled.empty();
  if (one.spoiled.empty()) one.spoiled = git_.trouble(exec, question);
  if (one.spoiled.empty()) one.question.settings = git_.settings();
}

std::int64_t Asked::started(const Record& exec, const Resolved& program, search::Vouched name,
                            std::int64_t until_now) {
  if (Candidate* one = candidate(until_now); one != nullptr && one->pid == exec.pid) {
    if (one->question.kind == Question::Kind::kPure) spoil(until_now, "it ran another program");
  }
  ran(until_now, program, exec.path);
  const auto question = asked_by(exec);
  if (!question) {
    if (unlisted_.size() < kMostCandidates)
      unlisted_.try_emplace(argv_text(exec.argv), question.error().reason);
    return until_now;
  }
  const bool pure = question->kind == questions::Kind::kPure;
  Candidate one;
  one.question.kind = pure ? Question::Kind::kPure : Question::Kind::kRunner;
  one.question.name = question->name;
  one.question.program = program.place == Place::kOutside ? program.real : exec.path;
  one.question.argv = exec.argv;
  one.question.tree = input_.places.tree;
  one.question.environment = Digest(exec.env_digest);
  one.tests = question->tests;
  one.builds_tests = question->builds_tests;
  one.outer = until_now;
  one.pid = exec.pid;
  one.from = now_;
  if (!path_below(exec.path2, input_.places.tree, &one.question.directory)) {
    one.spoiled = "it ran outside of the worktree";
  } else if (pure && (program.place != Place::kOutside ||
                      (name == search::Vouched::kNo && !came_with_system(program.real)))) {
    one.spoiled = "its program did not come with the system";
  } else if (!pure && exec.env_digest.empty()) {
    one.spoiled = "its environment is not known";
  } else if (pure && !exec.env_known) {
    one.spoiled = "its environment is not known";
  }
  if (pure) one.question.env = exec.env;
  std::ranges::sort(one.question.env);
  if (one.question.directory == ".") one.question.directory.clear();
  if (pure) begin_git(exec, *question, one);
  if (one.spoiled.empty()) one.spoiled = given_input(exec, one.question);
  candidates_.push_back(std::move(one));
  const auto number = static_cast<std::int64_t>(candidates_.size());
  member_of_[exec.pid] = number;
  return number;
}

// A program that `make check` has built and started is a test, whatever its name.
void Asked::ran(std::int64_t number, const Resolved& program, const std::string& path) {
  const auto by = left_.find(left_name(program, path));
  if (by == left_.end()) return;
  for (; number != 0; number = candidate(number)->outer) {
    const auto inside_it = [&](std::int64_t writer) { return inside(writer, number); };
    Candidate& one = *candidate(number);
    if (one.builds_tests && std::ranges::any_of(by->second, inside_it)) one.showed_test = true;
  }
}

// The last word about the end of a process counts (trace.h).
void Asked::ended(const Record& exit) {
  const auto running = member_of_.extract(exit.pid);
  if (running) ended_.insert_or_assign(exit.pid, running.mapped());
  const auto known = ended_.find(exit.pid);
  if (known == ended_.end()) return;
  for (Candidate* one = candidate(known->second); one != nullptr; one = candidate(one->outer)) {
    if (one->pid == exit.pid) {
      end(*one, exit);
    } else if (running) {
      --one->alive;
    }
  }
}

void Asked::end(Candidate& one, const Record& exit) const {
  if (one.to == 0) one.to = now_;
  one.question.status = exit.result;
  if (!one.spoiled.empty()) return;
  if (unknown_result(exit)) {
    one.spoiled = "how it ended is not known";
  } else if (exit.flags != 0) {
    one.spoiled = "a signal ended it";
  } else if (one.alive != 0) {
    one.spoiled = "a process that it had started was still running";
  } else if (one.question.kind == Question::Kind::kRunner && exit.result != 0) {
    one.spoiled = "it failed";
  } else {
    one.spoiled = git_.trouble_until_now(one.git);
  }
}

void Asked::end_processes() {
  while (!member_of_.empty()) forget(member_of_.begin()->first);
  ended_.clear();
}

// ---- what they did ----

std::string Asked::name_of(const Resolved& at, const std::string& path) const {
  switch (at.place) {
    case Place::kTree:
      return at.node != nullptr ? model_.path_of(*at.node) : at.missing;
    case Place::kOutside:
      return at.real.empty() ? normal_path(path) : at.real;
    default:
      return {};
  }
}

// The name that a file has in left_.
std::string Asked::left_name(const Resolved& at, const std::string& path) const {
  std::string name = name_of(at, path);
  return at.place == Place::kTree ? join_path(input_.places.tree, name) : name;
}

void Asked::changed(const Record& record, std::int64_t number, const Resolved& at,
                    const std::string& path) {
  if (at.place == Place::kTree) {
    const std::string name = name_of(at, path);
    const bool directory = record.op == Op::kMkdir || record.op == Op::kRmdir;
    const bool source = record.op == Op::kRename && path == record.path;
    const bool gone = record.op == Op::kUnlink || record.op == Op::kRmdir || source;
    touches_[name].push_back({now_, number, !directory, gone, makes_another(record)});
    if (makes_a_file(record)) left(number, left_name(at, path));
  } else if (at.place == Place::kOutside) {
    if (makes_a_file(record)) left(number, left_name(at, path));
  } else if (at.place == Place::kGitDir) {
    changed_git(number, at.rest);
  } else if (at.place != Place::kPseudo) {
    spoil(number, "it changed another checkout or the repository itself");
  }
}

void Asked::changed_git(std::int64_t number, const std::string& file) {
  const Candidate* one = candidate(number);
  const bool reader = one != nullptr && one->reads_git;
  using enum GitStanding::Writer;
  git_.changed(file, reader ? kReader : kOther);
  if (reader) unfit(number, git_.trouble_with(file));
  if (file.starts_with("refs/")) spoil(number, "it moved a reference");
}

void Asked::left(std::int64_t number, std::string name) {
  if (number == 0) return;
  if (candidate(number)->question.kind == Question::Kind::kPure) {
    unfit_as(number, "it wrote a file");
  }
  left_[std::move(name)].insert(number);
}

// A file that a runner left may have been read by no other process.
void Asked::read(const Record& record, std::int64_t number, const Resolved& at) {
  Candidate* const one = candidate(number);
  const bool pure = one != nullptr && one->question.kind == Question::Kind::kPure;
  if (at.place == Place::kGitDir || at.place == Place::kCommonGit) {
    if (pure && !one->reads_git) spoil(number, "it read the git directory");
    const bool objects = at.rest.starts_with("objects/");
    if (pure && at.place == Place::kGitDir) unfit(number, git_.trouble_with(at.rest));
    if (pure && at.place == Place::kCommonGit && !objects)
      unfit(number, "it read another checkout");
    return;
  }
  const bool in_tree = at.place == Place::kTree;
  const bool tests = one != nullptr && one->tests && in_tree;
  const std::string name = in_tree && !tests ? "" : name_of(at, record.path);
  const bool setting = !in_tree && GitStanding::is_settings_file(name);
  if (pure && one->reads_git && setting) return;  // they go with the question
  const bool private_file =
      in_tree ? at.node == nullptr || at.node->origin == Origin::kFound : is_of_this_place(name);
  if (pure && private_file) unfit_as(number, "it read a file that only this worktree has");
  if (tests && is_test(name)) {
    for (Candidate* outer = one; outer != nullptr; outer = candidate(outer->outer)) {
      outer->showed_test = true;
    }
  }
  if (left_.empty() || (one != nullptr && !pure)) return;
  const auto by = left_.find(left_name(at, record.path));
  if (by == left_.end()) return;
  for (const std::int64_t writer : by->second) {
    if (!inside(number, writer)) spoil(writer, "something that it left was read later");
  }
}

bool Asked::inside(std::int64_t number, std::int64_t outer) {
  while (number != 0 && number != outer) number = candidate(number)->outer;
  return number == outer;
}

void Asked::on_path(const Record& record, const Process& process, const Resolved& at,
                    const Resolved* to) {
  if (failed(record)) return;
  if (changes_something(record)) {
    changed(record, process.question, at, record.path);
    if (to != nullptr) changed(record, process.question, *to, record.path2);
  }
  if (content_open(record)) read(record, process.question, at);
}

void Asked::connected(const Record& record, const Process& process) {
  if (process.question == 0) return;
  const Connection peer = classify_connection(record.path);
  const bool itself = peer.name.starts_with("127.") || peer.name.starts_with("[::1]");
  if (peer.peer == Peer::kHarmless || (peer.peer == Peer::kNetwork && itself)) return;
  if (failed(record) && record.result != -EINPROGRESS) return;
  spoil(process.question, "it connected to " + peer.name);
}

// ---- the whole ----

// Through a descriptor that was open already nothing is on record; the file itself tells.
bool Asked::touched_later(const std::string& path, const Candidate& one) const {
  const auto file = input_.on_disk ? input_.on_disk(path) : join_path(input_.places.tree, path);
  struct stat info{};
  if (!file || file->empty() || ::lstat(file->c_str(), &info) != 0) return true;
  const std::int64_t ms =
      info.st_mtim.tv_sec * std::int64_t{1000} + info.st_mtim.tv_nsec / 1'000'000;
  return one.after_ms != 0 && ms > one.after_ms;
}

// A tracked path is part of each tree, whatever the rules say.
bool Asked::left_out(const std::string& path) {
  if (left_out_.size() >= kMostLeftOut && !left_out_.contains(path)) return false;
  const auto [known, fresh] = left_out_.try_emplace(path, false);
  if (!fresh || !input_.ignored || model_.snapshot_entry(path).present()) return known->second;
  for (const std::string& name : {path, path + "/"}) {
    const auto ignored = input_.ignored(name);
    if (ignored && *ignored) known->second = true;
  }
  return known->second;
}

void Asked::judge_own(Candidate& one, std::int64_t number, const std::set<std::string>& looks,
                      const OwnHistory& history) {
  if (one.git != questions::GitState::kNone) {
    judge_own_of_git(one, number);
    if (one.spoiled.empty()) judge_files_of_git(one);
    return;
  }
  Asking asking{one.question.kind, one.from, one.to, &looks};
  asking.itself = [&](std::int64_t by) { return inside(by, number); };
  asking.touched_unseen = [&](const std::string& path) { return touched_later(path, one); };
  asking.left_out = [&](const std::string& path) { return left_out(path); };
  OwnFiles files = history.at(asking);
  one.spoiled = std::move(files.spoiled);
  one.question.own = std::move(files.own);
  one.question.met = std::move(files.met);
  one.question.unsettled = std::move(files.unsettled);
  one.question.in_between = files.in_between;
}

void Asked::judge(std::int64_t number, const std::set<std::string>& looks,
                  const OwnHistory& history) {
  Candidate& one = *candidate(number);
  if (one.spoiled.empty() && one.to == 0) one.spoiled = "its end was not seen";
  if (one.spoiled.empty() && one.tests && !one.showed_test) one.spoiled = "it opened no test";
  if (one.spoiled.empty()) judge_own(one, number, looks, history);
}

std::vector<Question> Asked::finish(std::vector<Read>& reads) {
  std::map<std::int64_t, std::set<std::string>> looks = log_.met_own();
  for (const Read& read : reads) {
    if (read.question == 0) continue;
    looks[read.question].insert(look_of(read.kind, read.subject));
  }
  // A candidate made the looks of the ones inside it, too. Inner ones have higher numbers.
  for (auto number = static_cast<std::int64_t>(candidates_.size()); number > 0; --number) {
    const auto own = looks.find(number);
    const std::int64_t outer = candidate(number)->outer;
    if (own != looks.end() && outer != 0)
      looks[outer].insert(own->second.begin(), own->second.end());
  }
  const OwnHistory history(input_.writes, touches_);
  std::vector<std::int64_t> belongs(candidates_.size() + 1, 0);
  std::set<std::int64_t> used;
  for (std::int64_t number = 1; std::cmp_less_equal(number, candidates_.size()); ++number) {
    judge(number, looks[number], history);
    const Candidate& one = *candidate(number);
    const std::int64_t outer = belongs[static_cast<std::size_t>(one.outer)];
    const bool holds = one.spoiled.empty() || INJECTED_BUG("capture.every_candidate_asks");
    belongs[static_cast<std::size_t>(number)] = outer != 0 ? outer : holds ? number : 0;
    if (holds && outer == 0 && !one.question.met.empty()) used.insert(number);
  }
  for (Read& read : reads) {
    read.question = belongs[static_cast<std::size_t>(read.question)];
    // Bytes that no commit had are on no tree that it could be asked on.
    if (read.digest.starts_with(kUncommitted)) read.question = 0;
    if (read.question != 0) used.insert(read.question);
  }
  std::map<std::int64_t, std::int64_t> renamed;
  std::vector<Question> questions;
  for (const std::int64_t number : used) {
    Question question = std::move(candidate(number)->question);
    question.number = static_cast<std::int64_t>(questions.size()) + 1;
    renamed[number] = question.number;
    questions.push_back(std::move(question));
  }
  for (Read& read : reads) {
    if (read.question != 0) read.question = renamed[read.question];
  }
  return questions;
}

std::vector<std::string> Asked::others(const std::vector<Read>& reads) const {
  std::set<std::string> lines;
  for (const Candidate& one : candidates_) {
    if (one.spoiled.empty() || lines.size() == kMostTold) continue;
    lines.insert(argv_text(one.question.argv) + ": " + one.spoiled);
  }
  for (const Read& read : reads) {
    const auto found = read.question == 0 ? unlisted_.find(read.argv) : unlisted_.end();
    if (found != unlisted_.end() && lines.size() < kMostTold)
      lines.insert(found->first + ": " + found->second);
  }
  return {lines.begin(), lines.end()};
}

}  // namespace gittxn::capture

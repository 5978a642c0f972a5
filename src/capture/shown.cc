#include "capture/shown.h"

#include <fcntl.h>

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/tool_digest.h"
#include "questions/question.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kMostCalls = 100'000;
constexpr std::size_t kMostReaders = 64;  // of one file

// Shells are given a command in quotes of their own.
std::string without_quotes(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c != '\'' && c != '"' && c != '\\') plain.push_back(c);
  }
  return plain;
}

bool ends_word(char c) {
  const bool inside = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return !inside && c != '_' && c != '-' && c != '.' && c != '/';
}

// The words of a command among the arguments of the program that runs it.
bool runs_command(const std::vector<std::string>& argv, std::string_view command) {
  const std::string wanted = without_quotes(command);
  if (wanted.empty()) return false;
  return std::ranges::any_of(argv, [&](const std::string& word) {
    const std::string plain = without_quotes(word);
    for (std::size_t at = plain.find(wanted); at != plain.npos; at = plain.find(wanted, at + 1)) {
      const std::size_t end = at + wanted.size();
      const bool begins = at == 0 || ends_word(plain[at - 1]);
      if (begins && (end == plain.size() || ends_word(plain[end]))) return true;
    }
    return false;
  });
}

bool same_object(const Given& a, const Given& b) {
  return a.kind == b.kind && a.dev == b.dev && a.ino == b.ino;
}

// Names a file that a process may know by another path.
std::string name_of_object(std::uint64_t dev, std::uint64_t ino) {
  return std::to_string(dev) + ":" + std::to_string(ino);
}

bool opens_descriptor(const Record& record) {
  return record.path.starts_with("/proc/") && record.path.contains("/fd/");
}

// Somebody sits before it and types.
bool is_at_terminal(const Record& exec) {
  return exec.given.size() == 3 && exec.given[0].kind == Given::Kind::kTerminal &&
         exec.given[1].kind == Given::Kind::kTerminal;
}

bool knows_given(const Record& exec) {
  return exec.given.size() == kGiven012;
}

}  // namespace

Shown::Call* Shown::call_of(std::int32_t pid) {
  const auto at = members_.find(pid);
  return at == members_.end() ? nullptr : &calls_[static_cast<std::size_t>(at->second - 1)];
}

void Shown::forked(const Record& fork) {
  members_.erase(fork.pid);
  shows_.erase(fork.pid);
  // Its child may be given anything.
  if (const auto parent = shows_.find(fork.parent); parent != shows_.end()) {
    showings_[static_cast<std::size_t>(parent->second - 1)].spoiled = true;
  }
  if (const auto parent = members_.find(fork.parent); parent != members_.end()) {
    members_[fork.pid] = parent->second;
  }
}

// Leads to an agent when it is what that runs a command with, and not the agent's own.
bool Shown::is_answer(const Given& output, std::int64_t agent) const {
  using Kind = Given::Kind;
  switch (output.kind) {
    case Kind::kPipe:
    case Kind::kSocket:
    case Kind::kTerminal:
      break;
    case Kind::kFile:
      if (!output.path.starts_with('/') || output.path.ends_with(" (deleted)")) return false;
      if ((output.flags & O_ACCMODE) != O_WRONLY) return false;
      if (path_below(output.path, input_.places.tree, nullptr)) return false;
      break;
    default:
      return false;
  }
  const auto own = others_.find(agent);
  if (own == others_.end() || own->second.given.size() != kGiven012) return false;
  return std::ranges::none_of(own->second.given,
                              [&](const Given& one) { return same_object(one, output); });
}

bool Shown::leads_to_agent(const Given& output, const Call& call) const {
  if (output.kind == Given::Kind::kNull) return true;
  return std::ranges::any_of(call.outputs,
                             [&](const Given& one) { return same_object(one, output); });
}

// The number of the tool call whose outermost process this is, or 0.
std::int64_t Shown::begin(const Record& exec) {
  const std::int64_t agent = agents_.program_before(exec.pid);  // that it is a child of
  if (!agents_.is_agent(agent) || exec.time_ms == 0 || exec.argv_cut || !knows_given(exec))
    return 0;
  const bool told = std::ranges::any_of(input_.commands, [&](const ToldCommand& one) {
    const bool during = one.start_ms <= exec.time_ms && exec.time_ms <= one.end_ms;
    return during && runs_command(exec.argv, one.text);
  });
  if (!told || calls_.size() >= kMostCalls) return 0;
  Call call{.agent = agent, .from = now_};
  for (std::size_t i = 1; i < kGiven012; ++i) {
    if (exec.given[i].kind == Given::Kind::kNull) continue;
    if (!is_answer(exec.given[i], agent)) return 0;
    call.outputs.push_back(exec.given[i]);
  }
  calls_.push_back(std::move(call));
  return static_cast<std::int64_t>(calls_.size());
}

std::int64_t Shown::showing_of(std::int64_t call) {
  if (showings_.size() >= kMostCalls) return 0;
  showings_.push_back({.call = call});
  return static_cast<std::int64_t>(showings_.size());
}

bool only_edits(const Record& exec, const Resolved& program) {
  if (program.place != Place::kOutside || !came_with_system(program.real) || exec.argv_cut) {
    return false;
  }
  if (questions::only_edits(exec.argv) || INJECTED_BUG("capture.anybody_edits")) return true;
  return questions::edits_on_screen(exec.argv) && is_at_terminal(exec);
}

Shown::Numbers Shown::shows(const Record& exec, const Resolved& program, std::int64_t call) {
  if (exec.argv_cut || program.place != Place::kOutside) return {};
  const auto agent = others_.find(calls_[static_cast<std::size_t>(call - 1)].agent);
  const bool agents_own = agent != others_.end() && agent->second.program == program.real;
  const bool systems = came_with_system(program.real);
  Numbers numbers;
  if ((agents_own || systems) && questions::lists_names(exec.argv)) {
    numbers.names = numbers.files = showing_of(call);
    return numbers;
  }
  const auto asked = questions::classify(exec.argv);
  const bool prints = asked && asked->kind == questions::Kind::kPure;
  const bool any = INJECTED_BUG("capture.any_program_shows");
  if (!any && (!prints || (!agents_own && !systems))) return numbers;
  numbers.printed = showing_of(call);
  if (numbers.printed != 0) shows_[exec.pid] = numbers.printed;
  if (any || (systems && questions::only_shows(exec.argv))) numbers.files = numbers.printed;
  return numbers;
}

std::int64_t Shown::by_itself(std::int32_t pid) {
  const std::int64_t agent = agents_.program(pid);
  if (agent == 0 || members_.contains(pid)) return 0;
  const auto [number, fresh] = by_itself_.try_emplace(agent, 0);
  if (fresh && calls_.size() < kMostCalls) {
    calls_.push_back({.agent = agent, .from = now_, .by_itself = true});
    number->second = showing_of(static_cast<std::int64_t>(calls_.size()));
  }
  return number->second;
}

Shown::Numbers Shown::started(const Record& exec, const Resolved& program) {
  shows_.erase(exec.pid);
  if (!watches_) return {};
  ++now_;
  if (!exec.given.empty()) {
    const Given& input = exec.given.front();
    if (input.kind == Given::Kind::kPipe) inputs_.insert({input.dev, input.ino});
    if (input.kind == Given::Kind::kFile) reads(exec.pid, input.path, {input.dev, input.ino});
  }
  if (!members_.contains(exec.pid)) {
    const std::int64_t number = begin(exec);
    if (number == 0) {
      others_[agents_.program(exec.pid)] = {program.real, exec.given};
      return {};
    }
    members_[exec.pid] = number;
  }
  const Call& call = *call_of(exec.pid);
  if (!knows_given(exec)) return {};
  const bool alone = leads_to_agent(exec.given[1], call) && leads_to_agent(exec.given[2], call);
  if (!alone && !INJECTED_BUG("capture.shown_wherever_it_went")) return {};
  return shows(exec, program, members_[exec.pid]);
}

// A process reads a file outside of the tree.
void Shown::reads(std::int32_t pid, const std::string& real, const Object& object) {
  std::vector<std::string> names{real};
  if (object.second != 0) names.push_back(name_of_object(object.first, object.second));
  for (const std::string& name : names) {
    std::set<std::int64_t>& readers = read_[name];
    if (readers.size() < kMostReaders) readers.insert(agents_.program(pid));
  }
  const auto written = written_.find(real);
  if (written == written_.end() || !members_.contains(pid)) return;
  for (Call& call : calls_) {
    const bool since = call.from < written->second.last;
    if (since && call.agent == written->second.program) call.spoiled = true;
  }
}

void Shown::on_path(const Record& record, const Resolved& at, const Resolved* to) {
  if (!watches_) return;
  ++now_;
  if (failed(record)) return;
  if (content_open(record) && opens_descriptor(record)) {
    Call* const call = call_of(record.pid);
    const bool itself = call == nullptr && agents_.is_agent(agents_.program(record.pid));
    for (Call& one : calls_) {
      if (!itself && (call == nullptr || call == &one)) one.spoiled = true;
    }
  }
  if (at.place != Place::kOutside || at.real.empty()) return;
  const bool moves = record.op == Op::kRename || record.op == Op::kLink;
  if (content_open(record) || moves) reads(record.pid, at.real, {record.dev, record.ino});
  if (!changes_something(record) || members_.contains(record.pid)) return;
  const Written written{agents_.program(record.pid), now_};
  by_itself_.erase(written.program);  // what it looks at from now on was not written there
  written_[at.real] = written;
  if (to != nullptr && to->place == Place::kOutside) written_[to->real] = written;
}

bool Shown::to_agent_alone(std::int64_t number) const {
  if (number == 0) return false;
  const Showing& showing = showings_[static_cast<std::size_t>(number - 1)];
  const Call& call = calls_[static_cast<std::size_t>(showing.call - 1)];
  if (showing.spoiled || call.spoiled) return false;
  if (call.by_itself) {
    return agents_.is_itself(call.agent) || INJECTED_BUG("capture.anybody_is_the_agent");
  }
  return std::ranges::none_of(call.outputs, [&](const Given& output) {
    if (output.kind == Given::Kind::kPipe) return inputs_.contains({output.dev, output.ino});
    return output.kind == Given::Kind::kFile &&
           (was_read(output.path, call.agent) ||
            was_read(name_of_object(output.dev, output.ino), call.agent));
  });
}

bool Shown::was_read(const std::string& name, std::int64_t agent) const {
  const auto readers = read_.find(name);
  if (readers == read_.end()) return false;
  return readers->second.size() >= kMostReaders ||
         std::ranges::any_of(readers->second, [&](std::int64_t one) { return one != agent; });
}

}  // namespace gittxn::capture

#include "capture/housekeeping.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/agent_processes.h"

namespace gittxn::capture {
namespace {

std::string called(const Record& exec) {
  return exec.argv.empty() ? std::string() : base_name(exec.argv.front());
}

}  // namespace

// Both passes see the same records, so they count the same programs.
std::size_t Housekeeping::follow(const Record& record) {
  if (record.op == Op::kFork) {
    const auto parent = runs_.find(record.parent);
    runs_[record.pid] = parent == runs_.end() ? 0 : parent->second;
    return 0;
  }
  if (record.op != Op::kExec || failed(record)) return 0;
  std::size_t& runs = runs_[record.pid];
  if (++started_ == programs_.size()) programs_.push_back({.before = runs});
  runs = started_;
  programs_[runs].perhaps_agent = agents::may_be_known(base_name(record.path));
  if (starts_hook(record)) {
    std::size_t at = runs;
    while (at != 0 && !programs_[at].perhaps_agent) at = programs_[at].before;
    programs_[at].reports = true;
  }
  return runs;
}

void Housekeeping::start_over() {
  runs_.clear();
  started_ = 0;
  tools_failed();
}

// Beside a file that is not there, or is not what was expected, an agent may name others.
void Housekeeping::tools_failed() {
  const auto shown = [&](const std::string& path) {
    const Resolved at = resolver_.resolve(path, LastLink::kFollow);
    if (at.place == Place::kTree && at.node != nullptr) {
      shown_.insert(model_.path_of(*at.node));
    } else if (at.place != Place::kOutside && at.place != Place::kPseudo) {
      any_shown_ = true;
    }
  };
  for (const Conversations::Failed& call : input_.conversations.failed) {
    const bool absolute = call.path.starts_with('/');
    if (!absolute && call.cwd.empty()) {
      any_shown_ = true;
      continue;
    }
    const std::string path = absolute ? call.path : join_path(call.cwd, call.path);
    shown(parent_dir(path));
  }
}

const agents::KnownProgram* Housekeeping::known(const Resolved& program) {
  if (program.place != Place::kOutside || !agents::may_be_known(base_name(program.real))) {
    return nullptr;
  }
  return input_.known_program(tools_.digest_of(program.real));
}

search::Vouched Housekeeping::vouches_for(const Record& exec, const Resolved& program) {
  const agents::KnownProgram* known_as = known(program);
  if (known_as == nullptr) return search::Vouched::kNo;
  const auto& names = known_as->searchers;
  const bool one = std::ranges::find(names, called(exec)) != names.end();
  return one ? search::Vouched::kYes : search::Vouched::kNo;
}

bool Housekeeping::sessions_allow(const agents::KnownProgram& program) const {
  const Conversations& all = input_.conversations;
  if (INJECTED_BUG("capture.housekeeping_of_any_session")) return true;
  return all.whole && !any_shown_ && std::ranges::all_of(all.tools, [&](const std::string& tool) {
           return agents::is_harmless_tool(program, tool);
         });
}

Process::Part Housekeeping::next(const Record& record, const Resolved* program) {
  const std::size_t number = follow(record);
  if (number == 0 || program == nullptr) return Process::Part::kOther;
  Program& one = programs_[number];
  one.agent = false;
  if (programs_[one.before].agent && program->place == Place::kOutside &&
      came_with_system(program->real) && agents::is_known_child(*agent_, record.argv)) {
    return Process::Part::kAskedByAgent;
  }
  if (!one.reports) return Process::Part::kOther;
  const agents::KnownProgram* known_as = known(*program);
  if (known_as == nullptr || !known_as->keeps_house || !sessions_allow(*known_as) ||
      vouches_for(record, *program) == search::Vouched::kYes) {
    return Process::Part::kOther;
  }
  one.agent = true;
  agent_ = known_as;
  return Process::Part::kAgent;
}

bool Housekeeping::is_own_git(Process::Part part, std::string_view path) const {
  return part == Process::Part::kAgent && !agent_->own_git.empty() &&
         path.contains(agent_->own_git);
}

bool Housekeeping::covers(Process::Part part, ReadKind kind, std::string_view subject,
                          std::string_view op) const {
  if (part == Process::Part::kOther) return false;
  if (INJECTED_BUG("capture.housekeeping_of_contents")) return true;
  // The model is told of the skills, commands and agents that are there.
  if (subject == ".claude" || subject.starts_with(".claude/")) return false;
  const bool agent = part == Process::Part::kAgent;
  if (kind == ReadKind::kListing) {
    return !agent || !shown_.contains(std::string(subject)) ||
           INJECTED_BUG("capture.housekeeping_shown");
  }
  if (kind == ReadKind::kTree) return agent && op == kReadIndex;
  return kind == ReadKind::kMetadata && !agent;
}

}  // namespace gittxn::capture

// Questions to git: which files an asking of it has to have as they were.
#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"
#include "capture/asked/asked.h"

namespace gittxn::capture {

// git shows only the name of an untracked file, so its contents may still be written: the output of
// git itself may be redirected to it.
bool Asked::is_name_for_git(const PathChange& change, const std::vector<Touch>& touches,
                            const Candidate& one) const {
  constexpr std::string_view kRules = ".gitignore .gitattributes .gitmodules .mailmap";
  if (change.before.present() || !change.after.present()) return false;
  if (kRules.contains(base_name(change.path)) || touches.empty()) return false;
  return touches.front().when < one.from && std::ranges::none_of(touches, &Touch::gone);
}

// git compares the transaction's own files, or shows a commit and meets none of them.
void Asked::judge_own_of_git(Candidate& one, std::int64_t number) {
  const bool all = one.git == questions::GitState::kWorktree;
  for (const PathChange& change : input_.writes) {
    if (change.is_directory()) continue;
    const auto found = touches_.find(change.path);
    const std::vector<Touch> touches =
        found == touches_.end() ? std::vector<Touch>{} : found->second;
    if (all && is_name_for_git(change, touches, one)) {
      one.question.own.push_back(change.path);
      continue;
    }
    for (const Touch& touch : touches) {
      if (inside(touch.by, number)) {
        one.spoiled = "it wrote '" + change.path + "', which lands";
      } else if (all && touch.when > one.from && touch.when < one.to) {
        one.spoiled = "'" + change.path + "' was written meanwhile";
      }
    }
    const bool known = !touches.empty();  // else with a directory, say
    const bool before = known && touches.back().when < one.from;
    const bool after = known && touches.front().when > one.to;
    if (before && !touched_later(change.path, one)) {
      one.question.own.push_back(change.path);
    } else if (all && !after) {
      one.spoiled = "'" + change.path + "' was changed before and after it";
    }
    if (!one.spoiled.empty()) return;
  }
}

// git looks at every file, or at those that say how files are shown. Each has to be as the asking
// has it.
void Asked::judge_files_of_git(Candidate& one) {
  using enum questions::GitState;
  if (INJECTED_BUG("capture.git_meets_no_file")) return;
  const auto& own = one.question.own;
  for (const auto& [path, touches] : touches_) {
    const std::string name = base_name(path);
    const bool met = one.git == kWorktree || name == ".gitattributes" || name == ".mailmap";
    if (!met || touches.front().when > one.to) continue;
    if (std::ranges::none_of(touches, &Touch::file)) continue;
    if (std::ranges::binary_search(own, path)) continue;
    const bool came_and_went = touches.back().gone && touches.back().when < one.from;
    if (came_and_went && !model_.snapshot_entry(path).present()) continue;
    if (one.git == kWorktree && left_out(path)) continue;
    one.spoiled = "'" + path + "' was then what it is not in the end";
    return;
  }
}

}  // namespace gittxn::capture

#include "land/judge/beside.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/bug.h"
#include "base/text.h"
#include "capture/search_tree.h"
#include "certify/judge.h"
#include "model/policy.h"
#include "questions/question.h"
#include "search/evaluate.h"
#include "search/pattern.h"
#include "semantic/footprint.h"
#include "semantic/kinds.h"
#include "semantic/language.h"
#include "semantic/read/text_lines.h"

namespace gittxn::land {
namespace {

using certify::Came;
using semantic::Write;

constexpr std::size_t kMostOfAFile = 4u << 20;

// The language of both sides, when it is one of programs; nullptr: none.
const semantic::Language* code_of(std::string_view path, std::string_view before,
                                  std::string_view after) {
  const auto* language = semantic::language_of(path, after);
  if (language == nullptr || semantic::is_data(*language)) return nullptr;
  return before.empty() || semantic::language_of(path, before) == language ? language : nullptr;
}

// A language may use it without anybody who names it.
bool is_used_by_itself(std::string_view name) {
  return name.starts_with("__") || name.starts_with("operator") || name == "init";
}

// Something that is there besides, and neither changes nor does anything as long as nobody names
// it.
bool only_declares(const Write& write) {
  if (write.change != semantic::Change::kAdded || write.opaque || write.runs || write.overload ||
      write.feeds_all || !write.maybe.empty()) {
    return false;
  }
  if (write.kind == "import" || semantic::is_function(write.kind)) return true;
  return write.kind == "type" && !write.member;
}

// The names that are declared besides; nullopt: something else is different.
std::optional<std::vector<std::string>> declared_besides(const semantic::Footprint& footprint,
                                                         std::string_view before) {
  std::set<std::string_view> added;
  for (const Write& write : footprint.writes) {
    if (write.change == semantic::Change::kAdded) added.insert(write.symbol);
  }
  std::vector<std::string> names;
  for (const Write& write : footprint.writes) {
    if (INJECTED_BUG("land.beside_anything")) continue;
    // Parts of something new are new with it. Names that an import brings in are the file's.
    if (write.kind != "import" && added.contains(write.container)) continue;
    if (!only_declares(write)) return std::nullopt;
    for (const std::string& name : write.defines) {
      if (is_used_by_itself(name) || has_word(before, name)) return std::nullopt;
      names.push_back(name);
    }
  }
  return names;
}

bool is_plain_file(const TreeEntry& entry) {
  return entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
}

class Newcomers {
 public:
  Newcomers(const repo::Objects& objects, const Oid& head_tree)
      : objects_(objects), head_tree_(head_tree) {}

  std::optional<Came> in_file(const Read& read, const Question* question,
                              const SnapshotDiff& diff) const {
    if (question != nullptr && !questions::shows_lines(question->argv)) return std::nullopt;
    const PathChange* change = certify::find_change(diff.changes, read.subject);
    if (change == nullptr || change->before.mode != change->after.mode ||
        !is_plain_file(change->after)) {
      return std::nullopt;
    }
    const auto before = text_of(change->before), after = text_of(change->after);
    if (!before || !after || code_of(change->path, *before, *after) == nullptr) return std::nullopt;
    const auto footprint = semantic::footprint_of_file({change->path, before, after}, {});
    auto names = declared_besides(footprint, *before);
    if (!names) return std::nullopt;
    return Came{*std::move(names)};
  }

  std::optional<Came> in_search(const Read& read, const SnapshotDiff& diff,
                                const Changes& own) const;

 private:
  // Nothing there: "". nullopt: it is no file, or cannot be read.
  std::optional<std::string> text_of(const TreeEntry& entry) const {
    if (!entry.present()) return std::string();
    if (!is_plain_file(entry)) return std::nullopt;
    auto text = objects_.blob(entry.oid, kMostOfAFile);
    return text ? std::optional(*std::move(text)) : std::nullopt;
  }

  const repo::Objects& objects_;
  const Oid& head_tree_;
};

// The lines that a search selects, whatever it prints of them.
class Selected {
 public:
  static std::optional<Selected> make(search::Query query) {
    query.shown = search::Shown::kLines;
    query.before = query.after = query.max_per_file = 0;
    query.line_numbers = false;
    auto matcher = search::Matcher::compile(query);
    if (!matcher) return std::nullopt;
    return Selected(std::move(query), *std::move(matcher));
  }
  // nullopt: nobody can tell.
  std::optional<std::vector<std::string>> in(std::string_view text) const {
    search::PathAnswer found = search::lines_of(query_, matcher_, "", text);
    if (!found.certain) return std::nullopt;
    return std::move(found.lines);
  }
  bool may_have(std::string_view text) const {
    const auto found = in(text);
    return !found || !found->empty();
  }

 private:
  Selected(search::Query query, search::Matcher matcher)
      : query_(std::move(query)), matcher_(std::move(matcher)) {}
  search::Query query_;
  search::Matcher matcher_;
};

// All of `was`, in order, with others in between.
bool stands(const std::vector<std::string>& was, const std::vector<std::string>& is) {
  auto at = is.begin();
  for (const std::string& line : was) {
    at = std::find(at, is.end(), line);
    if (at == is.end()) return false;
    ++at;
  }
  return true;
}

bool covered(const search::Query& query, std::string_view path) {
  return std::ranges::any_of(query.roots,
                             [&](const search::Root& root) { return covers(root.path, path); });
}

bool is_blank(std::string_view line) {
  return trimmed(line).empty();
}

// True if the change of a text touches a line that was selected, or what stands beside one.
bool works_at(const Selected& selected, std::string_view before, std::string_view after) {
  const auto hunks = semantic::line_difference(before, after);
  if (!hunks) return true;
  const semantic::TextLines old_lines(before), new_lines(after);
  for (const semantic::LineHunk& hunk : *hunks) {
    semantic::LineRange near = hunk.before;
    const std::vector<std::string_view> made = lines_of(new_lines.of(hunk.after));
    const bool apart_above = !made.empty() && is_blank(made.front());
    const bool apart_below = !made.empty() && is_blank(made.back());
    if (near.from > 0 && !apart_above) --near.from;
    if (near.to < old_lines.count() && !apart_below) ++near.to;
    if (near.from < near.to && selected.may_have(old_lines.of(near))) return true;
  }
  return false;
}

// True if a line that was found besides declares something, and is found by the name of that.
bool looks_for(const Selected& selected, const std::vector<std::string>& besides,
               const std::vector<std::string>& declared) {
  for (const std::string& name : declared) {
    for (const std::string& line : besides) {
      if (!has_word(line, name)) continue;
      std::string blanked = line;
      for (std::size_t at = blanked.find(name); at != blanked.npos;
           at = blanked.find(name, at + 1)) {
        std::fill_n(blanked.begin() + static_cast<std::ptrdiff_t>(at), name.size(), ' ');
      }
      const auto still = selected.in(blanked + "\n");
      if (!still || still->empty()) return true;
    }
  }
  return false;
}

std::vector<std::string> without(std::vector<std::string> lines,
                                 const std::vector<std::string>& others) {
  for (const std::string& line : others) {
    const auto at = std::ranges::find(lines, line);
    if (at != lines.end()) lines.erase(at);
  }
  return lines;
}

std::optional<Came> Newcomers::in_search(const Read& read, const SnapshotDiff& diff,
                                         const Changes& own) const {
  auto query = search::query_from_text(read.query);
  if (!query || query->kind == search::Kind::kNames || query->invert) return std::nullopt;
  using search::Shown;
  const bool files = query->shown == Shown::kWithMatch;
  if (!files && query->shown != Shown::kLines && query->shown != Shown::kOnlyMatching) {
    return std::nullopt;
  }
  query->line_numbers = false;
  const auto selected = Selected::make(*query);
  const auto tree = objects_.tree_of(read.snapshot);
  if (!selected || !tree) return std::nullopt;
  std::vector<std::string> own_paths;
  for (const PathChange& change : own) {
    own_paths.push_back(change.path);
    if (!covered(*query, change.path) || !change.before.present()) continue;
    const auto before = text_of(change.before), after = text_of(change.after);
    if (!before || !after) return std::nullopt;
    const bool at_work = files ? selected->may_have(*before) : works_at(*selected, *before, *after);
    if (at_work && !INJECTED_BUG("land.beside_a_list_of_work")) return std::nullopt;
  }
  const auto differences =
      search::differences(*query, capture::SearchTree(objects_, *tree),
                          capture::SearchTree(objects_, head_tree_), diff.changes, own_paths);
  if (!differences) return std::nullopt;
  Came came;
  for (const search::Difference& one : *differences) {
    const PathChange* change = certify::find_change(diff.changes, one.path);
    if (change == nullptr || !stands(one.was, one.is)) return std::nullopt;
    came.found_before = came.found_before || !one.was.empty();
    const auto before = text_of(change->before), after = text_of(change->after);
    if (!before || !after) return std::nullopt;
    if (semantic::is_prose(one.path)) continue;
    if (code_of(one.path, *before, *after) == nullptr) return std::nullopt;
    const auto was = selected->in(*before), is = selected->in(*after);
    if (!was || !is) return std::nullopt;
    std::vector<std::string> declared;
    const auto footprint = semantic::footprint_of_file({one.path, before, after}, {});
    for (const Write& write : footprint.writes) {
      if (write.opaque) return std::nullopt;
      const bool here = write.kind != "import" && write.change == semantic::Change::kAdded;
      if (here) declared.insert(declared.end(), write.defines.begin(), write.defines.end());
    }
    if (INJECTED_BUG("land.beside_what_it_looked_for")) continue;
    if (looks_for(*selected, without(*is, *was), declared)) return std::nullopt;
  }
  return came;
}

}  // namespace

certify::OnlyCame only_came(const repo::Objects& objects, Oid head_tree) {
  return
      [&objects, head_tree = std::move(head_tree)](const Read& read, const Question* question,
                                                   const SnapshotDiff& diff, const Changes& own) {
        const Newcomers newcomers(objects, head_tree);
        return read.kind == ReadKind::kSearch ? newcomers.in_search(read, diff, own)
                                              : newcomers.in_file(read, question, diff);
      };
}

}  // namespace gittxn::land

#include "txn/footprints.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/fs.h"
#include "base/json.h"
#include "repo/worktree/worktree_paths.h"

namespace gittxn::api {
namespace {

constexpr std::size_t kFilesLookedInto = 16;

std::size_t columns_of_subject(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// Nothing in it ends the line, moves a cursor or is no text.
bool is_plain(std::string_view text) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return is_utf8(text) && std::ranges::none_of(text, control);
}

std::string path_in_subject(const std::string& path) {
  return is_plain(path) ? path : repo::quote_path(path);
}

// "src/auth.py/Token#validate(int)." as people say it: "Token.validate()".
std::string spoken_symbol(const semantic::Write& change) {
  std::string_view id = change.symbol;
  id.remove_prefix(std::min(id.size(), change.path.size() + 1));
  std::string said;
  int depth = 0;
  for (const char c : id) {
    if (c == '(' && depth++ == 0) said += "()";
    if (c == ')' && depth > 0) {
      --depth;
    } else if (depth == 0 && c != '`') {
      said += c == '#' || c == '/' ? '.' : c;
    }
  }
  while (!said.empty() && (said.back() == '.' || said.back() == ':')) said.pop_back();
  return is_plain(said) ? said : std::string();
}

// The symbols worth naming: no imports, no whole files, no member beside its container, and nothing
// that a function only gives.
std::vector<const semantic::Write*> told_symbols(const FootprintReport& report,
                                                 const std::string& path) {
  std::vector<const semantic::Write*> told;
  const semantic::Write* around = nullptr;
  for (const semantic::Write& change : report.symbols) {
    const bool whole = change.language.empty() || change.kind == "file" ||
                       change.kind == "import" || change.kind == "given";
    if (change.path != path || whole || spoken_symbol(change).empty()) continue;
    const bool inside = around != nullptr && change.change == around->change &&
                        change.symbol.starts_with(around->symbol);
    if (inside) continue;
    around = &change;
    told.push_back(&change);
  }
  return told;
}

enum class Edit { kChanged, kAdded, kRemoved };
Edit edit_of(const PathChange& change) {
  if (!change.before.present()) return Edit::kAdded;
  return change.after.present() ? Edit::kChanged : Edit::kRemoved;
}

// Added, where all of them were, and so on.
Edit edit_of(const std::vector<const semantic::Write*>& symbols) {
  const auto all = [&](semantic::Change what) {
    return std::ranges::all_of(symbols, [&](const auto* one) { return one->change == what; });
  };
  if (all(semantic::Change::kAdded)) return Edit::kAdded;
  return all(semantic::Change::kRemoved) ? Edit::kRemoved : Edit::kChanged;
}

std::string_view verb_of(Edit edit) {
  return edit == Edit::kAdded ? "Add" : edit == Edit::kRemoved ? "Remove" : "Change";
}

std::string_view preposition_of(Edit edit) {
  return edit == Edit::kAdded ? "to" : edit == Edit::kRemoved ? "from" : "in";
}

// The one that the subject names. What was there before says more than what is new.
const PathChange& leading_file(const FootprintReport& report) {
  const auto weight = [&](const PathChange& change) {
    if (edit_of(change) == Edit::kRemoved) return 3;
    if (edit_of(change) == Edit::kAdded) return 2;
    return told_symbols(report, change.path).empty() ? 1 : 0;
  };
  return *std::ranges::min_element(report.changes, {}, weight);
}

// From the one that says most to the one that always fits.
std::vector<std::string> wordings(const FootprintReport& report) {
  const Changes& files = report.changes;
  const PathChange& first = leading_file(report);
  const std::string path = path_in_subject(first.path);
  const std::string base = path_in_subject(std::string(base_name(first.path)));
  const std::size_t others = files.size() - 1;
  const std::string more =
      others == 0 ? "" : fmt::format(" and {} more {}", others, others == 1 ? "file" : "files");
  const auto of_kind = [&](const PathChange& file) { return edit_of(file) == edit_of(first); };
  const bool alike = std::ranges::all_of(files, of_kind);
  const std::string_view verb = verb_of(alike ? edit_of(first) : Edit::kChanged);

  std::vector<std::string> said;
  const auto symbols = told_symbols(report, first.path);
  if (edit_of(first) == Edit::kChanged && !symbols.empty()) {
    const Edit edit = others == 0 ? edit_of(symbols) : Edit::kChanged;
    for (std::size_t shown = std::min<std::size_t>(symbols.size(), 2); shown > 0; --shown) {
      std::string names = spoken_symbol(*symbols[0]);
      const std::size_t rest = symbols.size() - shown;
      if (shown == 2) names += (rest > 0 ? ", " : " and ") + spoken_symbol(*symbols[1]);
      if (rest > 0) names += fmt::format(" and {} more", rest);
      for (const std::string& place : {path, base}) {
        said.push_back(
            fmt::format("{} {} {} {}{}", verb_of(edit), names, preposition_of(edit), place, more));
      }
    }
  }
  if (others == 0 && edit_of(first) == Edit::kChanged && first.before.oid == first.after.oid) {
    said.push_back("Change the mode of " + path);
  }
  for (const std::string& place : {path, base}) {
    said.push_back(fmt::format("{} {}{}", verb, place, more));
  }
  said.push_back(others == 0 ? fmt::format("{} a file", verb)
                             : fmt::format("{} {} files", verb, others + 1));
  return said;
}

// The change is a rename of one file and nothing else.
std::optional<std::string> as_rename(const Changes& files) {
  if (files.size() != 2) return std::nullopt;
  for (int from = 0; from < 2; ++from) {
    const PathChange& old = files[static_cast<std::size_t>(from)];
    const PathChange& now = files[static_cast<std::size_t>(1 - from)];
    const bool moved =
        edit_of(old) == Edit::kRemoved && edit_of(now) == Edit::kAdded && old.before == now.after;
    if (!moved) continue;
    return fmt::format("Rename {} to {}", path_in_subject(old.path), path_in_subject(now.path));
  }
  return std::nullopt;
}

}  // namespace

std::string subject_of(const FootprintReport& report) {
  if (report.changes.empty()) return "Change nothing";
  const auto fits = [](const std::string& text) {
    return columns_of_subject(text) <= kSubjectColumns;
  };
  if (const auto renamed = as_rename(report.changes); renamed && fits(*renamed)) return *renamed;
  const std::vector<std::string> said = wordings(report);
  const auto found = std::ranges::find_if(said, fits);
  return found == said.end() ? said.back() : *found;
}

Result<std::string> subject_of_change(catalogue::Footprints& footprints, const Changes& changes) {
  const Changes files = files_of(changes);
  Changes looked;
  for (const PathChange& file : files) {
    if (edit_of(file) == Edit::kChanged && looked.size() < kFilesLookedInto) looked.push_back(file);
  }
  FootprintReport report = TRY(footprint_of(footprints, looked));
  report.changes = files;
  return subject_of(report);
}

}  // namespace gittxn::api

#include "gates/evidence/carry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/bug.h"
#include "certify/judge.h"
#include "gates/evidence/rows.h"
#include "gates/generated.h"
#include "model/fields.h"

namespace gittxn::gates {

namespace {

constexpr RowsHead kLooks{"looks", 2, 3};
constexpr std::string_view kAttributes = ".gitattributes";

// Recorded beside the reads: the survey has it.
bool is_outside(ReadKind kind) {
  return kind == ReadKind::kEnvironment || kind == ReadKind::kExternal;
}

std::string cause_of(const Look& look, const Changes& diff) {
  if (look.kind == ReadKind::kContent) {
    return certify::find_change(diff, look.path) == nullptr ? "" : look.path;
  }
  Read read;
  read.kind = look.kind;
  read.subject = look.path;
  read.digest = look.digest;
  const auto stale = certify::judge(read, diff);
  return stale ? stale->cause : "";
}

std::string bound_by(const Read& read) {
  if (read.kind == ReadKind::kRef) return "it asked git for " + read.subject;
  if (!certify::is_path_read(read.kind)) {
    return fmt::format("it read {} {}", read_kind_name(read.kind), read.subject);
  }
  if (read.digest.starts_with(kUncommitted)) {
    return fmt::format("it read {}, which is not committed", read.subject);
  }
  return fmt::format("it read {} of another commit", read.subject);
}

}  // namespace

constexpr std::string_view kList = "list:", kStat = "stat:";

std::optional<std::string> blind_problem(std::string_view rule) {
  if (rule == "list:.") return std::nullopt;
  const bool known = rule.starts_with(kList) || rule.starts_with(kStat);
  if (!known) return "begins with neither \"list:\" nor \"stat:\"";
  return glob_problem(rule.substr(kList.size()));
}

Looks seen_by(Looks looks, const std::vector<std::string>& blind) {
  for (const std::string_view rule : blind) {
    const bool listing = rule.starts_with(kList);
    const auto glob = parse_glob(rule.substr(kList.size()));
    const auto covers = [&](const Look& look) {
      if (look.path.empty()) return rule == "list:.";
      return glob && is_one_of(*glob, look.path);
    };
    if (listing) {
      std::erase_if(
          looks, [&](const Look& look) { return look.kind == ReadKind::kListing && covers(look); });
      continue;
    }
    for (Look& look : looks) {
      if (look.kind != ReadKind::kMetadata || !covers(look)) continue;
      look.digest = look.digest.substr(0, look.digest.find(' '));  // the mode
    }
  }
  return united(std::move(looks), {});
}

std::string in_words(const Changed& changed) {
  const auto& [look, cause] = changed;
  const std::string top = look.path.empty() ? "the top of the tree" : look.path;
  switch (look.kind) {
    case ReadKind::kAbsence:
      return fmt::format("{} was looked for, and {} is there now", look.path, cause);
    case ReadKind::kListing:
      return fmt::format("{} was listed and has other entries now ({})", top, cause);
    default:
      return fmt::format("{} has changed", cause);
  }
}

std::optional<Looks> looks_of(const ReadSet& reads, const Oid& commit, std::string* why) {
  Looks looks;
  for (const Read& read : reads.reads) {
    if (is_outside(read.kind)) continue;
    const bool of_tree = certify::is_path_read(read.kind) && read.snapshot == commit &&
                         read.lines == LineSpan{} && !read.digest.starts_with(kUncommitted);
    if (!of_tree) {
      *why = bound_by(read);
      return std::nullopt;
    }
    looks.push_back({read.kind, read.subject, read.digest});
  }
  return united(std::move(looks), {});
}

Looks united(Looks one, const Looks& other) {
  one.insert(one.end(), other.begin(), other.end());
  std::ranges::sort(one);
  const auto twice = std::ranges::unique(one);
  one.erase(twice.begin(), twice.end());
  return one;
}

std::string looks_to_lines(const Looks& looks) {
  std::string text = rows_head(kLooks, looks.size());
  for (const Look& look : looks) {
    add_row(text, {read_kind_name(look.kind), look.digest, look.path});
  }
  return text;
}

Result<Looks> looks_from_lines(std::string_view text) {
  Looks looks;
  TRY(each_row(text, kLooks, [&looks](std::span<std::string> cells) {
    const auto kind = value_in(kReadKinds, "look", cells[0]);
    if (kind) looks.push_back({*kind, std::move(cells[2]), std::move(cells[1])});
    return kind.has_value();
  }));
  return looks;
}

std::optional<Changed> first_changed(const Looks& looks, const Changes& diff) {
  if (INJECTED_BUG("gates.carry_anything")) return std::nullopt;
  for (const PathChange& change : diff) {
    const std::string_view path = change.path;
    const bool named = path == kAttributes || path.ends_with("/.gitattributes");
    if (named) return Changed{{ReadKind::kContent, change.path, ""}, change.path};
  }
  for (const Look& look : looks) {
    if (std::string cause = cause_of(look, diff); !cause.empty()) {
      return Changed{look, std::move(cause)};
    }
  }
  return std::nullopt;
}

}  // namespace gittxn::gates

#include "search/walk.h"

#include <strings.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/fs.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

constexpr std::string_view kRipgrepFiles[] = {".rgignore", ".ignore", ".gitignore"};
constexpr std::string_view kFdFiles[] = {".fdignore", ".ignore", ".gitignore"};

// In the order of their rank: a ruling of the first kind, from any directory, beats the others.
std::span<const std::string_view> ignore_names(Tool tool) {
  return tool == Tool::kRipgrep ? kRipgrepFiles : kFdFiles;
}

bool is_directory(const TreeEntry& entry) {
  return entry.mode == FileMode::kTree;
}

Target target_of(const TreeEntry& entry) {
  return is_directory(entry) ? Target::kDirectory : Target::kFile;
}

char type_letter(const TreeEntry& entry) {
  if (entry.is_file()) return 'f';
  return entry.mode == FileMode::kLink ? 'l' : 'd';
}

std::string below(std::string_view path, std::string_view directory) {
  std::string rest;
  if (directory.empty() || !path_below(path, directory, &rest)) return std::string(path);
  return rest;
}

bool ends_with_extension(std::string_view name, std::string_view extension) {
  if (name.size() <= extension.size() + 1) return false;
  const std::string end(name.substr(name.size() - extension.size() - 1));
  return ::strcasecmp(end.c_str(), ("." + std::string(extension)).c_str()) == 0;
}

// find's expression: its value, and what it did on the way.
struct FoundBelow {
  bool pruned = false;
  bool printed = false;
};

}  // namespace

struct Walk::Step {
  const std::string& path;
  std::string_view name;
  const TreeEntry& entry;
  std::uint32_t depth = 0;  // 0: the root
  std::string_view root;
};

namespace {

// Where the operand that ends at `end` begins.
std::size_t start_of(std::span<const Term> terms, std::size_t end) {
  std::size_t wanted = 1;
  std::size_t at = end + 1;
  while (wanted > 0) {
    --at;
    --wanted;
    if (terms[at].op == Term::Op::kNot) ++wanted;
    if (terms[at].op == Term::Op::kAnd || terms[at].op == Term::Op::kOr) wanted += 2;
  }
  return at;
}

bool evaluate(std::span<const Term> terms, std::size_t end, const std::string& shown,
              std::string_view name, char type, FoundBelow& found) {
  const Term& term = terms[end];
  switch (term.op) {
    case Term::Op::kName:
      return glob_matches(term.text, name);
    case Term::Op::kNameNoCase:
      return glob_matches(term.text, name, Letters::kAnyCase);
    case Term::Op::kPath:
      return glob_matches(term.text, shown);
    case Term::Op::kType:
      return term.text.contains(type);
    case Term::Op::kPrune:
      found.pruned = true;
      return true;
    case Term::Op::kPrint:
      found.printed = true;
      return true;
    case Term::Op::kTrue:
      return true;
    case Term::Op::kNot:
      return !evaluate(terms, end - 1, shown, name, type, found);
    case Term::Op::kAnd:
    case Term::Op::kOr: {
      const std::size_t right = end - 1;
      const std::size_t left = start_of(terms, right) - 1;
      const bool value = evaluate(terms, left, shown, name, type, found);
      if (value == (term.op == Term::Op::kOr)) return value;
      return evaluate(terms, right, shown, name, type, found);
    }
  }
  return false;
}

}  // namespace

bool is_ignore_file(const Query& query, std::string_view path) {
  if (!query.ignore_files) return false;
  const auto names = ignore_names(query.tool);
  return std::ranges::find(names, base_name(path)) != names.end();
}

Refined<TreeEntry> root_entry(const Root& root, const Tree& tree) {
  for (std::size_t slash = root.path.find('/');; slash = root.path.find('/', slash + 1)) {
    const std::string part = root.path.substr(0, slash);
    const TreeEntry entry = TRY(readable(tree.entry(part)));
    if (entry.mode == FileMode::kLink) return not_refined("'" + part + "' is a link");
    if (entry.mode == FileMode::kSubmodule) return not_refined("'" + part + "' is a submodule");
    if (slash == std::string::npos) return entry;
    if (!is_directory(entry)) return TreeEntry{};
  }
}

Refined<Place> Walk::place(const Root& root, const std::string& path, const TreeEntry& entry) {
  const TreeEntry directory{FileMode::kTree, Oid{}};
  const std::string rest = path == root.path ? "" : below(path, root.path);
  Place place;
  std::string at = root.path;
  for (std::size_t from = 0;;) {
    const bool last = at == path;
    const std::string name = base_name(at);
    place.enters = place.counts = false;
    TRY(step(root, {at, name, last ? entry : directory, place.depth, root.path}, place));
    if (last) return place;
    if (!place.enters) {
      place.counts = false;
      return place;
    }
    const std::size_t slash = rest.find('/', from);
    at = join_path(root.path, rest.substr(0, slash));
    from = slash == std::string::npos ? slash : slash + 1;
    ++place.depth;
  }
}

Refined<Place> Walk::place_in(const Root& root, const Place& above, const std::string& path,
                              const TreeEntry& entry) {
  Place place{.certain = above.certain, .depth = above.depth + 1, .trail = above.trail};
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  TRY(step(root, {path, name, entry, place.depth, root.path}, place));
  return place;
}

Refined<void> Walk::step(const Root& root, const Step& at, Place& place) {
  const bool globs = !query_.rules.empty() || !query_.expression.empty();
  if (globs && at.depth > 0 && !is_ascii(at.name)) place.certain = false;
  if (query_.tool == Tool::kRipgrep || query_.tool == Tool::kFd) return step_filtered(at, place);
  if (query_.tool == Tool::kFind) step_find(root, at, place);
  if (query_.tool == Tool::kLs) step_ls(at, place);
  if (query_.tool == Tool::kGrep || query_.tool == Tool::kGitGrep) step_grep(at, place);
  return {};
}

void Walk::step_grep(const Step& at, Place& place) const {
  if (is_directory(at.entry)) place.enters = query_.recursive;
  if (at.entry.is_file()) place.counts = true;
  bool includes = false;
  bool included = false;
  for (const NameRule& rule : query_.rules) {
    const bool matches = place.certain && glob_matches(rule.glob, at.name);
    if (rule.effect == NameRule::Effect::kExcludeDir) {
      if (matches && at.depth > 0) place.enters = false;
    } else if (rule.effect == NameRule::Effect::kExclude) {
      if (matches) place.counts = false;
    } else {
      includes = true;
      included = included || matches;
    }
  }
  if (includes && !included && place.certain) place.counts = false;
}

void Walk::step_find(const Root& root, const Step& at, Place& place) const {
  FoundBelow found;
  bool value = true;
  const bool tested = at.depth >= query_.min_depth;
  const std::string path = shown(root, at.path, at.entry);
  // The name of a root is how it was written: "." and not that of the directory.
  const std::string given = base_name(path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
  if (!query_.expression.empty() && tested) {
    value = evaluate(query_.expression, query_.expression.size() - 1, path,
                     at.depth == 0 ? given : at.name, type_letter(at.entry), found);
  }
  const bool prints = std::ranges::any_of(
      query_.expression, [](const Term& term) { return term.op == Term::Op::kPrint; });
  place.counts = tested && (prints ? found.printed : value);
  place.enters = is_directory(at.entry) && at.depth < query_.max_depth && !found.pruned;
  if (place.certain) return;
  place.counts = true;
  place.enters = is_directory(at.entry);
}

void Walk::step_ls(const Step& at, Place& place) const {
  const bool seen = at.depth == 0 || query_.hidden || !at.name.starts_with('.');
  place.counts = seen && (at.depth == 1 || (at.depth > 1 && query_.recursive) ||
                          (at.depth == 0 && !is_directory(at.entry)));
  place.enters = is_directory(at.entry) && seen && (at.depth == 0 || query_.recursive);
}

Refined<void> Walk::step_filtered(const Step& at, Place& place) {
  const bool directory = is_directory(at.entry);
  place.enters = directory;
  place.counts = query_.tool == Tool::kFd || at.entry.is_file();
  if (at.depth == 0) {
    if (query_.tool == Tool::kFd) place.counts = false;
    return {};
  }
  if (at.depth > query_.max_depth) place.enters = place.counts = false;
  if (at.depth == query_.max_depth) place.enters = false;
  Ruling ruling = override_ruling(at);
  if (ruling == Ruling::kNone) {
    ruling = TRY(tree_ruling(at, place));
    if (ruling != Ruling::kIgnored && query_.tool == Tool::kRipgrep && !directory &&
        !query_.extensions.empty()) {
      const bool fits = std::ranges::any_of(
          query_.extensions, [&](const std::string& end) { return at.name.ends_with(end); });
      ruling = fits ? Ruling::kKept : Ruling::kIgnored;
    }
    if (ruling == Ruling::kNone && place.certain && !query_.hidden && at.name.starts_with('.')) {
      ruling = Ruling::kIgnored;
    }
  }
  if (ruling == Ruling::kIgnored) place.enters = place.counts = false;
  if (query_.tool == Tool::kRipgrep) return {};
  if (!query_.types.empty() && !query_.types.contains(type_letter(at.entry))) {
    place.counts = false;
  }
  if (at.depth < query_.min_depth) place.counts = false;
  const bool fits = query_.extensions.empty() ||
                    std::ranges::any_of(query_.extensions, [&](const std::string& extension) {
                      return ends_with_extension(at.name, extension);
                    });
  if (!fits) place.counts = false;
  return {};
}

Ruling Walk::override_ruling(const Step& at) const {
  bool includes = false;
  Ruling ruling = Ruling::kNone;
  const bool directory = is_directory(at.entry);
  for (const NameRule& rule : query_.rules) {
    const bool include = rule.effect == NameRule::Effect::kInclude;
    includes = includes || include;
    const Refined<IgnoreRule> glob = parse_rule(rule.glob);
    if (glob && glob->matches(below(at.path, query_.cwd), at.name, target_of(at.entry))) {
      ruling = include ? Ruling::kKept : Ruling::kIgnored;
    }
  }
  if (ruling == Ruling::kNone && includes && !directory) return Ruling::kIgnored;
  return ruling;
}

Refined<const IgnoreRules*> Walk::rules_at(const std::string& directory, std::string_view name) {
  const std::string path = join_path(directory, name);
  const auto known = cache_.find(path);
  if (known != cache_.end()) return &known->second;
  const TreeEntry entry = TRY(readable(tree_.entry(path)));
  IgnoreRules rules;
  if (entry.is_file()) {
    rules = parse_ignore_file(TRY(readable(tree_.blob(entry.oid))));
  } else if (entry.present()) {
    rules.opaque = true;  // a link to rules elsewhere
  }
  return &cache_.emplace(path, std::move(rules)).first->second;
}

Refined<Ruling> Walk::tree_ruling(const Step& at, Place& place) {
  if (!query_.ignore_files) return Ruling::kNone;
  Ruling decided = Ruling::kNone;
  for (const std::string_view name : ignore_names(query_.tool)) {
    Ruling ruling = Ruling::kNone;
    for (std::string directory = at.path; !directory.empty() && ruling == Ruling::kNone;) {
      const std::size_t slash = directory.rfind('/');
      directory = slash == std::string::npos ? "" : directory.substr(0, slash);
      const IgnoreRules* rules = TRY(rules_at(directory, name));
      // rg 13 and fd 8 take a rule with a '/' from above the root for another path.
      const bool above =
          directory != at.root && (directory.empty() || path_below(at.root, directory, nullptr));
      if (rules->opaque || (above && rules->anchored())) {
        place.certain = false;
        const Result<TreeEntry> entry = tree_.entry(join_path(directory, name));
        place.trail += "?" + (entry ? entry->oid.str() : std::string());
      }
      ruling = rules->ruling(below(at.path, directory), target_of(at.entry));
    }
    if (decided == Ruling::kNone) decided = ruling;
  }
  place.trail += decided == Ruling::kNone ? '.' : decided == Ruling::kIgnored ? '-' : '+';
  return place.certain ? decided : Ruling::kNone;
}

std::string Walk::shown(const Root& root, const std::string& path, const TreeEntry& entry) const {
  if (query_.tool == Tool::kGitGrep) return below(path, query_.cwd);
  const std::string rest = path == root.path ? "" : below(path, root.path);
  if (query_.tool == Tool::kLs) {
    const std::string name = rest.empty() ? root.given : base_name(rest);
    return name + (query_.mark_directories && is_directory(entry) ? "/" : "");
  }
  std::string text = root.given;
  if (text.empty() && query_.tool == Tool::kFind) text = ".";
  if (!rest.empty() && !text.empty() && !text.ends_with('/')) text += '/';
  text += rest;
  if (query_.tool == Tool::kFd && is_directory(entry)) text += '/';
  return text;
}

std::vector<std::string> Walk::ignore_files() const {
  std::vector<std::string> paths;
  for (const auto& [path, rules] : cache_) {
    if (rules.opaque || !rules.rules.empty()) paths.push_back(path);
  }
  return paths;
}

}  // namespace gittxn::search

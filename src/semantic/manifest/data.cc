// Manifests that are data: JSON and TOML become paths with values, and a table of each ecosystem's
// keys says what a path is. What it does not name is an option, so nothing is left out. The order
// of keys means nothing; that of a list does.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/hash.h"
#include "semantic/kinds.h"
#include "semantic/manifest/reader.h"

namespace gittxn::semantic {
namespace {

using Path = std::vector<std::string>;
struct DataEntry {
  Path path;
  std::string value;
};

// A string by what is in it; what is no string begins with '=' or is a list, so that 1 and "1"
// differ. Single quotes stay: between them a backslash means itself.
std::string value_of(const Tree& tree, const Node& node) {
  if (!node.kids.empty()) return tokens_of(tree, node);
  if (node.kind != "string") return "=" + std::string(node.text);
  std::string inner = unquoted(node.text);
  const bool plain = !inner.empty() && !std::string_view("'=#\"").contains(inner[0]);
  return plain ? inner : std::string(node.text);
}

std::string joined_path(const Path& path, std::size_t from = 0) {
  std::string out;
  for (std::size_t i = from; i < path.size(); ++i) {
    if (i > from) out += '.';
    const bool plain = !path[i].contains('.');
    out += plain ? path[i] : '"' + path[i] + '"';
  }
  return out;
}

// The entries of a JSON object; not empty: why there are none.
std::string flatten_json(const Tree& tree, const Node& object, const Path& path,
                         std::vector<DataEntry>* entries) {
  std::set<std::string> seen;
  for (const Node* pair : object.kids) {
    if (pair->kind != "pair") continue;
    Path here = path;
    const Node* value = nullptr;
    for (const Node* kid : pair->kids) {
      if (kid->field == "key") here.push_back(unquoted(kid->text));
      if (kid->field == "value") value = kid;
    }
    if (value == nullptr || here.size() != path.size() + 1) return "it is nested too deep";
    if (here.back().contains('\\')) return "a key is written with an escape";
    if (!seen.insert(here.back()).second) return "the key '" + here.back() + "' is there twice";
    const bool pairs =
        std::ranges::any_of(value->kids, [](const Node* kid) { return kid->kind == "pair"; });
    if (value->kind == "object" && pairs) {
      if (std::string why = flatten_json(tree, *value, here, entries); !why.empty()) return why;
    } else {
      entries->push_back({std::move(here), value_of(tree, *value)});
    }
  }
  return {};
}

std::string json_entries(std::string_view text, std::vector<DataEntry>* entries) {
  const auto tree = Tree::parse(*find_language("json"), std::string(text), {});
  if (tree == nullptr) return "it is too large or nested too deep";
  if (tree->error_bytes() > 0) return "it is no JSON";
  if (!tree->comments().empty()) return "JSON has no comments";
  const auto& kids = tree->root().kids;
  if (kids.size() != 1 || kids[0]->kind != "object") return "it is no JSON object";
  return flatten_json(*tree, *kids[0], {}, entries);
}

class TomlEntries {
 public:
  std::string read(std::string_view text, std::vector<DataEntry>* entries) {
    const auto tree = Tree::parse(*find_language("toml"), std::string(text), {});
    if (tree == nullptr) return "it is too large or nested too deep";
    if (tree->error_bytes() > 0) return "it is no TOML";
    tree_ = tree.get();
    entries_ = entries;
    for (const Node* kid : tree->root().kids) {
      if (kid->comment) continue;
      if (kid->kind == "pair") {
        pair(*kid, {});
      } else {
        table(*kid);
      }
    }
    std::set<Path> seen;
    for (const DataEntry& entry : *entries) {
      if (why_.empty() && !seen.insert(entry.path).second) {
        why_ = "the key '" + joined_path(entry.path) + "' is there twice";
      }
    }
    return why_;
  }

 private:
  void table(const Node& node) {
    std::vector<const Node*> parts;
    for (const Node* kid : node.kids) {
      if (kid->named && !kid->comment) parts.push_back(kid);
    }
    if (parts.empty()) return fault("it is nested too deep");
    Path path = key(*parts[0]);
    const bool element = node.kind == "table_array_element";
    if (!element && !headers_.insert(path).second) {
      return fault("the table '" + joined_path(path) + "' is there twice");
    }
    if (element) path.push_back(label(path, parts));
    for (std::size_t i = 1; i < parts.size(); ++i) pair(*parts[i], path);
    if (parts.size() == 1) entries_->push_back({path, "={}"});
  }

  // The key and the value of a pair: what it begins and ends with, comments aside.
  static const Node* key_of(const Node& pair) {
    return pair.kids.empty() ? nullptr : pair.kids.front();
  }
  static const Node* last_of(const Node& pair) {
    const auto last = std::find_if(pair.kids.rbegin(), pair.kids.rend(),
                                   [](const Node* kid) { return !kid->comment; });
    return last == pair.kids.rend() ? nullptr : *last;
  }

  // An element of an array of tables is told by the name it gives itself.
  std::string label(const Path& path, const std::vector<const Node*>& parts) {
    std::string name;
    for (std::size_t i = 1; i < parts.size() && name.empty(); ++i) {
      const Node* named = key_of(*parts[i]);
      if (named != nullptr && named->text == "name") name = value_of(*tree_, *last_of(*parts[i]));
    }
    Path labelled = path;
    labelled.push_back(name);
    const int times = ++labels_[labelled];
    return times == 1 && !name.empty() ? name : name + "[" + std::to_string(times) + "]";
  }

  void pair(const Node& node, const Path& path) {
    if (node.kids.size() < 3) return fault("it is nested too deep");
    Path here = path;
    for (std::string& part : key(*key_of(node))) here.push_back(std::move(part));
    const Node& value = *last_of(node);
    bool pairs = false;
    for (const Node* kid : value.kids) {
      if (value.kind != "inline_table" || kid->kind != "pair") continue;
      pair(*kid, here);
      pairs = true;
    }
    if (!pairs) entries_->push_back({std::move(here), value_of(*tree_, value)});
  }

  Path key(const Node& node) {
    Path path;
    for (std::uint32_t i = 0; i < node.leaves; ++i) {
      std::string_view part = tree_->leaves()[node.leaf + i]->text;
      if (part == ".") continue;
      if (part.size() >= 2 && (part[0] == '"' || part[0] == '\''))
        part = part.substr(1, part.size() - 2);
      if (part.find_first_of("\\\"") != std::string_view::npos)
        fault("a key is written with an escape");
      path.emplace_back(part);
    }
    return path;
  }

  void fault(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  const Tree* tree_ = nullptr;
  std::vector<DataEntry>* entries_ = nullptr;
  std::set<Path> headers_;
  std::map<Path, int> labels_;
  std::string why_;
};

std::string toml_entries(std::string_view text, std::vector<DataEntry>* entries) {
  return TomlEntries().read(text, entries);
}

// What a path is: the first `used` parts of it are told by the symbol, the rest is in its version.
struct DataPlace {
  BuildKind kind = BuildKind::kOption;
  std::string name;
  std::string target;
  std::size_t used = 0;
};

DataPlace whole(BuildKind kind, const Path& path) {
  return {kind, joined_path(path), {}, path.size()};
}

DataPlace place_npm(const Path& path) {
  const std::string& first = path[0];
  if (path.size() >= 2) {
    if (first == "dependencies") return {BuildKind::kDependency, path[1], {}, 2};
    if (is_any(first, {"devDependencies", "peerDependencies", "optionalDependencies"})) {
      return {BuildKind::kDependency, path[1], first.substr(0, first.size() - 12), 2};
    }
    if (is_any(first, {"overrides", "resolutions"})) {
      return {BuildKind::kDependency, joined_path(path, 1), first, path.size()};
    }
    if (first == "scripts") return {BuildKind::kScript, joined_path(path, 1), {}, path.size()};
  }
  if (is_any(first, {"engines", "packageManager", "volta", "devEngines"})) {
    return whole(BuildKind::kToolchain, path);
  }
  if (is_any(first, {"bin", "exports", "main", "module", "browser", "types", "typings"})) {
    return whole(BuildKind::kTarget, path);
  }
  return whole(BuildKind::kOption, path);
}

DataPlace place_npm_lock(const Path& path) {
  const bool package = is_any(path[0], {"packages", "dependencies"}) && path.size() >= 2;
  if (!package) return whole(BuildKind::kOption, path);
  return {BuildKind::kDependency, path[1], path[0] == "packages" ? "" : path[0], 2};
}

// "dev" of "dev-dependencies"; nothing when it is no such section.
std::optional<std::string> section(std::string_view name) {
  if (name == "dependencies") return "";
  if (is_any(name, {"dev-dependencies", "dev_dependencies"})) return "dev";
  if (is_any(name, {"build-dependencies", "build_dependencies"})) return "build";
  return std::nullopt;
}

DataPlace place_cargo(const Path& path) {
  const std::string& first = path[0];
  const std::size_t size = path.size();
  if (const auto kind = section(first); kind && size >= 2) {
    return {BuildKind::kDependency, path[1], *kind, 2};
  }
  if (first == "workspace" && size >= 3 && path[1] == "dependencies") {
    return {BuildKind::kDependency, path[2], "workspace", 3};
  }
  if (first == "target" && size >= 4) {
    if (const auto kind = section(path[2]); kind) {
      const std::string target = "target " + path[1] + (kind->empty() ? "" : " " + *kind);
      return {BuildKind::kDependency, path[3], target, 4};
    }
  }
  if (is_any(first, {"patch", "replace"}) && size >= 2) {
    const std::size_t used = std::min<std::size_t>(size, first == "patch" ? 3 : 2);
    return {BuildKind::kDependency,
            joined_path({path.begin() + 1, path.begin() + static_cast<std::ptrdiff_t>(used)}),
            first, used};
  }
  if (first == "lib") return {BuildKind::kTarget, "lib", {}, 1};
  if (is_any(first, {"bin", "example", "test", "bench"}) && size >= 2) {
    return {BuildKind::kTarget, first + " " + path[1], {}, 2};
  }
  const std::string_view last = path.back();
  const bool package =
      first == "package" || (first == "workspace" && size > 1 && path[1] == "package");
  if (package && is_any(last, {"edition", "rust-version"}))
    return whole(BuildKind::kToolchain, path);
  if (package && last == "build") return whole(BuildKind::kScript, path);
  return whole(BuildKind::kOption, path);
}

DataPlace place_cargo_lock(const Path& path) {
  if (path[0] != "package" || path.size() < 2) return whole(BuildKind::kOption, path);
  return {BuildKind::kDependency, path[1], {}, 2};
}

// Entries of one place are one symbol: its version is what stands there, or what the key "version"
// says and a digest of the rest.
struct Group {
  DataPlace place;
  std::vector<DataEntry> entries;  // by what is left of the path
};

std::string version_of(const Group& group) {
  if (group.entries.size() == 1 && group.entries[0].path.empty())
    return shown(group.entries[0].value);
  std::string version;
  std::vector<std::string> rest;
  for (const DataEntry& entry : group.entries) {
    if (entry.path == Path{"version"}) {
      version = shown(entry.value);
    } else {
      rest.push_back(joined_path(entry.path) + '\0' + entry.value);
    }
  }
  std::ranges::sort(rest);
  std::string all;
  for (const std::string& one : rest) all += one + '\n';
  return rest.empty() ? version : version + "#" + sha256(all).str();
}

// The words of a key and of a value: names of packages among them.
void collect_words(std::string_view text, std::vector<std::string>* words) {
  constexpr std::string_view kBetween("\0\"', []{}", 9);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(kBetween), text.size());
    if (end > 0) words->emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void note_needs(const DataEntry& entry, std::size_t used, std::vector<std::string>* needs) {
  for (std::size_t i = used; i < entry.path.size(); ++i) collect_words(entry.path[i], needs);
  if (!is_any(entry.path.back(), {"name", "version"})) collect_words(entry.value, needs);
}

enum class Lock { kNo, kYes };  // of a lock file what each record needs is kept, too

std::string read_data(std::string_view text,
                      std::string (*entries_of)(std::string_view, std::vector<DataEntry>*),
                      DataPlace (*place_of)(const Path&), Manifest* manifest,
                      Lock lock = Lock::kNo) {
  std::vector<DataEntry> entries;
  std::string why = entries_of(text, &entries);
  if (!why.empty()) return why;
  std::vector<Group> groups;
  std::map<std::tuple<BuildKind, std::string, std::string>, std::size_t> index;
  for (DataEntry& entry : entries) {
    DataPlace place = place_of(entry.path);
    if (lock == Lock::kYes && place.kind == BuildKind::kDependency) {
      note_needs(entry, place.used, &manifest->needs[place.name]);
    }
    const auto [at, fresh] = index.insert({{place.kind, place.name, place.target}, groups.size()});
    Path rest(entry.path.begin() + static_cast<std::ptrdiff_t>(place.used), entry.path.end());
    if (fresh) groups.push_back({std::move(place), {}});
    groups[at->second].entries.push_back({std::move(rest), std::move(entry.value)});
  }
  for (const Group& group : groups) {
    manifest->symbols.push_back(
        {group.place.kind, group.place.name, version_of(group), group.place.target});
  }
  return {};
}

}  // namespace

std::string read_package_json(std::string_view text, Manifest* manifest) {
  return read_data(text, json_entries, place_npm, manifest);
}
std::string read_package_lock(std::string_view text, Manifest* manifest) {
  return read_data(text, json_entries, place_npm_lock, manifest, Lock::kYes);
}
std::string read_cargo_toml(std::string_view text, Manifest* manifest) {
  return read_data(text, toml_entries, place_cargo, manifest);
}
std::string read_cargo_lock(std::string_view text, Manifest* manifest) {
  return read_data(text, toml_entries, place_cargo_lock, manifest, Lock::kYes);
}
std::string read_rust_toolchain(std::string_view text, Manifest* manifest) {
  const auto place = [](const Path& path) { return whole(BuildKind::kToolchain, path); };
  return read_data(text, toml_entries, place, manifest);
}

}  // namespace gittxn::semantic

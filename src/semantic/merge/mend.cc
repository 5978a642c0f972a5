#include "semantic/mend.h"

#include <algorithm>
#include <iterator>
#include <list>
#include <map>
#include <set>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMostRenames = 16;  // at once; of more, people want to know

struct Rename {
  Definition was, is;
  bool used = false;  // by the other side; of the others it counts that they are renames
};

std::string only_name(const Write& write) {
  return write.defines.size() == 1 ? write.defines.front() : std::string();
}

bool defines_name(const Footprint& side, const std::string& name) {
  return std::ranges::any_of(side.writes, [&](const Write& write) {
    return write.kind != "import" && std::ranges::find(write.defines, name) != write.defines.end();
  });
}

bool is_use_of(const Use& use, const std::string& name) {
  return use.name == name && use.state != UseState::kLost;
}

// A use that is a token of code, whatever it means.
bool is_code(const Use& use) {
  return use.role != UseRole::kText && !use.local;
}

std::vector<Rename> renames_of(const Footprint& renamer, const Footprint& user) {
  std::vector<Rename> all;
  for (const Write& write : renamer.writes) {
    if (write.change != Change::kRemoved || write.renamed_to.empty() || write.opaque) continue;
    if (write.container != write.path + "/" || !resolves_names(write.language)) continue;
    const Write* now = write_in(renamer, write.renamed_to);
    if (now == nullptr || now->opaque) continue;
    const std::string from = only_name(write), to = only_name(*now);
    if (from.empty() || to.empty() || from == to) continue;
    all.push_back({{write.path, write.symbol, from}, {write.path, now->symbol, to}});
  }
  std::map<std::string, int> times;
  for (const Rename& rename : all) {
    ++times[rename.was.name];
    ++times[rename.is.name];
  }
  std::erase_if(all, [&](const Rename& rename) {
    const std::string &from = rename.was.name, &to = rename.is.name;
    return times[from] > 1 || times[to] > 1 || write_in(user, rename.was.id) != nullptr ||
           defines_name(user, from) || defines_name(user, to);
  });
  for (Rename& rename : all) {
    rename.used = std::ranges::any_of(
        user.uses, [&](const Use& use) { return is_use_of(use, rename.was.name) && is_code(use); });
  }
  const bool any = std::ranges::any_of(all, &Rename::used);
  return any && all.size() <= kMostRenames ? all : std::vector<Rename>();
}

// The files of the definitions, and those that use them.
std::set<std::string> paths_of(const std::vector<Rename>& renames, const Footprint& user) {
  std::set<std::string> paths;
  for (const Rename& rename : renames) {
    paths.insert(rename.was.path);
    for (const Use& use : user.uses) {
      if (is_use_of(use, rename.was.name) && is_code(use)) paths.insert(use.path);
    }
  }
  return paths;
}

struct Versions3 {
  const ThreeVersions* texts = nullptr;
  Outline base, renamer, user;
};

Outline outline_in(const std::string& path, const std::optional<std::string>& text,
                   const Budget& budget) {
  if (!text) return {};
  return outline_of(language_of(path, *text), path, *text, budget);
}

bool is_there(const Outline& outline) {
  return outline.tree != nullptr && !outline.opaque();
}

// Offset of a name, and what is put in its place.
using Places = std::map<std::size_t, const Rename*>;

std::string rewritten(const std::string& text, const Places& places) {
  std::string out;
  std::size_t at = 0;
  for (const auto& [place, rename] : places) {
    out.append(text, at, place - at).append(rename->is.name);
    at = place + rename->was.name.size();
  }
  return out.append(text, at);
}

class Carrier {
 public:
  Carrier(const Footprint& renamer, const Footprint& user, const LinkedTo& linked)
      : renamer_(renamer), user_(user), linked_(linked) {}

  Carried run(const std::vector<ThreeVersions>& files, const Budget& budget) {
    std::vector<Rename> renames = renames_of(renamer_, user_);
    const std::set<std::string> wanted = paths_of(renames, user_);
    for (const ThreeVersions& file : files) {
      if (!wanted.contains(file.path)) continue;
      files_.emplace(file.path, Versions3{&file, outline_in(file.path, file.base, budget),
                                          outline_in(file.path, file.renamer, budget),
                                          outline_in(file.path, file.user, budget)});
    }
    keep_the_same(renames);
    std::vector<Finding> left;
    std::erase_if(renames,
                  [&](const Rename& rename) { return !rename.used || !carry(rename, left); });
    renames_ = std::move(renames);
    return result(std::move(left));
  }

 private:
  // Nothing else of the definition changed than names that were renamed, too; each that falls away
  // may take another along.
  void keep_the_same(std::vector<Rename>& renames) const {
    for (std::vector<Rename> now; now.size() != renames.size();) {
      now = renames;
      const auto renamed = [&now](std::string_view name) -> std::string_view {
        const auto found = std::ranges::find_if(
            now, [&](const Rename& rename) { return rename.was.name == name; });
        return found == now.end() ? std::string_view() : found->is.name;
      };
      std::erase_if(renames, [&](const Rename& rename) {
        const auto file = files_.find(rename.was.path);
        if (file == files_.end()) return true;
        const Versions3& home = file->second;
        if (!is_there(home.base) || !is_there(home.renamer) || !is_there(home.user)) return true;
        return !same_but_names(home.base, rename.was.id, home.renamer, rename.is.id, renamed);
      });
    }
  }

  // The places of all its uses in both versions of every file. False: it is not carried.
  bool carry(const Rename& rename, std::vector<Finding>& left) {
    Definition was = rename.was;
    was.package = package_of(files_.at(was.path).base);
    std::map<std::string, std::pair<UsesFound, UsesFound>> found;
    for (const auto& [path, file] : files_) {
      const bool home = path == was.path;
      if (!home && !is_used_in(path, was.name)) continue;
      auto uses = find_in(file, rename, was);
      if (!uses && home) return false;
      if (uses) found.emplace(path, *std::move(uses));
    }
    if (meets_still(rename, found, left)) return false;
    const Rename* kept = &carried_.emplace_back(rename);
    for (const auto& [path, both] : found) {
      for (const std::size_t at : both.first.places) base_places_[path].emplace(at, kept);
      for (const std::size_t at : both.second.places) user_places_[path].emplace(at, kept);
      if (is_used_in(path, was.name)) for_user_.insert(path);
    }
    return true;
  }

  bool is_used_in(const std::string& path, const std::string& name) const {
    return std::ranges::any_of(user_.uses, [&](const Use& use) {
      return use.path == path && is_use_of(use, name) && is_code(use);
    });
  }

  // Whether the new name means the definition, wherever it stands in a file of the renamer.
  bool is_renamed_in(const Outline& renamer, const Rename& rename, const Definition& was) const {
    Definition is = rename.is;
    is.package = was.package;
    const bool home = renamer.path == is.path;
    // It was not renamed everywhere, or there is another one now.
    if (home && has_name(*renamer.tree, was.name, Counted::kOfNoLocal)) return false;
    if (!has_name(*renamer.tree, is.name, Counted::kAll)) return true;
    return !binds_name(renamer, is.name, home ? is.id : std::string()) &&
           uses_of(renamer, is, linked_).has_value();
  }

  // In the base, and in the user's version. A base that does not use it as its own is left alone.
  std::optional<std::pair<UsesFound, UsesFound>> find_in(const Versions3& file,
                                                         const Rename& rename,
                                                         const Definition& was) const {
    const std::string& to = rename.is.name;
    if (!is_there(file.user) || has_name(*file.user.tree, to, Counted::kAll)) return std::nullopt;
    const bool home = file.texts->path == was.path;
    if (is_there(file.renamer) && !is_renamed_in(file.renamer, rename, was)) return std::nullopt;
    auto user = uses_of(file.user, was, linked_);
    if (!user) return std::nullopt;
    UsesFound base;
    if (is_there(file.base)) {
      if (has_name(*file.base.tree, to, Counted::kAll)) return std::nullopt;
      auto there = uses_of(file.base, was, linked_);
      if (!there && home) return std::nullopt;
      if (there) base = *std::move(there);
    }
    return std::pair{std::move(base), *std::move(user)};
  }

  // What the two names meet by when the uses that were found are none: words, and names of locals
  // beside the definition. True for anything else, such as a member of what is not known.
  bool meets_still(const Rename& rename,
                   const std::map<std::string, std::pair<UsesFound, UsesFound>>& found,
                   std::vector<Finding>& left) const {
    Footprint rest = user_;
    std::erase_if(rest.uses, [&](const Use& use) {
      const auto file = found.find(use.path);
      if (use.name != rename.was.name || !is_code(use) || file == found.end()) return false;
      const bool behind = use.role == UseRole::kMember || !use.qualifier.empty();
      return !behind || !file->second.second.members_left;
    });
    Commuted commuted = commute(renamer_, rest);
    if (commuted.more > 0) return true;  // and nobody can tell which
    std::vector<Finding> met;
    for (Finding& finding : commuted.findings) {
      if (finding.name != rename.was.name && finding.name != rename.is.name) continue;
      const bool by_code = std::ranges::any_of(rest.uses, [&](const Use& use) {
        return use.name == finding.name && use.symbol == finding.right && is_code(use);
      });
      if (by_code || finding.verdict == Verdict::kBlock) return true;
      met.push_back(std::move(finding));
    }
    std::ranges::move(met, std::back_inserter(left));
    return false;
  }

  Carried result(std::vector<Finding> left) const {
    Carried all;
    all.left = std::move(left);
    for (const Rename& rename : renames_) {
      all.renames.push_back({rename.was.path, rename.was.name, rename.is.name});
    }
    const auto places = [](const auto& of, const std::string& path) {
      const auto at = of.find(path);
      return at == of.end() ? Places() : at->second;
    };
    for (const auto& [path, file] : files_) {
      const Places base = places(base_places_, path), user = places(user_places_, path);
      if (base.empty() && user.empty()) continue;
      CarriedFile& made = all.files.emplace_back();
      made.path = path;
      if (file.texts->base) made.base = rewritten(*file.texts->base, base);
      if (file.texts->user) made.user = rewritten(*file.texts->user, user);
      made.for_user = for_user_.contains(path);
    }
    return all;
  }

  const Footprint& renamer_;
  const Footprint& user_;
  const LinkedTo& linked_;
  std::map<std::string, Versions3> files_;
  std::list<Rename> carried_;  // what the places point to
  std::map<std::string, Places> base_places_, user_places_;
  std::set<std::string> for_user_;
  std::vector<Rename> renames_;
};

}  // namespace

std::vector<std::string> files_to_carry(const Footprint& renamer, const Footprint& user) {
  const std::set<std::string> paths = paths_of(renames_of(renamer, user), user);
  return {paths.begin(), paths.end()};
}

Carried carry_renames(const Footprint& renamer, const Footprint& user,
                      const std::vector<ThreeVersions>& files, const LinkedTo& linked,
                      const Budget& budget) {
  return Carrier(renamer, user, linked).run(files, budget);
}

}  // namespace gittxn::semantic

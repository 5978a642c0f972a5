#include "land/judge/meaning/files.h"

#include <utility>

#include "catalogue/footprints.h"
#include "certify/judge.h"
#include "semantic/compare/sight.h"

namespace gittxn::land {
namespace {

constexpr std::size_t kMostFiles = 64;     // that are looked into for one side
constexpr std::size_t kMostInFolder = 64;  // of which one may be meant

}  // namespace

Result<TreeEntry> SeenFiles::entry_at(const std::string& path) const {
  if (const PathChange* own = certify::find_change(seen_.own, path)) return own->after;
  if (const PathChange* other = certify::find_change(seen_.others, path)) return other->before;
  return seen_.objects.entry_at(seen_.tree, path);
}

Result<bool> SeenFiles::is_file(const std::string& path) const {
  return TRY(entry_at(path)).is_file();
}

Result<std::string> SeenFiles::file_of(const std::string& module, const std::string& from) {
  const auto [known, fresh] = files_.try_emplace({module, from});
  if (!fresh) return known->second;
  for (std::string& path : semantic::files_of_module(module, from)) {
    if (!TRY(is_file(path))) continue;
    known->second = std::move(path);
    break;
  }
  return known->second;
}

Result<std::vector<std::string>> SeenFiles::files_in(const std::string& folder,
                                                     std::string_view ending) {
  std::vector<std::string> paths;
  Oid tree = seen_.tree;
  if (!folder.empty()) {
    const TreeEntry entry = TRY(seen_.objects.entry_at(seen_.tree, folder));
    if (entry.mode != FileMode::kTree) return paths;
    tree = entry.oid;
  }
  for (const repo::NamedEntry& named : TRY(seen_.objects.list(tree))) {
    if (!named.name.ends_with(ending)) continue;
    std::string path = folder.empty() ? named.name : folder + "/" + named.name;
    if (TRY(is_file(path))) paths.push_back(std::move(path));
    if (paths.size() > kMostInFolder) return std::vector<std::string>();
  }
  return paths;
}

Result<std::string> SeenFiles::text_of(const std::string& path) const {
  const TreeEntry entry = TRY(entry_at(path));
  if (!entry.is_file() || TRY(seen_.objects.blob_size(entry.oid)) > seen_.most) {
    return std::string();
  }
  return seen_.objects.blob(entry.oid, seen_.most);
}

Result<const semantic::Footprint*> SeenFiles::look_into(const std::string& path) {
  auto known = known_.find(path);
  if (known == known_.end()) {
    if (known_.size() >= kMostFiles) return nullptr;
    const TreeEntry entry = TRY(entry_at(path));
    known = known_.emplace(path, std::nullopt).first;
    if (!entry.is_file()) return nullptr;
    const PathChange added{path, {}, entry};
    if (TRY(seen_.footprints.bytes_of(added)).after <= seen_.most) {
      known->second = *TRY(seen_.footprints.of(added));
      std::erase_if(known->second->uses, [](const semantic::Use& use) {
        const bool of_type = use.language == "cpp" && use.symbol.ends_with('#');
        const bool said = (use.language == "go" || of_type) && use.role == semantic::UseRole::kType;
        return use.role != semantic::UseRole::kSuper && !said;
      });
    }
  }
  return known->second ? &*known->second : nullptr;
}

}  // namespace gittxn::land

#include "land/judge/mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "catalogue/build_targets.h"
#include "catalogue/footprints.h"
#include "catalogue/links.h"
#include "certify/judge.h"
#include "semantic/mend.h"

namespace gittxn::land {
namespace {

constexpr std::size_t kMaxManifest = 1u << 20;

std::string_view name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Words of what is no code count where both changed it, as in symbols.cc.
bool is_looked_into(const PathChange& change, const Changes& others) {
  if (catalogue::is_of_code(change)) return true;
  return catalogue::is_of_file(change) && certify::find_change(others, change.path) != nullptr;
}

// The targets of imports, by the files of one tree: listed when it is asked for first.
class Linker {
 public:
  Linker(const repo::Objects& objects, Oid tree) : objects_(objects), tree_(std::move(tree)) {}

  // A tree that cannot be read links to nothing.
  bool linked(std::string_view language, std::string_view from, const semantic::Import& import,
              std::string_view to) {
    if (!read_ && !read()) return false;
    const auto same = namesakes_.find(name_in(to));
    static const std::vector<std::string> kNone;
    const catalogue::Layout layout{same == namesakes_.end() ? kNone : same->second, modules_};
    return catalogue::link_of(language, from, import, {to, layout}) == catalogue::Link::kYes;
  }

 private:
  Status read() {
    for (const PathChange& file : TRY(objects_.diff({}, tree_))) {
      if (!file.after.is_file()) continue;
      const std::string_view name = name_in(file.path);
      namesakes_[std::string(name)].push_back(file.path);
      if (name != "go.mod") continue;
      const std::string module =
          catalogue::go_module(TRY(objects_.blob(file.after.oid, kMaxManifest)));
      const std::size_t slash = file.path.rfind('/');
      if (!module.empty()) {
        modules_.emplace(slash == std::string::npos ? "" : file.path.substr(0, slash), module);
      }
    }
    read_ = true;
    return {};
  }

  const repo::Objects& objects_;
  Oid tree_;
  bool read_ = false;
  std::map<std::string, std::vector<std::string>, std::less<>> namesakes_;
  std::map<std::string, std::string, std::less<>> modules_;
};

enum class Renamer { kHead, kWork };

class Mender {
 public:
  Mender(repo::Objects& objects, const MergeSides& sides, const BothChanges& given,
         const Around& around)
      : objects_(objects), given_(given), footprints_(*around.footprints) {
    mending_.sides = sides;
  }

  Result<Mending> run() {
    for (const Renamer by : {Renamer::kHead, Renamer::kWork}) {
      if (!looked_ && !TRY(look())) break;
      TRY(carry(by));
    }
    std::ranges::sort(mending_.mended, {}, &Mended::path);
    const auto again = std::ranges::unique(mending_.mended);
    mending_.mended.erase(again.begin(), again.end());
    std::ranges::sort(mending_.carried);
    return std::move(mending_);
  }

 private:
  // Looks at what each side changed, as it is now. False: nothing that could be carried, or too
  // much.
  Result<bool> look() {
    if (mending_.carried.empty()) return look_at(given_);
    const MergeSides& sides = mending_.sides;
    const Changes head = TRY(objects_.diff(sides.base, sides.head));
    const Changes work = TRY(objects_.diff(sides.base, sides.work));
    return look_at({head, work});
  }

  Result<bool> look_at(const BothChanges& changes) {
    const auto& [head, work] = changes;
    if (!std::ranges::any_of(head, catalogue::is_of_code) ||
        !std::ranges::any_of(work, catalogue::is_of_code))
      return false;
    if (TRY(bytes_in(head, work)) + TRY(bytes_in(work, head)) > kMostBytes) return false;
    head_ = TRY(footprint_of(head, work));
    work_ = TRY(footprint_of(work, head));
    looked_ = true;
    return true;
  }

  Result<std::uint64_t> bytes_in(const Changes& changes, const Changes& others) const {
    std::uint64_t bytes = 0;
    for (const PathChange& change : changes) {
      if (is_looked_into(change, others)) bytes += TRY(footprints_.bytes_of(change)).both();
    }
    return bytes;
  }

  Result<semantic::Footprint> footprint_of(const Changes& changes, const Changes& others) {
    std::vector<const semantic::Footprint*> files;
    for (const PathChange& change : changes) {
      if (is_looked_into(change, others)) files.push_back(TRY(footprints_.of(change)));
    }
    return semantic::together(files);
  }

  // Nothing where it is no file, and for what is too large.
  Result<std::optional<std::string>> text_at(const Oid& tree, const std::string& path) const {
    const TreeEntry entry = TRY(objects_.entry_at(tree, path));
    if (!entry.is_file()) return std::nullopt;
    return std::optional(TRY(objects_.blob(entry.oid, kMostBytes)));
  }

  Status carry(Renamer by) {
    MergeSides& sides = mending_.sides;
    const Oid renamer_tree = by == Renamer::kHead ? sides.head : sides.work;
    Oid& user_tree = by == Renamer::kHead ? sides.work : sides.head;
    const semantic::Footprint& renamer = by == Renamer::kHead ? head_ : work_;
    const semantic::Footprint& user = by == Renamer::kHead ? work_ : head_;
    std::vector<semantic::ThreeVersions> files;
    for (const std::string& path : semantic::files_to_carry(renamer, user)) {
      files.push_back({path, TRY(text_at(sides.base, path)), TRY(text_at(renamer_tree, path)),
                       TRY(text_at(user_tree, path))});
    }
    if (files.empty()) return {};
    Linker linker(objects_, user_tree);
    const semantic::LinkedTo linked = [&linker](auto language, auto from, const auto& import,
                                                auto to) {
      return linker.linked(language, from, import, to);
    };
    const semantic::Carried all = semantic::carry_renames(renamer, user, files, linked, {});
    if (all.renames.empty()) return {};
    const Changes base = TRY(changes_to(sides.base, all.files, &semantic::CarriedFile::base));
    const Changes made = TRY(changes_to(user_tree, all.files, &semantic::CarriedFile::user));
    sides.base = TRY(objects_.apply(sides.base, base));
    user_tree = TRY(objects_.apply(user_tree, made));
    tell(by, all);
    looked_ = false;
    return {};
  }

  Result<Changes> changes_to(const Oid& tree, const std::vector<semantic::CarriedFile>& files,
                             std::optional<std::string> semantic::CarriedFile::* version) {
    Changes changes;
    for (const semantic::CarriedFile& file : files) {
      const TreeEntry was = TRY(objects_.entry_at(tree, file.path));
      if (!(file.*version) || !was.is_file()) continue;
      const TreeEntry is{was.mode, TRY(objects_.write_blob(*(file.*version)))};
      if (is != was) changes.push_back({file.path, was, is});
    }
    return changes;
  }

  void tell(Renamer by, const semantic::Carried& all) {
    for (const semantic::CarriedFile& file : all.files) {
      mending_.carried.push_back(file.path);
      if (file.for_user) mending_.mended.push_back({"rename", file.path});
    }
    const bool head = by == Renamer::kHead;
    for (const semantic::CarriedRename& rename : all.renames) {
      const std::string what = fmt::format("'{}' to '{}'", rename.from, rename.to);
      mending_.notes.push_back(
          head ? "the branch renamed " + what + "; its new uses here have the new name"
               : "this renamed " + what + "; its new uses on the branch have the new name");
    }
    for (const semantic::Finding& met : all.left) {
      semantic::Finding finding = met;
      if (head) {
        std::swap(finding.left, finding.right);
        std::swap(finding.left_did, finding.right_did);
      }
      mending_.clashes.push_back(
          clash_of(finding, path_of(work_, finding.left), path_of(head_, finding.right)));
    }
  }

  static std::string path_of(const semantic::Footprint& footprint, const std::string& symbol) {
    for (const semantic::Write& write : footprint.writes) {
      if (write.symbol == symbol) return write.path;
    }
    for (const semantic::Use& use : footprint.uses) {
      if (use.symbol == symbol) return use.path;
    }
    return {};
  }

  repo::Objects& objects_;
  const BothChanges& given_;
  catalogue::Footprints& footprints_;
  semantic::Footprint head_, work_;
  bool looked_ = false;  // at the sides as they are
  Mending mending_;
};

}  // namespace

Result<Mending> carry_renames_of_both(repo::Objects& objects, const MergeSides& sides,
                                      const BothChanges& given, const Around& around) {
  return Mender(objects, sides, given, around).run();
}

void settle_mended(const Mending& mending, const BothChanges& given, const BothChanges& mended,
                   SymbolFindings& findings) {
  const auto in_both = [](const BothChanges& both, const std::string& path) {
    return certify::find_change(both.head, path) != nullptr &&
           certify::find_change(both.work, path) != nullptr;
  };
  auto& merged = findings.symbols.merged;
  for (const std::string& path : mending.carried) {
    if (in_both(given, path) && !in_both(mended, path)) merged.push_back(path);
  }
  std::ranges::sort(merged);
  auto& clashes = findings.symbols.clashes;
  clashes.insert(clashes.end(), mending.clashes.begin(), mending.clashes.end());
  findings.notes.insert(findings.notes.end(), mending.notes.begin(), mending.notes.end());
}

}  // namespace gittxn::land

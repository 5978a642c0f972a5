// The build graph in landing: a change of a toolchain, a dependency, a lock file or a build script
// against what it feeds, whichever of the two landed first.
//
//   both changed one symbol of a manifest to different things      BLOCKS
//   a dependency changed or went, the other imports or uses it anew   BLOCKS
//   a dependency changed, the other edited a file that imports it   NEEDS CHECKS
//   a toolchain or an option, the other edited a source it governs  NEEDS CHECKS
//   records of a lock file of which one names what the other changed  BLOCKS
//
// What a build or a test read, a manifest and a lock file, are reads of paths and certified as
// such. Only looks. Time grows with the files both sides changed; over kMostBytes (symbols.h) of
// sources the rest counts as relying on everything.
#include "land/judge/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/bug.h"
#include "certify/judge.h"
#include "model/names.h"
#include "semantic/manifest/feeds.h"

namespace gittxn::land {
namespace {

using certify::SymbolClash;
using semantic::BuildChange;
using semantic::BuildChangeKind;
using semantic::BuildSymbol;
using semantic::Ecosystem;
using semantic::FileChange;
using semantic::Manifest;
using semantic::Reliance;

constexpr std::size_t kMostClashes = 64;  // of each weight

// A manifest that one side changed.
struct Changed {
  std::string path;
  Manifest before, after;
  std::vector<BuildChange> changes;
  const Manifest& known() const { return after.ecosystem != Ecosystem::kNone ? after : before; }
  Ecosystem ecosystem() const { return known().ecosystem; }
};

enum class Who { kHead, kWork };

using Key = std::tuple<semantic::BuildKind, std::string, std::string>;
Key key_of(const BuildChange& change) {
  const BuildSymbol& symbol = semantic::symbol_in(change);
  return {symbol.kind, symbol.name, symbol.target};
}

using BuildWords = NameTable<BuildChangeKind, 4>;
constexpr BuildWords kWas{{{BuildChangeKind::kAdded, "added"},
                           {BuildChangeKind::kRemoved, "removed"},
                           {BuildChangeKind::kMoved, "moved"},
                           {BuildChangeKind::kChanged, "changed"}}};
constexpr BuildWords kDoes{{{BuildChangeKind::kAdded, "adds"},
                            {BuildChangeKind::kRemoved, "removes"},
                            {BuildChangeKind::kMoved, "moves"},
                            {BuildChangeKind::kChanged, "changes"}}};

// "changed from 1.0 to 2.0", as far as it can be shown.
std::string versions_of(const BuildChange& change) {
  const auto shown = [](const BuildSymbol& symbol) {
    return symbol.version.empty() || symbol.version.find('#') != std::string::npos ? std::string()
                                                                                   : symbol.version;
  };
  const std::string did(name_in(kWas, change.what));
  const std::string was = shown(change.before), is = shown(change.after);
  if (change.what != BuildChangeKind::kChanged || was.empty() || is.empty()) return did;
  return fmt::format("{} from {} to {}", did, was, is);
}

class Looker {
 public:
  Looker(const repo::Objects& objects, const Oid& head_tree, const Changes& head,
         const Changes& work, SymbolFindings& findings)
      : objects_(objects), head_tree_(head_tree), head_(head), work_(work), findings_(findings) {}

  Status look() {
    const std::vector<Changed> head = TRY(manifests_in(head_));
    const std::vector<Changed> work = TRY(manifests_in(work_));
    for (const Changed& theirs : head) {
      for (const Changed& ours : work) {
        if (ours.path == theirs.path) TRY(meet(theirs, ours));
      }
    }
    TRY(against(Who::kHead, head, work_));
    TRY(against(Who::kWork, work, head_));
    for (auto& [subject, clash] : clashes_) {
      findings_.symbols.clashes.push_back(std::move(clash));
    }
    return {};
  }

 private:
  Result<std::optional<std::string>> text_of(const TreeEntry& entry) {
    if (!entry.present()) return std::optional<std::string>();
    std::string text = TRY(objects_.blob(entry.oid, kMostBytes));
    bytes_ += text.size();
    return std::optional<std::string>(std::move(text));
  }

  Result<std::vector<Changed>> manifests_in(const Changes& changes) {
    std::vector<Changed> found;
    for (const PathChange& change : changes) {
      if (semantic::ecosystem_of(change.path) == Ecosystem::kNone) continue;
      if (!change.before.is_file_or_absent() || !change.after.is_file_or_absent()) continue;
      Changed changed;
      changed.path = change.path;
      const auto before = TRY(text_of(change.before)), after = TRY(text_of(change.after));
      if (before) changed.before = semantic::read_manifest(change.path, *before);
      if (after) changed.after = semantic::read_manifest(change.path, *after);
      changed.changes = semantic::manifest_changes(changed.before, changed.after);
      if (!changed.changes.empty()) found.push_back(std::move(changed));
    }
    return found;
  }

  // One witness a symbol, the worst; a level that lets one weight pass has to see the other.
  void add(SymbolClash clash) {
    clash.tie = SymbolClash::Tie::kBuild;
    const bool blocks = clash.weight == SymbolClash::Weight::kBlocks;
    const auto known = clashes_.find(clash.subject);
    if (known != clashes_.end()) {
      if (blocks) known->second = std::move(clash);
    } else if (++(blocks ? blocking_ : checked_) <= kMostClashes) {
      clashes_.emplace(clash.subject, std::move(clash));
    }
  }

  // --- one manifest, changed by both ---

  Status meet(const Changed& theirs, const Changed& ours) {
    bool apart = true;
    for (const BuildChange& their : theirs.changes) {
      for (const BuildChange& our : ours.changes) {
        if (key_of(their) != key_of(our) || is_own_record(ours, our)) continue;
        if (their.after == our.after && their.what == our.what) continue;
        apart = false;
        add({SymbolClash::Weight::kBlocks, ours.path, ours.path, subject_of(ours.path, our),
             fmt::format("both changed the {} in {}: the head {}, this one {}",
                         semantic::title_of(our), ours.path, versions_of(their),
                         versions_of(our))});
      }
    }
    apart = !needs(theirs, ours) && apart;
    apart = !needs(ours, theirs) && apart;
    const auto merged = std::ranges::find(findings_.files, ours.path, &MergedFile::path);
    if (!apart || merged == findings_.files.end()) return {};
    const auto* text = std::get_if<std::string>(&merged->contents);
    if (text == nullptr || !has_both(theirs, ours, *text)) return {};
    // What was found of the file as text is answered.
    std::erase_if(findings_.symbols.clashes, [&](const SymbolClash& clash) {
      return clash.path == ours.path && clash.cause == ours.path;
    });
    return {};
  }

  // npm's lock file says again what the package's own manifest does, in keys that are merged.
  static bool is_own_record(const Changed& manifest, const BuildChange& change) {
    const auto& [kind, name, target] = key_of(change);
    return manifest.ecosystem() == Ecosystem::kNpm && name.empty() &&
           kind == semantic::BuildKind::kDependency;
  }

  // A record that `mine` changed names a package that `other` changed: the two may not go together.
  bool needs(const Changed& mine, const Changed& other) {
    std::set<std::string> changed;
    for (const BuildChange& change : other.changes) {
      if (is_own_record(other, change)) continue;
      changed.insert(semantic::imported_as(
          other.ecosystem(),
          {semantic::BuildKind::kDependency, std::get<1>(key_of(change)), {}, {}}));
    }
    bool found = false;
    for (const BuildChange& change : mine.changes) {
      const auto record = mine.after.needs.find(std::get<1>(key_of(change)));
      if (record == mine.after.needs.end() || is_own_record(mine, change)) continue;
      for (const std::string& name : record->second) {
        const std::string package = semantic::imported_as(
            mine.ecosystem(), {semantic::BuildKind::kDependency, name, {}, {}});
        if (!changed.contains(package)) continue;
        found = true;
        add({SymbolClash::Weight::kBlocks, mine.path, mine.path, subject_of(mine.path, change),
             fmt::format("one side changed the {} in {}, which needs {}, which the other changed",
                         semantic::title_of(change), mine.path, package)});
      }
    }
    return found;
  }

  // Against each side the merged file differs by what the other did, and by nothing else.
  static bool has_both(const Changed& theirs, const Changed& ours, const std::string& text) {
    const Manifest merged = semantic::read_manifest(ours.path, text);
    if (!merged.opaque.empty() || merged.ordered) return false;
    return same(semantic::manifest_changes(ours.after, merged), theirs.changes, ours.changes) &&
           same(semantic::manifest_changes(theirs.after, merged), ours.changes, theirs.changes);
  }

  // `found` are those of `expected` that `also` has not.
  static bool same(const std::vector<BuildChange>& found, const std::vector<BuildChange>& expected,
                   const std::vector<BuildChange>& also) {
    const auto is_in = [](const std::vector<BuildChange>& all, const BuildChange& one) {
      return std::any_of(all.begin(), all.end(), [&](const BuildChange& other) {
        return other.what == one.what && other.before == one.before && other.after == one.after;
      });
    };
    const auto shared = static_cast<std::size_t>(
        std::ranges::count_if(expected, [&](const BuildChange& one) { return is_in(also, one); }));
    return found.size() == expected.size() - shared &&
           std::ranges::all_of(found, [&](const auto& one) { return is_in(expected, one); });
  }

  // --- a manifest of one side, sources of the other ---

  // What of a manifest changed, by whom it feeds.
  struct Fed {
    std::vector<const BuildChange*> everything;
    std::map<std::string, std::vector<const BuildChange*>, std::less<>> importers;  // by import
  };

  static Fed fed_by(const Changed& manifest, const std::vector<Changed>& manifests) {
    Fed fed;
    const bool told = is_told_elsewhere(manifest, manifests);
    for (const BuildChange& change : manifest.changes) {
      const semantic::Feeds feeds = semantic::feeds_of(manifest.path, manifest.known(), change);
      if (feeds == semantic::Feeds::kImporters) {
        fed.importers[semantic::imported_as(manifest.ecosystem(), semantic::symbol_in(change))]
            .push_back(&change);
      }
      const bool room = !told && fed.everything.size() < kMostClashes;
      if (feeds == semantic::Feeds::kEverything && room) fed.everything.push_back(&change);
    }
    return fed;
  }

  Status against(Who who, const std::vector<Changed>& manifests, const Changes& others) {
    for (const Changed& manifest : manifests) {
      const Fed fed = fed_by(manifest, manifests);
      if (fed.everything.empty() && fed.importers.empty()) continue;
      for (const PathChange& source : others) {
        if (!semantic::is_source_of(manifest.ecosystem(), source.path)) continue;
        if (!source.before.is_file_or_absent() || !source.after.is_file_or_absent()) continue;
        if (source.before.oid == source.after.oid) continue;
        TRY(judge(who, manifest, fed, source));
      }
    }
    return {};
  }

  Status judge(Who who, const Changed& manifest, const Fed& fed, const PathChange& source) {
    if (!fed.everything.empty() && TRY(is_governed(source.path, manifest.path))) {
      for (const BuildChange* change : fed.everything) {
        tell(who, manifest, *change, source.path, Reliance::kKept);
      }
    }
    // One that is inherited stands in a manifest further up.
    const std::string_view directory =
        std::string_view(manifest.path).substr(0, manifest.path.rfind('/') + 1);
    if (fed.importers.empty() || !source.path.starts_with(directory)) return {};
    if (!source.after.present()) return {};
    if (bytes_ > kMostBytes) {
      tell(who, manifest, *fed.importers.begin()->second.front(), source.path, Reliance::kKept);
      return {};
    }
    const FileChange file{source.path, TRY(text_of(source.before)), TRY(text_of(source.after))};
    for (const std::string& name : semantic::imports_in(manifest.ecosystem(), *file.after)) {
      const auto found = fed.importers.find(name);
      if (found == fed.importers.end()) continue;
      const Reliance reliance = semantic::reliance_on(manifest.ecosystem(), name, file, {});
      if (reliance == Reliance::kNone) continue;
      for (const BuildChange* change : found->second) {
        tell(who, manifest, *change, source.path, reliance);
      }
    }
    return {};
  }

  // A lock file that is not looked into, beside a manifest that says what changed in it.
  static bool is_told_elsewhere(const Changed& manifest, const std::vector<Changed>& manifests) {
    const bool opaque = !manifest.after.opaque.empty() || !manifest.before.opaque.empty();
    const bool lock = manifest.path.ends_with("yarn.lock") ||
                      manifest.path.ends_with("pnpm-lock.yaml") ||
                      manifest.path.ends_with("MODULE.bazel.lock");
    if (!opaque || !lock) return false;
    return std::ranges::any_of(manifests, [&](const Changed& other) {
      return other.ecosystem() == manifest.ecosystem() && other.path != manifest.path &&
             other.after.opaque.empty() && other.before.opaque.empty();
    });
  }

  static std::string subject_of(const std::string& path, const BuildChange& change) {
    return fmt::format("{} in {}", semantic::title_of(change), path);
  }

  void tell(Who who, const Changed& manifest, const BuildChange& change, const std::string& source,
            Reliance reliance) {
    const bool anew = reliance == Reliance::kNew;
    const bool strong =
        change.what == BuildChangeKind::kChanged || change.what == BuildChangeKind::kRemoved;
    SymbolClash clash;
    clash.weight =
        anew && strong ? SymbolClash::Weight::kBlocks : SymbolClash::Weight::kNeedsChecks;
    clash.path = who == Who::kHead ? source : manifest.path;
    clash.cause = who == Who::kHead ? manifest.path : source;
    clash.subject = subject_of(manifest.path, change);
    const std::string title = semantic::title_of(change);
    clash.why = who == Who::kHead
                    ? fmt::format("the {} in {} was {} on the branch, and this change {} it in {}",
                                  title, manifest.path, versions_of(change),
                                  anew ? "begins to use" : "edited what is made with", source)
                    : fmt::format("this change {} the {} in {}, and {} on the branch {} it",
                                  name_in(kDoes, change.what), title, manifest.path, source,
                                  anew ? "began to use" : "was edited, which is made with");
    add(std::move(clash));
  }

  // --- what governs what, by the head's tree ---

  Result<bool> is_governed(const std::string& source, const std::string& manifest) {
    std::vector<std::string> paths{manifest};
    for (std::size_t end = source.rfind('/'); true;
         end = end == 0 ? std::string::npos : source.rfind('/', end - 1)) {
      const std::string directory = end == std::string::npos ? "" : source.substr(0, end + 1);
      for (const std::string& path : TRY(manifests_of(directory))) {
        if (path != manifest) paths.push_back(path);
      }
      if (directory.empty()) break;
    }
    const auto governing = semantic::manifests_governing(source, paths);
    return std::ranges::find(governing, manifest) != governing.end();
  }

  // `directory` ends with a slash, or is empty.
  Result<std::vector<std::string>> manifests_of(const std::string& directory) {
    const auto known = directories_.find(directory);
    if (known != directories_.end()) return known->second;
    std::vector<std::string> found;
    Oid tree = head_tree_;
    if (!directory.empty()) {
      const TreeEntry entry = TRY(objects_.entry_at(
          head_tree_, std::string_view(directory).substr(0, directory.size() - 1)));
      tree = entry.mode == FileMode::kTree ? entry.oid : Oid();
    }
    if (!tree.empty()) {
      for (const repo::NamedEntry& named : TRY(objects_.list(tree))) {
        if (!named.entry.is_file_or_absent()) continue;
        if (semantic::ecosystem_of(named.name) == Ecosystem::kNone) continue;
        found.push_back(directory + named.name);
      }
    }
    directories_[directory] = found;
    return found;
  }

  const repo::Objects& objects_;
  const Oid& head_tree_;
  const Changes& head_;
  const Changes& work_;
  SymbolFindings& findings_;
  std::size_t bytes_ = 0;
  std::size_t blocking_ = 0, checked_ = 0;
  std::map<std::string, SymbolClash> clashes_;  // by subject: one witness for each
  std::map<std::string, std::vector<std::string>> directories_;
};

}  // namespace

Status look_at_builds(const repo::Objects& objects, const Oid& head_tree, const Changes& head,
                      const Changes& work, SymbolFindings& findings) {
  if (INJECTED_BUG("land.ignore_builds")) return {};
  return Looker(objects, head_tree, head, work, findings).look();
}

}  // namespace gittxn::land

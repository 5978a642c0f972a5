#include "land/judge/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/bug.h"
#include "catalogue/footprints.h"
#include "certify/judge.h"
#include "land/judge/meaning/chains.h"
#include "land/judge/meaning/includes.h"
#include "land/judge/meaning/kin.h"
#include "land/judge/meaning/strangers.h"
#include "land/judge/meaning/unfed.h"
#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/merge.h"
#include "semantic/merge/line_merge.h"
#include "semantic/symbol.h"

namespace gittxn::land {
namespace {

using certify::SymbolClash;

constexpr std::size_t kShownOfLine = 80;
constexpr int kMostRecorded = 32;  // files whose recorded resolution is looked for

bool has_other_contents(const PathChange& change) {
  return change.before.oid != change.after.oid;
}
// A file that both changed to different things. The same contents in two modes are nobody's to
// choose from: an update that both made would be there once.
bool both_edited(const PathChange& head, const PathChange& work) {
  if (!head.before.is_file() || !head.after.is_file() || !work.after.is_file()) return false;
  if (head.after == work.after) return false;
  if (has_other_contents(head) != has_other_contents(work)) return true;
  return has_other_contents(head) && head.after.oid != work.after.oid;
}
// There are two modes, so that it is one side at most that chose another one than the other side.
FileMode mode_of_both(const PathChange& head, const PathChange& work) {
  return work.after.mode == work.before.mode ? head.after.mode : work.after.mode;
}

class SymbolLooker {
 public:
  SymbolLooker(const repo::Objects& objects, const Changes& head, const Changes& work,
               const Around& around)
      : objects_(objects),
        head_(head),
        work_(work),
        around_(around),
        footprints_(*around.footprints) {
    for (const PathChange& change : work_) {
      const PathChange* other = certify::find_change(head_, change.path);
      if (other != nullptr && both_edited(*other, change)) both_.push_back(change.path);
    }
  }

  Result<SymbolFindings> look() {
    if (TRY(bytes_in(work_)) + TRY(bytes_in(head_)) > kMostBytes) {
      SymbolFindings nothing;
      nothing.notes.push_back(fmt::format(
          "more than {} MiB changed; what changed was judged by its paths", kMostBytes >> 20));
      return nothing;
    }
    TRY(merge_files());
    TRY(judge());
    return std::move(found_);
  }

 private:
  // Those in a language that is known, for the names in them; the others only where both changed
  // one.
  bool is_looked_into(const PathChange& change) const {
    return catalogue::is_of_code(change) ||
           (catalogue::is_of_file(change) && std::ranges::binary_search(both_, change.path));
  }

  // Asked of all that might be looked into, so that no other change decides what is judged how.
  Result<std::uint64_t> bytes_in(const Changes& changes) const {
    std::uint64_t bytes = 0;
    for (const PathChange& change : changes) {
      if (is_looked_into(change)) bytes += TRY(footprints_.bytes_of(change)).both();
    }
    return bytes;
  }

  Result<std::string> text_of(const Oid& oid) const { return objects_.blob(oid, kMostBytes); }

  Status merge_files() {
    if (both_.empty()) return {};
    std::vector<std::string> texts;  // those of which both changed the contents
    for (const std::string& path : both_) {
      const PathChange& head = *certify::find_change(head_, path);
      const PathChange& work = *certify::find_change(work_, path);
      if (has_other_contents(head) && has_other_contents(work)) {
        texts.push_back(path);
      } else {
        const Oid& contents = has_other_contents(head) ? head.after.oid : work.after.oid;
        settle(head, work, contents, "the mode of one side, the contents of the other");
      }
    }
    const std::vector<MergeWay> ways = TRY(around_.ways_of(texts));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (ways[i].kind == MergeWay::Kind::kNever) {
        not_merged(texts[i], ways[i].why);
        continue;
      }
      TRY(merge(*certify::find_change(head_, texts[i]), *certify::find_change(work_, texts[i]),
                ways[i].kind));
    }
    std::ranges::sort(found_.symbols.merged);
    return {};
  }

  void settle(const PathChange& head, const PathChange& work,
              std::variant<Oid, std::string> contents, std::string rule) {
    found_.symbols.merged.push_back(work.path);
    found_.files.push_back({work.path, head.after, work.after, mode_of_both(head, work),
                            std::move(contents), std::move(rule)});
  }

  Status merge(const PathChange& head, const PathChange& work, MergeWay::Kind way) {
    semantic::Sides<std::string> texts;
    texts[semantic::kBase] = TRY(text_of(work.before.oid));
    texts[semantic::kLeft] = TRY(text_of(head.after.oid));
    texts[semantic::kRight] = TRY(text_of(work.after.oid));
    if (way == MergeWay::Kind::kUnion) return merge_as_union(head, work, texts);
    const semantic::MergeAs as(work.path, texts[semantic::kBase]);
    semantic::Merged merged = TRY(semantic::merge_file(as, texts, {}));
    if (!merged.clean()) {
      if (TRY(take_recorded(head, work, texts))) return {};
      not_merged(work.path, merged.why);
      return {};
    }
    if (told_once(work.path, as.language, texts, merged.text)) return {};
    settle(head, work, std::move(merged.text), std::string(semantic::rule_name(merged.rule)));
    return {};
  }

  // Asked of some files only, because each costs some runs of git.
  Result<bool> take_recorded(const PathChange& head, const PathChange& work,
                             const semantic::Sides<std::string>& texts) {
    if (!around_.recorded || asked_recorded_ == kMostRecorded) return false;
    ++asked_recorded_;
    auto text = TRY(around_.recorded(texts));
    if (!text) return false;
    resolved_.insert(work.path);
    settle(head, work, *std::move(text), std::string(kRecorded));
    return true;
  }

  Status merge_as_union(const PathChange& head, const PathChange& work,
                        const semantic::Sides<std::string>& texts) {
    semantic::MergeLabels labels;
    labels.style = semantic::ConflictText::kUnion;
    semantic::LineMerge merged = TRY(semantic::merge_lines({texts[0], texts[1], texts[2]}, labels));
    if (!merged.clean) {
      not_merged(work.path, "it is no text");
      return {};
    }
    if (told_once(work.path, nullptr, texts, merged.text)) return {};
    unions_.insert(work.path);
    settle(head, work, std::move(merged.text), "union of lines");
    return {};
  }

  // True: it is not to be merged.
  bool told_once(const std::string& path, const semantic::Language* language,
                 const semantic::Sides<std::string>& texts, const std::string& merged) {
    if (INJECTED_BUG("land.once_for_both")) return false;
    const auto line = made_once(language, texts, merged);
    if (!line) return false;
    const std::string shown = line->size() > kShownOfLine ? line->substr(0, kShownOfLine) : *line;
    not_merged(path,
               fmt::format("both made the same change of '{}', which would be there once", shown));
    return true;
  }

  void not_merged(const std::string& path, const std::string& why) {
    found_.notes.push_back(fmt::format("conflict in {}: {}", path, why));
  }

  // Of a union the repository has said that both sides' lines go together. A file in a language
  // that nobody knows, and that was not merged, is a conflict already.
  Result<semantic::Footprint> footprint_of(const Changes& changes) {
    std::vector<const semantic::Footprint*> files;
    for (const PathChange& change : changes) {
      if (!is_looked_into(change) || unions_.contains(change.path)) continue;
      if (semantic::language_of_path(change.path) == nullptr && !is_merged(change.path)) continue;
      files.push_back(TRY(footprints_.of(change)));
    }
    return semantic::together(files);
  }

  bool is_merged(const std::string& path) const {
    return std::ranges::binary_search(found_.symbols.merged, path);
  }

  bool any_looked_into(const Changes& changes) const {
    return std::ranges::any_of(changes, [this](const auto& each) { return is_looked_into(each); });
  }

  Status judge() {
    if (!any_looked_into(work_) || !any_looked_into(head_)) return {};
    semantic::Footprint work = TRY(footprint_of(work_)), head = TRY(footprint_of(head_));
    TRY(follow(&work, &head));
    const semantic::Commuted commuted = semantic::commute(work, head);
    const Paths work_paths = paths_of(work), head_paths = paths_of(head);
    std::set<std::pair<std::string, std::string>> told;
    for (const semantic::Finding& finding : commuted.findings) {
      // A name may be defined in several places, and be gone here and new there: the worst is told.
      // What both made of one thing of the file is what the person has decided.
      if (finding.left == finding.right && resolved_.contains(path_in(work_paths, finding.left))) {
        continue;
      }
      if (!finding.name.empty() && !told.emplace(finding.left, finding.name).second) continue;
      found_.symbols.clashes.push_back(
          clash_of(finding, path_in(work_paths, finding.left), path_in(head_paths, finding.right)));
    }
    if (commuted.more == 0 || found_.symbols.merged.empty()) return {};
    const std::string& path = found_.symbols.merged.front();
    found_.symbols.clashes.push_back({SymbolClash::Weight::kNeedsChecks, path, path, path,
                                      fmt::format("and {} more that meet", commuted.more)});
    return {};
  }

  Status follow(semantic::Footprint* work, semantic::Footprint* head) {
    if (around_.tree.empty()) return {};
    const semantic::Footprint plain = *work;
    const Oid tree = TRY(objects_.tree_of(around_.tree));
    TRY(look_around({objects_, tree, work_, head_, kMostBytes, footprints_}, *head, work));
    return look_around({objects_, tree, head_, work_, kMostBytes, footprints_}, plain, head);
  }

  static Status look_around(const SeenTree& seen, const semantic::Footprint& other,
                            semantic::Footprint* side) {
    SeenFiles files(seen);
    TRY(follow_chains(files, other, side));
    TRY(find_includes(files, other, side));
    TRY(find_strangers(files, other, side));
    const Changes of_both = changes_of_both(seen.own, seen.others);
    const Changes none;
    const SeenTree merged{seen.objects, seen.tree, of_both, none, seen.most, seen.footprints};
    SeenFiles both(merged);
    TRY(find_unfed(files, both, other, side));
    return find_kin(files, other, side);
  }

  // Each changed path once; the change of `own` where both changed it.
  static Changes changes_of_both(const Changes& own, const Changes& others) {
    Changes both;
    std::ranges::set_union(own, others, std::back_inserter(both), {}, &PathChange::path,
                           &PathChange::path);
    return both;
  }

  using Paths = std::map<std::string, std::string>;  // of symbols, by id
  static Paths paths_of(const semantic::Footprint& footprint) {
    Paths paths;
    for (const semantic::Write& write : footprint.writes) paths.emplace(write.symbol, write.path);
    for (const semantic::Use& use : footprint.uses) paths.emplace(use.symbol, use.path);
    return paths;
  }
  static std::string path_in(const Paths& paths, const std::string& id) {
    const auto found = paths.find(id);
    return found == paths.end() ? std::string() : found->second;
  }

  const repo::Objects& objects_;
  const Changes& head_;
  const Changes& work_;
  const Around& around_;
  std::vector<std::string> both_;  // paths that both edited, sorted
  std::set<std::string> unions_, resolved_;
  int asked_recorded_ = 0;
  catalogue::Footprints& footprints_;
  SymbolFindings found_;
};

}  // namespace

SymbolClash clash_of(const semantic::Finding& finding, std::string path, std::string cause) {
  SymbolClash clash;
  clash.weight = finding.verdict == semantic::Verdict::kBlock ? SymbolClash::Weight::kBlocks
                                                              : SymbolClash::Weight::kNeedsChecks;
  clash.path = std::move(path);
  clash.cause = std::move(cause);
  clash.subject = finding.left.empty() ? finding.right : finding.left;
  const bool whole_file = clash.subject.ends_with('/');  // as a symbol
  if (whole_file) clash.subject.pop_back();
  // Whose line begins with the subject need not end with it.
  std::string did = finding.left_did;
  const std::string where = " in " + clash.subject;
  if (did.ends_with(where)) did.resize(did.size() - where.size());
  clash.why = fmt::format("it {}; the branch {} [{}]", did, finding.right_did,
                          semantic::rule_name(finding.rule));
  const bool structured = semantic::language_of_path(clash.path) != nullptr;
  if (whole_file && finding.left == finding.right && !structured) {
    clash.why = "both sides changed " + clash.subject + ", which has no structure to merge by";
  }
  return clash;
}

Around around(const Context& context, const repo::Objects& objects, const Oid& head) {
  Around around;
  around.ways_of = [&context, head](const std::vector<std::string>& paths) {
    return merge_ways(context, head, paths);
  };
  around.footprints = std::make_shared<catalogue::Footprints>(
      objects, catalogue::cache_in(context.repository->txn_dir(), *context.clock), kMostBytes);
  around.tree = head;
  return around;
}

Result<SymbolFindings> look_into(const repo::Objects& objects, const Changes& head,
                                 const Changes& work, const Around& around) {
  return SymbolLooker(objects, head, work, around).look();
}

Result<repo::MergeOutcome> merge_with(repo::Objects& objects, const Oid& base_tree,
                                      const Oid& head_tree, const Oid& work_tree,
                                      const SymbolFindings& findings, repo::MergeOutcome merged) {
  const auto& paths = findings.symbols.merged;
  for (const repo::MergeConflict& conflict : merged.conflicts) {
    if (!std::binary_search(paths.begin(), paths.end(), conflict.path)) return merged;
  }
  Changes head, work;
  for (const MergedFile& file : findings.files) {
    const std::string* text = std::get_if<std::string>(&file.contents);
    const TreeEntry one{
        file.mode, text == nullptr ? std::get<Oid>(file.contents) : TRY(objects.write_blob(*text))};
    if (one != file.head) head.push_back({file.path, file.head, one});
    if (one != file.work) work.push_back({file.path, file.work, one});
  }
  // Both sides with the same file in them, which is no conflict.
  const Oid head_with = TRY(objects.apply(head_tree, head));
  const Oid work_with = TRY(objects.apply(work_tree, work));
  return objects.merge(base_tree, head_with, work_with);
}

certify::SaysTheSame says_the_same(const repo::Objects& objects) {
  return [&objects](const Read&, const PathChange& change) {
    if (semantic::language_of_path(change.path) == nullptr) return false;
    const auto before = objects.blob(change.before.oid, kMostBytes);
    const auto after = objects.blob(change.after.oid, kMostBytes);
    if (!before || !after) return false;
    const auto* language = semantic::language_of(change.path, *before);
    if (language != semantic::language_of(change.path, *after)) return false;
    return semantic::same_to(semantic::Reader::kPerson,
                             semantic::symbols_of(language, change.path, *before, {}),
                             semantic::symbols_of(language, change.path, *after, {}));
  };
}

}  // namespace gittxn::land

#include "land/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "certify/judge.h"
#include "land/builds.h"
#include "semantic/commute.h"
#include "semantic/footprint.h"
#include "semantic/manifest/manifest.h"
#include "semantic/merge.h"
#include "semantic/symbol.h"

namespace gittxn::land {
namespace {

using certify::SymbolClash;
using semantic::FileChange;
using semantic::Footprint;

bool is_file(const TreeEntry& entry) {
  return entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
}
bool is_file_or_nothing(const TreeEntry& entry) {
  return is_file(entry) || !entry.present();
}

// Changed to different things by both, and a file of one mode all along.
bool both_edited(const PathChange& head, const PathChange& work) {
  return is_file(head.before) && head.before.mode == head.after.mode &&
         head.before.mode == work.after.mode && head.before.oid != head.after.oid &&
         work.before.oid != work.after.oid && head.after.oid != work.after.oid;
}

class Looker {
 public:
  Looker(const repo::Objects& objects, const Changes& head, const Changes& work)
      : objects_(objects), head_(head), work_(work) {}

  Result<SymbolFindings> look() {
    TRY(merge_files());
    const auto ours = TRY(file_changes(work_));
    const auto theirs = TRY(file_changes(head_));
    if (bytes_ > kMostBytes) {
      SymbolFindings nothing;
      nothing.notes.push_back(fmt::format(
          "more than {} MiB changed; what changed was judged by its paths", kMostBytes >> 20));
      return nothing;
    }
    if (!ours.empty() && !theirs.empty()) judge(ours, theirs);
    return std::move(found_);
  }

 private:
  Result<std::string> text_of(const Oid& oid) {
    std::string text = TRY(objects_.blob(oid, kMostBytes));
    bytes_ += text.size();
    return text;
  }

  Status merge_files() {
    for (const PathChange& work : work_) {
      const PathChange* head = certify::find_change(head_, work.path);
      if (head == nullptr || !both_edited(*head, work) || bytes_ > kMostBytes) continue;
      semantic::Sides<std::string> texts;
      texts[semantic::kBase] = TRY(text_of(work.before.oid));
      texts[semantic::kLeft] = TRY(text_of(head->after.oid));
      texts[semantic::kRight] = TRY(text_of(work.after.oid));
      const auto* language = semantic::language_of(work.path, texts[semantic::kBase]);
      semantic::Merged merged = TRY(semantic::merge_file(language, texts, {}));
      if (!merged.clean()) {
        found_.notes.push_back(fmt::format("{} was not merged: {}", work.path, merged.why));
        continue;
      }
      found_.symbols.merged.push_back(work.path);
      found_.files.push_back({work.path, head->after, work.after, std::move(merged.text),
                              std::string(semantic::rule_name(merged.rule))});
    }
    return {};
  }

  // Those in a language that is known, for the names in them; the others only where both changed
  // one.
  Result<std::vector<FileChange>> file_changes(const Changes& changes) {
    std::vector<FileChange> files;
    for (const PathChange& change : changes) {
      if (!is_file_or_nothing(change.before) || !is_file_or_nothing(change.after)) continue;
      if (change.before.oid == change.after.oid || bytes_ > kMostBytes) continue;
      if (semantic::language_of_path(change.path) == nullptr && !is_merged(change.path)) continue;
      FileChange file{change.path, std::nullopt, std::nullopt};
      if (change.before.present()) file.before = TRY(text_of(change.before.oid));
      if (change.after.present()) file.after = TRY(text_of(change.after.oid));
      files.push_back(std::move(file));
    }
    return files;
  }

  bool is_merged(const std::string& path) const {
    const auto& merged = found_.symbols.merged;
    return std::binary_search(merged.begin(), merged.end(), path);
  }

  void judge(const std::vector<FileChange>& ours, const std::vector<FileChange>& theirs) {
    const Footprint work = semantic::footprint_of(ours, {});
    const Footprint head = semantic::footprint_of(theirs, {});
    const semantic::Commuted commuted = semantic::commute(work, head);
    const Paths work_paths = paths_of(work), head_paths = paths_of(head);
    for (const semantic::Finding& finding : commuted.findings) {
      SymbolClash clash;
      clash.weight = finding.verdict == semantic::Verdict::kBlock
                         ? SymbolClash::Weight::kBlocks
                         : SymbolClash::Weight::kNeedsChecks;
      clash.path = path_in(work_paths, finding.left);
      clash.cause = path_in(head_paths, finding.right);
      clash.subject = finding.left.empty() ? finding.right : finding.left;
      clash.why = fmt::format("{} [{}]", finding.why, semantic::rule_name(finding.rule));
      found_.symbols.clashes.push_back(std::move(clash));
    }
    if (commuted.more == 0 || found_.symbols.merged.empty()) return;
    const std::string& path = found_.symbols.merged.front();
    found_.symbols.clashes.push_back({SymbolClash::Weight::kNeedsChecks, path, path, path,
                                      fmt::format("and {} more that meet", commuted.more)});
  }

  using Paths = std::map<std::string, std::string>;  // of symbols, by id
  static Paths paths_of(const Footprint& footprint) {
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
  SymbolFindings found_;
  std::size_t bytes_ = 0;
};

}  // namespace

Result<SymbolFindings> look_into(const repo::Objects& objects, const Changes& head,
                                 const Changes& work) {
  return Looker(objects, head, work).look();
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
    const TreeEntry one{file.head.mode, TRY(objects.write_blob(file.text))};
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
    const bool manifest = semantic::ecosystem_of(change.path) != semantic::Ecosystem::kNone;
    if (semantic::language_of_path(change.path) == nullptr && !manifest) return false;
    const auto before = objects.blob(change.before.oid, kMostBytes);
    const auto after = objects.blob(change.after.oid, kMostBytes);
    if (!before || !after) return false;
    if (manifest && builds_the_same(change.path, *before, *after)) return true;
    const auto* language = semantic::language_of(change.path, *before);
    if (language != semantic::language_of(change.path, *after)) return false;
    return semantic::same_to(semantic::Reader::kPerson,
                             semantic::symbols_of(language, change.path, *before, {}),
                             semantic::symbols_of(language, change.path, *after, {}));
  };
}

}  // namespace gittxn::land

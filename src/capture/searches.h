// Searches: what a process that runs a known searcher looked at is held back, and when it has ended
// the query in its arguments is laid beside it. Where the query on the snapshot's tree looks at
// exactly what was looked at, one search read takes the place of the looks that it explains;
// otherwise they all count, as those of any program do (docs/design/0012).
//
// What a query does not explain stays: rules that were read, files of the transaction's own, what
// is changed in place, other checkouts. Nothing is refined once the transaction has moved its base.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/interpret.h"
#include "capture/observer.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"
#include "capture/search_settings.h"
#include "capture/search_tree.h"
#include "search/evaluate.h"

namespace gittxn::capture {

// The snapshot's tree, of which the model has in memory what was looked at.
class KnownTree final : public search::Tree {
 public:
  // Both must outlive it.
  KnownTree(const repo::Objects& objects, const TreeModel& model)
      : tree_(objects, model.snapshot_tree()), model_(model) {}
  Result<TreeEntry> entry(const std::string& path) const override { return tree_.entry(path); }
  Result<std::vector<search::NamedEntry>> list(const std::string& path) const override;
  Result<std::vector<search::NamedEntry>> list_modes(const std::string& path) const override;
  Result<std::string> blob(const Oid& oid) const override { return tree_.blob(oid); }

 private:
  SearchTree tree_;
  const TreeModel& model_;
};

class Searches {
 public:
  Searches(const repo::Objects& objects, const InterpretInput& input, TreeModel& model,
           const Observer& observer, ReadLog& log)
      : input_(input), tree_(objects, model), model_(model), observer_(observer), log_(log) {}

  // A program was started (a successful kExec). Where to hold its looks, or null.
  // `name`: the program is what the first argument says, wherever its file came from.
  HeldLooks* begin(const Record& exec, const Resolved& program, search::Vouched name);
  // The process has ended, or becomes another program: its looks are replaced or counted, and
  // `process.held` is null. True when they were replaced. What else only a failed search means
  // (`held.everything`) is given to `everything`.
  bool settle(Process& process, const std::function<void(std::string_view why)>& everything);
  // A question that somebody put and says so, in canonical JSON. True: `made` with it is a read
  // now, and those of `held` that it explains are marked (null: nothing was held). False: it cannot
  // be judged by commits alone, and nothing was added.
  bool answer(const std::string& query, const HeldLooks& held, Read made,
              std::vector<bool>* explained);
  // Whether this file of the snapshot has the lines of its blob in the worktree, but for how they
  // end.
  bool has_blob_lines(const std::string& path);
  // Somebody changed a setting that was vouched for.
  void settings_changed() { settings_changed_ = true; }
  bool have_settings_changed() const { return settings_changed_; }
  const SearchSettings& settings();

 private:
  struct Search {
    search::Query query;
    HeldLooks held;
  };
  using Scope = const search::Answer*;  // what a proven search explains
  search::Refined<search::Query> query_of(const Record& exec, const Resolved& program,
                                          search::Vouched name);
  // The files a query looks at, where the worktree has them as the snapshot has them.
  search::Refined<Scope> governed(const Search& search);
  search::Refined<Scope> prove(Search& search, const Process& process);
  // Of queries that differ in what they look for alone it is the same.
  search::Refined<Scope> scope_of(const search::Query& query);
  bool attributes_harmless(const std::set<std::string>& directories, Reader reader);
  search::Refined<void> same_bytes(const search::Query& query, Scope scope);
  search::Refined<void> no_own_rules(const Search& search) const;
  bool is_the_snapshots(const std::string& path);
  bool is_of_the_snapshot(const HeldLooks::Look& look) const;
  bool explains(const search::Query& query, Scope scope, const HeldLooks::Look& look) const;
  Read read_of(const search::Query& query, Read made) const;
  void replace(Search& search, Scope scope, const Process& process);

  const InterpretInput& input_;
  KnownTree tree_;
  TreeModel& model_;
  const Observer& observer_;
  ReadLog& log_;
  std::map<std::int32_t, Search> running_;  // by process
  std::map<std::string, search::Refined<search::Answer>> scopes_;
  std::map<std::pair<std::string, Reader>, bool> harmless_;  // by directory
  std::optional<SearchSettings> settings_;
  bool settings_changed_ = false;
};

}  // namespace gittxn::capture

// The union of what the trace saw and what other sources say (docs/design/0012).
//
// While the records are read: a tool call that read some lines of a file explains one open of that
// file, made during the call by a process that reports its calls through our hooks (it started
// them). The open then is a read of these lines; every other open of the file, and one that the
// record file says was repeated, is a read of all of it. Our own MCP server, and `git txn read`,
// open nothing but for a call that they write down: such a call explains every open of theirs.
// Afterwards: what a source says and no trace saw is added, with the snapshot's digests; what both
// saw keeps the trace as its source and learns whose tool call it was. What was declared counts as
// read from the snapshot, whatever has become of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/git/served.h"
#include "capture/observed.h"
#include "capture/observer.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"

namespace gittxn::capture {

class Union {
 public:
  Union(const repo::Objects& objects, std::vector<Observed> observed, TreeModel& model,
        PathResolver& resolver, Observer& observer, ReadLog& log, Searches& searches)
      : objects_(objects),
        observed_(joined(std::move(observed))),
        used_(observed_.size()),
        model_(model),
        resolver_(resolver),
        observer_(observer),
        log_(log),
        searches_(searches),
        served_(searches, log) {}

  // Each record of a new or a started process, in order: it tells who starts hooks.
  void on_process(const Record& record);
  // An open, stat or access of a file of the tree. True: a read of lines stands for it.
  bool explains(const Record& record, const Process& process, const Resolved& at);
  // The place that holds another look-up of the tree until its purpose is known; null: none.
  HeldLooks* looks_of(const Record& record, const Process& process) {
    return observed_.empty() ? nullptr : served_.looks_of(record, process, observed_);
  }
  // After the last record.
  void finish();

 private:
  bool reports_its_calls(std::int32_t pid) const { return hosts_.contains(pid); }
  std::size_t call_of(const Record& record, const Process& process, const std::string& path);
  bool read_lines(std::size_t which, const Node& node, const Process& process);
  Resolved place_of(const Observed& one);
  void add(const Observed& one);
  void add_node(const Observed& one, Node& node);
  void add_declared(const Observed& one);
  void add_declared_file(const Observed& one, const std::string& path, const TreeEntry& entry,
                         Node* node);
  void add_search(const Observed& one, const std::string& root);
  Read read_of(const Observed& one, ReadKind kind, std::string subject, std::string digest) const;
  void check_declared();

  const repo::Objects& objects_;
  std::vector<Observed> observed_;
  std::vector<bool> used_;
  TreeModel& model_;
  PathResolver& resolver_;
  Observer& observer_;
  ReadLog& log_;
  Searches& searches_;
  Served served_;
  std::map<std::int32_t, std::int32_t> parents_;
  std::set<std::int32_t> hosts_;
};

}  // namespace gittxn::capture

// The union of what the trace saw and what other sources say (docs/design/0012).
//
// While the records are read: a tool call that read some lines of a file explains one open of that
// file, made during the call by a process that reports its calls through our hooks (it started
// them). The open then is a read of these lines; every other open of the file, and one that the
// record file says was repeated, is a read of all of it. Our own MCP server, and `git txn read`,
// open nothing but for a call that they write down, before they answer it: such a call explains
// every open of theirs, and one search read for each question takes the place of all that was
// opened for it. Where a question cannot be judged by commits alone (files that are converted at
// checkout, ignore rules of the transaction's own, a base that moved) everything that was looked at
// counts. Afterwards: what a source says and no trace saw is added, with the snapshot's digests;
// what both saw keeps the trace as its source and learns whose tool call it was. What was declared
// counts as read from the snapshot, whatever has become of it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/observed.h"
#include "capture/observer.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"
#include "capture/searches.h"

namespace gittxn::capture {

class Union {
 public:
  Union(const repo::Objects& objects, std::vector<Observed> observed, TreeModel& model,
        PathResolver& resolver, Observer& observer, ReadLog& log, Searches& searches)
      : objects_(objects),
        observed_(joined(std::move(observed))),
        model_(model),
        resolver_(resolver),
        observer_(observer),
        log_(log),
        searches_(searches) {}

  // Each record of a new or a started process, in order: it tells who starts hooks.
  void on_process(const Record& record);
  // An open, stat or access of a file of the tree. True: a read of lines stands for it.
  bool explains(const Record& record, const Process& process, const Resolved& at);
  // The place that holds a server's look-up of the tree; null: it was for no search.
  HeldLooks* looks_of(const Record& record, const Process& process);
  // After the last record.
  void finish();

 private:
  const Observed* call_of(const Record& record, const Process& process, const std::string& path);
  bool read_lines(const Observed& one, const Node& node, const Process& process);
  Resolved place_of(const Observed& one);
  void add(const Observed& one);
  void add_node(const Observed& one, Node& node);
  void add_declared(const Observed& one);
  void add_declared_file(const Observed& one, const std::string& path, const TreeEntry& entry,
                         Node* node);
  void add_search(const Observed& one, const std::string& root);
  Read read_of(const Observed& one, ReadKind kind, std::string subject, std::string digest) const;
  void check_declared();
  void answer_served();

  const repo::Objects& objects_;
  std::vector<Observed> observed_;
  std::set<const Observed*> used_;
  TreeModel& model_;
  PathResolver& resolver_;
  Observer& observer_;
  ReadLog& log_;
  Searches& searches_;
  std::map<std::int32_t, std::int32_t> parents_;
  std::set<std::int32_t> hosts_;  // report their calls
  std::set<std::int32_t> servers_;
  Process server_;  // the first that looked for a search
  HeldLooks held_;
  // Files of the snapshot of which a server's open was a read of lines. Opens that the record file
  // left out as repetitions may have been for a search.
  std::map<std::string, Oid> in_part_;
};

}  // namespace gittxn::capture

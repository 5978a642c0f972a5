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
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/agent_processes.h"
#include "capture/observed.h"
#include "capture/observer.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"
#include "capture/searches.h"

namespace gittxn::capture {

class Union {
 public:
  struct Parts {  // of the interpreter
    TreeModel& model;
    PathResolver& resolver;
    Observer& observer;
    ReadLog& log;
    Searches& searches;
  };
  Union(const repo::Objects& objects, std::vector<Observed> observed, const AgentProcesses& agents,
        const Parts& parts)
      : objects_(objects),
        observed_(joined(std::move(observed))),
        agents_(agents),
        model_(parts.model),
        resolver_(parts.resolver),
        observer_(parts.observer),
        log_(parts.log),
        searches_(parts.searches) {}

  // Each record of a new or a started process, in order.
  void on_process(const Record& record);
  // An open, stat or access of a file of the tree. True: a read of lines stands for it.
  bool explains(const Record& record, const Process& process, const Resolved& at);
  // A listing by a server, of a directory that a call was shown to the agent alone.
  bool lists_for_agent(const Record& record, const Process& process, const Resolved& at);
  // An agent, or a server, looks at a file that a call was shown to the agent alone.
  bool is_file_of_call(const Record& record, const Process& process, const Resolved& at);
  bool is_server(const Process& process) const { return servers_.contains(process.pid); }
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
  const AgentProcesses& agents_;
  TreeModel& model_;
  PathResolver& resolver_;
  Observer& observer_;
  ReadLog& log_;
  Searches& searches_;
  std::set<std::int32_t> servers_;
  std::optional<std::set<std::string>> shown_files_;  // of calls, where they were at the first look
  Process server_;                                    // the first that looked for a search
  HeldLooks held_;
  // Files of the snapshot of which a server's open was a read of lines. Opens that the record file
  // left out as repetitions may have been for a search.
  std::map<std::string, Oid> in_part_;
};

}  // namespace gittxn::capture

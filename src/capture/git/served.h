// Searches that our own servers (`git txn mcp`) served, and what they opened for them. A server
// writes down what it was asked before it answers, so one search read for each question takes the
// place of all that was opened for it; which open was for which question need not be told.
//
// Where a question cannot be judged by commits alone (files that are converted at checkout, ignore
// rules of the transaction's own, a base that moved) everything that was looked at counts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/observed.h"
#include "capture/searches.h"

namespace gittxn::capture {

// A look of a server may be on record after the call it was made for: whoever records looks of many
// processes is behind on a busy machine. Nothing is lost by waiting, as a server opens nothing
// else.
inline constexpr std::int64_t kServersAreLateMs = 5'000;

class Served {
 public:
  Served(Searches& searches, ReadLog& log) : searches_(searches), log_(log) {}

  void started(std::int32_t pid) { running_.insert(pid); }
  void ended(std::int32_t pid) { running_.erase(pid); }
  bool is_server(std::int32_t pid) const { return running_.contains(pid); }

  // The place that holds a server's look-up; null when the look-up was for no search.
  HeldLooks* looks_of(const Record& record, const Process& process,
                      const std::vector<Observed>& observed);
  // A read of lines stands for a server's open of this file of the snapshot. Opens that the record
  // file left out as repetitions may have been for a search.
  void served_lines(const std::string& path, const Oid& blob) { in_part_.emplace(path, blob); }
  // After the last record, with all that was asked and what a read of it says of who made it.
  void finish(const std::vector<Observed>& observed,
              const std::function<Read(const Observed&)>& made);

 private:
  Searches& searches_;
  ReadLog& log_;
  std::set<std::int32_t> running_;
  Process process_;  // the first that looked
  HeldLooks held_;
  std::map<std::string, Oid> in_part_;
};

}  // namespace gittxn::capture

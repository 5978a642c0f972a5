// Landings at work, for people who look at the line: one small file for each,
// <txn directory>/landing/ID, whose lock says that its process is alive. Nothing depends on it: a
// landing whose file cannot be made lands all the same, and is not seen at work.
//
// If we die: a file that nobody holds, which the next landing removes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/fs.h"
#include "base/ids.h"

namespace gittxn::land {

class UnderWay {
 public:
  UnderWay(const std::string& txn_dir, const TxnId& txn);
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay();
  // The phrase is for people, of one line: "gate test: 3 of 40 units".
  void say(std::string_view phrase);

 private:
  std::string path_;
  UniqueFd file_;
  SlotLock lock_;
};

// The phrase that the landing of a transaction said last; nullopt: none is under way in this clone.
std::optional<std::string> under_way(const std::string& txn_dir, const TxnId& txn);

}  // namespace gittxn::land

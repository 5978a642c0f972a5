// The files of the transaction's own as they were when a question was asked (model/read.h). Pure.
//
// A question is asked again on the tree of a commit, with those of these files that were by then as
// the transaction leaves them. So a path that it met must have been in one of two states, that of
// the commit or the one that lands; where it may have been in a third, a pure process is no
// question, and a runner is one that what lands alone can answer.
// A path that it did not meet may be met on another tree: what is not known of such a one is named
// (unsettled), and an asking that meets it is no answer. A file of which it met only the name may
// hold anything: it is in the tree as it lands, and an asking that looks into it is no answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/change.h"
#include "model/read.h"

namespace gittxn::capture {

// Somebody changed a path, or a directory with all that is below it.
struct Touch {
  std::uint64_t when = 0;  // the number of the record
  std::int64_t by = 0;     // the number that the looks of the process carried
  bool file = true;        // not only a directory that was made or removed
  bool gone = false;       // it took the path away
  bool other = false;      // it put something there that is not a regular file
};
using Touches = std::map<std::string, std::vector<Touch>>;  // by repository path, in order

struct Asking {
  Question::Kind kind = Question::Kind::kPure;
  std::uint64_t from = 0, to = 0;                // records
  const std::set<std::string>* looks = nullptr;  // the paths that it met, own ones too
  std::function<bool(std::int64_t by)> itself;   // or what it started
  // True if the path may have been changed since without a record.
  std::function<bool(const std::string& path)> touched_unseen;
  // True if the path is ignored, so that it neither lands nor is there when the question is asked.
  std::function<bool(const std::string& path)> left_out;
};

struct OwnFiles {
  std::vector<std::string> own;        // as they land, and removed directories, sorted
  std::vector<std::string> met;        // those of them in whose contents a runner looked, sorted
  std::vector<std::string> unsettled;  // sorted; of those that are in `own` too the name is known
  bool in_between = false;             // as in Question
  std::string spoiled;                 // why it is no question; "" it may be one
};

// What a read looked at, as meets() and looks_into() have it.
std::string look_of(ReadKind kind, const std::string& subject);

// True if one of these looks shows the path: itself, something below it, its directory, or all that
// is below one above it, which has a slash at its end ("/" the top).
bool meets(const std::set<std::string>& looks, const std::string& path);

// True if one of them may show the contents of the file: itself, or all that is below a directory.
bool looks_into(const std::set<std::string>& looks, const std::string& file);

class OwnHistory {
 public:
  // `writes`: what lands, sorted by path. Both have to outlive it.
  OwnHistory(const Changes& writes, const Touches& touches);

  OwnFiles at(const Asking& asking) const;

 private:
  struct Stays {  // a path that is at the end as it was in the snapshot, or never lands
    std::uint64_t first = 0, last = 0;
    const Touches::value_type* touched = nullptr;
  };

  const Changes& writes_;
  const Touches& touches_;
  std::vector<Stays> stays_;  // by `last`
};

}  // namespace gittxn::capture

// Dependencies of a gate's result besides the candidate: the survey of its trace, and the question
// whether all of that is the same today.
//
// A survey lists every path outside the candidate's tree that the gate, or the set-up before it,
// looked at, each with what makes it the same thing again: device, inode, size and times of a file,
// the times of a listed folder, the type of a folder, or that nothing was there. It is an artifact;
// its digest is the certificate's tool_env. Its first line is what the gate need not look at to
// depend on it (machine.h). Asking again costs one stat a line and reads no file.
//
// It is one-sided on purpose: whatever cannot be told apart makes a certificate that is never
// reused (with the reason), never one that is reused wrongly. So a gate that connected anywhere,
// that read something which changed while it ran, or that changed what it had read, is always run
// again. A set-up may connect to addresses: policy says that what it fetches follows from the files
// that it looked at.
//
// Rejected: digesting contents (a compiler and its libraries are hundreds of megabytes, and stat
// data answers the same question for anything that was not made to deceive); comparing the digest
// of the tools that interpret.h makes (it can only be computed from a trace, that is, by running
// again).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "capture/trace/trace.h"
#include "repo/repository.h"

namespace gittxn::gates {

// Paths as a run saw them, where that is not how they are here: one in namespaces (asking/ask.h),
// whose tree is not there any more.
struct RunView {
  bool apart = false;            // what `alone` and `led` say is nothing otherwise
  bool alone = false;            // it had a network of its own
  std::vector<std::string> own;  // directories of its own: nothing in them is this machine's
  std::map<std::string, std::string> led;  // where paths of the tree led, if not where they stand

  bool is_own(const std::string& path) const;
};

struct SurveyPlaces {
  std::string tree;                 // the gate's checkout, a real path
  std::string common_dir;           // the repository's git directory
  std::string main_checkout;        // where copied and shared paths came from; may be empty
  std::vector<std::string> placed;  // the policy's copy and share paths
  Oid candidate_tree;
  RefName branch;  // whose value in the gate's git directory is the candidate
  Digest setup;    // policy_rules.h
  RunView view = {};
  const repo::Objects* objects = nullptr;  // of the candidate's tree; null: the repository's
};

class Survey {
 public:
  // start_wall_ms: before anything of the gate ran. What changed since then is not the same thing.
  Survey(repo::Repository& repository, SurveyPlaces places, std::int64_t start_wall_ms);

  // One record file, in the order in which the commands ran.
  enum class Connects { kCounts, kIsNothing };  // kIsNothing: to addresses, not to files
  Status add(const std::string& record_file, Connects connects = Connects::kCounts);
  // The artifact's text; empty when this run can never stand for another one, and why() says why.
  Result<std::string> finish(const Environment& env, const std::string& tools);
  const std::string& why() const { return why_; }

  // Of what is at a path: a link at its end followed or not, or the names in a folder.
  enum class Aspect { kFollow, kNoFollow, kListing };

 private:
  struct Seen {
    bool present = false;   // when it was looked at
    std::uint64_t ino = 0;  // 0: not known
  };

  void record(const capture::Record& record);
  void outside(const capture::Record& record, const std::string& lexical);
  void in_tree(const capture::Record& record, const std::string& lexical,
               const std::string& relative);
  void opened_for_writing(const capture::Record& record, const std::string& lexical);
  void connected(const capture::Record& record);
  void look(const std::string& path, Aspect aspect, const capture::Record& record);
  void give_up(std::string why);
  bool is_own(const std::string& lexical) const;
  bool is_placed(const std::string& relative) const;
  std::string resolved(const std::string& path);
  void look_at(const std::string& file);

  repo::Repository& repository_;
  SurveyPlaces places_;
  std::int64_t start_ns_;
  std::map<std::pair<std::string, Aspect>, Seen> looks_;
  std::map<std::string, std::string> resolved_;
  std::set<std::string> own_;  // made by the gate or the set-up itself
  bool used_git_ = false;
  Connects connects_ = Connects::kCounts;  // of the record that is added
  Error failed_;                           // of a look-up inside a record
  std::string why_;
};

// The survey of a run and of one before it on which it goes on: all that either of them met, where
// that is still as the first one met it.
Result<std::string> united_surveys(const std::string& now, const std::string& before);

struct SurveyNow {
  const Environment& env;
  std::string tree;  // where the gate would run
  RefName branch;
  Digest setup;
};
// Answers about lines of surveys, for as long as nothing outside changes: surveys of many units of
// one runner have most lines in common. Of one gate.
class SurveyMemory {
 public:
  // The first thing a survey lists that is not now as it was then, as a sentence; nullopt: all is.
  Result<std::optional<std::string>> first_difference(repo::Repository& repository,
                                                      const std::string& survey,
                                                      const SurveyNow& now);

 private:
  std::unordered_map<std::string, std::optional<std::string>> heads_, lines_;
};

}  // namespace gittxn::gates

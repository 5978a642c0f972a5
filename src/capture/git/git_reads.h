// A git process, once it has ended: what its command line says was read, checked against what it
// was seen to open.
//
//   another repository (it opened neither git directory of ours)   nothing
//   another checkout of this repository        everything: its HEAD is not our snapshot
//   it gave objects, or files, to others       everything: what they look at is not seen
//   not understood, and it opened objects      everything
//   understood                                 its reads (git_argv.h)
//
// Contents and names shown of the snapshot are hard reads of their paths. Another branch or tag
// that was named is a hard read of the ref with its value. The branch's own history (a ref read of
// "HEAD") is a soft one (docs/design/0031-what-git-reads.md).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "capture/git/git_revisions.h"
#include "capture/interpret.h"
#include "capture/observer.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"

namespace gittxn::capture {

class GitReads {
 public:
  GitReads(const repo::Objects& objects, const InterpretInput& input, TreeModel& model,
           PathResolver& resolver, Observer& observer, ReadLog& log);
  void explain(Process& process);
  // Everything, for want of anything better; `why` is shown to people.
  void everything(const Process& process, std::string_view why);
  // The history of the branch.
  void history(const Process& process, std::string_view op = "git");
  // The command has ended, and every process was explained.
  void finish();
  // Below the private git directory; perhaps with ".lock" at its end.
  void wrote_ref(std::string_view name);

 private:
  // The outcome of parsing a command's words.
  struct Said {
    std::vector<const GitRead*> paths;
    std::vector<const GitRead*> fallbacks;
    std::vector<GitMeaning> revisions;
    bool or_head = false;
  };
  struct Where {
    enum class Kind { kInside, kOutside, kUnknown } kind = Kind::kUnknown;
    std::string path;
  };
  Where repository_path(const GitRead& read, const Process& process) const;
  bool names_a_path(const GitRead& read, const Process& process) const;
  void said(const Process& process);
  void take(const GitRead& read, const Process& process, Said& said);
  void revision(const std::string& text, const Process& process, Said& said);
  void start(const GitRead& read, const Process& process);
  void compare(const Said& said, const Process& process);
  void difference(const GitMeaning& from, const Process& process);
  void path(const GitRead& read, const Process& process);
  // The entries below `directory` that have these names in any case, as far as they are there.
  bool name_in_any_case(const std::string& directory, std::vector<std::string> asked,
                        const ReadLog::Seen& seen);
  void names_in_any_case(const std::string& directory, std::span<const std::string> names,
                         const ReadLog::Seen& seen);
  void other_ref(const GitMeaning& meaning, const Process& process);

  const repo::Objects& objects_;
  const InterpretInput& input_;
  TreeModel& model_;
  PathResolver& resolver_;
  Observer& observer_;
  ReadLog& log_;
  GitRevisions revisions_;
  // By parent: write-trees whose id nobody was seen to make a commit of.
  struct Trees {
    int made = 0;
    int committed = 0;
    Process first;
  };
  std::map<std::int32_t, Trees> trees_;
};

}  // namespace gittxn::capture

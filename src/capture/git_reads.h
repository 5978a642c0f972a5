// A git process, once it has ended: what its command line says was read, checked against what it
// was seen to open.
//
//   another repository (it opened neither git directory of ours)   nothing
//   another checkout of this repository                            everything: its HEAD is not our
//   snapshot not understood, and it opened the object store                 everything understood
//   its reads (git_argv.h)
//
// History named by a ref is a soft read: reported when it moved, refusing nothing. Contents and
// names shown of the snapshot are hard reads of their paths (docs/design/0002-reads.md, "git").
#pragma once

#include <string>

#include "capture/interpret.h"
#include "capture/observer.h"
#include "capture/path_resolver.h"
#include "capture/read_log.h"

namespace gittxn::capture {

class GitReads {
 public:
  GitReads(const repo::Objects& objects, const InterpretInput& input, TreeModel& model,
           PathResolver& resolver, Observer& observer, ReadLog& log);
  void explain(Process& process);
  // Everything, for want of anything better; `why` is shown to people.
  void everything(const Process& process, std::string_view why);

 private:
  // What a revision is, as far as contents go.
  struct Meaning {
    enum class Kind { kSnapshot, kTargetLater, kElse } kind = Kind::kElse;
    Oid commit;
  };
  Meaning meaning_of(const std::string& revision) const;
  enum class Fetched { kFromTarget, kElsewhere };
  Meaning meaning_of_commit(const Oid& commit, Fetched fetched) const;
  struct Where {
    enum class Kind { kInside, kOutside, kUnknown } kind = Kind::kUnknown;
    std::string path;
  };
  Where repository_path(const GitRead& read, const Process& process) const;
  bool names_a_path(const GitRead& read, const Process& process) const;
  void path(const GitRead& read, const Process& process);
  void history(const std::string& revision, const Process& process);

  const repo::Objects& objects_;
  const InterpretInput& input_;
  TreeModel& model_;
  PathResolver& resolver_;
  Observer& observer_;
  ReadLog& log_;
};

}  // namespace gittxn::capture

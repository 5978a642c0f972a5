// Around a command's process tree: where it may write, and what it may reach beside files. Reading
// is never refused. Four things of the kernel do it, each where it can:
//
//   Landlock          what may be opened for writing, made, removed, renamed and linked (EACCES);
//                     with its version 6, signals to and abstract sockets of other processes
//                     (EPERM); always: mounting, and looking into other processes
//   mount namespace   everything else is read-only (EROFS): modes, owners, times and attributes,
//                     and what lies below a place that may be written (view.h)
//   seccomp           nothing is typed into a terminal (fence.h)
//   capabilities      of the machine's administrator, those that lead around the rest (view.h)
//
// Landlock alone allows at or below a directory and cannot take away from that again: what is
// `kept` needs the mount namespace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/result.h"
#include "capture/trace/confine/view.h"

namespace gittxn::capture {

struct Confine {
  std::vector<std::string> write;  // real paths: may be written at or below; what is gone is not
  std::vector<std::string> kept;   // real paths below those, which may not; the longest one counts
  std::string tree;                // what is told is told as seen from here
  bool mounts = false;             // with a mount namespace, which makes `kept` count
};

// The means of this kernel. kUnsupported, with the reason, when they cannot confine.
struct ConfineMeans {
  int landlock = 0;       // its version
  bool scopes = false;    // signals and abstract sockets
  std::string no_mounts;  // why there is no mount namespace; "" there is
};
Result<ConfineMeans> confine_means();

// The places of its mount namespace.
std::vector<ViewPlace> view_of(const Confine& confine);
// Opens what the confinement names, as the caller sees it.
Result<UniqueFd> make_ruleset(const Confine& confine);
// For a child before exec, for good: 0 or an errno. Sets no_new_privs.
int confine_self(int ruleset);

// True when the confinement lets something be written there.
bool may_write(const Confine& confine, const std::string& path);

// What of a record file was outside: paths, each once, in order, `most` at most. From the paths
// that were asked for, because not every back end knows the kernel's answer; links are not
// followed.
Result<std::vector<std::string>> outside_scope(const std::string& record_file,
                                               const Confine& confine, std::size_t most);

}  // namespace gittxn::capture

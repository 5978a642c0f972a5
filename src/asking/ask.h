// The runner: one command on a tree, where nobody's worktree can be seen from and nothing that it
// writes stays. It asks a question again ("what does this command say of that tree?"); what an
// answer is worth is for others.
//
// The command sees
//
//   <at>             the files of the tree and nothing else: nothing ignored, nothing built, and no
//                    .git, unless one is asked for. It is the same path for each tree, and
//                    what is written there goes to a layer that is thrown away
//   /tmp, /var/tmp, TMPDIR (below them or not), /dev/shm   its own, empty, in memory
//   /dev             null, zero, full, random, urandom, tty and terminals of its own
//   /proc            the processes of the asking, which can neither see nor signal another
//   /run, <hidden>   empty, whatever they are, as read-only as all that is left; but that `at` may
//                    lie below one of them
//   <cache>          what is there, under a layer that is thrown away
//   the network      none but its own loopback
//
// by namespaces of the kernel (users, where it has to be; mounts, processes, IPC, network), in
// which it is confined (capture/trace/confine): it writes where it is said above and where the
// confinement of the original command let it, gains no rights by a setuid program, types nothing
// into a terminal and gets no device. A socket that has a name in a directory which it sees, such
// as an agent's in the home directory, can still be connected to: hide the directory, and see
// `reached`.
//
//   caller ── warden ── first process of the namespaces (run_traced) ── monitor ── command
//
// Everything ends with the first process, and that with the caller.
//
//   <root>/lock          held while an asker makes its directory, or collects what others left
//   <root>/ask-*/lock    held by a living asker
//   <root>/ask-*/trees   layered_tree.h
//   <root>/ask-*/now     of the present or last asking: its layer, in which its git directory is,
//                        the kernel's scratch directory, records
//
// If we die between any two lines nothing of the asking runs on, nothing is mounted, and
// <root>/ask-* is left, which the next open() or collect_askings() removes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "capture/trace/trace.h"
#include "repo/checkout/brief_git.h"
#include "repo/repository.h"

namespace gittxn::asking {

// More than that of one stream ends the asking.
inline constexpr std::uint64_t kMostOutput = 64u << 20;
// The directory of an asking's records, as the asking sees it.
inline constexpr std::string_view kRecordsInside = "/run/git-txn";

// The repository's objects, as an asking with a git directory sees them.
inline constexpr std::string_view kRepositoryInside = "/run/git-txn-repository";

enum class Network { kNone, kHost };

struct AskSpec {
  std::vector<std::string> argv;  // run as it is, never through a shell
  std::string program = {};       // the file, where argv[0] does not name it
  std::string at;                 // absolute: where the tree is seen. It need not be there when it
                                  // is below a hidden or temporary directory
  std::string cwd;                // absolute, at or below `at`
  Oid tree;
  // <at>/.git, for a command that is git's (repo/checkout/brief_git.h). It has no setting but those
  // that are given if GIT_CONFIG_GLOBAL and GIT_CONFIG_NOSYSTEM in `env` say so: the person's own
  // files are seen as any others are.
  std::optional<repo::BriefGit> git;
  // A directory whose files are seen over those of the tree, "" none. It stays as it is for as long
  // as the asking runs.
  std::string over = {};
  // Absolute directories that may be written, to no effect. One that is not there is left out, and
  // so is one that is at, above or below the place of anything else.
  std::vector<std::string> caches = {};
  bool follow_links = false;
  bool one_stream = false;  // standard error goes where standard output goes
  Environment env;          // given as it is, and TMPDIR, TZ, LC_ALL where it says nothing of them
  std::string input;        // a file, absolute or below `at`; "" /dev/null
  std::vector<std::string> hidden;  // absolute directories; what is not there needs no hiding
  std::optional<capture::Confine> confine;  // of the original command
  Network network = Network::kNone;
  capture::Backend trace = capture::Backend::kAuto;
  std::int64_t timeout_ms = 10'000;
  std::size_t keep_bytes = 64u << 10;  // of the end of each stream
  std::function<bool()> interrupted;   // polled every 50 ms; true ends it
};

struct Stream {
  Digest digest;  // SHA-256 of all of it
  std::uint64_t bytes = 0;
  std::string end;
};

struct Asked {
  int status = 0;  // or 128 + signal
  bool timed_out = false;
  std::string no_answer;  // why it is none: the time limit, too much output; "" it is one
  Stream out, err;
  std::string record_file;  // until the next asking
  std::string git_dir;      // likewise: where the bytes of <at>/.git are; "" there was none
  std::string lost;         // why the records are not complete, so that the rest is not known
  // Paths at or below a hidden directory or /run that it looked for, and of sockets outside that it
  // may have talked to (not every back end knows whether it could): each once, in order, a hundred
  // at most.
  std::vector<std::string> wanted_hidden;
  std::vector<std::string> reached;
  // Paths that it named, with AskSpec::follow_links: at or below `at` or with a "..", which led
  // elsewhere than where they stand.
  std::map<std::string, std::string> led;
  std::vector<std::string> left_running;  // processes that were ended after the command
};

// Returns the place of askings, for a repository with this root of worktrees.
std::string root_below(const std::string& worktree_root);

// A command that was begun. It ends with this object.
class Asking {
 public:
  Asking(Asking&&) noexcept;
  Asking& operator=(Asking&&) noexcept;
  ~Asking();

  // Waits no longer than that and takes what it has printed meanwhile. Errors are those of ask().
  Result<bool> ended(int wait_ms);
  // Returns the outcome, once it has ended.
  Result<Asked> finish();
  // Absolute: what was its own of the places outside the tree, so that nothing in them is a file of
  // this machine.
  const std::vector<std::string>& own_places() const;

 private:
  friend class Asker;
  struct State;
  explicit Asking(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// One for a landing: trees that were asked about once are there for the next question. Called from
// one thread, by a process that has no other.
class Asker {
 public:
  // `root`: where askings are; `shared`: where the checkouts are that worktrees share
  // (repo/checkout/shared_checkout.h). Neither need be there. kUnsupported: a sparse checkout.
  static Result<Asker> open(repo::Repository& repository, const std::string& root,
                            const std::string& shared);
  Asker(Asker&&) noexcept;
  Asker& operator=(Asker&&) noexcept;
  ~Asker();  // removes what it made; what it cannot remove is removed by the next open

  // kUnsupported, with the reason: this machine gives no such namespaces, overlay or confinement,
  // or the trace back end asked for by name is not usable; nothing ran. kNotFound: there is no such
  // program, or no such `cwd` or `input` in the tree. kStale: the checkout below was collected
  // meanwhile; ask again. kInterrupted: by `interrupted`.
  Result<Asked> ask(const AskSpec& spec);
  // Starts it, for whoever has other things to do meanwhile. One at a time; it is over before the
  // asker goes.
  Result<Asking> begin(const AskSpec& spec);

 private:
  struct State;
  explicit Asker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Removes what askers that were killed left. kBusy: somebody else does, or opens one.
Status collect_askings(const std::string& root);

}  // namespace gittxn::asking

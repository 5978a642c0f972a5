// The checkout a gate or hook runs in: made fresh, at a path that is the same every time, thrown
// away afterwards; and what is the same of all that runs there. gate.h says what lanes are.
#pragma once

#include <string>

#include "base/fs.h"
#include "gates/gate.h"
#include "gates/process.h"
#include "repo/worktree.h"

namespace gittxn::gates {

enum class Lane { kFixed, kOther };

// The right to be at the place of a gate.
class GateLane {
 public:
  // Waits for nobody. `name` is a gate's name, or "+hooks". kBusy: all lanes are taken, or the
  // fixed one is and no other will do.
  enum class Lanes { kAny, kFixedOnly };
  static Result<GateLane> take(const GateContext& context, const std::string& name,
                               const RefName& branch, Lanes lanes);

  const std::string& path() const { return path_; }
  std::string tree() const { return path_ + "/tree"; }  // of its checkout
  Lane lane() const { return lane_; }

 private:
  friend class GateCheckout;
  GateLane(FileLock lock, Lane lane, std::string path)
      : lock_(std::move(lock)), lane_(lane), path_(std::move(path)) {}
  FileLock lock_;
  Lane lane_;
  std::string path_;
};

class GateCheckout {
 public:
  // Makes it in a lane; `base` is the commit it is at.
  static Result<GateCheckout> make(const GateContext& context, GateLane lane,
                                   const Candidate& candidate, const Oid& base);
  GateCheckout(GateCheckout&&) = default;
  GateCheckout& operator=(GateCheckout&&) = delete;
  ~GateCheckout();

  const std::string& tree() const { return worktree_.tree; }
  const std::string& git_dir() const { return worktree_.git_dir; }
  const std::string& dir() const { return worktree_.path; }  // records go here, beside the tree
  Lane lane() const { return lane_.lane(); }
  // Removes it; the lock goes with the object.
  Status discard();
  // Likewise, and keeps the lane.
  Result<GateLane> leave();

 private:
  GateCheckout(GateLane lane, repo::Worktree worktree)
      : lane_(std::move(lane)), worktree_(std::move(worktree)) {}
  GateLane lane_;
  repo::Worktree worktree_;
};

// Where the first lane of a gate is; what a certificate of it was made at.
std::string fixed_path(const GateContext& context, const RefName& branch, const std::string& name);

// A command of a gate or hook of this name, whose output is shown as it comes.
ProcessSpec process_of(const GateContext& context, const GateName& name,
                       std::vector<std::string> argv, std::string cwd, Environment env);
// What it says of the candidate. What it printed is in the store then, the certificate not yet.
Result<Certificate> certificate_of(const GateContext& context, const GateName& name,
                                   const Digest& version, const Candidate& candidate,
                                   const ProcessResult& ran);

// [worktree] of a policy: what a fresh worktree gets before anybody works in it.
struct SetUpRequest {
  std::string tree;        // the fresh worktree
  std::string record_dir;  // records go to <record_dir>/set-up-N.trace
  capture::Backend trace = capture::Backend::kOff;
  Environment env;                        // of the set-up commands
  std::vector<std::string> mounted = {};  // of the shared paths: they are there already
};

// Copies, shares, runs; the record files of the commands, in order. The first command that fails is
// an error that quotes its output.
Result<std::vector<std::string>> set_up(const GateContext& context, const Policy& policy,
                                        const SetUpRequest& request);

}  // namespace gittxn::gates

#include "gates/checkout.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/hash.h"

namespace gittxn::gates {
namespace {

constexpr int kMostLanes = 64;

std::string branch_dir(const GateContext& context, const RefName& branch) {
  const std::string& common = context.repository->place().common_dir;
  std::string key = sha256_fields({common, branch.str()}).str().substr(0, 16);
  return join_path(context.worktree_root, "gates/" + key);
}

}  // namespace

std::string fixed_path(const GateContext& context, const RefName& branch, const std::string& name) {
  return join_path(branch_dir(context, branch), name);
}

Result<GateLane> GateLane::take(const GateContext& context, const std::string& name,
                                const RefName& branch, Lanes lanes) {
  std::string above = branch_dir(context, branch);
  std::string locks = join_path(above, ".locks");  // no gate's name starts with a dot
  TRY(make_dirs(locks));
  const int most = lanes == Lanes::kAny ? kMostLanes : 1;
  for (int lane = 0; lane < most; ++lane) {
    // No gate's name contains a plus either.
    std::string here = lane == 0 ? name : fmt::format("{}+{}", name, lane);
    auto lock = FileLock::acquire(join_path(locks, here), 0);
    if (!lock && lock.error().code == Code::kBusy) continue;
    if (!lock) return std::unexpected(std::move(lock).error());
    // An empty place is what a killed run of units leaves (gates/units/units.h).
    const std::string path = join_path(above, here);
    static_cast<void>(::rmdir((path + "/tree").c_str()));
    return GateLane(*std::move(lock), lane == 0 ? Lane::kFixed : Lane::kOther, path);
  }
  return fail(Code::kBusy, fmt::format("{} checkouts of {} are in use", most, name),
              "wait for one of the gates that run");
}

Result<GateCheckout> GateCheckout::make(const GateContext& context, GateLane lane,
                                        const Candidate& candidate, const Oid& base) {
  repo::WorktreeSpec spec;
  spec.path = lane.path();
  spec.base = base;
  spec.target = candidate.branch;
  spec.txn = candidate.txn;
  spec.with_remote = false;
  TRY_IN("what a killed gate left", repo::remove_worktree(spec.path));
  repo::Worktree worktree =
      TRY_IN("the gate's checkout", repo::create_worktree(*context.repository, spec));
  return GateCheckout(std::move(lane), std::move(worktree));
}

Result<GateLane> GateCheckout::leave() {
  TRY(discard());
  return std::move(lane_);
}

Status GateCheckout::discard() {
  if (worktree_.path.empty()) return {};
  Status removed = repo::remove_worktree(worktree_.path);
  if (removed) worktree_.path.clear();
  return removed;
}

ProcessSpec process_of(const GateContext& context, const GateName& name,
                       std::vector<std::string> argv, std::string cwd, Environment env) {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.cwd = std::move(cwd);
  spec.env = std::move(env);
  spec.interrupted = context.interrupted;
  if (context.on_output) {
    spec.on_output = [&context, name](std::string_view bytes) { context.on_output(name, bytes); };
  }
  return spec;
}

Result<Certificate> certificate_of(const GateContext& context, const GateName& name,
                                   const Digest& version, const Candidate& candidate,
                                   const ProcessResult& ran) {
  Certificate certificate;
  certificate.gate = name;
  certificate.gate_version = version;
  certificate.tree = candidate.tree;
  certificate.parent = candidate.parent;
  certificate.txn = candidate.txn;
  certificate.passed = ran.passed();
  certificate.exit_status = ran.trace.exit_status;
  certificate.timed_out = ran.trace.timed_out;
  certificate.duration_ms = ran.duration_ms;
  certificate.output = TRY(context.store->put_artifact(ran.output));
  return certificate;
}

GateCheckout::~GateCheckout() {
  if (!lane_.lock_.held()) return;  // moved from
  // An error path: what cannot be removed now is removed by the next run of this gate.
  (void)discard();
}

}  // namespace gittxn::gates

// A repository with a store and a candidate, for tests of gates and hooks.
#pragma once

#include <map>
#include <string>

#include "gates/gate.h"
#include "gates/policy_file.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::gates::testing {

using repo::testing::must;

class GateWorld {
 public:
  GateWorld() : base_(first_commit()), repository_(repo_.open()) {
    store_.emplace(must(store::Store::open(repository_.txn_dir(), clock_)));
  }

  // A commit on top of the base with these files, not on any branch; the checkout stays at the
  // base.
  Candidate candidate(const std::map<std::string, std::string>& files) {
    for (const auto& [name, bytes] : files) repo_.write(name, bytes);
    Candidate made;
    made.commit = commit("candidate");
    made.tree = Oid(repo_.git({"rev-parse", "HEAD^{tree}"}));
    made.parent = base_;
    made.branch = RefName("refs/heads/main");
    made.txn = TxnId("t-test");
    repo_.git({"reset", "-q", "--hard", base_.str()});
    return made;
  }

  // Everything in the checkout, without the repository's hooks.
  Oid commit(const std::string& message) {
    repo_.git({"add", "-A"});
    repo_.git({"-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", message});
    return repo_.head();
  }

  GateContext context() {
    GateContext context;
    context.repository = &repository_;
    context.store = &*store_;
    context.clock = &clock_;
    context.caller = repo_.env();
    context.worktree_root = join_path(repo_.root(), "state");
    context.main_checkout = repo_.path();
    context.trace = trace_;
    context.shown = GateContext::Shown::kAll;
    context.on_output = [this](const GateName& gate, std::string_view bytes) {
      streamed_[gate.str()] += bytes;
    };
    return context;
  }

  std::string output_of(const GateReport& report) {
    return must(store_->artifact(report.certificate.output));
  }
  // One gate called "test" that runs this under sh.
  static Policy policy(const std::string& shell, const std::string& more = "") {
    return must(parse_policy("[[gate]]\nname = \"test\"\nrun = '''" + shell + "'''\n" + more));
  }
  GateReport run(const Policy& policy, const Candidate& candidate) {
    return must(run_gates(context(), policy, candidate)).front();
  }

  void trace_with(capture::Backend backend) { trace_ = backend; }
  repo::testing::ScratchRepo& repo() { return repo_; }
  repo::Repository& repository() { return repository_; }
  store::Store& store() { return *store_; }
  const Oid& base() const { return base_; }
  std::string home(const std::string& name) const { return join_path(repo_.home(), name); }
  std::map<std::string, std::string>& streamed() { return streamed_; }

 private:
  Oid first_commit() {
    repo_.write("README", "hello\n");
    repo_.write("src/a.txt", "a\n");
    repo_.write(".gitignore", "*.log\n/.env\n/node_modules/\n");
    return repo_.commit("first");
  }

  SystemClock clock_;
  repo::testing::ScratchRepo repo_;
  Oid base_;
  repo::Repository repository_;
  std::optional<store::Store> store_;
  std::map<std::string, std::string> streamed_;
  capture::Backend trace_ = capture::Backend::kAuto;
};

}  // namespace gittxn::gates::testing

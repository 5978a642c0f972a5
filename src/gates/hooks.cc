// The repository's own hooks, as gates. They run in a private checkout whose HEAD is the parent and
// whose index is the candidate's tree, so that `git diff --cached` in a hook shows the change, as
// it would in `git commit`. What a hook stages there is a new tree; what it writes into the message
// file a new message. The person's checkout, index and refs are out of reach.
//
// Which hook: git's own rules (core.hooksPath, else <common dir>/hooks), with one difference. A
// relative core.hooksPath names files of a checkout; taken from the candidate's it would let a
// change rewrite the hook that judges it. So it is looked up in the person's checkout, and where
// there is none in the tree of the parent.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/bug.h"
#include "base/hash.h"
#include "base/text.h"
#include "gates/checkout.h"
#include "gates/gate.h"
#include "store/events.h"

namespace gittxn::gates {
namespace {

constexpr std::int64_t kHookTimeoutMs = 600'000;
constexpr std::int64_t kRefHookTimeoutMs = 60'000;
constexpr std::size_t kMostRefHookWords = 300;
constexpr std::size_t kMaxHookBytes = 64u << 20;
constexpr std::size_t kMaxMessageBytes = 1u << 20;

struct Hook {
  std::string name;
  std::string path;  // empty: `bytes` is the parent's, to be written out first
  std::string bytes;
};

Result<bool> switched_off(const repo::Repository& repository) {
  return !TRY(repository.config().flag("txn.hooks")).value_or(true);
}

// As git does: a hook that is there but not executable is not a hook.
Result<std::optional<Hook>> hook_at(const std::string& name, const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (access(path.c_str(), X_OK) != 0) return std::nullopt;
  return Hook{name, path, TRY_IN("hook " + name, read_file(path, kMaxHookBytes))};
}

Result<std::optional<Hook>> hook_of_parent(repo::Objects& objects, const std::string& name,
                                           const std::string& path, const Oid& parent) {
  Oid tree = TRY(objects.tree_of(parent));
  TreeEntry entry = TRY(objects.entry_at(tree, normal_path(path)));
  if (entry.mode != FileMode::kExecutable) return std::nullopt;
  return Hook{name, "", TRY(objects.blob(entry.oid, kMaxHookBytes))};
}

Result<std::optional<Hook>> find_hook(const GateContext& context, const std::string& name,
                                      const std::string& checkout, const Oid& parent) {
  std::string dir = TRY(context.repository->config().path("core.hooksPath")).value_or("");
  if (dir.empty()) dir = join_path(context.repository->place().common_dir, "hooks");
  if (dir.starts_with('/')) return hook_at(name, join_path(dir, name));
  if (!checkout.empty()) return hook_at(name, join_path(join_path(checkout, dir), name));
  if (parent.empty()) return std::nullopt;
  return hook_of_parent(context.repository->objects(), name, join_path(dir, name), parent);
}

struct CommitHooks {
  std::optional<Hook> pre_commit, commit_msg;
};
Result<CommitHooks> find_commit_hooks(const GateContext& context, const Oid& parent) {
  CommitHooks hooks;
  if (TRY(switched_off(*context.repository))) return hooks;
  hooks.pre_commit = TRY(find_hook(context, "pre-commit", context.main_checkout, parent));
  hooks.commit_msg = TRY(find_hook(context, "commit-msg", context.main_checkout, parent));
  return hooks;
}

Environment hook_environment(const GateContext& context, const std::string& name,
                             const TxnId& txn) {
  Environment env = scrubbed_environment(context.caller, {});
  env["GIT_EDITOR"] = ":";  // as git does when no editor is to open
  env["GIT_PREFIX"] = "";
  env["GIT_TXN_GATE"] = name;
  if (!txn.empty()) env["GIT_TXN_ID"] = txn.str();
  return env;
}

// The hooks of one candidate in their checkout.
class HookRun {
 public:
  HookRun(const GateContext& context, const Policy& policy, const Candidate& candidate)
      : context_(context), policy_(policy), candidate_(candidate) {}

  Result<HookOutcome> run(const CommitHooks& hooks, const std::string& message);

 private:
  Status prepare();
  Result<bool> judge(const Hook& hook, const std::vector<std::string>& arguments);
  Status pre_commit(const Hook& hook);
  Status commit_msg(const Hook& hook, const std::string& message);
  Result<std::string> git(std::vector<std::string> args) const;

  const GateContext& context_;
  const Policy& policy_;
  Candidate candidate_;
  std::optional<GateCheckout> checkout_;
  HookOutcome outcome_;
};

Result<std::string> HookRun::git(std::vector<std::string> args) const {
  repo::GitOptions options;
  options.dir = checkout_->tree();
  return context_.repository->git().must(std::move(args), options);
}

Status HookRun::prepare() {
  GateLane lane = TRY(GateLane::take(context_, "+hooks", candidate_.branch, GateLane::Lanes::kAny));
  checkout_.emplace(
      TRY(GateCheckout::make(context_, std::move(lane), candidate_, candidate_.parent)));
  TRY_IN("staging the candidate", git({"read-tree", "--reset", "-u", candidate_.tree.str()}));
  TRY(set_up(context_, policy_,
             {checkout_->tree(), checkout_->dir(), capture::Backend::kOff,
              hook_environment(context_, "set-up", candidate_.txn)}));
  return {};
}

Result<bool> HookRun::judge(const Hook& hook, const std::vector<std::string>& arguments) {
  std::string program = hook.path;
  if (program.empty()) {
    program = join_path(checkout_->dir(), hook.name);
    TRY(write_file(program, hook.bytes, Sync::kNo, 0700));
  }
  const GateName name(hook.name);
  ProcessSpec spec = process_of(context_, name, {program}, checkout_->tree(),
                                hook_environment(context_, hook.name, candidate_.txn));
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.env["GIT_INDEX_FILE"] = join_path(checkout_->git_dir(), "index");
  spec.record_file = join_path(checkout_->dir(), "hook.trace");
  spec.trace = capture::Backend::kOff;
  spec.timeout_ms = kHookTimeoutMs;
  ProcessResult result = TRY_IN("hook " + hook.name, run_process(spec, *context_.clock));
  Certificate certificate =
      TRY(certificate_of(context_, name, sha256(hook.bytes), candidate_, result));
  certificate.limited = "hooks always run";
  TRY(context_.store->append({store::events::gate_evaluated(certificate)}));
  outcome_.reports.push_back({std::move(certificate), false});
  return result.passed();
}

Status HookRun::pre_commit(const Hook& hook) {
  if (!TRY(judge(hook, {}))) return {};
  const std::string text = TRY_IN("the index that pre-commit left", git({"write-tree"}));
  Oid tree{std::string(trimmed(text))};
  if (tree == candidate_.tree) return {};
  repo::Objects made = TRY(repo::Objects::open(checkout_->git_dir(), context_.repository->git()));
  TRY_IN("what pre-commit staged", context_.repository->objects().import(made, tree, {}));
  candidate_.tree = tree;
  outcome_.new_tree = tree;
  return {};
}

Status HookRun::commit_msg(const Hook& hook, const std::string& message) {
  std::string given = message.ends_with('\n') ? message : message + "\n";
  std::string file = join_path(checkout_->git_dir(), "COMMIT_EDITMSG");
  TRY(write_file(file, given, Sync::kNo, 0644));
  if (!TRY(judge(hook, {".git/COMMIT_EDITMSG"}))) return {};
  std::string left = TRY_IN("the message that commit-msg left", read_file(file, kMaxMessageBytes));
  if (left == given) return {};
  if (left.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(Code::kUsage, "the hook commit-msg left an empty message",
                "give the change a message that it accepts, with --name or a commit");
  }
  outcome_.new_message = std::move(left);
  return {};
}

Result<HookOutcome> HookRun::run(const CommitHooks& hooks, const std::string& message) {
  TRY_IN("preparing the hooks' checkout", prepare());
  if (hooks.pre_commit) TRY(pre_commit(*hooks.pre_commit));
  bool go_on = outcome_.reports.empty() || outcome_.reports.back().certificate.passed;
  if (hooks.commit_msg && go_on) TRY(commit_msg(*hooks.commit_msg, message));
  TRY(checkout_->discard());
  return std::move(outcome_);
}

}  // namespace

Result<HookOutcome> run_commit_hooks(const GateContext& context, const Policy& policy,
                                     const Candidate& candidate, const std::string& message) {
  const CommitHooks hooks = TRY(find_commit_hooks(context, candidate.parent));
  if (!hooks.pre_commit && !hooks.commit_msg) return HookOutcome{};
  return HookRun(context, policy, candidate).run(hooks, message);
}

Result<Digest> commit_hooks_version(const GateContext& context, const Oid& parent) {
  const CommitHooks hooks = TRY(find_commit_hooks(context, parent));
  std::string versions;
  for (const auto* hook : {&hooks.pre_commit, &hooks.commit_msg}) {
    if (*hook) versions += (*hook)->name + " " + sha256((*hook)->bytes).str() + "\n";
  }
  return sha256(versions);
}

Status run_post_hooks(const GateContext& context, const Oid& landed, const std::string& checkout) {
  if (checkout.empty() || TRY(switched_off(*context.repository))) return {};
  std::string failures;
  TRY(make_dirs(context.worktree_root));
  for (const char* name : {"post-commit", "post-merge"}) {
    auto hook = TRY(find_hook(context, name, checkout, Oid()));
    if (!hook) continue;
    ProcessSpec spec = process_of(context, GateName(name), {hook->path}, checkout,
                                  hook_environment(context, hook->name, TxnId()));
    if (hook->name == "post-merge") spec.argv.push_back("0");  // not a squash
    spec.record_file = join_path(context.worktree_root, fmt::format("post-{}.trace", landed.str()));
    spec.trace = capture::Backend::kOff;
    spec.timeout_ms = kHookTimeoutMs;
    spec.keep_running = true;  // as under git: what a hook starts in the background may go on
    auto result = run_process(spec, *context.clock);
    TRY(remove_file(spec.record_file));
    if (!result) return std::unexpected(std::move(result).error());
    if (result->passed()) continue;
    failures += fmt::format("{}{} {}", failures.empty() ? "" : ", ", name, result->how());
  }
  if (failures.empty()) return {};
  return fail(Code::kFault, "after the landing: " + failures, "the landing itself stands");
}

namespace {

// The hook's output as one line.
std::string words_of_hook(std::string said) {
  while (!said.empty() && (said.back() == '\n' || said.back() == ' ')) said.pop_back();
  if (said.size() > kMostRefHookWords) said = "..." + said.substr(said.size() - kMostRefHookWords);
  std::ranges::replace(said, '\n', ' ');
  return said;
}

}  // namespace

Status run_ref_hook(const GateContext& context, const repo::RefUpdate& update, repo::RefStep step,
                    const TxnId& txn) {
  if (INJECTED_BUG("land.no_ref_hook")) return {};
  if (TRY(switched_off(*context.repository))) return {};
  const repo::RepositoryPlace& place = context.repository->place();
  const std::string top = place.worktree.value_or(place.git_dir);
  const auto hook = TRY(find_hook(context, std::string(kRefHook), top, Oid()));
  if (!hook) return {};
  Command command;
  command.argv = {hook->path, std::string(name_in(repo::kRefSteps, step))};
  command.cwd = top;
  command.env = hook_environment(context, hook->name, txn);
  // Set where git would not find this repository from there.
  if (place.git_dir != join_path(top, ".git")) command.env["GIT_DIR"] = place.git_dir;
  const std::string nothing(40, '0');
  command.input =
      fmt::format("{} {} {}\n", update.expected.empty() ? nothing : update.expected.str(),
                  update.desired.empty() ? nothing : update.desired.str(), update.ref.str());
  command.timeout_ms = kRefHookTimeoutMs;
  OutputTail said;
  command.on_output = [&](int, std::string_view bytes) {
    said.add(bytes);
    if (context.on_output) context.on_output(GateName(hook->name), bytes);
  };
  const auto output = gittxn::run(command);
  if (output && output->exit.success()) return {};
  std::string why = words_of_hook(said.text());
  if (!output) why = output.error().message;
  if (output && output->exit.timed_out) why = "it did not end within its time limit of 60 s";
  if (why.empty()) why = fmt::format("exit status {}", output->exit.status);
  return fail(Code::kRefused, fmt::format("the hook {} says no: {}", kRefHook, why),
              "see " + hook->path);
}

}  // namespace gittxn::gates

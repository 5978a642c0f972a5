#include "gates/setup.h"

#include <fmt/format.h>

#include "gates/place.h"
#include "gates/process.h"

namespace gittxn::gates {
namespace {

// What is brought in must be ignored by the repository: everything else in a worktree is part of
// the change, and somebody's ".env" must not land.
Status require_ignored(const GateContext& context, const std::string& tree,
                       const std::string& path) {
  repo::GitOptions options;
  options.dir = tree;
  Output output =
      TRY(context.repository->git().run({"check-ignore", "-q", "--", "./" + path}, options));
  if (output.exit.success()) return {};
  if (output.exit.status != 1) return fail(Code::kFault, "git check-ignore: " + output.err);
  return fail(
      Code::kRefused,
      fmt::format("'{}' of [worktree] in .gittxn.toml is not ignored here, so it would land "
                  "with every change",
                  path),
      fmt::format("add /{} to .gitignore, or commit it and take it out of .gittxn.toml", path));
}

Status place_all(const GateContext& context, const Policy& policy, const std::string& tree) {
  if (context.main_checkout.empty()) return {};
  std::string from = TRY(real_path(context.main_checkout));
  for (const auto* list : {&policy.worktree.copy, &policy.worktree.share}) {
    for (const std::string& path : *list) {
      Placed result = TRY_IN("setting up the worktree", place_path({from, tree, path}));
      if (result == Placed::kCopied) TRY(require_ignored(context, tree, path));
    }
  }
  return {};
}

std::string last_lines(const std::string& output) {
  constexpr std::size_t kMostShown = 2000;
  std::string_view text = output;
  if (text.size() > kMostShown) text.remove_prefix(text.size() - kMostShown);
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

Result<std::vector<std::string>> set_up(const GateContext& context, const Policy& policy,
                                        const SetUpRequest& request) {
  TRY(place_all(context, policy, request.tree));
  std::vector<std::string> records;
  for (const auto& argv : policy.worktree.run) {
    ProcessSpec spec;
    spec.argv = argv;
    spec.cwd = request.tree;
    spec.env = request.env;
    spec.record_file = fmt::format("{}/set-up-{}.trace", request.record_dir, records.size() + 1);
    spec.trace = request.trace;
    spec.interrupted = context.interrupted;
    if (context.on_output) {
      spec.on_output = [&](std::string_view bytes) {
        context.on_output(GateName("set-up"), bytes);
      };
    }
    records.push_back(spec.record_file);
    ProcessResult result = TRY_IN("setting up the worktree", run_process(spec, *context.clock));
    if (result.passed()) continue;
    std::string how = result.trace.timed_out
                          ? "timed out"
                          : fmt::format("ended with {}", result.trace.exit_status);
    return fail(Code::kFault,
                fmt::format("the set-up command {} of .gittxn.toml {}: {}", quote_argv(argv), how,
                            last_lines(result.output)),
                "run it in a fresh clone to see what it needs");
  }
  return records;
}

Status prepare_worktree(const GateContext& context, const Policy& policy, const std::string& tree) {
  SetUpRequest request;
  request.tree = tree;
  request.record_dir = parent_dir(tree);
  request.env = scrubbed_environment(context.caller, {});
  for (const std::string& record : TRY(set_up(context, policy, request))) TRY(remove_file(record));
  return {};
}

}  // namespace gittxn::gates

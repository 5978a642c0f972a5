// Runs git. What matters here is what git is *not* told: a caller inside a hook has GIT_DIR and
// GIT_INDEX_FILE set, and a command of ours that inherited them would write into the wrong index.
// Nothing is stored; a kill leaves whatever git itself leaves.
#include "repo/git.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace gittxn::repo {
namespace {

// git rev-parse --local-env-vars, of every git since 2.30, and what else changes where plumbing
// looks or what its arguments mean.
constexpr std::array<std::string_view, 29> kLocal = {
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_OBJECT_DIRECTORY",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_GRAFT_FILE",
    "GIT_INDEX_FILE",
    "GIT_INDEX_VERSION",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_REPLACE_REF_BASE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_REF_PARANOIA",
    "GIT_ATTR_SOURCE",
    "GIT_DEFAULT_HASH",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
};

// Commands whose answer would change if we turned hooks off on their command line.
bool asks_about_hooks(const std::vector<std::string>& args) {
  if (args.empty()) return false;
  return args[0] == "config" || args[0] == "rev-parse" || args[0] == "var" || args[0] == "hook";
}

std::string last_lines(std::string_view text, std::size_t max_bytes) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  if (text.size() > max_bytes) text.remove_prefix(text.size() - max_bytes);
  return std::string(text);
}

}  // namespace

Environment without_repository(const Environment& caller) {
  Environment env = caller;
  for (std::string_view name : kLocal) env.erase(std::string(name));
  std::erase_if(env, [](const auto& variable) {
    return variable.first.starts_with("GIT_CONFIG_KEY_") ||
           variable.first.starts_with("GIT_CONFIG_VALUE_");
  });
  return env;
}

Environment caller_config(const Environment& caller) {
  Environment config;
  for (const auto& [name, value] : caller) {
    if (name == "GIT_CONFIG_PARAMETERS" || name == "GIT_CONFIG_COUNT" ||
        name.starts_with("GIT_CONFIG_KEY_") || name.starts_with("GIT_CONFIG_VALUE_")) {
      config[name] = value;
    }
  }
  return config;
}

Environment git_environment(const Environment& caller) {
  Environment env = without_repository(caller);
  env.erase("GIT_NO_LAZY_FETCH");
  env.erase("LANGUAGE");
  env["LC_ALL"] = "C";
  env["GIT_TERMINAL_PROMPT"] = "0";
  env["GIT_OPTIONAL_LOCKS"] = "0";
  env["GIT_PAGER"] = "cat";
  env["GIT_ADVICE"] = "0";
  // An object is what its name says: libgit2 knows no replacements, and both must see one
  // repository.
  env["GIT_NO_REPLACE_OBJECTS"] = "1";
  return env;
}

Result<Output> Git::run(std::vector<std::string> args, const GitOptions& options) const {
  Command command;
  command.argv = {"git"};
  if (!options.dir.empty()) {
    command.argv.push_back("-C");
    command.argv.push_back(options.dir);
  }
  if (options.hooks == Hooks::kOff && !asks_about_hooks(args)) {
    command.argv.push_back("-c");
    command.argv.push_back("core.hooksPath=/dev/null");
  }
  for (std::string& arg : args) command.argv.push_back(std::move(arg));
  command.env = env_;
  for (const auto& [name, value] : options.extra) command.env[name] = value;
  command.input = options.input;
  command.timeout_ms = options.timeout_ms;
  auto output = gittxn::run(command);
  if (!output && output.error().code == Code::kNotFound) {
    return std::unexpected(std::move(output).error().with_hint("install git and put it on PATH"));
  }
  return output;
}

std::unexpected<Error> git_failed(std::string_view what, std::string_view said) {
  while (said.ends_with('\n')) said.remove_suffix(1);
  std::string hint;
  for (const int cause : {ENOSPC, EDQUOT, EROFS}) {
    if (said.find(std::strerror(cause)) == std::string_view::npos) continue;
    hint = fail_errno(cause, {}).error().hint;
  }
  return fail(Code::kFault, fmt::format("git {}: {}", what, said), std::move(hint));
}

Result<std::string> Git::must(std::vector<std::string> args, const GitOptions& options) const {
  const std::string shown = quote_argv(args);
  Output output = TRY(run(std::move(args), options));
  if (output.exit.success()) return std::move(output.out);
  if (output.exit.timed_out) return fail(Code::kTimeout, "git " + shown + " did not end in time");
  std::string said = last_lines(output.err, 2000);
  if (said.empty()) said = "exit status " + std::to_string(output.exit.status);
  return git_failed(shown, said);
}

Status Git::feed(std::vector<std::string> args, GitOptions options, std::string input) const {
  if (input.empty()) return {};
  options.input = std::move(input);
  TRY(must(std::move(args), options));
  return {};
}

Result<std::string> Git::line(std::vector<std::string> args, const GitOptions& options) const {
  std::string text = TRY(must(std::move(args), options));
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace gittxn::repo

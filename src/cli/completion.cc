// Completion for bash, generated so that it offers exactly what the parser takes. Transactions are
// asked of the program itself; an error there completes nothing and says nothing.
#include <fmt/format.h>

#include "cli/help.h"

namespace gittxn::cli {
namespace {

std::string flag_names(const CommandSpec& command) {
  std::string out;
  auto add = [&](const FlagSpec& flag) {
    if (flag.stability != Stability::kInternal) out += fmt::format(" {}", flag.name);
  };
  for (const FlagSpec& flag : command.flags) add(flag);
  for (const FlagSpec& flag : common_flags()) add(flag);
  return out.substr(1);
}

std::string values_of(Value value, std::string_view choices) {
  switch (value) {
    case Value::kChoice:
      return fmt::format("__git_txn_words '{}'", choices);
    case Value::kBranch:
      return "__git_txn_branches";
    case Value::kTxn:
      return "__git_txn_ids";
    case Value::kFolder:
      return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    default:
      return ":";
  }
}

std::string flag_cases() {
  std::string out;
  auto add = [&](std::string_view command, const FlagSpec& flag) {
    if (flag.value == Value::kNone) return;
    std::string pattern = fmt::format("{} {}", command, flag.name);
    out += fmt::format("    \"{}\") {}; return ;;\n", pattern, values_of(flag.value, flag.choices));
  };
  for (const CommandSpec& command : commands()) {
    if (command.stability == Stability::kInternal) continue;
    for (const FlagSpec& flag : command.flags) add(command.name, flag);
    for (const FlagSpec& flag : common_flags()) add(command.name, flag);
  }
  return out;
}

std::string command_cases() {
  std::string out;
  for (const CommandSpec& command : commands()) {
    if (command.stability == Stability::kInternal) continue;
    out += fmt::format("    {})\n      case $cur in -*) __git_txn_words '{}'; return ;; esac\n",
                       command.name, flag_names(command));
    if (!command.operands.empty()) {
      const OperandSpec& first = command.operands[0];
      const OperandSpec& last = command.operands[command.operands.size() - 1];
      if (command.operands.size() == 1) {
        out += fmt::format("      {} ;;\n", values_of(first.value, first.choices));
      } else {
        out +=
            fmt::format("      if [ \"$operands\" = 0 ]; then {}; else {}; fi ;;\n",
                        values_of(first.value, first.choices), values_of(last.value, last.choices));
      }
    } else {
      out += "      ;;\n";
    }
  }
  return out;
}

constexpr std::string_view kHead =
    R"bash(# bash completion for git-txn, made by `git-txn internal completion bash`

__git_txn_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
__git_txn_ids() { __git_txn_words "$(git txn internal ids 2>/dev/null)"; }
__git_txn_branches() {
  __git_txn_words "$(git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null)"
}

# $words, $cword and $cur as bash-completion sets them; $1 is where the command's name stands.
# Returns 1 behind --, where the words are those of another command.
__git_txn() {
  local at=$1 command='' operands=0 i before=''
  COMPREPLY=()
  for ((i = at; i < cword; i++)); do
    case ${words[i]} in
      --) return 1 ;;
      -*) ;;
      *) if [ -z "$command" ]; then command=${words[i]}; else operands=$((operands + 1)); fi ;;
    esac
  done
  if [ -z "$command" ]; then
)bash";

constexpr std::string_view kTail = R"bash(
# Called by git's own completion for `git txn ...`.
_git_txn() {
  local i
  for ((i = 1; i < cword; i++)); do
    if [ "${words[i]}" = txn ]; then break; fi
  done
  __git_txn $((i + 1)) || COMPREPLY=($(compgen -f -- "$cur"))
}

# Called by bash for `git-txn ...`.
_git_txn_main() {
  local cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD
  local words=("${COMP_WORDS[@]}")
  __git_txn 1 || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o default -F _git_txn_main git-txn
)bash";

}  // namespace

std::string bash_completion() {
  std::string names;
  for (const CommandSpec& command : commands()) {
    if (command.stability != Stability::kInternal) names += fmt::format("{} ", command.name);
  }
  std::string out(kHead);
  out += fmt::format("    __git_txn_words '{}--help --version'\n    return\n  fi\n", names);
  out +=
      "  before=${words[cword - 1]}\n  case \"$command $before\" in\n" + flag_cases() + "  esac\n";
  out += "  case $command in\n" + command_cases() + "  esac\n}\n";
  out += kTail;
  return out;
}

}  // namespace gittxn::cli

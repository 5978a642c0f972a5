// Completion for bash, generated so that it offers exactly what the parser takes. Transactions are
// asked of the program itself; an error there completes nothing and says nothing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "cli/help.h"

namespace gittxn::cli {
namespace {

constexpr int kMostOperands = 8;  // how many of a list completion helps with
constexpr std::string_view kValued = "@VALUED@";

std::string flag_names(const CommandSpec& command, const Table& table) {
  std::string out;
  auto add = [&](const FlagSpec& flag) {
    if (is_shown(flag)) out += fmt::format(" {}", flag.name);
  };
  for (const FlagSpec& flag : command.flags) add(flag);
  for (const FlagSpec& flag : table.common) add(flag);
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
    case Value::kFile:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    default:
      return ":";
  }
}

std::string flag_cases(const Table& table) {
  std::string out;
  auto add = [&](std::string_view command, const FlagSpec& flag) {
    if (flag.value == Value::kNone) return;
    std::string pattern = fmt::format("{} {}", command, flag.name);
    out += fmt::format("    \"{}\") {}; return ;;\n", pattern, values_of(flag.value, flag.choices));
  };
  for (const CommandSpec& command : table.commands) {
    if (!is_shown(command)) continue;
    for (const FlagSpec& flag : command.flags) add(command.name, flag);
    for (const FlagSpec& flag : table.common) add(command.name, flag);
  }
  return out;
}

// "--onto|--isolation|-n": after these the next word is a value and no operand.
std::string flags_with_values(const Table& table) {
  std::set<std::string_view> names;
  auto add = [&](const FlagSpec& flag) {
    if (flag.value == Value::kNone) return;
    names.insert(flag.name);
    if (!flag.letter.empty()) names.insert(flag.letter);
  };
  for (const CommandSpec& command : table.commands) {
    for (const FlagSpec& flag : command.flags) add(flag);
  }
  for (const FlagSpec& flag : table.common) add(flag);
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string operand_cases(const CommandSpec& command) {
  std::string out;
  int n = 0;
  for (const OperandSpec& operand : command.operands) {
    std::string pattern = std::to_string(n);
    for (int i = 1; i < std::min(operand.at_most, kMostOperands); ++i) {
      pattern += "|" + std::to_string(n + i);
    }
    out += fmt::format("        {}) {} ;;\n", pattern, values_of(operand.value, operand.choices));
    n += operand.at_most;
  }
  if (command.takes_command || command.may_take_command)
    out += "        *) __git_txn_words -- ;;\n";
  return out;
}

std::string command_cases(const Table& table) {
  std::string out;
  for (const CommandSpec& command : table.commands) {
    if (!is_shown(command)) continue;
    out += fmt::format("    {})\n      case $cur in -*) __git_txn_words '{}'; return ;; esac\n",
                       command.name, flag_names(command, table));
    std::string operands = operand_cases(command);
    if (!operands.empty()) out += "      case $operands in\n" + operands + "      esac\n";
    out += "      ;;\n";
  }
  return out;
}

constexpr std::string_view kHead =
    R"bash(# bash completion for git-txn, made by `git-txn internal completion bash`

__git_txn_words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
__git_txn_ids() { __git_txn_words "$(git txn internal ids "$command" 2>/dev/null)"; }
__git_txn_branches() {
  __git_txn_words "$(git for-each-ref --format='%(refname:short)' refs/heads 2>/dev/null)"
}

# Behind -- stands another command, completed as if it stood alone.
__git_txn_inner() {
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [ "${COMP_WORDS[i]}" = -- ]; then break; fi
  done
  i=$((i + 1))
  if declare -F _command_offset >/dev/null; then
    _command_offset "$i"
  elif [ "$i" = "$COMP_CWORD" ]; then
    COMPREPLY=($(compgen -c -- "$cur"))
  else
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
)bash";

// Between them: the flags that take a value.
constexpr std::string_view kScan = R"bash(
# $words, $cword and $cur as bash-completion sets them; $1 is where the command's name stands. With
# git's own completion --onto=x is one word, without it three.
__git_txn() {
  local at=$1 command='' operands=0 i before=''
  COMPREPLY=()
  compopt +o nospace +o default +o bashdefault 2>/dev/null
  for ((i = at; i < cword; i++)); do
    case ${words[i]} in
      --) __git_txn_inner; return ;;
      @VALUED@)
        if [ "${words[i + 1]}" = = ]; then i=$((i + 1)); fi
        i=$((i + 1)) ;;
      -*) ;;
      *) if [ -z "$command" ]; then command=${words[i]}; else operands=$((operands + 1)); fi ;;
    esac
  done
  before=${words[cword - 1]}
  case $cur in
    =) cur='' ;;
    --*=*) before=${cur%%=*} cur=${cur#*=} ;;
    *) if [ "$before" = = ]; then before=${words[cword - 2]}; fi ;;
  esac
  if [ -z "$command" ]; then
)bash";

constexpr std::string_view kTail = R"bash(
# Called by git's own completion for `git txn ...`.
_git_txn() {
  local i
  for ((i = 1; i < cword; i++)); do
    if [ "${words[i]}" = txn ]; then break; fi
  done
  __git_txn $((i + 1))
}

# Called by bash for `git-txn ...`.
_git_txn_main() {
  local cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD
  local words=("${COMP_WORDS[@]}")
  __git_txn 1
}
complete -o default -F _git_txn_main git-txn
)bash";

}  // namespace

std::string bash_completion(const Table& table) {
  std::string names;
  for (const CommandSpec& command : table.commands) {
    if (is_shown(command)) names += fmt::format("{} ", command.name);
  }
  std::string scan(kScan);
  scan.replace(scan.find(kValued), kValued.size(), flags_with_values(table));
  std::string out = std::string(kHead) + scan;
  out += fmt::format("    __git_txn_words '{}--help --version'\n    return\n  fi\n", names);
  out += "  case \"$command $before\" in\n" + flag_cases(table) + "  esac\n";
  out += "  case $command in\n" + command_cases(table) + "  esac\n}\n";
  out += kTail;
  return out;
}

}  // namespace gittxn::cli

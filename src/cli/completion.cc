// Completion: what may stand next is answered by the program, from the table of commands, so that
// it offers exactly what the parser takes; each shell has a thin script that asks and shows.
#include "cli/completion.h"

#include <algorithm>
#include <optional>

#include "cli/text.h"

namespace gittxn::cli {
namespace {

class Completer {
 public:
  Completer(const std::vector<std::string>& words, const Table& table)
      : words_(words), table_(table) {}

  Completion complete() {
    if (words_.empty()) return {};
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      const std::string& word = words_[i];
      if (word == "--") return {Completion::Kind::kCommand, {}, {}, {}};
      if (!word.starts_with('-')) {
        if (!stands(word)) return {};
        continue;
      }
      const auto flag = word.find('=') == std::string::npos ? flag_named(word) : std::nullopt;
      if (!flag || flag->is_switch()) continue;
      if (i + 2 == words_.size()) return values(flag->value, flag->choices, words_.back());
      ++i;
    }
    return last(words_.back());
  }

 private:
  // A word of the command's name, or an operand of it. False: there is no such command.
  bool stands(const std::string& word) {
    if (command_ == nullptr && word == "help") return helps_ = true;
    const CommandSpec* below =
        find_word(command_ == nullptr ? table_.commands : std::span(command_->subcommands), word);
    if (below != nullptr && operands_ == 0) {
      command_ = below;
      return true;
    }
    ++operands_;
    return command_ != nullptr;
  }

  Completion last(const std::string& typed) const {
    const std::size_t equals = typed.find('=');
    if (typed.starts_with("--") && equals != std::string::npos) {
      const auto flag = flag_named(typed.substr(0, equals));
      if (!flag) return {};
      return values(flag->value, flag->choices, typed.substr(equals + 1));
    }
    if (command_ == nullptr) return commands(typed);
    if (typed.starts_with('-')) return flags(typed);
    return operand(typed);
  }

  std::vector<FlagSpec> known_flags() const {
    std::vector<FlagSpec> known;
    if (command_ != nullptr) known = flags_of(*command_);
    known.insert(known.end(), table_.common.begin(), table_.common.end());
    return known;
  }

  std::optional<FlagSpec> flag_named(std::string_view word) const {
    const std::vector<FlagSpec> known = known_flags();
    const auto at = std::ranges::find_if(known, [&](const FlagSpec& flag) {
      return flag.name == word || (!flag.letter.empty() && flag.letter == word);
    });
    return at == known.end() ? std::nullopt : std::optional(*at);
  }

  static void offer(std::string_view word, std::string_view says, std::string_view typed,
                    Completion* completion) {
    if (!word.starts_with(typed)) return;
    completion->words.push_back({std::string(word), std::string(says)});
  }

  static void offer_all(std::span<const CommandSpec> commands, std::string_view typed,
                        Completion* completion) {
    for (const CommandSpec& command : commands) {
      if (is_shown(command)) offer(last_word(command), command.summary, typed, completion);
    }
  }

  Completion commands(std::string_view typed) const {
    Completion completion;
    offer_all(table_.commands, typed, &completion);
    if (helps_) {
      for (const GroupSpec& group : groups()) offer(group.name, group.title, typed, &completion);
      offer("--all", "show every command", typed, &completion);
      return completion;
    }
    offer("--help", "show help", typed, &completion);
    offer("--version", "print the version", typed, &completion);
    return completion;
  }

  Completion flags(std::string_view typed) const {
    Completion completion;
    for (const FlagSpec& flag : known_flags()) {
      if (is_shown(flag)) offer(flag.name, flag.help, typed, &completion);
    }
    return completion;
  }

  Completion operand(std::string_view typed) const {
    if (operands_ == 0 && !command_->subcommands.empty()) {
      Completion completion;
      offer_all(command_->subcommands, typed, &completion);
      return completion;
    }
    int before = 0;
    for (const OperandSpec& operand : command_->operands) {
      before += operand.at_most;
      if (operands_ < before) return values(operand.value, operand.choices, typed);
    }
    Completion completion;
    if (command_->takes != Takes::kNothing) {
      offer("--", "a command follows", typed, &completion);
    }
    return completion;
  }

  Completion values(Value value, std::string_view choices, std::string_view typed) const {
    if (value == Value::kCommand) return commands(typed);
    Completion completion;
    completion.typed = typed;
    if (command_ != nullptr) completion.command = command_->name;
    if (value == Value::kBranch) completion.kind = Completion::Kind::kBranches;
    if (value == Value::kTxn) completion.kind = Completion::Kind::kTransactions;
    if (value == Value::kFolder) completion.kind = Completion::Kind::kFolders;
    if (value == Value::kFile) completion.kind = Completion::Kind::kFiles;
    // Of a choice alone there are any.
    for (const std::string_view word : pieces_of(choices, ' ')) offer(word, "", typed, &completion);
    return completion;
  }

  const std::vector<std::string>& words_;
  const Table& table_;
  const CommandSpec* command_ = nullptr;
  int operands_ = 0;
  bool helps_ = false;  // of git txn help
};

constexpr std::string_view kBash =
    R"bash(# bash completion for git-txn, made by `git-txn internal completion bash`

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

# $words, $cword and $cur as bash-completion sets them; $1 is where the first word behind the name
# stands. With git's own completion --onto=x is one word, without it three.
__git_txn() {
  local i n=0 before='' glue='' line asked=() answer=()
  COMPREPLY=()
  compopt +o nospace +o default +o bashdefault 2>/dev/null
  for ((i = $1; i <= cword; i++)); do
    if [ "${words[i]}" = = ] && [[ $before == --?* ]]; then
      asked[n - 1]+='='
      glue=1
    elif [ -n "$glue" ]; then
      asked[n - 1]+=${words[i]}
      glue=''
    else
      asked[n++]=${words[i]}
    fi
    before=${words[i]}
  done
  case $cur in
    =) cur='' ;;
    --*=*) cur=${cur#*=} ;;
  esac
  while IFS= read -r line; do
    answer+=("$line")
  done < <(git txn internal complete -- "${asked[@]}" 2>/dev/null)
  case ${answer[0]-} in
    command) __git_txn_inner ;;
    folders) COMPREPLY=($(compgen -d -- "$cur")) ;;
    files) COMPREPLY=($(compgen -f -- "$cur")) ;;
    words) for line in "${answer[@]:1}"; do COMPREPLY+=("${line%%$'\t'*}"); done ;;
  esac
}

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

constexpr std::string_view kZsh = R"zsh(#compdef git-txn
# zsh completion for git-txn and, through zsh's own completion of git, for `git txn`; made by
# `git-txn internal completion zsh`

_git-txn() {
  local -a answer offered
  local line word says at
  answer=("${(@f)$(git txn internal complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $PREFIX == --*=* ]]; then compset -P '*='; fi
  case $answer[1] in
    command)
      at=${words[(i)--]}
      shift $at words
      (( CURRENT -= at ))
      _normal
      ;;
    folders) _files -/ ;;
    files) _files ;;
    words)
      for line in "${(@)answer[2,-1]}"; do
        word=${line%%$'\t'*} says=${${line#$word}#$'\t'}
        offered+=("${word//:/\\:}${says:+:$says}")
      done
      _describe -V 'git txn' offered
      ;;
  esac
}

_git-txn "$@"
)zsh";

constexpr std::string_view kFish =
    R"fish(# fish completion for git-txn and git txn, made by `git-txn internal completion fish`

function __git_txn_complete
    set -l typed (commandline -ct)
    set -l asked (commandline -opc)
    if test "$asked[1]" = git
        set -e asked[1..(contains -i -- txn $asked)]
    else
        set -e asked[1]
    end
    set -l answer (git txn internal complete -- $asked "$typed" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' "$typed")
    set -l value (string replace -r -- '^--[^=]*=' '' "$typed")
    switch "$answer[1]"
        case command
            set -l inner $asked[(math (contains -i -- -- $asked) + 1)..]
            complete -C (string join ' ' -- (string escape -- $inner) "$typed")
        case folders
            for path in (__fish_complete_directories "$value")
                echo "$before$path"
            end
        case files
            for path in (__fish_complete_path "$value")
                echo "$before$path"
            end
        case words
            for line in $answer[2..]
                echo "$before$line"
            end
    end
end

complete -c git-txn -f -a '(__git_txn_complete)'
complete -c git -n 'contains -- txn (commandline -opc)' -f -a '(__git_txn_complete)'
)fish";

}  // namespace

Completion completion_of(const std::vector<std::string>& words, const Table& table) {
  return Completer(words, table).complete();
}

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  return {};
}

}  // namespace gittxn::cli

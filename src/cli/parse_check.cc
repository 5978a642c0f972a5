#include "cli/parse_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/duration.h"
#include "base/subprocess.h"
#include "cli/text.h"

namespace gittxn::cli {
namespace {

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  if (value > 1'000'000'000'000) return std::nullopt;
  return value;
}

// Of a text that is one of the words of `choices`.
Status check_choice(std::string_view what, const std::string& text, std::string_view choices,
                    std::string hint) {
  const auto words = pieces_of(choices, ' ');
  if (std::ranges::find(words, text) != words.end()) return {};
  return fail(Code::kUsage,
              fmt::format("{}: '{}' is not one of {}", what, text, fmt::join(words, ", ")),
              std::move(hint));
}

Status check_value(const FlagSpec& flag, const std::string& value) {
  switch (flag.value) {
    case Value::kNumber:
      if (!to_number(value)) {
        return fail(Code::kUsage, fmt::format("{}: '{}' is not a number", flag.name, value),
                    "write a whole number, 0 or more");
      }
      return {};
    case Value::kDuration:
      if (auto ms = parse_duration_ms(value); !ms) {
        return fail(Code::kUsage, fmt::format("{}: {}", flag.name, ms.error().message),
                    ms.error().hint);
      }
      return {};
    case Value::kChoice:
      return check_choice(flag.name, value, flag.choices, "");
    default:
      if (value.empty()) {
        return fail(Code::kUsage, fmt::format("{} is empty; nothing was changed", flag.name),
                    fmt::format("give it a value: {} {}", flag.name, flag.label));
      }
      if (value.find('\0') != std::string::npos) {
        return fail(Code::kUsage, fmt::format("{} contains a NUL character", flag.name));
      }
      return {};
  }
}

std::unexpected<Error> later(const std::string& what) {
  return fail(Code::kUnsupported, fmt::format("{} is not available in this version", what),
              "git txn -h lists what is");
}

std::string nearest_command(std::string_view word, std::span<const CommandSpec> commands) {
  std::vector<std::string_view> known;
  for (const CommandSpec& command : commands) {
    if (is_shown(command)) known.push_back(last_word(command));
  }
  return nearest(word, known);
}

std::unexpected<Error> unknown_option(const CommandSpec& command, const std::string& word,
                                      const Table& table) {
  std::string name = word.substr(0, word.find('='));
  for (const LaterName& later_name : table.later) {
    if (later_name.command == command.name && later_name.name == name) {
      return later(fmt::format("git txn {} {}", command.name, name));
    }
  }
  std::vector<std::string_view> known;
  const auto add = [&](std::span<const FlagSpec> flags) {
    for (const FlagSpec& flag : flags) {
      if (is_shown(flag)) known.push_back(flag.name);
    }
  };
  add(command.flags);
  add(table.common);
  std::string near = name.starts_with("--") ? nearest(name, known) : "";
  std::string hint = near.empty() ? help_hint(command) : fmt::format("did you mean {}?", near);
  const bool takes_text = std::ranges::any_of(
      command.operands, [](const OperandSpec& operand) { return operand.label == "TEXT"; });
  if (takes_text && near.empty()) hint = "write -- before a TEXT that begins with '-'";
  return fail(Code::kUsage, fmt::format("unknown option '{}' of git txn {}", name, command.name),
              std::move(hint));
}

std::unexpected<Error> missing_operand(const CommandSpec& command, const OperandSpec& operand) {
  std::string_view what = operand.what.empty() ? operand.label : operand.what;
  std::string_view listed = operand.listed;
  if (operand.value == Value::kTxn && operand.what.empty()) {
    what = "the id of a transaction";
    listed = "status";
  }
  const std::string lists = listed.empty() ? "" : fmt::format("git txn {} lists them; ", listed);
  return fail(Code::kUsage, fmt::format("git txn {} needs {}", command.name, what),
              fmt::format("{}usage: {}", lists, usage_line(command)));
}

Status check_values(const FlagSpec& flag, const std::vector<std::string>& values) {
  if (flag.is_switch()) return {};
  for (const std::string& value : values) TRY(check_value(flag, value));
  return {};
}

// The names below `command`, without its own, of the commands that have this flag: "renew|release".
std::string owners_of(const CommandSpec& command, std::string_view flag) {
  std::string owners;
  for (const CommandSpec* one : all_commands({command.subcommands, {}, {}})) {
    if (std::ranges::find(one->flags, flag, &FlagSpec::name) == one->flags.end()) continue;
    owners += owners.empty() ? " " : "|";
    owners += one->name.substr(command.name.size() + 1);
  }
  return owners;
}

}  // namespace

std::string help_hint(const CommandSpec& command) {
  return fmt::format("git txn {} --help lists what it takes", command.name);
}

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

std::unexpected<Error> unknown_command(const std::string& word, const Table& table) {
  for (const LaterName& name : table.later) {
    if (name.command.empty() && name.name == word) return later(fmt::format("git txn {}", word));
  }
  const std::string near = nearest_command(word, table.commands);
  return fail(Code::kUsage, fmt::format("'{}' is not a command of git txn", word),
              near.empty() ? "git txn -h lists the commands; to run one in a transaction write "
                             "git txn run -- COMMAND"
                           : fmt::format("did you mean git txn {}?", near));
}

// What was meant by a word that names no subcommand.
std::unexpected<Error> unknown_subcommand(const CommandSpec& command, const std::string& word) {
  const std::string words = subcommand_words(command);
  const std::string near = nearest_command(word, command.subcommands);
  std::string hint = help_hint(command);
  if (!near.empty()) hint = fmt::format("did you mean git txn {} {}?", command.name, near);
  if (command.name == "proposals" && word.starts_with("p-")) {
    hint = "git txn proposals show " + word;
  }
  return fail(Code::kUsage,
              fmt::format("git txn {}: '{}' is not one of {}", command.name, word,
                          fmt::join(pieces_of(words, '|'), ", ")),
              std::move(hint));
}

// The first word that looks like an option and is none.
Status check_options(const Parsed& parsed, Dashes dashes, const Table& table) {
  const CommandSpec& command = *parsed.command;
  // What follows the first word of a command without -- is the command's own.
  const bool lost_dashes = command.takes == Takes::kCommand && dashes == Dashes::kNone;
  for (std::size_t i = 0; i < parsed.operands.size(); ++i) {
    if (looks_like_option(parsed.operands[i])) {
      return unknown_option(command, parsed.operands[i], table);
    }
    if (lost_dashes && i >= command.operands.size()) break;
  }
  return {};
}

Status check_operands(const Parsed& parsed) {
  const CommandSpec& command = *parsed.command;
  std::size_t at = 0;
  for (const OperandSpec& operand : command.operands) {
    for (int n = 0; n < operand.at_most; ++n) {
      if (at == parsed.operands.size()) {
        if (n < operand.at_least) return missing_operand(command, operand);
        break;
      }
      const std::string& word = parsed.operands[at++];
      if (operand.value != Value::kChoice) continue;
      const std::string what = fmt::format("git txn {}", command.name);
      TRY(check_choice(what, word, operand.choices, help_hint(command)));
    }
  }
  if (at < parsed.operands.size()) {
    return fail(Code::kUsage,
                fmt::format("git txn {} does not take '{}'", command.name, parsed.operands[at]),
                "usage: " + usage_line(command));
  }
  return {};
}

// `git txn run make -j4`: the words are there, only the -- is missing.
Status check_command(const Parsed& parsed, const std::vector<std::string>& before, Dashes dashes) {
  const CommandSpec& command = *parsed.command;
  const bool none = parsed.rest.empty() || parsed.rest[0].empty();
  if (command.takes == Takes::kMaybeCommand) {
    if (!none || dashes == Dashes::kNone) return check_operands(parsed);
    return fail(Code::kUsage, fmt::format("git txn {}: no command after --", command.name),
                "usage: " + usage_line(command));
  }
  std::size_t own = command.operands.size();
  if (parsed.operands.size() > own) {
    const std::string& first = parsed.operands[own];
    std::vector<std::string> tail(std::find(before.begin(), before.end(), first), before.end());
    tail.insert(tail.end(), parsed.rest.begin(), parsed.rest.end());
    std::string head = fmt::format("git txn {}", command.name);
    for (auto word = before.begin(); word != before.end() && *word != first; ++word) {
      head += " " + quote_argv({*word});
    }
    return fail(Code::kUsage, fmt::format("'{}' stands before --, where only options do", first),
                fmt::format("write {} -- {}", head, quote_argv(tail)));
  }
  if (parsed.operands.size() < own) return missing_operand(command, command.operands[own - 1]);
  if (none) {
    return fail(Code::kUsage,
                fmt::format("git txn {} needs a command to run{}", command.name,
                            dashes == Dashes::kGiven ? " after --" : ""),
                "usage: " + usage_line(command));
  }
  return {};
}

// What is of another subcommand would be passed over, and the opposite of what was asked for might
// be done.
Status check_flags(const Parsed& parsed, const CommandSpec& top, const Table& table) {
  const CommandSpec& command = *parsed.command;
  for (const auto& [name, values] : parsed.flags) {
    const auto own = std::ranges::find(command.flags, name, &FlagSpec::name);
    const auto common = std::ranges::find(table.common, name, &FlagSpec::name);
    if (own != command.flags.end()) {
      TRY(check_values(*own, values));
    } else if (common != table.common.end()) {
      TRY(check_values(*common, values));
    } else {
      return fail(Code::kUsage, fmt::format("git txn {} does not take {}", command.name, name),
                  fmt::format("it is of git txn {}{}", top.name, owners_of(top, name)));
    }
  }
  return {};
}

Status check_needed(const Parsed& parsed) {
  for (const FlagSpec& flag : parsed.command->flags) {
    if (flag.need == Need::kOptional || parsed.has(std::string(flag.name))) continue;
    return fail(Code::kUsage,
                fmt::format("git txn {} needs {} {}: {}", parsed.command->name, flag.name,
                            flag.label, flag.help),
                "usage: " + usage_line(*parsed.command));
  }
  return {};
}

Effect Parsed::effect() const {
  for (const FlagSpec& flag : command->flags) {
    if (flag.effect && has(std::string(flag.name))) return *flag.effect;
  }
  return command->effect;
}

std::vector<std::string> Parsed::texts(const std::string& flag) const {
  const auto found = flags.find(flag);
  return found == flags.end() ? std::vector<std::string>() : found->second;
}

std::optional<std::string> Parsed::text(const std::string& flag) const {
  const auto found = flags.find(flag);
  if (found == flags.end()) return std::nullopt;
  return found->second.empty() ? "" : found->second.back();
}

std::int64_t Parsed::number(const std::string& flag, std::int64_t otherwise) const {
  return to_number(text(flag).value_or("")).value_or(otherwise);
}

std::optional<std::int64_t> Parsed::duration_ms(const std::string& flag) const {
  const auto given = text(flag);
  if (!given) return std::nullopt;
  const auto ms = parse_duration_ms(*given);
  return ms ? std::optional(*ms) : std::nullopt;
}

}  // namespace gittxn::cli

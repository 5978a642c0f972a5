#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "base/duration.h"
#include "base/subprocess.h"

namespace gittxn::cli {
namespace {

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  if (value > 1'000'000'000'000) return std::nullopt;
  return value;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    std::size_t blank = text.find(' ');
    out.push_back(text.substr(0, blank));
    if (blank == std::string_view::npos) break;
    text.remove_prefix(blank + 1);
  }
  return out;
}

bool is_one_of(std::string_view value, std::string_view choices) {
  for (std::string_view word : words(choices)) {
    if (word == value) return true;
  }
  return false;
}

std::string listed(std::string_view choices) {
  std::string out;
  for (std::string_view word : words(choices)) {
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

std::string help_hint(const CommandSpec& command) {
  return fmt::format("git txn {} --help lists what it takes", command.name);
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
      if (is_one_of(value, flag.choices)) return {};
      return fail(Code::kUsage,
                  fmt::format("{}: '{}' is not one of {}", flag.name, value, listed(flag.choices)));
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

std::unexpected<Error> unknown_command(const std::string& word, const Table& table) {
  for (const LaterName& name : table.later) {
    if (name.command.empty() && name.name == word) return later(fmt::format("git txn {}", word));
  }
  std::vector<std::string_view> known;
  for (const CommandSpec& command : table.commands) {
    if (is_shown(command)) known.push_back(command.name);
  }
  std::string near = nearest(word, known);
  return fail(Code::kUsage, fmt::format("'{}' is not a command of git txn", word),
              near.empty() ? "git txn -h lists the commands; to run one in a transaction write "
                             "git txn run -- COMMAND"
                           : fmt::format("did you mean git txn {}?", near));
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

// One parser for one command: CLI11 splits, we judge.
class Splitter {
 public:
  Splitter(const CommandSpec& command, const Table& table) : command_(command) {
    app_.set_help_flag();
    app_.allow_extras(true);
    for (const FlagSpec& flag : command.flags) add(flag);
    for (const FlagSpec& flag : table.common) add(flag);
  }

  Result<Parsed> split(std::vector<std::string> args) {
    TRY(refuse_values_of_switches(args));
    std::reverse(args.begin(), args.end());  // CLI11 takes them from the back
    try {
      app_.parse(std::move(args));
    } catch (const CLI::ParseError& e) {
      return fail(Code::kUsage, tidy(e.what()), help_hint(command_));
    } catch (const std::exception& e) {
      return fail(Code::kFault, fmt::format("reading the arguments: {}", e.what()));
    }
    Parsed parsed;
    parsed.command = &command_;
    for (const auto& [name, option] : options_) {
      if (option->count() == 0) continue;
      const auto& results = option->results();
      parsed.flags[name] = results.empty() ? "" : results.back();
      parsed.all[name] = results;
    }
    for (std::string& word : app_.remaining()) parsed.operands.push_back(std::move(word));
    return parsed;
  }

 private:
  void add(const FlagSpec& flag) {
    std::string names(flag.name);
    if (!flag.letter.empty()) names = std::string(flag.letter) + "," + names;
    CLI::Option* option = nullptr;
    if (flag.value == Value::kNone) {
      option = app_.add_flag(names);
    } else {
      option = app_.add_option(names);
      option->type_size(1)->allow_extra_args(false);
    }
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    options_.emplace_back(std::string(flag.name), option);
    flags_.push_back(flag);
  }

  const FlagSpec* spec_of(std::string_view name) const {
    for (const FlagSpec& flag : flags_) {
      if (!name.empty() && (flag.name == name || flag.letter == name)) return &flag;
    }
    return nullptr;
  }

  // CLI11 takes --force=false for the switch turned off, and we ask only whether it was given: the
  // opposite of what was meant would be done.
  Status refuse_values_of_switches(const std::vector<std::string>& args) const {
    for (std::size_t i = 0; i < args.size(); ++i) {
      const std::string name = args[i].substr(0, args[i].find('='));
      const FlagSpec* flag = spec_of(name);
      if (flag == nullptr) continue;
      const bool has_value = name.size() < args[i].size();
      if (flag->value != Value::kNone) {
        if (!has_value) ++i;  // the next word is its value, whatever it looks like
      } else if (has_value) {
        return fail(Code::kUsage, fmt::format("{} takes no value", name),
                    fmt::format("write {}, or leave it out", name));
      }
    }
    return {};
  }

  // "--name: 1 required TEXT missing" says less than it could.
  static std::string tidy(std::string text) {
    if (std::size_t at = text.find(": 1 required"); at != std::string::npos) {
      return text.substr(0, at) + " needs a value";
    }
    return text;
  }

  const CommandSpec& command_;
  CLI::App app_;
  std::vector<std::pair<std::string, CLI::Option*>> options_;
  std::vector<FlagSpec> flags_;
};

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-';
}

std::unexpected<Error> missing_operand(const CommandSpec& command, const OperandSpec& operand) {
  std::string_view what = operand.label;
  std::string_view listed_by;
  if (operand.label == "ID") what = "the id of a transaction";
  if (operand.value == Value::kTxn) listed_by = "git txn status lists them; ";
  if (operand.label == "PROPOSAL") {
    what = "the id of a proposal";
    listed_by = "git txn proposals lists them; ";
  }
  return fail(Code::kUsage, fmt::format("git txn {} needs {}", command.name, what),
              fmt::format("{}usage: {}", listed_by, usage_line(command)));
}

// What was meant by a word that is no verb; "": nothing is known.
std::string meant_by(const CommandSpec& command, const std::string& word) {
  if (command.name != "proposals" || !word.starts_with("p-")) return {};
  return "git txn proposals show " + word;
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
      if (operand.value == Value::kChoice && !is_one_of(word, operand.choices)) {
        const std::string meant = meant_by(command, word);
        return fail(Code::kUsage,
                    fmt::format("git txn {}: '{}' is not one of {}", command.name, word,
                                listed(operand.choices)),
                    meant.empty() ? help_hint(command) : meant);
      }
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
Status check_command(const Parsed& parsed, const std::vector<std::string>& before, bool dashes) {
  const CommandSpec& command = *parsed.command;
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
  if (parsed.rest.empty() || parsed.rest[0].empty()) {
    return fail(
        Code::kUsage,
        fmt::format("git txn {} needs a command to run{}", command.name, dashes ? " after --" : ""),
        "usage: " + usage_line(command));
  }
  return {};
}

Status check_values(const FlagSpec& flag, const std::vector<std::string>& values) {
  if (flag.value == Value::kNone) return {};
  for (const std::string& value : values) TRY(check_value(flag, value));
  return {};
}

Result<Parsed> check_flags(Parsed parsed, const Table& table) {
  const CommandSpec& command = *parsed.command;
  for (const auto& [name, values] : parsed.all) {
    auto is_it = [&](const FlagSpec& flag) { return flag.name == name; };
    auto own = std::find_if(command.flags.begin(), command.flags.end(), is_it);
    auto common = std::find_if(table.common.begin(), table.common.end(), is_it);
    if (own != command.flags.end())
      TRY(check_values(*own, values));
    else
      TRY(check_values(*common, values));
  }
  return parsed;
}

std::string former_text(std::string_view what, const Deprecation& deprecated,
                        std::string_view instead) {
  return fmt::format("{} is deprecated since {} and goes in {}: write {}", what, deprecated.since,
                     deprecated.removed, instead);
}

// The values of a former flag become its successor's.
Result<Parsed> take_former_flags(Parsed parsed) {
  for (const FlagSpec& flag : parsed.command->flags) {
    const std::string former(flag.name);
    if (flag.deprecated.since.empty() || !parsed.has(former)) continue;
    const std::string successor(flag.deprecated.successor);
    if (parsed.has(successor)) {
      return fail(Code::kUsage, fmt::format("{} is the former name of {}", former, successor),
                  fmt::format("give {} alone", successor));
    }
    parsed.flags[successor] = std::move(parsed.flags[former]);
    parsed.all[successor] = std::move(parsed.all[former]);
    parsed.flags.erase(former);
    parsed.all.erase(former);
    const std::string what = fmt::format("git txn {} {}", parsed.command->name, former);
    parsed.former.push_back(former_text(what, flag.deprecated, successor));
  }
  return parsed;
}

Result<Parsed> parse_command(const CommandSpec& command, std::vector<std::string> args,
                             const Table& table) {
  std::vector<std::string> rest;
  auto dashes = std::find(args.begin(), args.end(), "--");
  bool has_dashes = dashes != args.end();
  if (has_dashes) {
    rest.assign(dashes + 1, args.end());
    args.erase(dashes, args.end());
  }
  Parsed parsed = TRY(Splitter(command, table).split(args));
  if (parsed.has("--help")) return parsed;
  bool lost_dashes = command.takes_command && !has_dashes;
  for (const std::string& word : parsed.operands) {
    if (!looks_like_option(word)) {
      // What follows the first word of a command without -- is the command's own.
      if (lost_dashes && &word >= parsed.operands.data() + command.operands.size()) break;
      continue;
    }
    return unknown_option(command, word, table);
  }
  if (command.takes_command) {
    parsed.rest = std::move(rest);
    TRY(check_command(parsed, args, has_dashes));
  } else if (command.may_take_command) {
    parsed.rest = std::move(rest);
    if (has_dashes && (parsed.rest.empty() || parsed.rest[0].empty())) {
      return fail(Code::kUsage, fmt::format("git txn {}: no command after --", command.name),
                  "usage: " + usage_line(command));
    }
    TRY(check_operands(parsed));
  } else {
    parsed.operands.insert(parsed.operands.end(), rest.begin(), rest.end());
    TRY(check_operands(parsed));
  }
  Parsed checked = TRY(check_flags(std::move(parsed), table));
  return take_former_flags(std::move(checked));
}

}  // namespace

std::optional<std::string> Parsed::text(const std::string& flag) const {
  auto found = flags.find(flag);
  return found == flags.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> Parsed::texts(const std::string& flag) const {
  auto found = all.find(flag);
  return found == all.end() ? std::vector<std::string>() : found->second;
}

std::int64_t Parsed::number(const std::string& flag, std::int64_t otherwise) const {
  auto found = flags.find(flag);
  return found == flags.end() ? otherwise : to_number(found->second).value_or(otherwise);
}

std::optional<std::int64_t> Parsed::duration_ms(const std::string& flag) const {
  auto found = flags.find(flag);
  if (found == flags.end()) return std::nullopt;
  auto ms = parse_duration_ms(found->second);
  return ms ? std::optional(*ms) : std::nullopt;
}

bool wants_json(const std::vector<std::string>& argv) {
  for (const std::string& word : argv) {
    if (word == "--") return false;
    if (word == "--json") return true;
  }
  return false;
}

Result<Parsed> parse(const std::vector<std::string>& argv, const Table& table) {
  // Options before the command are the common ones; they are handed on to the command's parser.
  std::vector<std::string> args;
  std::size_t at = 0;
  for (; at < argv.size() && looks_like_option(argv[at]) && argv[at] != "--"; ++at) {
    if (argv[at] == "--version") {
      Parsed parsed;
      parsed.command = find_command("version", table);
      return parsed;
    }
    if ((argv[at] == "--help" || argv[at] == "-h") && at + 1 == argv.size()) return Parsed{};
    args.push_back(argv[at]);
  }
  if (at == argv.size()) {
    return fail(Code::kUsage, "git txn needs a command", "git txn -h lists them");
  }
  std::string word = argv[at++];
  if (word == "--") {
    return fail(Code::kUsage, "there is no command before --", "write git txn run -- COMMAND");
  }
  if (word == "help") {
    if (at == argv.size()) return Parsed{};
    word = argv[at++];
    args.push_back("--help");
  }
  const CommandSpec* command = find_command(word, table);
  if (!command) return unknown_command(word, table);
  args.insert(args.end(), argv.begin() + static_cast<std::ptrdiff_t>(at), argv.end());
  const Deprecation& deprecated = command->deprecated;
  if (deprecated.since.empty()) return parse_command(*command, std::move(args), table);
  const CommandSpec* successor = find_command(deprecated.successor, table);
  if (!successor) return unknown_command(word, table);
  Parsed parsed = TRY(parse_command(*successor, std::move(args), table));
  const std::string instead = fmt::format("git txn {}", successor->name);
  parsed.former.push_back(former_text("git txn " + word, deprecated, instead));
  return parsed;
}

}  // namespace gittxn::cli

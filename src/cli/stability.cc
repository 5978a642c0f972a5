// The table of commands.h as a table: lines for people and scripts, JSON, and docs/commands.md.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "cli/help.h"
#include "cli/json_out.h"
#include "cli/text.h"

namespace gittxn::cli {
namespace {

template <typename Spec>
std::string table_line(const Spec& spec, const std::string& name) {
  const Deprecation& former = spec.deprecated;
  if (former.since.empty()) return fmt::format("{:<13} {}\n", stability_name(spec.stability), name);
  return fmt::format("deprecated    {}  (since {}, until {}: {})\n", name, former.since,
                     former.removed, former.successor);
}

Json deprecation_json(const Deprecation& deprecated) {
  if (deprecated.since.empty()) return nullptr;
  return {{"since", deprecated.since},
          {"removed", deprecated.removed},
          {"successor", deprecated.successor}};
}

std::string_view value_name(Value value) {
  static constexpr std::string_view kNames[] = {
      // in the order of Value
      "text", "number", "duration", "choice", "branch", "transaction", "command", "folder", "file"};
  return kNames[static_cast<std::size_t>(value)];
}

Json words_json(std::string_view words) {
  return each_of(split(words, ' '), [](std::string_view word) { return word; });
}

Json flag_json(const FlagSpec& flag) {
  return {{"name", flag.name},
          {"letter", flag.letter.empty() ? Json() : Json(flag.letter)},
          {"value", flag.is_switch() ? "none" : value_name(flag.value)},
          {"choices", words_json(flag.choices)},
          {"stability", stability_name(flag.stability)},
          {"deprecated", deprecation_json(flag.deprecated)}};
}

Json operand_json(const OperandSpec& operand) {
  return {{"label", operand.label},
          {"value", value_name(operand.value)},
          {"choices", words_json(operand.choices)},
          {"at_least", operand.at_least},
          {"at_most", operand.at_most}};
}

// Where one of its subcommands has to be named, that is what it takes.
Json operands_json(const CommandSpec& command) {
  Json list = Json::array();
  if (needs_subcommand(command)) {
    const std::string words = subcommand_words(command);
    std::string choices = words;
    std::ranges::replace(choices, '|', ' ');
    list.push_back(operand_json({.label = words,
                                 .value = Value::kChoice,
                                 .at_least = command.otherwise.empty() ? 1 : 0,
                                 .choices = choices}));
  }
  for (const OperandSpec& operand : command.operands) list.push_back(operand_json(operand));
  return list;
}

Json output_json(const Output& output) {
  const bool none = output.schema.empty();
  return {{"on", words_json(output.on)},
          {"schema", none ? Json() : Json(output_schema_uri(output.schema))},
          {"lines", output.lines == Lines::kMany}};
}

std::string_view takes_command(const CommandSpec& command) {
  if (command.takes == Takes::kCommand) return "yes";
  const bool below = std::ranges::any_of(
      command.subcommands, [](const CommandSpec& one) { return takes_command(one) != "no"; });
  return below || command.takes == Takes::kMaybeCommand ? "optional" : "no";
}

Json command_json(const CommandSpec& command) {
  return {{"name", command.name},
          {"stability", stability_name(command.stability)},
          {"deprecated", deprecation_json(command.deprecated)},
          {"takes_command", takes_command(command)},
          {"operands", operands_json(command)},
          {"flags", each_of(flags_of(command), flag_json)},
          {"outputs", each_of(outputs_of(command), output_json)},
          {"subcommands", each_of(command.subcommands, command_json)}};
}

std::string schemas_text(const CommandSpec& command) {
  std::string out;
  for (const Output& output : outputs_of(command)) {
    if (output.schema.empty()) continue;
    const std::string on = output.on.empty() ? "" : fmt::format("`{}` ", output.on);
    out += fmt::format("{}{}[{}](../share/schemas/output/{}.v1.json)", out.empty() ? "" : ", ", on,
                       output.schema, output.schema);
  }
  return out.empty() ? "none" : out;
}

std::string flags_text(std::span<const FlagSpec> flags, Stability stability) {
  std::string out;
  for (const FlagSpec& flag : flags) {
    if (!is_shown(flag) || flag.stability != stability) continue;
    out += fmt::format("{}`{}`", out.empty() ? "" : " ", flag.name);
  }
  return out;
}

std::string former_text(const Table& table) {
  std::string out;
  const auto add = [&](const std::string& name, const Deprecation& deprecated) {
    if (deprecated.since.empty()) return;
    out += fmt::format("| `{}` | {} | {} | `{}` |\n", name, deprecated.since, deprecated.removed,
                       deprecated.successor);
  };
  for (const CommandSpec* command : all_commands(table)) {
    add(std::string(command->name), command->deprecated);
    for (const FlagSpec& flag : command->flags) {
      add(fmt::format("{} {}", command->name, flag.name), flag.deprecated);
    }
  }
  if (out.empty()) return "None.\n";
  return "| former | since | goes in | write |\n|---|---|---|---|\n" + out;
}

}  // namespace

std::string stability_table(const Table& table) {
  std::string out;
  for (const CommandSpec* command : all_commands(table)) {
    out += table_line(*command, std::string(command->name));
    for (const FlagSpec& flag : flags_of(*command)) {
      out += table_line(flag, fmt::format("{} {}", command->name, flag.name));
    }
  }
  for (const FlagSpec& flag : table.common) out += table_line(flag, std::string(flag.name));
  return out;
}

Json stability_json(const Table& table) {
  return {{"commands", each_of(table.commands, command_json)},
          {"flags", each_of(table.common, flag_json)},
          {"errors", output_schema_uri("error")}};
}

std::string commands_page(const Table& table) {
  std::string out =
      "# Commands, flags, and what they print\n\n"
      "Written by `./dev golden` from the table that the program is made of (`git txn version "
      "--cli`).\n[STABILITY.md](STABILITY.md) says what the words promise. With `--json` every "
      "command prints what is\nnamed here, or an [error](../share/schemas/output/error.v1.json).\n";
  for (const Stability stability : {Stability::kStable, Stability::kExperimental}) {
    const bool stable = stability == Stability::kStable;
    out += stable ? "\n## Stable\n\n" : "\n## Experimental\n\n";
    out += stable ? "| command | stable flags | experimental flags | prints |\n|---|---|---|---|\n"
                  : "| command | flags | prints |\n|---|---|---|\n";
    for (const CommandSpec* command : all_commands(table)) {
      if (needs_subcommand(*command) || !is_shown(*command)) continue;
      if (command->stability != stability) continue;
      out += fmt::format("| `{}` | ", command->name);
      if (stable) out += flags_text(command->flags, Stability::kStable) + " | ";
      out += fmt::format("{} | {} |\n", flags_text(command->flags, Stability::kExperimental),
                         schemas_text(*command));
    }
  }
  out += fmt::format("\nOf every command: {}; experimental: {}.\n",
                     flags_text(table.common, Stability::kStable),
                     flags_text(table.common, Stability::kExperimental));
  return out + "\n## Deprecated\n\n" + former_text(table);
}

}  // namespace gittxn::cli

// The table of commands.h as a table: lines for people and scripts, JSON, and docs/commands.md.
#include <fmt/format.h>

#include <algorithm>

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

void deprecation_field(FieldIo& io, const Deprecation& former) {
  if (!io.or_null("deprecated", former.since)) return;
  io.group("deprecated", [&](FieldIo& inner) {
    inner.thing("deprecation");
    inner.each_text(
        {{"since", former.since}, {"removed", former.removed}, {"successor", former.successor}});
  });
}

enum class Switch { kNo, kYes };
void value_fields(FieldIo& io, Switch is_switch, Value value, std::string_view choices) {
  static constexpr std::string_view kNames[] = {// behind the first in the order of Value
                                                "none",   "text",   "number",      "duration",
                                                "choice", "branch", "transaction", "command",
                                                "folder", "file"};
  const std::size_t at = is_switch == Switch::kYes ? 0 : static_cast<std::size_t>(value) + 1;
  io.word("value", kNames[at], kNames);
  io.texts("choices", pieces_of(choices, ' '));
}

void flag_fields(FieldIo& io, const FlagSpec& flag) {
  io.thing("flag");
  io.text("name", flag.name);
  io.text_or_null("letter", flag.letter);
  value_fields(io, flag.is_switch() ? Switch::kYes : Switch::kNo, flag.value, flag.choices);
  io.choice("stability", flag.stability, stability_name);
  deprecation_field(io, flag.deprecated);
}

void operand_fields(FieldIo& io, const OperandSpec& operand) {
  io.text("label", operand.label);
  value_fields(io, Switch::kNo, operand.value, operand.choices);
  io.integer("at_least", operand.at_least, kNotNegative);
  io.integer("at_most", operand.at_most, kPositive);
}

// Where one of its subcommands has to be named, that is what it takes.
void operands_field(FieldIo& io, const CommandSpec& command) {
  const std::string words = subcommand_words(command);
  std::string choices = words;
  std::ranges::replace(choices, '|', ' ');
  std::vector<OperandSpec> all = command.operands;
  if (needs_subcommand(command)) {
    all.insert(all.begin(), {.label = words,
                             .value = Value::kChoice,
                             .at_least = command.otherwise.empty() ? 1 : 0,
                             .choices = choices});
  }
  io.list_of("operands", all, operand_fields);
}

void output_fields(FieldIo& io, const Output& output) {
  const bool none = output.schema.empty();
  io.texts({"on",
            "operands, flags, and -- for a command, that must be there; of several entries the one "
            "counts of which most are"},
           pieces_of(output.on, ' '));
  io.text_or_null({"schema", "the $id of a schema; null: no JSON of its own"},
                  none ? "" : output_schema_uri(output.schema));
  io.boolean({"lines", "any number of lines, each an object; else one"},
             output.lines == Lines::kMany);
}

std::string_view takes_command(const CommandSpec& command) {
  if (command.takes == Takes::kCommand) return "yes";
  const bool below = std::ranges::any_of(
      command.subcommands, [](const CommandSpec& one) { return takes_command(one) != "no"; });
  return below || command.takes == Takes::kMaybeCommand ? "optional" : "no";
}

void command_fields(FieldIo& io, const CommandSpec& command) {
  io.thing("command");
  io.text({"name", "all its words, as in \"lease acquire\""}, command.name);
  io.choice("stability", command.stability, stability_name);
  deprecation_field(io, command.deprecated);
  io.word("takes_command", takes_command(command), {"yes", "optional", "no"});
  operands_field(io, command);
  io.list_of({"flags", "of one with subcommands also theirs"}, flags_of(command), flag_fields);
  io.list_of({"outputs", "of one with subcommands also theirs"}, outputs_of(command),
             output_fields);
  io.list_of({"subcommands", "those of one without any: []; their names begin with its own"},
             command.subcommands, command_fields);
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

void table_fields(FieldIo& io, const Table& table) {
  io.list_of("commands", table.commands, command_fields);
  io.list_of("flags", table.common, flag_fields);
  io.text("errors", output_schema_uri(kErrorJson.name));
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
  out += fmt::format("\nOf every command: {}.\n", flags_text(table.common, Stability::kStable));
  return out + "\n## Deprecated\n\n" + former_text(table);
}

}  // namespace gittxn::cli

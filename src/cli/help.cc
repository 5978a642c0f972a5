#include "cli/help.h"

#include <fmt/format.h>

namespace gittxn::cli {
namespace {

constexpr std::size_t kWidth = 80;

// Words of `text` in lines of at most kWidth columns, each after `indent` blanks.
std::string wrap(std::string_view text, std::size_t indent) {
  std::string out;
  std::string line;
  auto flush = [&] {
    if (!line.empty()) out += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    std::size_t end = text.find_first_of(" \n");
    std::string_view word = text.substr(0, end);
    if (!word.empty()) {
      if (!line.empty() && indent + line.size() + 1 + word.size() > kWidth) flush();
      if (!line.empty()) line += ' ';
      line += word;
    }
    if (end == std::string_view::npos) break;
    if (text.substr(end, 2) == "\n\n") {
      flush();
      out += "\n";
      ++end;
    }
    text.remove_prefix(end + 1);
  }
  flush();
  return out;
}

std::string flag_head(const FlagSpec& flag) {
  std::string head = flag.letter.empty() ? "    " : std::string(flag.letter) + ", ";
  head += flag.name;
  if (!flag.label.empty()) head += " " + std::string(flag.label);
  return head;
}

std::string flag_lines(const FlagSpec& flag, Stability of_command) {
  std::string help(flag.help);
  if (flag.stability != of_command) help += fmt::format(" ({})", stability_name(flag.stability));
  return "  " + flag_head(flag) + "\n" + wrap(help, 10);
}

std::string group_lines(const GroupSpec& group, const Table& table) {
  std::string out = fmt::format("\n{}\n", group.title);
  for (const CommandSpec& command : table.commands) {
    if (command.group == group.group && is_shown(command))
      out += fmt::format("  {:<9} {}\n", command.name, command.summary);
  }
  return out;
}

std::string group_names(const GroupSpec& group, const Table& table) {
  std::string out;
  for (const CommandSpec& command : table.commands) {
    if (command.group != group.group || !is_shown(command)) continue;
    out += fmt::format("{}{}", out.empty() ? "" : ", ", command.name);
  }
  return out.empty() ? "" : fmt::format("  {:<9} {}\n", group.name, out);
}

// The help of an internal command is for those who work on it.
bool is_told(const FlagSpec& flag, const CommandSpec& command) {
  const bool internal = command.stability == Stability::kInternal;
  return is_shown(flag) || (internal && flag.deprecated.since.empty());
}

std::string subcommand_lines(const CommandSpec& command) {
  std::string out;
  for (const CommandSpec& one : command.subcommands) {
    if (!one.subcommands.empty()) {
      out += subcommand_lines(one);
      continue;
    }
    const std::string usage = usage_line(one).substr(std::string_view("git txn ").size());
    out += wrap(usage, 2) + wrap(one.summary, 10);
  }
  return out;
}

std::string example_lines(const CommandSpec& command) {
  std::string out;
  for (const Example& example : command.examples) {
    out += fmt::format("  {}\n{}", example.line, wrap(example.says, 10));
  }
  for (const CommandSpec& one : command.subcommands) out += example_lines(one);
  return out;
}

}  // namespace

std::string sentence_of(const CommandSpec& command) {
  if (!command.description.empty()) return std::string(command.description);
  std::string sentence(command.summary);
  if (sentence[0] >= 'a' && sentence[0] <= 'z') sentence[0] += 'A' - 'a';
  return sentence + ".";
}

std::string help_text(std::string_view topic, const Table& table) {
  std::string out;
  if (topic.empty()) {
    out =
        "git txn: run coding agents on a repository with the guarantees a database gives\n\n"
        "  git txn run -- COMMAND...   run it on a snapshot, land what it changed, or say why "
        "not\n";
  }
  std::string others;
  for (const GroupSpec& group : groups()) {
    const bool daily = topic.empty() && group.group == Group::kDaily;
    if (daily || topic == "--all" || topic == group.name) out += group_lines(group, table);
    if (topic.empty() && !daily) others += group_names(group, table);
  }
  if (topic.empty()) {
    out += "\nBy group: git txn help GROUP explains those of one, git txn help --all all of them\n";
    out += others + "\nOptions of every command\n";
    for (const FlagSpec& flag : table.common) {
      out += fmt::format("  {:<18} {}\n", flag_head(flag), flag.help);
    }
  }
  return out +
         "\ngit txn COMMAND --help explains one command with examples; man git-txn has the rest.\n";
}

std::string help_text(const CommandSpec& command) {
  std::string out =
      fmt::format("{}\n{}", wrap(usage_line(command), 0), wrap(sentence_of(command), 2));
  if (command.stability == Stability::kExperimental) {
    out += "\n  Experimental: it may change in a minor version.\n";
  }
  if (const auto above = command.name.rfind(' '); above != std::string_view::npos) {
    out += fmt::format("\n  git txn {} --help explains it as a whole.\n",
                       command.name.substr(0, above));
  }
  if (!command.subcommands.empty()) {
    out += "\nSubcommands\n" + subcommand_lines(command);
    out += fmt::format("\n  git txn {} SUBCOMMAND --help explains one with its options.\n",
                       command.name);
  }
  std::string flags;
  for (const FlagSpec& flag : command.flags) {
    if (is_told(flag, command)) flags += flag_lines(flag, command.stability);
  }
  if (!flags.empty()) out += "\nOptions\n" + flags;
  out += "\nExamples\n" + example_lines(command);
  out += "\nOptions of every command: --json, -q, -h\n";
  return out;
}

}  // namespace gittxn::cli

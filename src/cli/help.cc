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

}  // namespace

std::string help_text(const Table& table) {
  std::string out =
      "git txn: run coding agents on a repository with the guarantees a database gives\n\n"
      "  git txn run -- COMMAND...   run it on a snapshot, land what it changed, or say why not\n";
  for (Group group : {Group::kDaily, Group::kSteps, Group::kLook, Group::kMerge, Group::kAgents,
                      Group::kPolicy, Group::kCare}) {
    out += fmt::format("\n{}\n", group_title(group));
    for (const CommandSpec& command : table.commands) {
      if (command.group == group && is_shown(command))
        out += fmt::format("  {:<9} {}\n", command.name, command.summary);
    }
  }
  out += "\nOptions of every command\n";
  for (const FlagSpec& flag : table.common) {
    out += fmt::format("  {:<18} {}\n", flag_head(flag), flag.help);
  }
  out += "\ngit txn COMMAND --help explains one command with examples; man git-txn has the rest.\n";
  return out;
}

std::string help_text(const CommandSpec& command) {
  std::string out =
      fmt::format("{}\n{}", wrap(usage_line(command), 0), wrap(command.description, 2));
  if (command.stability == Stability::kExperimental) {
    out += "\n  Experimental: it may change in a minor version.\n";
  }
  std::string flags;
  for (const FlagSpec& flag : command.flags) {
    // The help of an internal command is for those who work on it.
    const bool internal = command.stability == Stability::kInternal;
    if (is_shown(flag) || (internal && flag.deprecated.since.empty())) {
      flags += flag_lines(flag, command.stability);
    }
  }
  if (!flags.empty()) out += "\nOptions\n" + flags;
  out += "\nExamples\n";
  for (const Example& example : command.examples) {
    out += fmt::format("  {}\n{}", example.line, wrap(example.says, 10));
  }
  out += "\nOptions of every command: --json, -q, --log FORMAT, -h\n";
  return out;
}

}  // namespace gittxn::cli

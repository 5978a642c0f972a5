#include "cli/parse.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/parse_check.h"

namespace gittxn::cli {
namespace {

// One parser for one command and all below it, for flags may stand before the word that names a
// subcommand: CLI11 splits, we judge.
class Splitter {
 public:
  Splitter(const CommandSpec& command, const Table& table) : command_(command) {
    app_.set_help_flag();
    app_.allow_extras(true);
    for (const FlagSpec& flag : flags_of(command)) add(flag);
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
    for (const CLI::Option* option : app_.get_options()) {
      if (option->count() > 0) parsed.flags[option->get_name()] = option->results();
    }
    for (std::string& word : app_.remaining()) parsed.operands.push_back(std::move(word));
    return parsed;
  }

 private:
  void add(const FlagSpec& flag) {
    std::string names(flag.name);
    if (!flag.letter.empty()) names = std::string(flag.letter) + "," + names;
    CLI::Option* option = flag.is_switch() ? app_.add_flag(names) : app_.add_option(names);
    if (!flag.is_switch()) option->type_size(1)->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
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
      if (!flag->is_switch()) {
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
  std::vector<FlagSpec> flags_;
};

// Goes down to the subcommand that the first operands name.
void descend(Parsed* parsed) {
  while (!parsed->operands.empty()) {
    const CommandSpec* below = find_word(parsed->command->subcommands, parsed->operands.front());
    if (below == nullptr) return;
    parsed->command = below;
    parsed->operands.erase(parsed->operands.begin());
  }
}

Status check_subcommand(Parsed* parsed) {
  const CommandSpec& command = *parsed->command;
  if (!needs_subcommand(command)) return {};
  if (!parsed->operands.empty()) return unknown_subcommand(command, parsed->operands.front());
  parsed->command = find_word(command.subcommands, command.otherwise);
  if (parsed->command != nullptr) return {};
  return fail(Code::kUsage,
              fmt::format("git txn {} needs {}", command.name, subcommand_words(command)),
              "usage: " + usage_line(command));
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
    parsed.flags.erase(former);
    const std::string what = fmt::format("git txn {} {}", parsed.command->name, former);
    parsed.former.push_back(former_text(what, flag.deprecated, successor));
  }
  return parsed;
}

Result<Parsed> parse_command(const CommandSpec& top, std::vector<std::string> args,
                             const Table& table) {
  std::vector<std::string> rest;
  const auto dashes = std::find(args.begin(), args.end(), "--");
  const Dashes has_dashes = dashes == args.end() ? Dashes::kNone : Dashes::kGiven;
  if (has_dashes == Dashes::kGiven) {
    rest.assign(dashes + 1, args.end());
    args.erase(dashes, args.end());
  }
  Parsed parsed = TRY(Splitter(top, table).split(args));
  descend(&parsed);
  if (parsed.has("--help")) return parsed;
  TRY(check_options(parsed, has_dashes, table));
  if (parsed.command->takes != Takes::kNothing) {
    parsed.rest = std::move(rest);
    TRY(check_command(parsed, args, has_dashes));
  } else {
    parsed.operands.insert(parsed.operands.end(), rest.begin(), rest.end());
    descend(&parsed);
    TRY(check_subcommand(&parsed));
    TRY(check_operands(parsed));
  }
  TRY(check_flags(parsed, top, table));
  Parsed now = TRY(take_former_flags(std::move(parsed)));
  TRY(check_needed(now));
  return now;
}

// Behind `git txn help`: nothing, --all, or the name of a group.
bool is_topic(const std::string& word) {
  const auto found = std::ranges::find(groups(), std::string_view(word), &GroupSpec::name);
  return word == "--all" || found != groups().end();
}

}  // namespace

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
      return Parsed{.command = find_command("version", table)};
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
    if (is_topic(word)) return Parsed{.topic = word};
    args.push_back("--help");
  }
  const CommandSpec* command = find_word(table.commands, word);
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

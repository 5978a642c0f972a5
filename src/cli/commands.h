// The one table of commands and flags. Help, the man pages, completion, the parser and a test that
// compares them are all made from it, so that none can tell another story.
//
// A command or a flag is `stable` (what it means and prints stays), `experimental` (may change in a
// minor version; so is an entry that says nothing) or `internal` (for our own tools; not shown).
// docs/STABILITY.md has what that promises. Names that belong to later versions are listed too, so
// that they are refused by name and never silently accepted.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gittxn::cli {

enum class Stability { kStable, kExperimental, kInternal };
std::string_view stability_name(Stability stability);

// A former spelling. Until it goes it means its successor, is warned of once on standard error, and
// is shown nowhere. A flag's successor is a flag of the same command that takes the same value, a
// command's one that takes the same arguments.
struct Deprecation {
  std::string_view since;    // "0.3"; empty: it is not deprecated
  std::string_view removed;  // "0.5": two minor versions later at the earliest
  std::string_view successor;
};

// What a flag's or an operand's value is: how it is checked, and what completion offers.
enum class Value {
  kNone,  // a switch
  kText,
  kNumber,    // 0 or more
  kDuration,  // base/duration.h
  kChoice,    // one of `choices`
  kBranch,
  kTxn,      // a transaction: id, unique prefix, or name
  kCommand,  // a command of this table
  kFolder,
  kFile,
};

struct FlagSpec {
  std::string_view name;    // "--onto"
  std::string_view letter;  // "-q"; empty: none
  Value value = Value::kNone;
  std::string_view label;    // how help calls the value: "BRANCH"
  std::string_view help;     // one sentence without a full stop
  std::string_view choices;  // kChoice: words between blanks
  Stability stability = Stability::kExperimental;
  Deprecation deprecated = {};
};

struct OperandSpec {
  std::string_view label;  // "ID"
  Value value = Value::kText;
  std::string_view choices;
  int at_least = 1;  // how many of them
  int at_most = 1;
};

struct Example {
  std::string_view line;
  std::string_view says;
};

enum class Group { kDaily, kSteps, kLook, kMerge, kAgents, kPolicy, kCare, kInternal };
std::string_view group_title(Group group);

enum class Inside { kAllowed, kRefused };  // when called from inside a transaction

struct CommandSpec {
  std::string_view name;
  std::string_view summary;      // "run a command in a transaction and land its change"
  std::string_view description;  // paragraphs separated by empty lines
  std::span<const OperandSpec> operands;
  std::span<const FlagSpec> flags;  // besides common_flags()
  std::span<const Example> examples;
  Group group = Group::kDaily;
  Inside inside = Inside::kAllowed;
  bool takes_command = false;  // everything after -- is a command to run
  Stability stability = Stability::kExperimental;
  bool may_take_command = false;  // the same, and it need not be there
  Deprecation deprecated = {};    // of a former one nothing else is asked than its name
};

// What people are shown: help, manual pages, completion, advice.
template <typename Spec>
bool is_shown(const Spec& spec) {
  return spec.stability != Stability::kInternal && spec.deprecated.since.empty();
}

// A name that a later version will give a meaning to.
struct LaterName {
  std::string_view command;  // empty: the command itself is later
  std::string_view name;     // "--confine", or "fleet"
};

struct Table {
  std::span<const CommandSpec> commands;
  std::span<const FlagSpec> common;  // flags of every command
  std::span<const LaterName> later;
};
const Table& command_table();  // the program's; tests have their own
const CommandSpec* find_command(std::string_view name, const Table& table = command_table());

// What --json prints of a command. Of several entries the one counts of which most words are there.
enum class Lines { kOne, kMany };  // one object; or any number of lines, each an object
struct Output {
  std::string_view command;
  std::string_view on;  // what must be there: operands from the first on, flags, "--" for a command
  std::string_view schema;  // share/schemas/output/SCHEMA.v1.json; empty: no JSON of its own
  Lines lines = Lines::kOne;
};
std::span<const Output> outputs();
std::vector<Output> outputs_of(std::string_view command);
std::string output_schema_uri(std::string_view schema);  // its $id

// "git txn run [OPTIONS] -- COMMAND..."
std::string usage_line(const CommandSpec& command);
// The known word nearest to a misspelt one; empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string_view> known);

// What the settings and variables mean, for the manual page of git-txn itself.
struct Setting {
  std::string_view name;
  std::string_view help;
};
std::span<const Setting> config_settings();
std::span<const Setting> environment_settings();
std::span<const Setting> exit_statuses();

}  // namespace gittxn::cli

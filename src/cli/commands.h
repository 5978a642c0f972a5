// The one tree of commands and flags. The entry of a command is in the file that has its handler
// (cli/commands/), and nothing else knows it: the parser, dispatch, help, the manual pages,
// completion, docs/commands.md and the contract of --json are all made from these entries.
//
// A command or a flag is `stable` (what it means and prints stays), `experimental` (may change in a
// minor version; so is an entry that says nothing) or `internal` (for our own tools; not shown).
// docs/STABILITY.md has what that promises. Names that belong to later versions are listed too, so
// that they are refused by name and never silently accepted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/fields.h"
#include "base/result.h"

namespace gittxn::api {
class Kernel;
}

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

// What a command does to the log, and so where it may be called.
enum class Effect {
  kReads,         // appends nothing; allowed inside of a transaction
  kWrites,        // may append, and then gives the events to their handlers; refused inside
  kWritesInside,  // the same, and allowed inside
};

enum class Need { kOptional, kNeeded };

struct FlagSpec {
  std::string_view name;   // "--onto"
  std::string_view label;  // how help calls the value: "BRANCH"; empty: a switch
  std::string_view help;   // one sentence without a full stop
  Value value = Value::kText;
  std::string_view letter = {};   // "-q"; empty: none
  std::string_view choices = {};  // kChoice: words between blanks
  Stability stability = Stability::kExperimental;
  Deprecation deprecated = {};
  Need need = Need::kOptional;
  std::optional<Effect> effect = {};  // that of the command when this is given

  bool is_switch() const { return label.empty(); }
};
constexpr FlagSpec stable(FlagSpec flag) {
  flag.stability = Stability::kStable;
  return flag;
}
// The same flag of a command that may change.
constexpr FlagSpec may_change(FlagSpec flag) {
  flag.stability = FlagSpec().stability;
  return flag;
}
// One that a command cannot do without.
constexpr FlagSpec needed(FlagSpec flag) {
  flag.need = Need::kNeeded;
  return flag;
}

struct OperandSpec {
  std::string_view label;  // "ID"
  Value value = Value::kText;
  int at_least = 1;  // how many of them
  int at_most = 1;
  std::string_view what = {};    // "the id of a workflow"; empty: the label says it
  std::string_view listed = {};  // the command that lists them
  std::string_view choices = {};
};

struct Example {
  std::string_view line;
  std::string_view says;
};

// What --json prints of a T: its fields, of which share/schemas/output/NAME.v1.json is made too.
template <typename T>
struct Printed {
  std::string_view name;
  std::string_view about;
  void (*list)(FieldIo& io, const T& value);

  FieldList operator()(const T& value) const {
    return [list_of_it = list, &value](FieldIo& io) { list_of_it(io, value); };
  }
};

// What --json prints. Of several entries the one counts of which most words are there.
enum class Lines { kOne, kMany };  // one object; or any number of lines, each an object
struct Output {
  // What another module writes, of a schema that is written by hand; "": no JSON of its own.
  Output(const char* name = "", std::string_view its_on = {}, Lines its_lines = Lines::kOne)
      : schema(name), on(its_on), lines(its_lines) {}
  template <typename T>
  Output(const Printed<T>& printed, std::string_view its_on = {}, Lines its_lines = Lines::kOne)
      : schema(printed.name),
        about(printed.about),
        fields([list = printed.list](FieldIo& io) { list(io, T{}); }),
        on(its_on),
        lines(its_lines) {}

  std::string_view schema;  // empty: none
  std::string_view about;
  FieldList fields;  // of a value that says nothing
  std::string on;    // what must be there: flags, "--" for a command
  Lines lines = Lines::kOne;
};

enum class Group {
  kDaily,
  kSteps,
  kLook,
  kMerge,
  kAgents,
  kPolicy,
  kSharing,
  kBacklog,
  kCare,
  kInternal,
};
struct GroupSpec {
  Group group;
  std::string_view name;  // "look", as in git txn help look
  std::string_view title;
};
std::span<const GroupSpec> groups();  // those that are shown

enum class Takes { kNothing, kMaybeCommand, kCommand };  // behind --

struct Session;
// Does what is asked for and returns the exit status. One that takes a kernel is given that of the
// repository; null: one of the subcommands has to be named.
using Handler = std::variant<std::nullptr_t, Result<int> (*)(Session&),
                             Result<int> (*)(Session&, api::Kernel&)>;

struct CommandSpec {
  std::string_view name;              // all its words: "lease acquire"
  std::string_view summary;           // "run a command in a transaction and land its change"
  std::string_view description = {};  // paragraphs between empty lines; empty: the summary says all
  Group group = Group::kInternal;     // of a command that is none of another's
  Stability stability = Stability::kExperimental;  // of a subcommand: that of its command
  Effect effect = Effect::kReads;
  Takes takes = Takes::kNothing;
  Handler handler = nullptr;
  std::vector<OperandSpec> operands = {};
  std::vector<FlagSpec> flags = {};  // besides those of every command
  std::vector<Example> examples = {};
  std::vector<Output> outputs = {};
  std::vector<CommandSpec> subcommands = {};
  std::string_view otherwise = {};  // which of these is meant where none is named: its last word
  Deprecation deprecated = {};      // of a former one nothing else is asked than its name
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
// By all its words; null: there is none of that name.
const CommandSpec* find_command(std::string_view name, const Table& table = command_table());
// The one whose name ends in this word; null: none.
const CommandSpec* find_word(std::span<const CommandSpec> among, std::string_view word);
// Every command with its subcommands behind it.
std::vector<const CommandSpec*> all_commands(const Table& table = command_table());
std::string_view last_word(const CommandSpec& command);  // "acquire"
bool needs_subcommand(const CommandSpec& command);       // it is none without one

// Of a command together with its subcommands: their flags, each name once, as the parser knows them
// before it knows the subcommand; and what they print, with the words that ask for it.
std::vector<FlagSpec> flags_of(const CommandSpec& command);
std::vector<Output> outputs_of(const CommandSpec& command);
std::string output_schema_uri(std::string_view schema);  // its $id
// "list|show|run"
std::string subcommand_words(const CommandSpec& command);

// "git txn run [OPTIONS] -- COMMAND..."
std::string usage_line(const CommandSpec& command);
// The known word nearest to a misspelt one; empty when none is near.
std::string nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace gittxn::cli

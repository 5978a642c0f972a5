#include "gates/units/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/fs.h"
#include "base/text.h"
#include "gates/generated.h"

namespace gittxn::gates {
namespace {

constexpr std::size_t kShown = 60;  // bytes of a name in a message

std::string shown(std::string_view name) {
  return encode_path(name.size() > kShown ? std::string(name.substr(0, kShown)) + "..."
                                          : std::string(name));
}

// Names, each once.
class Names {
 public:
  Status add(std::string_view name) {
    if (name.empty() || !known_.emplace(name).second) return {};
    if (name.size() > kMostUnitName) {
      return fail(Code::kRefused, fmt::format("the name of unit '{}' is longer than {} bytes",
                                              shown(name), kMostUnitName));
    }
    if (name.starts_with('-')) {
      return fail(Code::kRefused,
                  fmt::format("unit '{}' would be an option of its command", shown(name)),
                  "write it as a path that begins with ./");
    }
    if (names_.size() == kMostUnits) {
      return fail(Code::kRefused, fmt::format("there are more than {} units", kMostUnits),
                  "let one unit be more: a file of tests and not a test, for example");
    }
    names_.emplace_back(name);
    return {};
  }
  Result<std::vector<std::string>> take() {
    if (names_.empty()) {
      return fail(Code::kRefused, "there is no unit",
                  "see what 'units' of the gate in .gittxn.toml says");
    }
    return std::move(names_);
  }

 private:
  std::vector<std::string> names_;
  std::set<std::string, std::less<>> known_;
};

bool is_shell(std::string_view program) {
  constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "dash", "zsh", "ksh", "ash"};
  return std::ranges::find(kShells, base_name(program)) != kShells.end();
}

// The place of a shell's script among its arguments: behind -c, also as -ec.
std::size_t script_of(const std::vector<std::string>& command) {
  for (std::size_t i = 1; i + 1 < command.size(); ++i) {
    const std::string& option = command[i];
    if (!option.starts_with('-')) break;
    if (!option.starts_with("--") && option.ends_with('c')) return i + 1;
  }
  return command.size();
}

}  // namespace

Result<std::vector<std::string>> unit_names(std::string_view printed) {
  Names names;
  for (const std::string_view line : lines_of(printed)) TRY(names.add(line));
  return names.take();
}

Result<std::vector<std::string>> unit_names(const UnitsSpec& units, const repo::Objects& objects,
                                            const Oid& tree) {
  Names names;
  std::optional<Changes> files;
  for (const std::string& one : units.names) {
    if (!one.contains('*')) {
      TRY(names.add(one));
      continue;
    }
    if (!files) files = TRY(objects.diff(Oid(), tree));
    const auto glob = parse_glob(one);
    for (const PathChange& file : *files) {
      if (glob && !file.is_directory() && is_one_of(*glob, file.path)) TRY(names.add(file.path));
    }
  }
  return names.take();
}

std::vector<std::string> unit_command(const std::vector<std::string>& command,
                                      std::string_view name) {
  std::vector<std::string> argv;
  for (const std::string& word : command) {
    std::string made;
    std::size_t from = 0;
    for (std::size_t at = word.find(kUnitWord); at != word.npos; at = word.find(kUnitWord, from)) {
      made += word.substr(from, at - from);
      made += name;
      from = at + kUnitWord.size();
    }
    argv.push_back(made + word.substr(from));
  }
  return argv;
}

std::optional<std::string> unit_command_problem(const std::vector<std::string>& command) {
  const auto names = [](const std::string& word) { return word.contains(kUnitWord); };
  if (std::ranges::none_of(command, names)) return "has no \"{unit}\" among its arguments";
  if (names(command.front())) return "is run as a program that the unit names";
  if (!is_shell(command.front())) return std::nullopt;
  const std::size_t script = script_of(command);
  if (script == command.size() || !names(command[script])) return std::nullopt;
  return "has \"{unit}\" in the text of a shell, where a name could be a command";
}

}  // namespace gittxn::gates

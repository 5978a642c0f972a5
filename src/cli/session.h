// One run of the program: what was asked, what the process is, where things are printed. The
// handlers of the commands get one and return the exit status.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kernel.h"
#include "cli/parse.h"
#include "cli/reporter.h"
#include "cli/text.h"

namespace gittxn::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitNo = 1;
inline constexpr int kExitFault = 2;
inline constexpr int kExitUsage = 3;
// Of a merge driver: to git, 1 to 128 is a conflict whose text has been written.
inline constexpr int kExitDriver = 129;

std::string json_line(const FieldList& object);
template <typename T>
std::string json_lines(const std::vector<T>& values, const Printed<T>& printed) {
  std::string all;
  for (const T& value : values) all += json_line(printed(value));
  return all;
}

// Standard output. A reader that went away (`| head`) ends the printing quietly; any other failure
// is remembered, because a result that nobody got is a fault.
class Printer {
 public:
  explicit Printer(int fd) : fd_(fd) {}
  void text(std::string_view bytes);
  void json(const FieldList& object) { text(json_line(object)); }
  const std::optional<Error>& failure() const { return failure_; }
  bool gone() const { return gone_; }  // nobody reads any more, or it failed

 private:
  int fd_;
  bool gone_ = false;
  std::optional<Error> failure_;
};

struct Session {
  Parsed args;
  std::vector<std::string> arguments;  // as they were given
  int supervisor = -1;                 // of a detached run (detach.h); -1: there is none
  api::Host host;
  Style style;  // of standard output
  bool output_is_terminal = false;
  Printer* out = nullptr;
  Reporter* reporter = nullptr;

  const std::string& id() const { return args.operands.at(0); }  // of commands that take one
  bool json() const { return args.has("--json"); }
  bool is_supervised() const { return supervisor >= 0; }
  bool quiet() const { return args.has("--quiet"); }
  std::optional<std::string> flag(const std::string& name) const { return args.text(name); }
  std::string text_of(const std::string& flag) const { return args.text(flag).value_or(""); }
  api::Progress progress() const { return reporter->progress(); }

  // The end of a command, which is kExitDone. With --json the object, else the text;
  int show(const FieldList& object, std::string_view text) const;
  // of one that did something, -q leaves the text out;
  int done(const FieldList& object, std::string_view text) const;
  // of one that made something, -q leaves of the text its id.
  int made(const FieldList& object, std::string_view id, std::string_view text) const;
  // Of one that lists: with --json each as a line, else its text, or `none` where there is none.
  template <typename Line, typename ToText>
  int list(const std::vector<Line>& lines, const Printed<Line>& printed, ToText to_text,
           std::string_view none = {}) const {
    reporter->finish();
    std::string all(lines.empty() ? none : "");
    for (const Line& line : lines) all += to_text(line);
    out->text(json() ? json_lines(lines, printed) : all);
    return kExitDone;
  }
};

// "" where it is not set.
std::string variable(const Environment& env, const std::string& name);
int exit_status(Code code);
// Refuses, by name, what must not be done from inside a transaction.
Status check_inside(const Session& session);
// Runs the command that was parsed.
Result<int> dispatch(Session& session);

}  // namespace gittxn::cli

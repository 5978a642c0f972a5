// logs, attach: what detached runs print.
#include <fmt/format.h>

#include <utility>

#include "api/output.h"
#include "base/json.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::int64_t kFollowLookMs = 100;
constexpr int kLooksAtTheDead = 5;  // a supervisor is there a moment after its folder
constexpr std::size_t kLongestLine = 64u << 10;
constexpr std::int64_t kFirstShown = 20;  // lines

struct PrintedLine {
  TxnId txn;
  std::uint64_t cut = 0;
  std::string text;
};
constexpr Printed<PrintedLine> kLogsJson{
    "logs", "A line that a detached run printed. One a line, in their order.",
    [](FieldIo& io, const PrintedLine& line) {
      io.text("txn", line.txn.str());
      io.integer({"cut", "Bytes before it that are not kept any more."}, line.cut, kNotNegative);
      io.text("text", line.text);
    }};

// Shows output as it comes: byte for byte where it is piped, by lines and harmless on a terminal.
class Shown {
 public:
  enum class As { kBytes, kLines, kJson };
  Shown(Session& session, Printer& out, TxnId id, As as)
      : session_(session), out_(out), id_(std::move(id)), as_(as) {}

  void add(const api::OutputPiece& piece) {
    if (piece.cut > 0) {
      end_line();
      session_.reporter->note(fmt::format(
          "the {} bytes that it printed before are cut: only the newest are kept", piece.cut));
      cut_ += piece.cut;
    }
    if (as_ == As::kBytes) return out_.text(piece.bytes);
    for (const char c : piece.bytes) {
      line_ += c;
      if (c == '\n' || line_.size() >= kLongestLine) end_line();
    }
  }
  // Is to be called once more after the last.
  void end_line() {
    if (line_.empty()) return;
    if (as_ == As::kLines) out_.text(clean_lines(line_));
    if (as_ == As::kJson) {
      if (line_.ends_with('\n')) line_.pop_back();
      out_.json(kLogsJson({id_, std::exchange(cut_, 0), line_}));
    }
    line_.clear();
  }
  bool gone() const { return out_.gone(); }

 private:
  Session& session_;
  Printer& out_;
  TxnId id_;
  As as_;
  std::string line_;
  std::uint64_t cut_ = 0;
};

enum class Follow { kNo, kToTheEnd };
// True: all is shown. False: the person has had enough, or nobody reads.
Result<bool> show_output(Session& session, const std::string& folder, api::OutputReader& reader,
                         Shown& shown, Follow follow) {
  const api::Progress progress = session.progress();
  for (int dead = 0; true;) {
    // All that is printed before the end is there when the end is.
    dead = api::is_written(folder) ? 0 : dead + 1;
    const bool over = TRY(api::run_end(folder)).has_value() || dead > kLooksAtTheDead;
    api::OutputPiece piece = TRY(reader.next());
    while (!piece.bytes.empty() && !shown.gone()) {
      shown.add(piece);
      piece = TRY(reader.next());
    }
    if (shown.gone()) return false;
    if (over || follow == Follow::kNo) break;
    if (progress.is_interrupted()) return false;
    session.host.clock->sleep_ms(kFollowLookMs);
  }
  shown.end_line();
  return true;
}

Result<int> logs_command(Session& session, api::Kernel& kernel) {
  using enum Shown::As;
  const api::KeptOutput kept = TRY(api::find_output(kernel, session.id()));
  api::OutputReader reader(kept.folder);
  if (session.args.has("--lines")) {
    TRY(reader.go_to_last(static_cast<std::size_t>(session.args.number("--lines", 0))));
  }
  const auto as = session.json() ? kJson : session.output_is_terminal ? kLines : kBytes;
  Shown shown(session, *session.out, kept.txn.id, as);
  const auto follow = session.args.has("--follow") ? Follow::kToTheEnd : Follow::kNo;
  TRY(show_output(session, kept.folder, reader, shown, follow));
  const auto end = TRY(api::run_end(kept.folder));
  if (end && !end->lost.empty()) {
    session.reporter->note("the end of what it printed is not kept: " + end->lost);
  }
  return kExitDone;
}

// The end of the run, as the run itself has told it. It may have gone on since.
Result<int> tell_end(Session& session, const api::KeptOutput& kept) {
  const std::string& id = kept.txn.id.str();
  const auto end = TRY(api::run_end(kept.folder));
  if (!end || end->result.empty()) {
    const bool unfinished = api::is_unfinished(kept.txn);
    const std::string look = ", or look first: git txn diff " + id;
    const std::string next = is_final(kept.txn.state) ? "see: git txn show " + id
                             : unfinished ? "to go on with it: git txn resume " + id + look
                                          : "to land what it did: git txn commit " + id + look;
    return fail(Code::kFault, "the process that ran " + id + " was killed", next);
  }
  if (session.json()) session.out->text(end->result);
  const auto result = parse_json(trimmed(end->result));
  const std::string then = result ? std::as_const(*result)["state"].text_or("") : "";
  if (!then.empty() && is_final(kept.txn.state) && then != state_name(kept.txn.state)) {
    session.reporter->note("since then: " + std::string(trimmed(state_sentence(kept.txn, {}))));
  }
  return end->exit;
}

Result<int> attach_command(Session& session, api::Kernel& kernel) {
  using enum Shown::As;
  const api::KeptOutput kept = TRY(api::find_output(kernel, session.id()));
  const std::string& id = kept.txn.id.str();
  api::OutputReader reader(kept.folder);
  TRY(reader.go_to_last(static_cast<std::size_t>(session.args.number("--lines", kFirstShown))));
  Printer err(2);  // beside a result for programs, as that of run
  Shown shown(session, session.json() ? err : *session.out, kept.txn.id,
              session.output_is_terminal ? kLines : kBytes);
  if (!TRY(show_output(session, kept.folder, reader, shown, Follow::kToTheEnd))) {
    return fail(Code::kInterrupted, id + " goes on, and is not followed any more",
                fmt::format("follow it again with: git txn attach {0}; end it with: git txn stop "
                            "{0}",
                            id));
  }
  session.reporter->finish();
  return tell_end(session, TRY(api::find_output(kernel, id)));
}

constexpr FlagSpec kLines{"--lines", "N", "begin with the last N lines (default: all)",
                          Value::kNumber, "-n"};

const CommandSpec kLogsCommand{
    .name = "logs",
    .summary = "show what a detached run printed",
    .description =
        "Standard output and standard error of a command that was started with git txn run "
        "--detach, and what git-txn said beside them, in their order. Of one that prints much the "
        "last 15 to 16 MiB are kept, and a note says how much is cut. They stay until a git txn gc "
        "that runs more than seven days after the end.",
    .group = Group::kLook,
    .handler = logs_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--follow", "", "go on with what comes, until the run has ended", Value::kText,
               "-f"},
              kLines},
    .examples = {{"git txn logs t-7k2m", "all that it printed"},
                 {"git txn logs t-7k2m -n 20 -f", "the last lines, and what comes until it ends"}},
    .outputs = {{kLogsJson, "", Lines::kMany}}};

const CommandSpec kAttachCommand{
    .name = "attach",
    .summary = "follow a detached run to its end",
    .description =
        "Shows the last lines that it printed and then what it prints, until it ends. The last "
        "sentence and the exit status are then those that git txn run would have had; with --json "
        "they go to standard output, and the rest to standard error.\n\nCtrl-C, or a terminal that "
        "is lost, ends the following alone: the run goes on. To end the run, use git txn stop. Any "
        "number may follow the same run.",
    .group = Group::kSteps,
    .handler = attach_command,
    .operands = {{"ID", Value::kTxn}},
    .flags = {{"--lines", "N", "begin with the last N lines (default 20)", Value::kNumber, "-n"}},
    .examples = {{"git txn attach t-7k2m", "follow it; Ctrl-C leaves it alone"},
                 {"git txn attach t-7k2m --json | jq -r .outcome", "wait for what comes of it"}},
    .outputs = {{kOutcomeJson}}};

}  // namespace

std::vector<CommandSpec> output_commands() {
  return {kLogsCommand, kAttachCommand};
}

}  // namespace gittxn::cli

#include "cli/render.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "base/json.h"
#include "cli/json_out.h"
#include "cli/reporter.h"

namespace gittxn::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Style kPlain{};

Oid oid(char c) {
  return Oid(std::string(40, c));
}

api::Outcome outcome(TxnState state) {
  api::Outcome out;
  out.txn.id = TxnId("t-7k2m");
  out.txn.name = "fix auth";
  out.txn.state = state;
  out.txn.target = RefName("refs/heads/main");
  out.txn.attempts.resize(1);
  out.reads.complete = true;
  out.reads.reads.resize(41);
  out.writes = {{"a", {}, {FileMode::kFile, oid('1')}}, {"b", {FileMode::kFile, oid('2')}, {}}};
  out.head_before = oid('3');
  out.command_ms = 240'000;
  out.total_ms = 241'800;
  return out;
}

TEST(OutcomeLine, LandedIsTheSentenceOfTheDesign) {
  api::Outcome landed = outcome(TxnState::kLanded);
  landed.txn.landed_commit = oid('8');
  landed.gates.resize(2);
  landed.gates[0].certificate.gate = GateName("test");
  landed.gates[1].certificate.gate = GateName("lint");
  for (auto& gate : landed.gates) gate.certificate.passed = true;
  landed.gates[1].reused = true;
  EXPECT_EQ(outcome_lines(landed, kPlain),
            "landed  t-7k2m \"fix auth\"  main 3333333 → 8888888   "
            "2 files · 41 reads certified · "
            "2 gates (1 reused) · 1.8 s + agent 4 min\n");
}

TEST(OutcomeLine, CountsTheUnitsOfGatesThatRan) {
  api::Outcome landed = outcome(TxnState::kLanded);
  landed.txn.landed_commit = oid('8');
  landed.gates.resize(2);
  for (auto& gate : landed.gates) gate.certificate.passed = true;
  landed.gates[0].certificate.tally = {.units = 40, .ran = 3, .carried = 37, .saved_ms = 37'000};
  landed.gates[1].certificate.tally = {.units = 7, .ran = 7};
  landed.gates[1].reused = true;
  EXPECT_THAT(outcome_lines(landed, kPlain), HasSubstr("2 gates (1 reused, 3 of 47 units run)"));
  landed.mended = {{"rename", "a\n.py"}, {"rerere", "b"}, {"rename", "c"}, {"rename", "d"}};
  EXPECT_THAT(outcome_lines(landed, kPlain),
              HasSubstr("\n  mended a\\n.py (rename), b (rerere), c (rename) and 1 more\n"));
  EXPECT_EQ(units_text(landed.gates[0]), "40 units: 3 run, 37 carried over, 37 s saved");
  EXPECT_EQ(units_text(landed.gates[1]), "7 units: 0 run, 7 carried over");
  landed.gates[0].certificate.tally = {.units = 9, .ran = 2, .carried = 3, .failed = 1};
  EXPECT_EQ(units_text(landed.gates[0]), "9 units: 2 run, 3 carried over, 1 failed, 4 not reached");
  landed.gates[0].certificate.tally = {.units = 1, .ran = 1, .failed = 1, .flaky = 1};
  EXPECT_EQ(units_text(landed.gates[0]), "1 unit: 1 run, 0 carried over, 1 flaky, 1 failed");
}

TEST(OutcomeLine, EveryOtherEndSaysWhyAndWhatToTypeNext) {
  api::Outcome failed = outcome(TxnState::kOpen);
  failed.command_exit = 7;
  failed.next = "git txn commit t-7k2m";
  EXPECT_EQ(outcome_lines(failed, kPlain),
            "open    t-7k2m \"fix auth\"  main  the command ended with 7; nothing landed, the work "
            "is kept\n  2 files · 41 reads · 1.8 s + agent 4 min\nnext: git txn commit t-7k2m\n"
            "outcome: command-failed\n");

  api::Outcome waits = outcome(TxnState::kPrepared);
  waits.txn.waiting_reason = "uncommitted edits";
  waits.txn.waiting_subject = "src/a.c";
  EXPECT_THAT(outcome_lines(waits, kPlain),
              StartsWith("waiting t-7k2m \"fix auth\"  main  you: uncommitted edits in "
                         "src/a.c; commit it or stash it\n"));

  EXPECT_THAT(outcome_lines(waits, kPlain), EndsWith("\noutcome: waiting\n"));

  api::Outcome nothing = outcome(TxnState::kNothing);
  nothing.writes.clear();
  EXPECT_THAT(outcome_lines(nothing, kPlain),
              StartsWith("nothing t-7k2m \"fix auth\"  main  no change to land "));
  EXPECT_THAT(outcome_lines(nothing, kPlain), Not(HasSubstr("outcome:")));
  nothing.txn.landed_commit = oid('8');
  EXPECT_THAT(outcome_lines(nothing, kPlain),
              StartsWith("merged  t-7k2m \"fix auth\"  main  its change is there as 8888888 "));

  api::Outcome rejected = outcome(TxnState::kRejected);
  rejected.gates.resize(1);
  rejected.gates[0].certificate.gate = GateName("test");
  rejected.gates[0].certificate.timed_out = true;
  EXPECT_THAT(outcome_lines(rejected, kPlain),
              StartsWith("rejected t-7k2m \"fix auth\"  main  gate test timed out"));

  api::Outcome stale = outcome(TxnState::kQuarantined);
  stale.txn.attempts.resize(3);
  stale.conflicts = {{ConflictKind::kReadStale, "src/f1.txt", "1", "2", "t-9abc", "", "", ""}};
  std::string lines = outcome_lines(stale, kPlain);
  EXPECT_THAT(lines, HasSubstr("did not land after 3 tries"));
  EXPECT_THAT(lines, HasSubstr("\n  src/f1.txt  was read; changed since by t-9abc\n"));

  stale.reads.complete = false;
  stale.reads.unknown_reason = "a daemon";
  EXPECT_THAT(outcome_lines(stale, kPlain), HasSubstr("reads unknown (a daemon)"));
}

TEST(OutcomeLine, WhatAnAgentNamedCannotDriveTheTerminal) {
  api::Outcome evil = outcome(TxnState::kQuarantined);
  evil.txn.name = "\x1b]0;owned\x07\nlanded";
  evil.next = "git txn why t-7k2m";
  evil.conflicts = {
      {ConflictKind::kWriteWrite, "a\x1b[2J\n\xffz", "", "", "\x9b[1m\u202e", "", "", ""}};
  evil.repairs = {"\x1b[31m"};
  std::string lines = outcome_lines(evil, kPlain) + show_lines(evil, kPlain);
  EXPECT_THAT(lines, Not(HasSubstr("\x1b")));
  EXPECT_THAT(lines, Not(HasSubstr("\x07")));
  EXPECT_THAT(lines, Not(HasSubstr("\xff")));
  EXPECT_THAT(lines, Not(HasSubstr("\u202e")));
  EXPECT_THAT(lines, HasSubstr("a\\x1b[2J\\n\\xffz"));
  for (const std::string& note : outcome_notes(evil))
    EXPECT_THAT(clean(note), Not(HasSubstr("\x1b")));
}

TEST(Clean, LeavesTextAndWritesOutTheRest) {
  const std::string plain = "plain – grüße – 漢字 – 🙂";
  EXPECT_EQ(clean(plain), plain);
  EXPECT_EQ(clean("a\tb\nc\rd\x7f"), "a\\tb\\nc\\x0dd\\x7f");
  EXPECT_EQ(clean("\xc2\x9b"
                  "31m"),
            "\\x9b31m")
      << "a C1 control is one, also as UTF-8";
  EXPECT_EQ(clean("\xc0\xaf \xed\xa0\x80 \xf5"), "\\xc0\\xaf \\xed\\xa0\\x80 \\xf5");
  EXPECT_EQ(clean("\u2066x\u2069\u2028"), "\\u2066x\\u2069\\u2028");
  EXPECT_EQ(clean("\xe2\x82"), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(clean_lines("a\n\tb\x1b"), "a\n\tb\\x1b");
}

TEST(Text, CutAndPaddedCountCharacters) {
  EXPECT_EQ(cut("grüße", 5), "grüße");
  EXPECT_EQ(cut("grüßen", 5), "grüß…");
  EXPECT_EQ(padded("ü", 3), "ü  ");
  EXPECT_EQ(counted(1, "file"), "1 file");
  EXPECT_EQ(counted(0, "try", "tries"), "0 tries");
}

TEST(Status, SaysWhoRunsWhatIsStaleAndWhatToType) {
  api::StatusReport report;
  api::StatusReport::Line open;
  open.txn = outcome(TxnState::kOpen).txn;
  open.txn.attempts.back().traces = {"trace.1"};
  open.txn.attempts.back().command_exit = 0;
  open.txn.created_wall_ms = 1'000'000;
  open.stale = {"src/f1.txt (t-9abc)"};
  report.lines.push_back(open);
  api::StatusReport::Line waits = open;
  waits.txn.id = TxnId("t-wait");
  waits.txn.state = TxnState::kPrepared;
  waits.txn.waiting_reason = "uncommitted edits";
  waits.txn.waiting_subject = "a";
  waits.owner_alive = true;
  waits.stale.clear();
  report.lines.push_back(waits);
  report.uncommitted = true;
  std::string text = status_lines(report, 1'120'000, kPlain);
  EXPECT_EQ(text,
            "main\n"
            "  open        t-7k2m \"fix auth\"  begun 2 min ago  land it: git txn commit t-7k2m\n"
            "              stale: src/f1.txt (t-9abc)\n"
            "  waiting     t-wait \"fix auth\"  for 2 min  you: uncommitted edits in a; commit it "
            "or stash it\n"
            "your checkout has uncommitted changes, which no snapshot contains\n");
  EXPECT_THAT(status_lines({}, 0, kPlain), HasSubstr("git txn run"));
}

TEST(Status, DoesNotAdviseWhatIsRefused) {
  api::StatusReport report;
  report.lines.emplace_back();
  report.lines.back().txn = outcome(TxnState::kOpen).txn;
  report.lines.back().refused = true;
  EXPECT_THAT(status_lines(report, 0, kPlain), HasSubstr("its phase was left: git txn why t-7k2m"));
  report.lines.back().txn.state = TxnState::kPrepared;
  EXPECT_THAT(status_lines(report, 0, kPlain), HasSubstr("its process exited: git txn why t-7k2m"));
}

TEST(Status, TellsABegunAFailedADeadAndARunningOneApart) {
  const auto line = [](std::optional<int> exit, std::vector<std::string> traces) {
    api::StatusReport report;
    report.lines.emplace_back();
    api::StatusReport::Line& one = report.lines.back();
    one.txn = outcome(TxnState::kOpen).txn;
    one.txn.command = {"make", "fmt"};
    one.txn.attempts.back().command_exit = exit;
    one.txn.attempts.back().traces = std::move(traces);
    return report;
  };
  const auto text = [](const api::StatusReport& report) {
    return status_lines(report, 10'000, kPlain);
  };
  api::StatusReport by_hand = line({}, {});
  by_hand.lines[0].txn.command.clear();
  EXPECT_THAT(text(by_hand), HasSubstr("  open   "));
  EXPECT_THAT(text(by_hand), HasSubstr("nothing has run in it: git txn exec t-7k2m -- "));
  EXPECT_THAT(text(line({}, {})),
              HasSubstr("its process exited; go on with it: git txn resume t-7k2m"))
      << "killed before its command was started";
  EXPECT_THAT(text(line(7, {"t"})), HasSubstr("  failed   "));
  EXPECT_THAT(text(line(7, {"t"})),
              HasSubstr("the command ended with 7; go on with it: git txn resume t-7k2m"));
  EXPECT_THAT(text(line({}, {"t"})), HasSubstr("  died   "));
  EXPECT_THAT(text(line({}, {"t"})),
              HasSubstr("its process exited; go on with it: git txn resume t-7k2m"));
  api::StatusReport running = line({}, {"t"});
  running.lines[0].owner_alive = true;
  running.lines[0].process = 4711;
  running.lines[0].last_call_wall_ms = 6'500;
  EXPECT_THAT(text(running), HasSubstr("  running   "));
  EXPECT_THAT(text(running), HasSubstr("pid 4711, last call 3 s ago  make fmt\n"));
  const Json json = json_of(kStatusJson(running))["transactions"][0];
  EXPECT_EQ(json["process"], 4711);
  EXPECT_EQ(json["last_call"], "1970-01-01T00:00:06.500Z");
}

TEST(Status, SaysWhatBecameOfALandingAndWhereWorkIs) {
  api::StatusReport report;
  report.lines.resize(3);
  for (api::StatusReport::Line& line : report.lines) {
    line.txn = outcome(TxnState::kLanded).txn;
    line.txn.landed_commit = oid('8');
  }
  report.lines[0].landing = {api::LandingNow::How::kGone, {}};
  report.lines[1].landing = {api::LandingNow::How::kRewritten, oid('9')};
  report.lines[2].txn.state = TxnState::kOpen;
  report.lines[2].txn.clone = "two";
  report.lines[2].elsewhere = true;
  const std::string text = status_lines(report, 0, kPlain);
  EXPECT_THAT(text, HasSubstr("8888888  (no longer on main)\n"));
  EXPECT_THAT(text, HasSubstr("8888888  (now 9999999)\n"));
  EXPECT_THAT(text, HasSubstr("in the clone two\n"));
  EXPECT_THAT(text, Not(HasSubstr("git txn commit"))) << "refused here";
  const Json json = json_of(kStatusJson(report))["transactions"];
  EXPECT_TRUE(json[0]["commit_now"].is_null());
  EXPECT_EQ(json[1]["commit_now"], oid('9').str());
}

TEST(Waits, AreSentencesWithWhatEndsThem) {
  EXPECT_EQ(wait_line(WaitReason::kTurn, "refs/heads/main"), "waiting for another landing on main");
  EXPECT_EQ(wait_line(WaitReason::kUnmerged, "a\x1b"),
            "waiting for you: an unresolved merge conflict in a\\x1b; resolve it, git add it and "
            "commit");
  EXPECT_EQ(wait_line(WaitReason::kNoAnswer, "origin"),
            "waiting: the remote does not answer: origin");
}

TEST(Gc, CountsRefsAndTellsOfBytesThatWereFreed) {
  EXPECT_EQ(gc_lines({{"refs/txn/t-1/1", "refs/txn/t-1/base-1"}, 0, {"t-2: open, not landed"}}),
            "removed  2 refs of transactions that have ended\nkept     t-2: open, not landed\n");
  EXPECT_EQ(gc_lines({{"worktree /w"}, 2048, {}}), "removed  worktree /w\nfreed 2 KiB\n");
  EXPECT_EQ(gc_lines({}), "nothing to remove\n");
}

TEST(Show, SaysThatItRuns) {
  api::Outcome shown = outcome(TxnState::kOpen);
  shown.process = 4711;
  const std::string text = show_lines(shown, kPlain);
  EXPECT_THAT(text, HasSubstr("  running\n"));
  EXPECT_THAT(text, HasSubstr("  process    pid 4711\n"));
}

TEST(OutcomeLine, ACommandThatFailedAndChangedNothingHasEnded) {
  api::Outcome failed = outcome(TxnState::kNothing);
  failed.writes.clear();
  failed.command_exit = 3;
  failed.command_failed = true;
  EXPECT_THAT(outcome_lines(failed, kPlain),
              StartsWith("nothing t-7k2m \"fix auth\"  main  the command ended with 3 and changed "
                         "nothing\n"));
  EXPECT_EQ(api::exit_code(failed), 1);
}

TEST(Conflicts, AnUncommittedReadIsSaidToBeOne) {
  const Conflict conflict{ConflictKind::kReadStale,
                          "a",
                          std::string(kUncommitted) + "1",
                          "2",
                          "nobody on record",
                          "",
                          "",
                          ""};
  EXPECT_EQ(conflict_lines(conflict, kPlain),
            "  a  was read with an uncommitted edit in it, which is not on the branch; commit it "
            "first\n");
}

TEST(Status, TellsAgesInWholeSeconds) {
  api::StatusReport report;
  report.lines.emplace_back();
  report.lines.back().txn = outcome(TxnState::kOpen).txn;
  report.lines.back().txn.created_wall_ms = 1'000'000;
  const auto text = [&](std::int64_t age_ms) {
    return status_lines(report, 1'000'000 + age_ms, kPlain);
  };
  EXPECT_THAT(text(999), HasSubstr("  begun just now  "));
  EXPECT_THAT(text(-5'000), HasSubstr("  begun just now  ")) << "the wall clock was set back";
  EXPECT_THAT(text(1'000), HasSubstr("  begun 1 s ago  "));
  EXPECT_THAT(text(9'999), HasSubstr("  begun 9 s ago  "));
  EXPECT_THAT(text(10'500), HasSubstr("  begun 10 s ago  "));
  report.lines.back().owner_alive = true;
  report.lines.back().txn.attempts.back().command_exit.reset();
  EXPECT_THAT(text(2'700), HasSubstr("  for 2 s\n"));
}

TEST(Log, OneLineEach) {
  std::vector<api::LogLine> lines(2);
  lines[0] = {7,          "2026-11-21T11:02:25.000Z", oid('8'),         TxnId("t-7k2m"),
              "fix auth", RefName("refs/heads/main"), "pat@example.org"};
  lines[1] = {6,       "2026-11-21T11:01:00.000Z", oid('7'),
              TxnId(), "a person was here",        RefName("refs/heads/main"),
              "Pat"};
  EXPECT_EQ(landing_line(lines[0], kPlain),
            "8888888  2026-11-21 11:02  t-7k2m    main    fix auth  pat@example.org\n");
  EXPECT_EQ(landing_line(lines[1], kPlain),
            "7777777  2026-11-21 11:01  outside   main    a person was here  Pat\n");
  const Json first = json_of(kLogJson(lines[0]));
  EXPECT_EQ(first["txn"], "t-7k2m");
  EXPECT_EQ(first["seq"], 7);
  lines[0].landing = {api::LandingNow::How::kGone, {}};
  EXPECT_THAT(landing_line(lines[0], kPlain), HasSubstr("pat@example.org  (no longer on main)\n"));
}

TEST(Why, ShowsTheWitnessAndTheNextStep) {
  api::WhyReport report;
  report.txn = outcome(TxnState::kQuarantined).txn;
  report.conflicts = {
      {ConflictKind::kReadStale, "a", "1", "", "Pat", "look again", "pid 7, cat a", ""}};
  report.witnesses = {{"a", "@@ -1 +0,0 @@\n-old\x1b\n"}, {"gate tests", ""}};
  report.history = {"begun"};
  report.next = {"git txn resume t-7k2m"};
  std::string text = why_lines(report, kPlain);
  EXPECT_THAT(
      text,
      HasSubstr("a  was read; removed since by Pat\n    look again\n    read by pid 7, cat a\n"));
  EXPECT_THAT(text, HasSubstr("-old\\x1b\n"));
  EXPECT_THAT(text, HasSubstr("\ngate tests\nit printed nothing\n"));
  EXPECT_THAT(text, HasSubstr("\nnext\n  git txn resume t-7k2m\n"));
  EXPECT_THAT(text, Not(HasSubstr("earlier try")));
  Style colour{true};
  EXPECT_THAT(why_lines(report, colour), HasSubstr("\x1b[31m-old\\x1b\x1b[0m"));
  report.txn.state = TxnState::kLanded;
  EXPECT_THAT(why_lines(report, kPlain), HasSubstr("an earlier try did not land:\n  a  was read"));
}

TEST(Json, AnOutcomeHasEveryDocumentedField) {
  api::Outcome nothing = outcome(TxnState::kNothing);
  const Json json = json_of(kOutcomeJson(nothing));
  for (const char* key : {"txn", "name", "state", "waiting", "branch", "base", "head_before",
                          "commit", "isolation", "read_set", "writes", "conflicts", "repairs",
                          "gates", "attempts", "command_exit", "duration_ms"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_EQ(json["state"], "nothing");
  EXPECT_EQ(json["waiting"], nullptr);
  EXPECT_EQ(json["commit"], nullptr);
}

TEST(Json, ErrorsAndListsHaveTheirFields) {
  Json error = json_of(kErrorJson(Error{Code::kRefused, "no", "do this", ""}));
  EXPECT_EQ(dump_json(error), R"({"error":{"code":"refused","hint":"do this","message":"no"}})");
  ReadSet set;
  set.reads.resize(2);
  set.reads[0].subject = "b\xff";
  set.reads[1].subject = "a";
  std::string lines = reads_json_lines(set, kReadJson);
  EXPECT_LT(lines.find("\"subject\":\"a\""), lines.find("\"subject\":\"b%FF\""));
  for (const char* key : {"kind", "subject", "digest", "strength", "source", "op"}) {
    EXPECT_TRUE(parse_json(lines.substr(0, lines.find('\n'))).value().contains(key)) << key;
  }
}

// What a reporter writes, through a pipe.
class Reports : public ::testing::Test {
 protected:
  struct TickClock final : Clock {
    std::int64_t wall_ms() const override { return 0; }
    std::int64_t monotonic_ns() const override { return now_ns; }
    std::int64_t boot_ms() const override { return 0; }
    std::string boot_id() const override { return "boot"; }
    void sleep_ms(std::int64_t) override {}
    std::int64_t now_ns = 0;
  };
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    in_ = UniqueFd(ends[0]);
    out_ = UniqueFd(ends[1]);
    options_.fd = out_.get();
    options_.clock = &clock_;
    options_.pending = &pending_;
  }
  std::string text() {
    std::array<char, 65536> buffer;
    ssize_t n = read(in_.get(), buffer.data(), buffer.size());
    return n <= 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(n));
  }
  UniqueFd in_, out_;
  TickClock clock_;
  std::atomic<int> pending_{0};
  ReporterOptions options_;
};

TEST_F(Reports, GateOutputLineByLineWithoutEscapes) {
  Reporter reporter(options_);
  api::Progress progress = reporter.progress();
  progress.on_gate_output("test", "one\r\ntwo \x1b[2J");
  EXPECT_EQ(text(), "test: one\n");
  progress.on_gate_output("test", "end\nlast");
  reporter.finish();
  EXPECT_EQ(text(), "test: two \\x1b[2Jend\ntest: last\n");
}

TEST_F(Reports, AWaitIsSaidOnceAndNotesAreQuietWhenAsked) {
  Reporter reporter(options_);
  api::Progress progress = reporter.progress();
  progress.on_wait(WaitReason::kUnstaged, "a");
  progress.on_wait(WaitReason::kUnstaged, "a");
  progress.on_note("look\nhere");
  EXPECT_EQ(text(),
            "waiting for you: uncommitted edits in a; commit it or stash it\nnote: look\\nhere\n");
  options_.loudness = Loudness::kQuiet;
  Reporter quiet(options_);
  quiet.note("x");
  quiet.progress().on_gate_output("test", "x\n");
  quiet.progress().on_wait(WaitReason::kTurn, "y");
  EXPECT_EQ(text(), "");
}

TEST_F(Reports, TheLineAppearsAtOnceAndOnlyOnATerminal) {
  options_.terminal = true;
  Reporter reporter(options_);
  api::Progress progress = reporter.progress();
  progress.on_phase("checking out");
  EXPECT_EQ(text(), "\r\x1b[Kchecking out") << "it may not come back for long";
  EXPECT_FALSE(progress.interrupted());
  EXPECT_EQ(text(), "");
  clock_.now_ns += 2'500'000'000;
  progress.interrupted();
  EXPECT_EQ(text(), "\r\x1b[Kchecking out  2 s");
  progress.interrupted();
  EXPECT_EQ(text(), "") << "not more often than a person can read";
  progress.on_note("x");
  EXPECT_EQ(text(), "\r\x1b[Knote: x\n");
  progress.on_phase("running");
  clock_.now_ns += 9'000'000'000;
  progress.interrupted();
  EXPECT_EQ(text(), "") << "the terminal is the command's";
  options_.terminal = false;
  Reporter piped(options_);
  piped.progress().on_phase("checking out");
  clock_.now_ns += 9'000'000'000;
  piped.progress().interrupted();
  EXPECT_EQ(text(), "");
}

TEST_F(Reports, EachRequestToStopIsTakenOnce) {
  Reporter reporter(options_);
  api::Progress progress = reporter.progress();
  pending_ = 2;
  EXPECT_TRUE(progress.interrupted());
  EXPECT_TRUE(progress.interrupted());
  EXPECT_FALSE(progress.interrupted());
}

}  // namespace
}  // namespace gittxn::cli

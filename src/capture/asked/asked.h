// Questions: which processes are ones (model/read.h), and which looks are theirs.
//
// A process whose arguments are known to ask something (questions/) is a candidate from its exec to
// its end, with everything that it starts. While the records are read, each look carries the number
// of the innermost candidate that made it; after the last record it belongs to the outermost one
// that turned out to be a question, or to none, and then counts as any look does. A candidate is no
// question where anything is missing or unusual: this fails closed, with a reason for people.
//
// The rules are those of docs/design/0040-answers.md:
//   - it ended with a known status (a runner: with 0), after everything that it had started
//   - its standard input was nothing, or a file, or nobody reads it
//   - it reached nobody else, and changed nothing that lands and no reference
//   - what it left elsewhere was not read by any process outside of a runner
//   - of the transaction's own files that it met, each was by then as it is at the end, or as the
//     snapshot has it (own_files.h)
//   - a runner of tests that is known opened a test, or was make and started a program that it had
//     built; a pure process started nothing, wrote nothing, and read nothing that only this
//     worktree has
//   - of git: its git directory was as an asking has it (git/git_standing.h), and the files that it
//     compares are those of the commit, of the transaction as it leaves them, or ignored
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "capture/asked/own_files.h"
#include "capture/git/git_standing.h"
#include "capture/interpret.h"
#include "capture/paths/path_resolver.h"
#include "capture/read_log.h"
#include "questions/question.h"

namespace gittxn::capture {

class Asked {
 public:
  Asked(const InterpretInput& input, TreeModel& model, Searches& searches, ReadLog& log)
      : input_(input), model_(model), log_(log), git_(input, model, searches) {}

  // Before each record, in order.
  void next(const Record& record);
  // `parent`: the number that the parent's looks carry now.
  void forked(const Record& fork, std::int64_t parent);
  // A program was started: the number that the looks of the process carry from now on.
  // `name`: the program is what the first argument says, wherever its file came from.
  std::int64_t started(const Record& exec, const Resolved& program, search::Vouched name,
                       std::int64_t until_now);
  void ended(const Record& exit);
  // A record with a path, resolved, before it is replayed; `to` as in observer.h.
  void on_path(const Record& record, const Process& process, const Resolved& at,
               const Resolved* to);
  void connected(const Record& record, const Process& process);
  // True if the look with this number is of a process inside of a run of the tests or of the build,
  // a question or not, that wrote nothing that lands. After the last record.
  bool is_run(std::int64_t number);
  // The records of one command have ended.
  void end_processes();
  // After the last record: reads get the number of the question whose looks they are, or none. The
  // questions are numbered from 1, without gaps, in the order of asking.
  std::vector<Question> finish(std::vector<Read>& reads);
  // After that: what looked like one and what made one of the reads, and why it is none; at most
  // 100 programs, the former first.
  std::vector<std::string> others(const std::vector<Read>& reads) const;

 private:
  struct Candidate {
    Question question;
    std::int64_t outer = 0;  // the candidate that it is inside of
    std::int32_t pid = 0;
    std::uint64_t from = 0, to = 0;  // records
    std::int64_t after_ms = 0;       // a time when it had begun; 0: there is none
    int alive = 0;                   // processes that it started
    bool tests = false;              // that one ran has to show
    bool builds_tests = false;       // ... by a program that it has built, too
    bool showed_test = false;        // it does
    bool reads_git = false;          // it is git, and only reads
    questions::GitState git = questions::GitState::kNone;
    std::string spoiled;  // why it is no question; "" so far nothing
  };

  questions::Classified asked_by(const Record& exec) const;
  Candidate* candidate(std::int64_t number);
  void spoil(std::int64_t number, std::string_view why);     // it and all it is inside of
  void unfit(std::int64_t number, std::string why);          // it alone; "" changes nothing
  void unfit_as(std::int64_t number, std::string_view why);  // one that is pure
  void forget(std::int32_t pid);
  void ran(std::int64_t number, const Resolved& program, const std::string& path);
  void begin_git(const Record& exec, const questions::Question& question, Candidate& one);
  void end(Candidate& one, const Record& exit) const;
  std::string name_of(const Resolved& at, const std::string& path) const;
  std::string left_name(const Resolved& at, const std::string& path) const;
  void changed(const Record& record, std::int64_t number, const Resolved& at,
               const std::string& path);
  void changed_git(std::int64_t number, const std::string& file);
  void left(std::int64_t number, std::string name);
  void read(const Record& record, std::int64_t number, const Resolved& at);
  void judge_own(Candidate& one, std::int64_t number, const std::set<std::string>& looks,
                 const OwnHistory& history);
  void judge_own_of_git(Candidate& one, std::int64_t number);
  bool is_name_for_git(const PathChange& change, const std::vector<Touch>& touches,
                       const Candidate& one) const;
  void judge_files_of_git(Candidate& one);
  bool left_out(const std::string& path);
  bool touched_later(const std::string& path, const Candidate& one) const;
  bool inside(std::int64_t number, std::int64_t outer);
  void judge(std::int64_t number, const std::set<std::string>& looks, const OwnHistory& history);

  const InterpretInput& input_;
  TreeModel& model_;
  ReadLog& log_;
  GitStanding git_;
  std::uint64_t now_ = 0;
  std::vector<Candidate> candidates_;                    // by number - 1
  using Members = std::map<std::int32_t, std::int64_t>;  // process -> innermost candidate
  Members member_of_;
  Members ended_;  // ... of those that have ended
  Touches touches_;
  std::map<std::string, bool> left_out_;                // that were asked for
  std::map<std::int64_t, bool> runs_;                   // answers of is_run()
  std::map<std::string, std::set<std::int64_t>> left_;  // name of a file -> runners that wrote it
  std::map<std::string, std::string> unlisted_;  // argv_text of no candidate -> why it is none
  std::int64_t last_ms_ = 0;
  std::size_t not_begun_yet_ = 0;  // candidates from here on have no after_ms
};

}  // namespace gittxn::capture

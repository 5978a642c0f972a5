// Text for people: values of the facade as lines. Pure functions; every string that came from a
// repository or an agent goes through clean() on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/kernel.h"
#include "api/work.h"
#include "cli/text.h"

namespace gittxn::cli {

// The one sentence at the end of run and commit, then the witnesses when it did not land, then the
// line to type next. Always ends with a line end.
std::string outcome_lines(const api::Outcome& outcome, const Style& style);
// What is worth saying before it, one note each.
std::vector<std::string> outcome_notes(const api::Outcome& outcome);

// Counts the units of a gate: "3 units: 1 run, 2 carried over".
std::string units_text(const gates::GateReport& report);
std::string show_lines(const api::Outcome& outcome, const Style& style);
// One of the line of a branch, with the branch above the first.
std::string queue_line(const api::QueueLine& one, const Style& style);
std::string status_lines(const api::StatusReport& report, std::int64_t now_wall_ms,
                         const Style& style);
std::string landing_line(const api::LogLine& line, const Style& style);  // of git txn log
std::string gc_lines(const api::GcReport& report);
std::string why_lines(const api::WhyReport& report, const Style& style);
// Says by what it landed, or would land, beside reads that hold as they are; "" by nothing.
std::string admitted_lines(const api::WhyReport& report);
std::string resumed_lines(const api::Resumed& resumed, const Style& style);
std::string diff_lines(std::string_view diff, const Style& style);  // for a terminal only
std::string reads_lines(const ReadSet& reads, const Style& style);
// git txn reads --explain: for each read who made it, why it counts, and what it stands for.
std::string explained_lines(const ReadSet& reads, const Style& style);
std::string why_it_counts(const Read& read);  // "holds while the file has these bytes"
// "pid 4711, cat src/x.c" or "call toolu_01 of session ...", as far as it is known.
std::string who_made_it(const Read& read);
// "nothing is called 'pay' in 3 files"
std::string no_symbols_sentence(const api::SymbolsReport& report, const std::string& kind,
                                const std::string& name);
std::string symbols_lines(const api::SymbolsReport& report, const Style& style);
std::string impact_lines(const api::ImpactReport& report, const Style& style);
std::string subjects_lines(const api::ImpactReport& report, const Style& style);
std::string footprint_lines(const api::FootprintReport& report, const Style& style);
std::string compensation_lines(const std::vector<Compensation>& all);  // "" for none
// Whether what a transaction did elsewhere is undone, where that was to be.
bool undone(const std::vector<Compensation>& all);
Colour colour_of_change(std::string_view word);
std::string change_line(const PathChange& change, const Style& style);  // "  added    src/x.c"
std::string conflict_lines(const Conflict& conflict, const Style& style);
// "2 commands were run again on the new head: the same answers, 1.2 s"; "" none was.
std::string asked_again(const Admission& admitted);
std::string begun_lines(const Txn& txn, const Style& style);
std::string state_sentence(const Txn& txn,
                           const Style& style);  // "t-7k2m "fix auth" is open on main"

}  // namespace gittxn::cli

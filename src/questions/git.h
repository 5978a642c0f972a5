// Parts that the rows of git's commands share. Private to this module.
#pragma once

#include "questions/options.h"

namespace gittxn::questions {

// Options of every command that shows differences, in one text for each half of them.
inline constexpr std::string_view kGitDiff =
    "p|u|patch s|no-patch U|unified=? W|function-context raw patch-with-raw stat=? compact-summary "
    "numstat shortstat dirstat=? X=? summary name-only name-status patch-with-stat full-index "
    "binary abbrev=? no-abbrev minimal patience histogram diff-algorithm= anchored= "
    "indent-heuristic no-indent-heuristic z no-renames rename-empty no-rename-empty "
    "check exit-code quiet color=?always,never,auto no-color color-moved=? no-color-moved "
    "color-words=? word-diff=?color,plain,porcelain,none word-diff-regex= ws-error-highlight= "
    "B|break-rewrites=? M|find-renames=? C|find-copies=? find-copies-harder "
    "D|irreversible-delete l= diff-filter= S= G= find-object= pickaxe-all pickaxe-regex R "
    "relative=? no-relative a|text ignore-cr-at-eol ignore-space-at-eol b|ignore-space-change "
    "w|ignore-all-space ignore-blank-lines I|ignore-matching-lines= inter-hunk-context= "
    "src-prefix= dst-prefix= no-prefix default-prefix line-prefix= ita-invisible-in-index "
    "ita-visible-in-index no-ext-diff no-textconv submodule=short stat-width= stat-name-width= "
    "stat-count= ignore-submodules=?none,untracked,dirty,all";
// -O takes an order from a file; submodule= starts git inside of another repository.
inline constexpr std::string_view kGitDiffExecutes = "ext-diff textconv submodule=?";
inline constexpr std::string_view kGitDiffWrites = "output=";

// Refuses words that name a commit by when something happened here: HEAD@{1}, main@{yesterday}.
Asked<void> check_git_words(const Arguments& arguments, const Question& question);
// Dates as the clock does not change them: "relative" and "human" change, and "format:" with words.
Asked<void> check_git_dates(const Arguments& arguments, const Question& question);
// A format that --pretty, --format or for-each-ref has.
Asked<void> check_git_format(std::string_view format);
// "2026-11-25T10:00:00Z", with a time: a day alone means that day at the present hour.
bool is_whole_date(std::string_view date);
// Returns the part of the repository that a command with these arguments answers from.
GitState git_state_of(std::string_view command, const Arguments& arguments);

}  // namespace gittxn::questions

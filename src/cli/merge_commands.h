// What the table of commands.h says of the merge of a file. Only for command_table.cc.
#pragma once

#include "cli/commands.h"

namespace gittxn::cli {

inline constexpr FlagSpec kMarkerSize{
    "--marker-size",
    "",
    Value::kNumber,
    "N",
    "how long the markers of a conflict are (default 7); in a driver git's %L",
    "",
    Stability::kStable};
inline constexpr FlagSpec kDiff3{
    "--diff3", "", Value::kNone, "", "show the base in conflicts, too", "", Stability::kStable};
inline constexpr FlagSpec kBaseLabel{
    "--base-label",    "", Value::kText, "TEXT", "what the markers call the base", "",
    Stability::kStable};
inline constexpr FlagSpec kLeftLabel{
    "--left-label",    "", Value::kText, "TEXT", "what the markers call the left side (ours)", "",
    Stability::kStable};
inline constexpr FlagSpec kRightLabel{"--right-label",
                                      "",
                                      Value::kText,
                                      "TEXT",
                                      "what the markers call the right side (theirs)",
                                      "",
                                      Stability::kStable};

inline constexpr FlagSpec kMergeFileFlags[] = {
    {"--base", "", Value::kFile, "FILE", "what both sides began with", "", Stability::kStable},
    {"--left", "", Value::kFile, "FILE", "one side (ours)", "", Stability::kStable},
    {"--right", "", Value::kFile, "FILE", "the other side (theirs)", "", Stability::kStable},
    {"--output", "-o", Value::kFile, "FILE", "where the result goes; may be one of the three", "",
     Stability::kStable},
    {"--lang", "", Value::kText, "LANGUAGE",
     "the language, or text for lines alone (default: what the names of the files tell)", "",
     Stability::kStable},
    kDiff3,
    kMarkerSize,
    kBaseLabel,
    kLeftLabel,
    kRightLabel};
inline constexpr Example kMergeFileExamples[] = {
    {"git txn merge-file --base old.c --left mine.c --right yours.c -o merged.c",
     "exit 0 when it merged, 1 when there are conflicts in merged.c"},
    {"git txn merge-file --lang python --base o --left a --right b -o a --json",
     "into one of the sides; by which rule, and why"}};
inline constexpr CommandSpec kMergeFileCommand{
    "merge-file",
    "merge a file from three versions, by its structure",
    "What one side left alone is the other's. Else lines are merged as git does; where that "
    "conflicts, the syntax tree is: declarations are told by their names, imports have no order. A "
    "clean result is parsed again and checked, git's too: no declaration twice or lost, none that "
    "one side removed and the other changed. What cannot be merged stands between conflict "
    "markers, and the reason is printed.\n\n"
    "Exit status 0: merged; 1: there are conflicts in the result; else an error, and the output is "
    "as it was. Works outside of a repository.",
    {},
    kMergeFileFlags,
    kMergeFileExamples,
    Group::kMerge,
    Inside::kAllowed,
    false,
    Stability::kStable};

inline constexpr OperandSpec kMergeDriverOperands[] = {{"BASE", Value::kFile, "", 1, 1},
                                                       {"OURS", Value::kFile, "", 1, 1},
                                                       {"THEIRS", Value::kFile, "", 1, 1},
                                                       {"PATH", Value::kFile, "", 1, 1}};
inline constexpr FlagSpec kMergeDriverFlags[] = {kMarkerSize, kDiff3, kBaseLabel, kLeftLabel,
                                                 kRightLabel};
inline constexpr Example kMergeDriverExamples[] = {
    {"git config merge.txn.driver 'git txn merge-driver --marker-size %L -- %O %A %B %P'",
     "what git is to call here; with --global in every repository"},
    {"git config merge.txn.name 'git-txn, by structure'", "how git calls it"},
    {"echo '* merge=txn' >>.git/info/attributes",
     "for every file of this repository; in .gitattributes for everybody who has the driver"},
    {"git txn merge-driver --marker-size 7 -- base ours theirs src/a.c",
     "what git then does: the result is in ours"}};
inline constexpr CommandSpec kMergeDriverCommand{
    "merge-driver",
    "merge a file for git, as its merge driver",
    "Merges as git txn merge-file does and leaves the result in OURS, as git wants it of a driver. "
    "git merge, rebase, cherry-pick, revert and stash then use it. The name of PATH tells the "
    "language; where it tells none, and for bytes that are no text, the result is git's own.\n\n"
    "To set it up: name the driver in git's configuration, and the files it is for in an "
    "attributes "
    "file, as below. Where gitattributes(5) knows %S, %X and %Y, --base-label %S --left-label %X "
    "--right-label %Y names the sides in conflicts as git does.\n\n"
    "Exit status 0: merged; 1: conflicts, which git then tells; above 128: an error, and OURS is "
    "as it was. An older git, 2.39 for one, takes an error for a conflict whose text is OURS.",
    kMergeDriverOperands,
    kMergeDriverFlags,
    kMergeDriverExamples,
    Group::kMerge,
    Inside::kAllowed,
    false,
    Stability::kStable};

}  // namespace gittxn::cli

// merge-file, merge-driver.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/merge_file.h"
#include "base/heap.h"
#include "cli/command_areas.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

// Without labels of theirs the sides are called so.
struct Labels {
  std::string base, left, right;
};

void take_text_options(const Session& session, const Labels& labels,
                       api::MergeFileRequest* request) {
  request->marker_size =
      static_cast<int>(std::min<std::int64_t>(session.args.number("--marker-size", 7), 1'000'000));
  if (session.args.has("--diff3")) request->style = semantic::ConflictText::kDiff3;
  if (session.args.has("--zdiff3")) request->style = semantic::ConflictText::kZdiff3;
  request->base_label = session.flag("--base-label").value_or(labels.base);
  request->left_label = session.flag("--left-label").value_or(labels.left);
  request->right_label = session.flag("--right-label").value_or(labels.right);
}

using MergedInto = std::pair<api::MergeFileReport, std::string>;
constexpr Printed<MergedInto> kMergeJson{
    "merge", "What a merge of a file came to, and why.", [](FieldIo& io, const MergedInto& into) {
      const auto& [report, output] = into;
      const semantic::Merged& merged = report.merged;
      io.boolean("clean", merged.clean());
      io.word("rule", rule_name(merged.rule), {"one-side", "lines", "structure", "conflict"});
      io.each_text({{"why", merged.why}, {"language", std::string(report.language)}});
      io.integer("conflicts", static_cast<std::int64_t>(merged.conflicts.size()), kNotNegative);
      io.text("output", output);
      io.list_of("places", merged.conflicts, [](FieldIo& each, const semantic::ConflictPlace& at) {
        each.integer("line", static_cast<std::int64_t>(at.line), kNotNegative);
        each.each_text({{"why", at.why}});
      });
    }};

// One sentence for each conflict.
void tell_conflicts(const semantic::Merged& merged, const std::string& name) {
  Printer printer(2);
  if (merged.conflicts.empty()) {
    printer.text(fmt::format("git txn: '{}': {}\n", clean(name), clean(merged.why)));
  }
  for (const semantic::ConflictPlace& place : merged.conflicts) {
    printer.text(
        fmt::format("git txn: '{}', line {}: {}\n", clean(name), place.line, clean(place.why)));
  }
}

Result<int> merge_file_command(Session& session) {
  prefer_large_pages();
  api::MergeFileRequest request;
  request.base = session.text_of("--base");
  request.left = session.text_of("--left");
  request.right = session.text_of("--right");
  request.out = session.text_of("--output");
  request.names = {request.out, request.left, request.right, request.base};
  request.language = session.text_of("--lang");
  take_text_options(session, {request.base, request.left, request.right}, &request);
  const api::MergeFileReport report = TRY(api::merge_file(session.host, request));
  const semantic::Merged& merged = report.merged;
  if (session.json()) {
    session.out->json(kMergeJson({report, request.out}));
  } else if (!merged.clean()) {
    tell_conflicts(merged, request.out);
  } else if (!session.quiet()) {
    const std::string made = merged.why.empty() ? "" : fmt::format(" ({})", clean(merged.why));
    session.out->text(
        fmt::format("merged '{}': {}{}\n", clean(request.out), rule_name(merged.rule), made));
  }
  return merged.clean() ? kExitDone : kExitNo;
}

Result<int> merge_driver_command(Session& session) {
  prefer_large_pages();
  const std::vector<std::string>& operands = session.args.operands;
  api::MergeFileRequest request;
  request.base = operands[0];
  request.left = operands[1];
  request.right = operands[2];
  request.out = operands[1];
  request.names = {operands[3]};
  take_text_options(session, {"base", "ours", "theirs"}, &request);
  const api::MergeFileReport report = TRY(api::merge_file(session.host, request));
  const semantic::Merged& merged = report.merged;
  if (session.json()) {
    session.out->json(kMergeJson({report, operands[3]}));
  } else if (!merged.clean() && !session.quiet()) {  // git says that there is one, we say why
    tell_conflicts(merged, operands[3]);
  }
  return merged.clean() ? kExitDone : kExitNo;
}

constexpr FlagSpec kMergeDiff3 = stable({"--diff3", "", "show the base in conflicts, too"});
constexpr FlagSpec kMergeZdiff3 =
    stable({"--zdiff3", "", "as --diff3, without the lines that both sides begin or end with"});
constexpr FlagSpec kMergeMarkerSize = stable(
    {"--marker-size", "N",
     "how long the markers of a conflict are (default 7); in a driver git's %L", Value::kNumber});
constexpr FlagSpec kMergeBaseLabel =
    stable({"--base-label", "TEXT", "what the markers call the base"});
constexpr FlagSpec kMergeLeftLabel =
    stable({"--left-label", "TEXT", "what the markers call the left side (ours)"});
constexpr FlagSpec kMergeRightLabel =
    stable({"--right-label", "TEXT", "what the markers call the right side (theirs)"});

const CommandSpec kMergeFileCommand{
    .name = "merge-file",
    .summary = "merge a file from three versions, by its structure",
    .description =
        "What one side left alone is the other's. Else lines are merged as git does; where that "
        "conflicts, the syntax tree is: declarations are told by their names, imports have no "
        "order. A clean result is parsed again and checked, git's too: no declaration twice or "
        "lost, none that one side removed and the other changed. Only what cannot be merged stands "
        "between conflict markers, and for each conflict the reason is printed. They are shown as "
        "git's merge.conflictStyle has it; that decides nothing but how they look.\n\nExit status "
        "0: merged; 1: there "
        "are conflicts in the result; else an error, and the output is as it was. Works outside of "
        "a repository.",
    .group = Group::kMerge,
    .stability = Stability::kStable,
    .handler = merge_file_command,
    .flags = {needed(stable({"--base", "FILE", "what both sides began with", Value::kFile})),
              needed(stable({"--left", "FILE", "one side (ours)", Value::kFile})),
              needed(stable({"--right", "FILE", "the other side (theirs)", Value::kFile})),
              needed(stable({"--output", "FILE", "where the result goes; may be one of the three",
                             Value::kFile, "-o"})),
              stable({"--lang", "LANGUAGE",
                      "the language, or text for lines alone (default: what the names of the files "
                      "tell; where they "
                      "tell none, lines)"}),
              kMergeDiff3, kMergeZdiff3, kMergeMarkerSize, kMergeBaseLabel, kMergeLeftLabel,
              kMergeRightLabel},
    .examples = {{"git txn merge-file --base old.c --left mine.c --right yours.c -o merged.c",
                  "exit 0 when it merged, 1 when there are conflicts in merged.c"},
                 {"git txn merge-file --lang python --base o --left a --right b -o a --json",
                  "into one of the sides; by which rule, and why"}},
    .outputs = {{kMergeJson}}};

const CommandSpec kMergeDriverCommand{
    .name = "merge-driver",
    .summary = "merge a file for git, as its merge driver",
    .description =
        "Merges as git txn merge-file does and leaves the result in OURS, as git wants it of a "
        "driver. git merge, rebase, cherry-pick, revert and stash then use it. The name of PATH "
        "tells the language; where it tells none, the result is git's own but for lists of lines "
        "(properties, requirements, go.sum), Markdown and XML, to which both sides may add. Of "
        "bytes that are no text it is git's own.\n\nTo set it up: name the driver in git's "
        "configuration, and the files it is "
        "for in an attributes file, as below. Where gitattributes(5) knows %S, %X and %Y, "
        "--base-label %S --left-label %X --right-label %Y names the sides in conflicts as git "
        "does.\n\nExit status 0: merged; 1: conflicts, which git then tells; above 128: an error, "
        "and OURS is as it was. An older git, 2.39 for one, takes an error for a conflict whose "
        "text is OURS.",
    .group = Group::kMerge,
    .stability = Stability::kStable,
    .handler = merge_driver_command,
    .operands = {{"BASE", Value::kFile},
                 {"OURS", Value::kFile},
                 {"THEIRS", Value::kFile},
                 {"PATH", Value::kFile}},
    .flags = {kMergeMarkerSize, kMergeDiff3, kMergeZdiff3, kMergeBaseLabel, kMergeLeftLabel,
              kMergeRightLabel},
    .examples =
        {{"git config merge.txn.driver 'git txn merge-driver --marker-size %L -- %O %A %B %P'",
          "what git is to call here; with --global in every repository"},
         {"git config merge.txn.name 'git-txn, by structure'", "how git calls it"},
         {"echo '* merge=txn' >>.git/info/attributes",
          "for every file of this repository; in .gitattributes for everybody who has the driver"},
         {"git txn merge-driver --marker-size 7 -- base ours theirs src/a.c",
          "what git then does: the result is in ours"}},
    .outputs = {{kMergeJson}}};

}  // namespace

std::vector<CommandSpec> merge_commands() {
  return {kMergeFileCommand, kMergeDriverCommand};
}

}  // namespace gittxn::cli

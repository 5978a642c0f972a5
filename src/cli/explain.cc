// What a transaction read: git txn reads, and with --explain.
#include <fmt/format.h>

#include "cli/render.h"

namespace gittxn::cli {
namespace {

std::string content_reason(const Read& read) {
  if (read.lines != LineSpan{}) {
    return fmt::format("holds while lines {} to {} are the same text there", read.lines.first,
                       read.lines.first + read.lines.count - 1);
  }
  if (read.digest.starts_with(kUncommitted)) {
    return "bytes that no commit had: holds only if the branch has exactly these";
  }
  if (read.op == "rewritten unchanged") {
    return "it was written anew with the bytes it had, which says what should be there";
  }
  if (read.op == "changed in place") return "what it became builds on what was there";
  return "holds while the file has these bytes";
}

std::string kind_reason(const Read& read) {
  switch (read.kind) {
    case ReadKind::kContent:
      return content_reason(read);
    case ReadKind::kMetadata:
      return read.digest.find(' ') == std::string::npos
                 ? "holds while it is the same kind of thing"
                 : "holds while its kind, mode and bytes are the same";
    case ReadKind::kAbsence:
      return read.op == "made and not kept" ? "it was made and taken away, so nothing may be there"
                                            : "holds while nothing is there";
    case ReadKind::kListing:
      return "holds while the same names are in the directory";
    case ReadKind::kTree:
      return read.source == ReadSource::kCoarse
                 ? "everything counts, because of " + read.op
                 : std::string("holds while nothing at or below it changes");
    case ReadKind::kRef:
      return "history: told when it moves";
    case ReadKind::kSearch:
      return "holds while the search would print the same";
    case ReadKind::kKernel:
      return "holds while it has this version";
    case ReadKind::kSummary:
      return "holds while nothing it was made from changes";
    case ReadKind::kEnvironment:
      return "recorded: what was run and loaded from outside the tree";
    case ReadKind::kExternal:
      return "recorded: from outside the repository";
  }
  return {};
}

}  // namespace

std::string why_it_counts(const Read& read) {
  std::string why = kind_reason(read);
  if (read.explains > 0) {
    why += fmt::format("; stands for {} of the trace", counted(read.explains, "look-up"));
  }
  const bool told_only = read.strength == Strength::kSoft && read.kind != ReadKind::kRef &&
                         read.kind != ReadKind::kExternal;
  if (told_only) why += "; soft: a change is told and refuses nothing";
  return why;
}

std::string who_made_it(const Read& read) {
  const std::string maker = maker_of(read);
  return fmt::format("{}{}{}", source_name(read.source), maker.empty() ? "" : ": ",
                     cut(clean(maker), kMakerShown));
}

static std::string unknown_line(const ReadSet& reads, std::string_view so, const Style& style) {
  if (reads.complete) return "";
  const std::string why =
      reads.unknown_reason.empty() ? "not known yet" : clean(reads.unknown_reason);
  return style.paint(Colour::kYellow, fmt::format("unknown: {}{}", why, so)) + "\n";
}

static std::string shown_subject(const Read& read) {
  return read.subject.empty() ? "(top of the tree)" : clean(read.subject);
}

std::string reads_lines(const ReadSet& reads, const Style& style) {
  std::string out = unknown_line(reads, "", style);
  for (const Read& read : reads.reads) {
    out += fmt::format("{:<12} {}{}", read_kind_name(read.kind), shown_subject(read),
                       read.strength == Strength::kSoft ? "  (soft)" : "");
    if (!read.argv.empty()) {
      out += "  " + style.paint(Colour::kDim, "by " + cut(clean(read.argv), 60));
    }
    out += "\n";
  }
  return out;
}

std::string explained_lines(const ReadSet& reads, const Style& style) {
  std::string out = unknown_line(reads, ", so everything counts as read", style);
  for (const Read& read : reads.reads) {
    out += fmt::format("{} {}\n", read_kind_name(read.kind), shown_subject(read));
    out += fmt::format("    {}\n    {}\n", style.paint(Colour::kDim, "by " + who_made_it(read)),
                       clean(why_it_counts(read)));
  }
  for (const std::string& note : reads.notes) out += "note: " + clean(note) + "\n";
  return out;
}

}  // namespace gittxn::cli

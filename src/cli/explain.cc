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

// Says what semantic excuses because of the reader.
static std::string reader_reason(const Read& read) {
  const bool names = read.kind == ReadKind::kListing || read.kind == ReadKind::kSearch;
  switch (read.reader) {
    case ReaderClass::kShown:
      return names ? "; shown to the agent alone, so that semantic lets other names come and go"
                   : "; shown to the agent alone, so that semantic lets it merge";
    case ReaderClass::kEdits:
      return "; read to be edited, so that semantic lets it merge";
    case ReaderClass::kAny:
    case ReaderClass::kItself:
      break;
  }
  return {};
}

// Without the question whose look it is.
static std::string why_alone(const Read& read) {
  std::string why = kind_reason(read);
  if (read.explains > 0) {
    why += fmt::format("; stands for {} of the trace", counted(read.explains, "look-up"));
  }
  why += reader_reason(read);
  const bool told_only = read.strength == Strength::kSoft && read.kind != ReadKind::kRef &&
                         read.kind != ReadKind::kExternal;
  if (told_only) why += "; soft: a change is told and refuses nothing";
  return why;
}

std::string why_it_counts(const Read& read) {
  if (read.question == 0) return why_alone(read);
  return fmt::format("{}; a look of question {}, which is asked again when this changed",
                     why_alone(read), read.question);
}

std::string who_made_it(const Read& read) {
  const std::string maker = maker_of(read);
  return fmt::format("{}{}{}", source_name(read.source), maker.empty() ? "" : ": ",
                     cut(clean(maker), kMakerShown));
}

// Says what has to be the same when it is asked again.
static std::string answer_of(const Question& question) {
  if (question.kind == Question::Kind::kRunner) return "and has to pass";
  return fmt::format("and has to print the same and end with status {}", question.status);
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

// A question with its looks, which hold together by its answer.
static std::string question_lines(const Question& question, const ReadSet& reads,
                                  const Style& style) {
  std::string looks;
  for (const Read& read : reads.reads) {
    if (read.question != question.number) continue;
    looks += fmt::format("    {:<9} {}  {}\n", read_kind_name(read.kind), shown_subject(read),
                         style.paint(Colour::kDim, clean(why_alone(read))));
  }
  std::string when = "is run again when one of these does not hold, " + answer_of(question);
  if (question.in_between) {
    when =
        "is run on what lands when one of these does not hold, and has to pass: a file that it met "
        "has changed since";
  }
  if (looks.empty())
    when = "all that it looked at was read otherwise too, and has to hold as it is";
  return fmt::format("question {} {}\n    {}\n{}", question.number,
                     cut(clean(argv_text(question.argv)), kMakerShown),
                     style.paint(Colour::kDim, when), looks);
}

std::string explained_lines(const ReadSet& reads, const Style& style) {
  std::string out = unknown_line(reads, ", so everything counts as read", style);
  for (const Read& read : reads.reads) {
    if (question_of(reads, read.question) != nullptr) continue;
    out += fmt::format("{} {}\n", read_kind_name(read.kind), shown_subject(read));
    out += fmt::format("    {}\n    {}\n", style.paint(Colour::kDim, "by " + who_made_it(read)),
                       clean(why_it_counts(read)));
  }
  for (const Question& question : reads.questions) out += question_lines(question, reads, style);
  for (const std::string& one : reads.no_questions) out += "no question: " + clean(one) + "\n";
  for (const std::string& note : reads.notes) out += "note: " + clean(note) + "\n";
  return out;
}

}  // namespace gittxn::cli

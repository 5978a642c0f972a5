// A read: one observation a transaction depended on (docs/ARCHITECTURE.md, "The words").
//
// The digest says what was seen; the read holds while the digest is the same at the current head:
//   content   the blob id ("" never; a link's target is a blob too); of a part of a file the
//             SHA-256 of the text of its lines
//   metadata  "<mode> <blob id>" for a file, "120000 <blob id>" for a link, "040000" for a
//             directory (a directory's metadata is only that it is one)
//   absence   ""   (nothing is there)
//   listing   SHA-256 over the sorted (name, type) entries of that directory in the snapshot's tree
//   search    SHA-256 of `query`: what was asked, not what was answered. The search holds when
//             it has the same answer at the head, judged by what changed (docs/design/0012)
//   ref,tree  the object id it named
//   kernel    the object's version
//   summary   the artifact that says what the summary was made from; holds while all of that holds
//   environment, external: recorded, never certified by path
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gittxn {

class FieldIo;  // base/fields.h

enum class ReadKind {
  kContent,
  kMetadata,
  kAbsence,
  kListing,
  kRef,
  kTree,
  kKernel,
  kSummary,
  kEnvironment,
  kExternal,
  kSearch
};
// A digest that starts with this is of bytes no commit had when they were read: another checkout's
// uncommitted edit. Such a read holds only if the head now has exactly these bytes.
inline constexpr std::string_view kUncommitted = "uncommitted:";

enum class Strength { kHard, kSoft };
// The reader who was shown what a read saw, the widest first (docs/design/0040-answers.md). kAny:
// anybody, who may have computed with it. kEdits: a program that changed the file by an edit that
// somebody wrote down (sed -i, patch), and put it back. kShown: an agent alone, as the answer of
// one of its tool calls. kItself: an agent's own program, which showed it to nobody.
enum class ReaderClass { kAny, kEdits, kShown, kItself };
enum class ReadSource { kTrace, kHook, kMcp, kTranscript, kDeclared, kCoarse, kKernel };

// Lines first .. first + count - 1 of a file, from 1. count 0: the whole file.
struct LineSpan {
  std::int64_t first = 0;
  std::int64_t count = 0;
  bool operator==(const LineSpan&) const = default;
};

struct Read {
  ReadKind kind = ReadKind::kContent;
  std::string subject;  // repository path (bytes, no leading slash, "" is the root), ref name, ...
  std::string digest;
  Strength strength = Strength::kHard;
  ReadSource source = ReadSource::kTrace;
  Oid snapshot;          // the commit it was read from (a transaction may move its base)
  std::int64_t pid = 0;  // first process that made it; 0 unknown
  std::string argv;      // of that process, quoted and cut to 200 bytes
  std::string op;        // "openat", "stat", ...
  std::string query;  // kSearch: canonical JSON (search/query.h); subject: what all its roots share
  LineSpan lines;     // kContent: the part that was read
  std::int64_t explains = 0;  // look-ups of the trace that this one stands for
  std::string session;        // of the agent that made it, where a source says so
  std::string agent;          // its sub-agent, "" is the session's own
  std::string call;           // id of its tool call
  std::string tool;           // what that tool is called
  std::int64_t question = 0;  // the number of the question whose look it is; 0: of none
  ReaderClass reader = ReaderClass::kAny;

  bool operator==(const Read&) const = default;
};

// One process, with everything it started, whose answer is what the transaction was shown of what
// it looked at. Its looks are the reads that carry its number: while they hold the answer does, and
// when one does not the question can be asked again (docs/design/0040-answers.md).
struct Question {
  // kPure: the answer is all that it printed, and its status. kRunner: its status, which was 0.
  enum class Kind { kPure, kRunner };
  std::int64_t number = 0;  // from 1, in the order of asking
  Kind kind = Kind::kPure;
  std::string name;                   // "pytest"
  std::string program;                // the file that was run, by its real path
  std::vector<std::string> argv;      // whole
  std::string tree;                   // the worktree it was asked in, absolute
  std::string directory;              // where it ran, in the tree; "" is its top
  std::vector<std::string> env;       // kPure: "NAME=value" of what may change its answer, sorted
  Digest environment;                 // kRunner: of all of it
  std::vector<std::string> settings;  // of git, "key=value": those that its answer depends on
  std::string input;                  // standard input: a path, or "" for nothing
  int status = 0;
  // Files of the transaction's own, sorted, that were by then as it leaves them, or of which it met
  // the name alone (`unsettled`); and directories that it had removed. One that lost its files
  // otherwise is still there, empty.
  std::vector<std::string> own;
  // kRunner: files of the transaction's own in whose contents it looked, sorted. Another
  // transaction may have changed such a file too, and what lands is then a merge that it never saw.
  std::vector<std::string> met = {};
  // Paths, sorted, that the transaction changed before it and afterwards, and that it did not meet:
  // what was there by then is not known, and on a tree where it meets one it cannot be asked. Of
  // one that is in `own` too it met the name: there it cannot be asked where it looks into it.
  std::vector<std::string> unsettled = {};
  // kRunner: it met files that were changed before it and afterwards, so that it cannot be asked as
  // it was; at semantic it can be asked on what would land. `own`, `unsettled` say nothing then.
  bool in_between = false;

  bool operator==(const Question&) const = default;
};

// Complete, or unknown with a reason; unknown means that everything in scope was read.
struct ReadSet {
  std::vector<Read> reads;  // sorted by (subject, kind, snapshot, digest, lines), unique by that
  bool complete = false;
  std::string unknown_reason;  // when not complete, e.g. "trace lost 3 records"
  Oid unknown_since =
      {};  // of these: any change after this commit counts; empty: after any snapshot
  Digest tool_env_digest;          // of what was executed and loaded from outside the worktree
  std::vector<std::string> notes;  // reported: writes into another checkout, daemons, setuid, ...
  std::vector<std::string> sessions;  // names of the agents' conversations that were seen, sorted
  std::vector<std::string> resumed;   // of them and of others, those that were gone on with, sorted
  std::vector<Question> questions = {};  // by number
  // Programs that looked like one or made one of the reads: "COMMAND: why it is none", each once.
  std::vector<std::string> no_questions = {};
};

void fields(FieldIo& io, Read& read);
void fields(FieldIo& io, Question& question);
void fields(FieldIo& io, ReadSet& set);  // the first of its lines: all but the reads

std::string_view read_kind_name(ReadKind kind);
std::string_view source_name(ReadSource source);
// Who made it: "Read call toolu_01, session s-1, pid 12, cat a"; what is not known is left out.
std::string maker_of(const Read& read);
// Sorts and removes duplicates: of two observations of one thing the better source stays, and hard
// wins over soft. Two observations with different digests are two reads (they cannot both hold, and
// dropping one would hide that). A look of a question is another read than the same one of nobody's
// question, unless that is hard: then it has to hold anyway, and the look is dropped. Of two
// readers the wider one counts and is named.
void normalize(ReadSet& set);
// Adds the reads of another set, whose questions get new numbers.
void add_reads(ReadSet& set, ReadSet other);
// argv for people: quoted, cut to 200 bytes but never inside a UTF-8 character.
std::string argv_text(const std::vector<std::string>& argv);
const Question* question_of(const ReadSet& set, std::int64_t number);  // null: there is none
// JSON lines: first the set's own line {complete, unknown_reason, tool_env, notes, sessions?,
// resumed?}, then
// one read a line, normalised. The digest of a read set is the SHA-256 of these.
std::string reads_to_lines(const ReadSet& set);
Result<ReadSet> reads_from_lines(std::string_view lines);
Digest digest_of(const ReadSet& set);

}  // namespace gittxn

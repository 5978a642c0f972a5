#include "capture/read_log.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/bug.h"
#include "capture/paths/tree_model.h"

namespace gittxn::capture {
namespace {

// A look at type and mode alone says nothing that a look at the whole entry does not.
void drop_weaker_metadata(std::vector<Read>& reads) {
  // A look that was shown to nobody does not stand for one that was shown to somebody.
  std::set<std::tuple<std::string, std::string, std::int64_t, bool>> whole;
  for (const Read& read : reads) {
    if (read.kind == ReadKind::kMetadata && read.digest.find(' ') != std::string::npos) {
      const bool itself = read.reader == ReaderClass::kItself;
      whole.emplace(read.subject, read.snapshot.str(), read.question, itself);
    }
  }
  const auto stronger = [&](const Read& read, std::int64_t question) {
    const auto has = [&](bool itself) {
      return whole.contains({read.subject, read.snapshot.str(), question, itself});
    };
    return has(false) || (read.reader == ReaderClass::kItself && has(true));
  };
  std::erase_if(reads, [&](const Read& read) {
    return read.kind == ReadKind::kMetadata && !read.digest.starts_with(kUncommitted) &&
           read.digest.find(' ') == std::string::npos &&
           (stronger(read, 0) || stronger(read, read.question));
  });
}

}  // namespace

bool Process::lists_for_itself(const Record& record) const {
  const bool directory = S_ISDIR(record.mode) || (record.flags & O_DIRECTORY) != 0;
  return directory && content_open(record) && part != Part::kOther;
}

const std::string* ReadLog::keep_snapshot(const Oid& snapshot) {
  return snapshot == snapshot_ ? &snapshot_.str() : keep(snapshot.str());
}

void ReadLog::add_at(const Oid& snapshot, ReadKind kind, std::string_view subject,
                     std::string_view digest, const Seen& seen) {
  if (seen.process != nullptr && seen.process->held != nullptr) {
    seen.process->held->looks.push_back({.kind = kind,
                                         .strength = seen.strength,
                                         .source = seen.source,
                                         .snapshot = keep_snapshot(snapshot),
                                         .subject = keep(subject),
                                         .digest = keep(digest),
                                         .op = seen.op});
    return;
  }
  std::string key(1, static_cast<char>('A' + static_cast<int>(kind)));
  key += seen.strength == Strength::kHard ? 'h' : 's';
  const std::int64_t question = seen.process == nullptr ? 0 : seen.process->question;
  const bool housekeeping = seen.process != nullptr &&
                            seen.process->part != Process::Part::kOther && housekeeping_ &&
                            housekeeping_(seen.process->part, kind, subject, seen.op);
  if (housekeeping) key += 'k';
  key += snapshot.str();
  key += '\0';
  if (question != 0) key += std::to_string(question) + '\0';
  const bool file = kind == ReadKind::kContent || kind == ReadKind::kMetadata;
  std::int64_t shown = 0;
  if (seen.process != nullptr && kind == ReadKind::kListing) shown = seen.process->shown;
  if (seen.process != nullptr && file) shown = seen.process->shown_files;
  ReaderClass reader = seen.reader;
  if (file && seen.process != nullptr && seen.process->edits) reader = ReaderClass::kEdits;
  if (housekeeping) reader = ReaderClass::kItself;
  if (reader == ReaderClass::kEdits) key += 'e';
  if (shown != 0) key += 's' + std::to_string(shown) + '\0';
  key += digest;
  key += '\0';
  key += subject;
  if (!keys_.insert(std::move(key)).second) return;
  Read read;
  read.kind = kind;
  read.subject = subject;
  read.digest = digest;
  read.strength = seen.strength;
  read.source = seen.source;
  read.snapshot = snapshot;
  read.op = seen.op;
  if (seen.process != nullptr) {
    read.pid = seen.process->pid;
    read.argv = seen.process->argv;
    read.question = question;
  }
  read.reader = reader;
  add(std::move(read), shown);
}

void ReadLog::settle_shown(const std::function<bool(std::int64_t shown)>& to_agent_alone) {
  for (const auto& [index, shown] : shown_) {
    if (to_agent_alone(shown)) reads_[index].reader = ReaderClass::kShown;
  }
}

void ReadLog::settle_own(const std::function<bool(const OwnLook&)>& computes_nothing,
                         ReadSet& set) const {
  std::map<std::string, const OwnLook*> computed;
  for (const OwnLook& look : own_looks_) {
    if (!computes_nothing(look)) computed.emplace(look.path, &look);
  }
  if (INJECTED_BUG("capture.own_looks_forgotten")) return;
  for (Read& read : set.reads) {
    const bool edit = read.reader == ReaderClass::kEdits || read.reader == ReaderClass::kShown;
    const bool file = read.kind == ReadKind::kContent || read.kind == ReadKind::kMetadata;
    const auto by = computed.find(read.subject);
    if (!edit || !file || by == computed.end()) continue;
    read.reader = ReaderClass::kAny;
    read.pid = by->second->pid;
    read.argv = by->second->argv;
    read.session = read.agent = read.call = read.tool = "";
  }
}

std::string HeldLooks::Look::path() const {
  return node != nullptr ? node->snapshot_path() : *subject;
}

std::string_view HeldLooks::Look::name() const {
  if (node != nullptr && node->listed != nullptr) return node->listed->name;
  const std::string_view whole = node != nullptr ? node->told->snapshot_path : *subject;
  return whole.substr(whole.rfind('/') + 1);
}

void ReadLog::hold(HeldLooks::Form form, const Node& node, const Seen& seen) {
  constexpr ReadKind kKinds[] = {ReadKind::kContent, ReadKind::kContent, ReadKind::kMetadata,
                                 ReadKind::kMetadata, ReadKind::kListing};
  seen.process->held->looks.push_back({.kind = kKinds[static_cast<std::size_t>(form)],
                                       .strength = seen.strength,
                                       .source = seen.source,
                                       .snapshot = &snapshot_.str(),
                                       .node = &node,
                                       .op = seen.op,
                                       .form = form});
}

std::string ReadLog::digest_of(const HeldLooks::Look& look) const {
  using Form = HeldLooks::Form;
  switch (look.form) {
    case Form::kText:
      break;
    case Form::kContent:
      return look.node->entry().oid.str();
    case Form::kMetadata:
      return metadata_of(look.node->entry());
    case Form::kShape:
      return std::string(mode_text(look.node->entry_mode()));
    case Form::kListing:
      return listing_(look.node->entry().oid, look.path());
  }
  return *look.digest;
}

void ReadLog::release(const HeldLooks::Look& look, const Process& process) {
  add_at(Oid(*look.snapshot), look.kind, look.path(), digest_of(look),
         {.process = &process, .op = look.op, .strength = look.strength, .source = look.source});
}

void ReadLog::unknown(std::string reason) {
  if (unknown_reason_.empty()) {
    unknown_reason_ = std::move(reason);
  } else if (reason != unknown_reason_) {
    note("also not known: " + reason);
  }
}

ReadSet ReadLog::finish(const std::function<std::vector<Question>(std::vector<Read>&)>& belong) {
  ReadSet set;
  set.reads = std::move(reads_);
  set.questions = belong(set.reads);
  drop_weaker_metadata(set.reads);
  set.complete = unknown_reason_.empty();
  set.unknown_reason = unknown_reason_;
  set.notes.assign(notes_.begin(), notes_.end());
  normalize(set);
  return set;
}

}  // namespace gittxn::capture

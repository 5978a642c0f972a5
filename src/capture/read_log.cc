#include "capture/read_log.h"

#include <algorithm>
#include <utility>

#include "base/subprocess.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kMaxArgv = 200;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

// A look at type and mode alone says nothing that a look at the whole entry does not.
void drop_weaker_metadata(std::vector<Read>& reads) {
  std::set<std::pair<std::string, std::string>> whole;
  for (const Read& read : reads) {
    if (read.kind == ReadKind::kMetadata && read.digest.find(' ') != std::string::npos) {
      whole.emplace(read.subject, read.snapshot.str());
    }
  }
  std::erase_if(reads, [&](const Read& read) {
    return read.kind == ReadKind::kMetadata && !read.digest.starts_with(kUncommitted) &&
           read.digest.find(' ') == std::string::npos &&
           whole.contains({read.subject, read.snapshot.str()});
  });
}

}  // namespace

std::string argv_text(const std::vector<std::string>& argv) {
  std::string text = quote_argv(argv);
  if (text.size() <= kMaxArgv) return text;
  std::size_t end = kMaxArgv;
  for (int back = 0; back < 3 && continues_character(text[end]); ++back) --end;
  text.resize(end);
  return text;
}

void ReadLog::add_at(const Oid& snapshot, ReadKind kind, std::string_view subject,
                     std::string_view digest, const Seen& seen) {
  if (seen.process != nullptr && seen.process->held != nullptr) {
    seen.process->held->looks.push_back({kind, seen.strength, seen.source, keep(snapshot.str()),
                                         keep(subject), keep(digest), seen.op});
    return;
  }
  std::string key(1, static_cast<char>('A' + static_cast<int>(kind)));
  key += seen.strength == Strength::kHard ? 'h' : 's';
  key += snapshot.str();
  key += '\0';
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
  }
  reads_.push_back(std::move(read));
}

void ReadLog::release(const HeldLooks::Look& look, const Process& process) {
  add_at(Oid(*look.snapshot), look.kind, *look.subject, *look.digest,
         {.process = &process, .op = look.op, .strength = look.strength, .source = look.source});
}

void ReadLog::unknown(std::string reason) {
  if (unknown_reason_.empty()) {
    unknown_reason_ = std::move(reason);
  } else if (reason != unknown_reason_) {
    note("also not known: " + reason);
  }
}

ReadSet ReadLog::finish() {
  ReadSet set;
  set.reads = std::move(reads_);
  drop_weaker_metadata(set.reads);
  set.complete = unknown_reason_.empty();
  set.unknown_reason = unknown_reason_;
  set.notes.assign(notes_.begin(), notes_.end());
  normalize(set);
  return set;
}

}  // namespace gittxn::capture

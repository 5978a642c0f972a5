// Small programs as agents run them: they look at files, decide by what they saw, and write. Played
// on trees in memory, step by step beside others or at once on one tree; what a trace would record
// of it is recorded. For tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture/lines.h"
#include "land/testing/asks.h"
#include "land/testing/texts.h"
#include "model/verdict.h"

namespace gittxn::land::testing {

struct Step {
  enum class Kind {
    kRead,
    kPart,     // two of its lines
    kStat,     // whether it is there
    kList,     // the names in a directory
    kWhole,    // all that is below a directory
    kSearch,   // rg 1 .
    kTold,     // what the branch has there by now
    kHistory,  // the newest commit
    kUnseen,   // a read that no trace saw
    kAsk,      // runs something that looks and prints (asks.h)
    kCache,    // leaves an ignored file, or takes it away, by what it reads
    kWrite,
    kAppend,
    kSetLine,  // reads the file, and writes it with another line
    kCopy,
    kDelete,
    kMove,  // merges the branch: its base is the head from then on
  } kind = Kind::kRead;
  std::string path;
  std::string to;        // kCopy, kAsk
  unsigned number = 0;   // which line, which text
  bool decides = false;  // what is written depends on all that was seen
  // kAsk: one of the names there; whether what it prints is shown, or its status alone; and a path
  // that another process writes while it runs, "" none.
  std::string what = {};
  enum class Shown { kStatus, kAll } shown = Shown::kAll;
  std::string aside = {};
  ReaderClass reader = ReaderClass::kAny;  // who looks at a file; an appending program sees none

  ReaderClass looks_as() const {
    switch (kind) {
      case Kind::kRead:
      case Kind::kPart:
      case Kind::kStat:
      case Kind::kTold:
      case Kind::kSetLine:
      case Kind::kCopy:
        return reader;
      case Kind::kAppend:
        return ReaderClass::kEdits;
      default:
        return ReaderClass::kAny;
    }
  }
  Question::Kind asks() const {
    const bool shows = std::ranges::find(kShows, what) != std::end(kShows);
    return shows ? Question::Kind::kPure : Question::Kind::kRunner;
  }
  std::vector<std::string> argv() const { return {what, path, to}; }
};
using Program = std::vector<Step>;

inline bool is_write(Step::Kind kind) {
  using enum Step::Kind;
  return kind == kWrite || kind == kAppend || kind == kSetLine || kind == kCopy || kind == kDelete;
}

inline constexpr const char* kTarget = "refs/heads/main";
inline constexpr const char* kToldOp = "told";
inline constexpr const char* kSearchQuery = "rg 1 .";  // whoever judges it puts the query in
// Whether what a trace would record is, which takes most of the time.
enum class Trace { kOff, kOn };

class Player {
 public:
  Player(const Program& program, Texts& texts, const Place& snapshot, Trace trace)
      : program_(&program),
        texts_(&texts),
        base_(*snapshot.tree),
        base_commit_(snapshot.commit),
        view_(base_),
        trace_(trace) {
    reads_.complete = true;
    record(ReadKind::kKernel, "policy", "1").strength = Strength::kSoft;
  }

  bool done() const { return at_ == program_->size(); }
  void step(const Place& head) {
    const Step& now = (*program_)[at_++];
    reader_ = now.looks_as();
    if (is_write(now.kind)) {
      write(now);
    } else {
      look(now, head);
    }
    reader_ = ReaderClass::kAny;
    if (done()) finish();
  }

  // Files that are other ones to whoever opens them and computes nothing with them, until it has
  // written them itself.
  void show_instead(const Tree& files) { instead_ = &files; }
  // Answers that are given in the place of others where that is excused, in the order of asking.
  using Excused = std::function<bool(std::size_t number)>;
  void answer_instead(const std::vector<Said>& said, Excused excused) {
    instead_of_ = &said;
    excused_ = std::move(excused);
  }
  const std::vector<Said>& said() const { return said_; }

  const Tree& view() const { return view_; }
  const Tree& base() const { return base_; }
  const Oid& base_commit() const { return base_commit_; }
  const std::string& seen() const { return seen_; }
  bool moved() const { return moved_; }
  const ReadSet& reads() const { return reads_; }

 private:
  using Kind = Step::Kind;
  Read& record(ReadKind kind, const std::string& subject, const std::string& digest) {
    if (trace_ == Trace::kOff) return ignored_;
    Read read;
    read.kind = kind;
    read.subject = subject;
    read.digest = digest;
    read.snapshot = base_commit_;
    read.question = inquiries_.current();
    if (kind == ReadKind::kContent || kind == ReadKind::kMetadata) read.reader = reader_;
    reads_.reads.push_back(std::move(read));
    return reads_.reads.back();
  }
  // A read of what it wrote itself is none.
  void record_file(const std::string& path) {
    if (trace_ == Trace::kOff) return;
    inquiries_.looked_at(path);
    if (own_.contains(path)) return;
    const auto at = base_.find(path);
    if (at == base_.end()) {
      record(ReadKind::kAbsence, path, "");
    } else {
      record(ReadKind::kContent, path, at->second.oid.str());
    }
  }
  const std::string* text_at(const Tree& tree, const std::string& path) const {
    const auto at = tree.find(path);
    return at == tree.end() ? nullptr : &texts_->of(at->second.oid);
  }
  void saw(char what, const std::string& where, const std::string& answer) {
    seen_ += what;
    seen_ += where + "[" + answer + "]\n";
  }
  const std::string* opened(const std::string& path) const {
    const bool instead = instead_ != nullptr && reader_ != ReaderClass::kAny &&
                         instead_->contains(path) && !own_.contains(path);
    return text_at(instead ? *instead_ : view_, path);
  }
  static std::string or_none(const std::string* text) { return text == nullptr ? "-" : *text; }

  void look(const Step& now, const Place& head) {
    switch (now.kind) {
      case Kind::kRead:
        record_file(now.path);
        return saw('r', now.path, or_none(opened(now.path)));
      case Kind::kPart:
        return part(now);
      case Kind::kStat:
        return saw('s', now.path, stat(now.path) ? "there" : "-");
      case Kind::kList:
        return saw('n', now.path, list(now.path));
      case Kind::kWhole:
        return whole(now.path);
      case Kind::kSearch:
        record(ReadKind::kSearch, "", kSearchQuery).query = kSearchQuery;
        return saw('g', "", search());
      case Kind::kTold: {
        const std::string* text = text_at(*head.tree, now.path);
        const std::string digest = text == nullptr ? "" : head.tree->at(now.path).oid.str();
        Read& read =
            record(text == nullptr ? ReadKind::kAbsence : ReadKind::kContent, now.path, digest);
        read.snapshot = head.commit;
        read.op = kToldOp;
        return saw('t', now.path, or_none(text));
      }
      case Kind::kHistory:
        record(ReadKind::kRef, kTarget, base_commit_.str()).strength = Strength::kSoft;
        return saw('h', "", base_commit_.str());
      case Kind::kUnseen:
        reads_.complete = false;
        reads_.unknown_reason = "a test says so";
        return saw('u', now.path, or_none(opened(now.path)));
      case Kind::kAsk:
        return ask(now);
      case Kind::kCache: {
        record_file(now.path);
        const std::string* text = opened(now.path);
        cached_ = has(text, "p = 0");
        return saw('k', now.path, or_none(text));
      }
      default:
        return move(head);
    }
  }

  bool stat(const std::string& path) {
    const bool there = view_.contains(path);
    inquiries_.looked_at(path);
    if (!own_.contains(path)) {
      record(there ? ReadKind::kMetadata : ReadKind::kAbsence, path, there ? "100644" : "");
    }
    return there;
  }

  // ---- questions ----

  void ask(const Step& now) {
    if (trace_ == Trace::kOn) inquiries_.begin(now.asks(), now.argv());
    Said said = answer(now.argv(), senses(now));
    if (trace_ == Trace::kOn) inquiries_.end(said.status);
    if (instead_of_ != nullptr) said = in_its_place(now, said);
    const std::string shown = now.shown == Step::Shown::kAll ? said.out : "";
    saw('q', now.what + " " + now.path + " " + now.to, fmt::format("{} {}", said.status, shown));
    said_.push_back(std::move(said));
  }

  Senses senses(const Step& now) {
    Senses senses;
    const auto looked = [this, &now, done = false]() mutable {
      if (!std::exchange(done, true)) meanwhile(now);
    };
    auto after = std::make_shared<std::function<void()>>(looked);
    senses.open = [this, after](const std::string& path) {
      record_file(path);
      const std::string* text = opened(path);
      (*after)();
      return text;
    };
    senses.stat = [this, after](const std::string& path) {
      const bool there = stat(path);
      (*after)();
      return there;
    };
    senses.list = [this, after](const std::string& directory) {
      std::string names = list(directory);
      (*after)();
      return names;
    };
    senses.cached = [this] { return cached_; };
    senses.write = [this](const std::string& path) { put(path, texts_for(path).front()); };
    return senses;
  }
  void meanwhile(const Step& now) {
    if (now.aside.empty()) return;
    const auto& texts = texts_for(now.aside);
    const bool traced = inquiries_.current() != 0;
    inquiries_.aside();
    put(now.aside, texts[now.number % texts.size()]);
    if (traced) inquiries_.go_on();
  }

  // Returns the earlier answer where this one is the same, or another one is excused.
  Said in_its_place(const Step& now, const Said& said) {
    const Said& then = instead_of_->at(said_.size());
    const bool same =
        said.status == then.status && (now.shown == Step::Shown::kStatus || said.out == then.out);
    return same || excused_(said_.size()) ? then : said;
  }

  void part(const Step& now) {
    const std::string* text = opened(now.path);
    if (text == nullptr) {
      record_file(now.path);
      return saw('l', now.path, "-");
    }
    const LineSpan lines{1 + now.number % 3, 2};
    bool all = false;
    const std::string some(capture::lines_text(*text, lines, &all));
    if (trace_ == Trace::kOn && !own_.contains(now.path)) {
      record(ReadKind::kContent, now.path, capture::lines_digest(*text, lines).str()).lines = lines;
    }
    saw('l', now.path, some + (all ? "all" : "more"));
  }

  // A directory whose files it removed is empty and there.
  bool is_there(const std::string& directory) const {
    return is_directory(view_, directory) || is_directory(base_, directory);
  }
  std::string names_in(const std::string& directory) const {
    if (!is_there(directory)) return "-";
    std::set<std::string> names = names_below(view_, directory);
    if (directory.empty() && is_there("d")) names.insert("d");
    return text_of(names);
  }
  std::string list(const std::string& directory) {
    inquiries_.looked_at(directory);
    if (is_directory(base_, directory)) {
      record(ReadKind::kListing, directory, "l");
    } else if (!is_directory(view_, directory)) {
      record(ReadKind::kAbsence, directory, "");
    }
    return names_in(directory);
  }
  void whole(const std::string& directory) {
    record(ReadKind::kTree, directory, "t");
    std::string text;
    for (const auto& [path, entry] : view_) {
      if (path.starts_with(directory + "/")) text += path + " " + entry.oid.str() + " ";
    }
    saw('w', directory, text);
  }

  static bool is_ignored(const std::string& path, const std::string& rules) {
    for (std::size_t at = 0; at < rules.size();) {
      const std::size_t end = rules.find('\n', at);
      const std::string rule = rules.substr(at, end - at);
      if (rule == path || (rule.ends_with('/') && path.starts_with(rule))) return true;
      at = end + 1;
    }
    return false;
  }
  // The lines with a 1 in them; names that begin with a dot are not looked at.
  std::string search() const {
    const std::string* ignore = text_at(view_, kIgnoreFile);
    std::string found;
    for (const auto& [path, entry] : view_) {
      if (path[0] == '.' || (ignore != nullptr && is_ignored(path, *ignore))) continue;
      const std::string& text = texts_->of(entry.oid);
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        if (line.find('1') != std::string::npos) found += path + ":" + line + " ";
        at = end + 1;
      }
    }
    return found;
  }

  // ---- writes ----

  std::size_t choice(const Step& now) const {
    return now.number + (now.decides ? std::hash<std::string>()(seen_) % 997 : 0);
  }
  void put(const std::string& path, const std::string& text) {
    const std::size_t slash = path.find('/');
    if (slash != std::string::npos) {
      const std::string directory = path.substr(0, slash);
      if (is_directory(base_, directory)) {
        record(ReadKind::kMetadata, directory, "040000");
      } else if (!is_directory(view_, directory)) {
        record(ReadKind::kAbsence, directory, "");  // mkdir
      }
    }
    view_[path] = texts_->file(text);
    own_.insert(path);
    if (trace_ == Trace::kOn) inquiries_.touched(path, Inquiries::Touched::kWritten);
  }
  void write(const Step& now) {
    const std::string* text = opened(now.path);
    const std::vector<std::string>& texts = texts_for(now.path);
    switch (now.kind) {
      case Kind::kAppend:
        record_file(now.path);
        return put(now.path,
                   (text == nullptr ? "" : *text) + (choice(now) % 2 == 0 ? "s\n" : "1\n"));
      case Kind::kSetLine:
        record_file(now.path);
        saw('e', now.path, text == nullptr ? "-" : *text);
        if (text != nullptr) put(now.path, with_line(*text, now));
        return;
      case Kind::kCopy:
        record_file(now.path);
        saw('c', now.path, text == nullptr ? "-" : *text);
        if (text != nullptr) put(now.to, std::string(*text));
        return;
      case Kind::kDelete:
        return remove(now.path);
      default:
        return put(now.path, texts[choice(now) % texts.size()]);
    }
  }
  std::string with_line(const std::string& text, const Step& now) const {
    std::size_t begin = 0;
    for (unsigned i = now.number % 3; i > 0; --i) {
      const std::size_t end = text.find('\n', begin);
      if (end == std::string::npos || end + 1 == text.size()) break;
      begin = end + 1;
    }
    const std::size_t end = text.find('\n', begin);
    const std::string value = choice(now) / 3 % 2 == 0 ? "0" : "1";
    return text.substr(0, begin) + text.substr(begin, 1) + " = " + value + text.substr(end);
  }
  void remove(const std::string& path) {
    const bool there = view_.contains(path);
    if (!own_.contains(path)) {
      record(there ? ReadKind::kMetadata : ReadKind::kAbsence, path, there ? "100644" : "");
    }
    saw('x', path, there ? "there" : "-");
    if (!there) return;
    view_.erase(path);
    own_.insert(path);
    if (trace_ == Trace::kOn) inquiries_.touched(path, Inquiries::Touched::kRemoved);
  }

  void move(const Place& head) {
    if (base_commit_ == head.commit) return;
    std::optional<Tree> both = together(base_, view_, *head.tree);
    if (!both) return;  // git merge --abort
    // What it had written just as it was is lost to what the head made of it.
    for (const std::string& path : own_) {
      const TreeEntry was = entry_of(base_, path);
      if (was == entry_of(view_, path) && was != entry_of(*head.tree, path)) restated(path, was);
    }
    moved_ = true;
    view_ = *std::move(both);
    base_ = *head.tree;
    base_commit_ = head.commit;
  }

  // It said what should be there, and that is what was there: without a read nobody would know.
  void finish() {
    if (trace_ == Trace::kOff) return;
    for (const std::string& path : own_) {
      const TreeEntry was = entry_of(base_, path);
      if (was == entry_of(view_, path)) restated(path, was);
    }
    const Changes writes = gittxn::testing::diff(base_, view_);
    for (Read& read : reads_.reads) {
      if (read.kind != ReadKind::kListing || moved_) continue;
      read.digest = listing_digest(base_, read.subject, writes);
    }
    using Base = Inquiries::Base;
    inquiries_.finish(writes, moved_ ? Base::kMoved : Base::kTheSnapshot, reads_);
    normalize(reads_);
  }
  void restated(const std::string& path, const TreeEntry& was) {
    record(was.present() ? ReadKind::kContent : ReadKind::kAbsence, path, was.oid.str());
  }

  const Program* program_;
  Texts* texts_;
  std::size_t at_ = 0;
  Tree base_;
  Oid base_commit_;
  Tree view_;
  bool moved_ = false;
  std::string seen_;
  std::set<std::string> own_;
  ReadSet reads_;
  Trace trace_;
  ReaderClass reader_ = ReaderClass::kAny;  // of the step that is played
  Read ignored_;
  const Tree* instead_ = nullptr;
  const std::vector<Said>* instead_of_ = nullptr;
  Excused excused_;
  Inquiries inquiries_;
  std::vector<Said> said_;
  bool cached_ = false;
};

// The whole program at one place, with nobody beside it.
inline Player play(const Program& program, Texts& texts, const Place& place) {
  Player player(program, texts, place, Trace::kOff);
  while (!player.done()) player.step(place);
  return player;
}

}  // namespace gittxn::land::testing

// Small programs as agents run them: they look at files, decide by what they saw, and write. Played
// on trees in memory, step by step beside others or at once on one tree; what a trace would record
// of it is recorded. For tests.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/hash.h"
#include "capture/lines.h"
#include "model/testing/trees.h"
#include "model/verdict.h"

namespace gittxn::land::testing {

using gittxn::testing::entry_of;
using gittxn::testing::is_directory;
using gittxn::testing::Tree;

// Texts by the names of their blobs, shared by all trees of a test.
class Texts {
 public:
  using Namer = std::function<Oid(const std::string& text)>;
  Texts() : namer_([](const std::string& text) { return Oid(sha256(text).str().substr(0, 40)); }) {}
  explicit Texts(Namer namer) : namer_(std::move(namer)) {}

  TreeEntry file(const std::string& text) {
    const auto [at, fresh] = names_.try_emplace(text);
    if (fresh) {
      at->second = namer_(text);
      texts_[at->second] = text;
    }
    return {FileMode::kFile, at->second};
  }
  void learn(const Oid& oid, const std::string& text) {
    names_[text] = oid;
    texts_[oid] = text;
  }
  bool knows(const Oid& oid) const { return texts_.contains(oid); }
  const std::string& of(const Oid& oid) const { return texts_.at(oid); }

 private:
  Namer namer_;
  std::map<std::string, Oid> names_;
  std::map<Oid, std::string> texts_;
};

// Both changes of a base, path by path; the usual case without looking at each.
inline std::optional<Tree> together(const Tree& base, const Tree& work, const Tree& head) {
  if (base == head) return work;
  if (base == work) return head;
  return gittxn::testing::merge(base, work, head);
}

// A commit of the branch.
struct Place {
  const Tree* tree = nullptr;
  Oid commit;
};

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
    kWrite,
    kAppend,
    kSetLine,  // reads the file, and writes it with another line
    kCopy,
    kDelete,
    kMove,  // merges the branch: its base is the head from then on
  } kind = Kind::kRead;
  std::string path;
  std::string to;        // kCopy
  unsigned number = 0;   // which line, which text
  bool decides = false;  // what is written depends on all that was seen
};
using Program = std::vector<Step>;

inline constexpr const char* kTarget = "refs/heads/main";
inline constexpr const char* kToldOp = "told";
inline constexpr const char* kSearchQuery = "rg 1 .";  // whoever judges it puts the query in
inline constexpr const char* kIgnoreFile = ".ignore";

inline const std::vector<std::string>& texts_for(const std::string& path) {
  static const std::vector<std::string> kRules = {"b\n", "d/\n", "a.py\n"};
  static const std::vector<std::string> kFiles = {"p = 0\nq = 0\nr = 0\n", "p = 1\nq = 0\nr = 0\n",
                                                  "p = 0\nq = 1\nr = 0\n", "p = 0\nq = 0\nr = 1\n",
                                                  "p  = 0\nq = 0\nr = 0\n"};
  return path == kIgnoreFile ? kRules : kFiles;
}

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
    if (is_write(now.kind)) {
      write(now);
    } else {
      look(now, head);
    }
    if (done()) finish();
  }

  // Files that are other ones to whoever opens them, until it has written them itself.
  void show_instead(const Tree& files) { instead_ = &files; }

  const Tree& view() const { return view_; }
  const Tree& base() const { return base_; }
  const Oid& base_commit() const { return base_commit_; }
  const std::string& seen() const { return seen_; }
  bool moved() const { return moved_; }
  const ReadSet& reads() const { return reads_; }

 private:
  using Kind = Step::Kind;
  static bool is_write(Kind kind) {
    return kind == Kind::kWrite || kind == Kind::kAppend || kind == Kind::kSetLine ||
           kind == Kind::kCopy || kind == Kind::kDelete;
  }

  Read& record(ReadKind kind, const std::string& subject, const std::string& digest) {
    if (trace_ == Trace::kOff) return ignored_;
    Read read;
    read.kind = kind;
    read.subject = subject;
    read.digest = digest;
    read.snapshot = base_commit_;
    reads_.reads.push_back(std::move(read));
    return reads_.reads.back();
  }
  // A read of what it wrote itself is none.
  void record_file(const std::string& path) {
    if (trace_ == Trace::kOff || own_.contains(path)) return;
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
    const bool instead = instead_ != nullptr && instead_->contains(path) && !own_.contains(path);
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
      case Kind::kStat: {
        const bool there = view_.contains(now.path);
        if (!own_.contains(now.path)) {
          record(there ? ReadKind::kMetadata : ReadKind::kAbsence, now.path, there ? "100644" : "");
        }
        return saw('s', now.path, there ? "there" : "-");
      }
      case Kind::kList:
        return list(now.path);
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
      default:
        return move(head);
    }
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
    const std::string prefix = directory.empty() ? "" : directory + "/";
    std::set<std::string> names;
    for (const auto& [path, entry] : view_) {
      if (path.starts_with(prefix)) {
        names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
      }
    }
    if (directory.empty() && is_there("d")) names.insert("d");
    std::string text;
    for (const std::string& name : names) text += name + " ";
    return text;
  }
  void list(const std::string& directory) {
    if (is_directory(base_, directory)) {
      record(ReadKind::kListing, directory, "l");
    } else if (!is_directory(view_, directory)) {
      record(ReadKind::kAbsence, directory, "");
    }
    saw('n', directory, names_in(directory));
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
  Read ignored_;
  const Tree* instead_ = nullptr;
};

// The whole program at one place, with nobody beside it.
inline Player play(const Program& program, Texts& texts, const Place& place) {
  Player player(program, texts, place, Trace::kOff);
  while (!player.done()) player.step(place);
  return player;
}

}  // namespace gittxn::land::testing

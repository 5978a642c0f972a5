// The questions that small programs ask (program.h): processes that look at some of a tree, print
// something and end with a status, which is a function of what they looked at. For tests.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "capture/asked/own_files.h"
#include "land/testing/texts.h"
#include "model/change.h"
#include "model/read.h"

namespace gittxn::land::testing {

// A process's eyes and hands.
struct Senses {
  std::function<const std::string*(const std::string& path)> open;  // null: there is none
  std::function<bool(const std::string& path)> stat;
  std::function<std::string(const std::string& directory)> list;  // its names, or "-"
  std::function<bool()> cached = [] { return false; };            // an ignored file is there
  std::function<void(const std::string& path)> write = [](const std::string&) {};
};

struct Said {
  int status = 0;
  std::string out;
  bool operator==(const Said&) const = default;
};

// The names of questions; each takes two paths. The first ones only print. Of the others the status
// is meant.
inline constexpr const char* kShows[] = {"first", "there", "names", "count", "ones", "follow"};
inline constexpr const char* kChecks[] = {"imply", "tidy", "cached", "report", "pick"};

inline bool has(const std::string* text, const char* line) {
  return text != nullptr && text->find(line) != std::string::npos;
}
inline std::string first_line(const std::string* text) {
  return text == nullptr ? "-" : text->substr(0, text->find('\n'));
}
inline std::string directory_of(const std::string& path) {
  const std::size_t slash = path.find('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}
inline std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (end != at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// True if no file in the directory has r = 1.
inline Said tidy(const std::string& directory, const Senses& senses) {
  const std::string names = senses.list(directory);
  if (names == "-") return {0, "no directory"};
  Said said{0, ""};
  for (const std::string& name : words_of(names)) {
    const std::string path = directory.empty() ? name : directory + "/" + name;
    if (path == "d") continue;
    said.out += name + " ";
    if (has(senses.open(path), "r = 1")) said.status = 1;
  }
  return said;
}

// Looks into the file only where its directory has an even number of names.
inline Said pick(const std::string& path, const Senses& senses) {
  const std::string names = senses.list(directory_of(path));
  if (names == "-" || words_of(names).size() % 2 == 1) return {0, names};
  const std::string* text = senses.open(path);
  return {has(text, "q = 1") ? 1 : 0, first_line(text)};
}

inline Said answer(const std::vector<std::string>& argv, const Senses& senses) {
  const std::string &what = argv[0], &a = argv[1], &b = argv[2];
  if (what == "tidy") return tidy(directory_of(a), senses);
  if (what == "pick") return pick(a, senses);
  if (what == "names" || what == "count") {
    const std::string names = senses.list(directory_of(a));
    if (names == "-") return {2, ""};
    return {0, what == "names" ? names : std::to_string(words_of(names).size())};
  }
  if (what == "there") {
    const bool one = senses.stat(a), other = senses.stat(b);
    return {one ? 0 : 1, (one ? a : "") + " " + (other ? b : "")};
  }
  // An ignored file answers, which no asking has: it has to look elsewhere then, or nobody can tell
  // (docs/enforces.md says so).
  if (what == "cached" && senses.cached()) {
    return {has(senses.open(a), "p = 1") ? 1 : 0, "it was"};
  }
  if (what == "cached") return {has(senses.open(b), "q = 1") ? 1 : 0, "anew"};
  const std::string* text = senses.open(a);
  const std::string first = first_line(text);
  if (what == "first") return {text == nullptr ? 1 : 0, first};
  if (what == "report") {
    if (text != nullptr) senses.write(b);
    return {text == nullptr ? 1 : 0, first};
  }
  const bool deciding = has(text, "p = 1");
  if (what == "follow") return {0, deciding ? first_line(senses.open(b)) : ""};
  if (what == "imply") return {deciding && !has(senses.open(b), "q = 1") ? 1 : 0, first};
  const std::string* other = senses.open(b);  // "ones"
  return {0, std::string(deciding ? "1" : "0") + (has(other, "q = 1") ? "1" : "0")};
}

inline std::set<std::string> names_below(const Tree& tree, const std::string& directory) {
  const std::string prefix = directory.empty() ? "" : directory + "/";
  std::set<std::string> names;
  for (const auto& [path, entry] : tree) {
    if (!path.starts_with(prefix)) continue;
    names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
  }
  return names;
}
inline std::string text_of(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + " ";
  return text;
}
// On a tree, with nobody's worktree about it.
inline Senses senses_of(const Tree& tree, const Texts& texts) {
  Senses senses;
  senses.open = [&](const std::string& path) -> const std::string* {
    const auto at = tree.find(path);
    return at == tree.end() ? nullptr : &texts.of(at->second.oid);
  };
  senses.stat = [&](const std::string& path) { return tree.contains(path); };
  senses.list = [&](const std::string& directory) {
    return is_directory(tree, directory) ? text_of(names_below(tree, directory)) : "-";
  };
  return senses;
}
// The digest that capture records: without what the transaction writes.
inline std::string listing_digest(const Tree& tree, const std::string& directory,
                                  const Changes& writes) {
  std::set<std::string> names = names_below(tree, directory);
  for (const PathChange& change : writes) {
    if (directory_of(change.path) != directory) continue;
    names.erase(directory.empty() ? change.path : change.path.substr(directory.size() + 1));
  }
  return text_of(names);
}

// Records what a trace would tell of the processes that ask; which of them are questions is decided
// as capture decides it.
class Inquiries {
 public:
  enum class Touched { kWritten, kRemoved };
  void touched(const std::string& path, Touched how) {
    touches_[path].push_back({++now_, current_, true, how == Touched::kRemoved});
  }
  void begin(Question::Kind kind, const std::vector<std::string>& argv) {
    Inquiry one;
    one.question.kind = kind;
    one.question.argv = argv;
    one.question.program = argv[0];
    one.from = ++now_;
    inquiries_.push_back(std::move(one));
    current_ = static_cast<std::int64_t>(inquiries_.size());
  }
  std::int64_t current() const { return current_; }  // 0: none
  void looked_at(const std::string& path) {
    if (current_ != 0) inquiries_.back().looks.insert(path);
  }
  // Another process does something meanwhile.
  void aside() { current_ = 0; }
  void go_on() { current_ = static_cast<std::int64_t>(inquiries_.size()); }
  void end(int status) {
    inquiries_.back().question.status = status;
    inquiries_.back().to = ++now_;
    current_ = 0;
  }

  enum class Base { kTheSnapshot, kMoved };
  // Reads keep the numbers of what is a question. On a base that moved nothing is.
  void finish(const Changes& writes, Base base, ReadSet& reads) {
    const capture::OwnHistory history(writes, touches_);
    std::set<std::int64_t> used;
    for (const Read& read : reads.reads) used.insert(read.question);
    std::vector<std::int64_t> numbers{0};
    for (Inquiry& one : inquiries_) {
      const auto number = static_cast<std::int64_t>(numbers.size());
      const bool is_one = base == Base::kTheSnapshot && settle(one, number, history) &&
                          (used.contains(number) || !one.question.met.empty());
      if (is_one) {
        one.question.number = static_cast<std::int64_t>(reads.questions.size()) + 1;
        reads.questions.push_back(one.question);
      }
      numbers.push_back(is_one ? one.question.number : 0);
    }
    for (Read& read : reads.reads) read.question = numbers[static_cast<std::size_t>(read.question)];
  }

 private:
  struct Inquiry {
    Question question;
    std::uint64_t from = 0, to = 0;
    std::set<std::string> looks;
  };

  static bool settle(Inquiry& one, std::int64_t number, const capture::OwnHistory& history) {
    Question& question = one.question;
    if (question.kind == Question::Kind::kRunner && question.status != 0) return false;
    capture::Asking asking{question.kind, one.from, one.to, &one.looks, {}, {}, {}};
    asking.itself = [number](std::int64_t by) { return by == number; };
    asking.touched_unseen = asking.left_out = [](const std::string&) { return false; };
    capture::OwnFiles files = history.at(asking);
    question.own = std::move(files.own);
    question.met = std::move(files.met);
    question.unsettled = std::move(files.unsettled);
    question.in_between = files.in_between;
    return files.spoiled.empty();
  }

  std::uint64_t now_ = 0;
  capture::Touches touches_;
  std::vector<Inquiry> inquiries_;
  std::int64_t current_ = 0;
};

}  // namespace gittxn::land::testing

#include "search/evaluate.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/fs.h"
#include "search/lines.h"
#include "search/walk.h"

namespace gittxn::search {
namespace {

bool is_text_tool(const Query& query) {
  return query.kind != Kind::kNames;
}

// git writes such names in its own way.
bool is_quoted(std::string_view path) {
  return std::any_of(path.begin(), path.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte > 0x7e || c == '"' || c == '\\';
  });
}

// The query ready to be asked about one tree.
class Asker {
 public:
  static Refined<Asker> make(const Query& query, const Tree& tree) {
    Asker asker(query, tree);
    if (query.dialect != Dialect::kNone) asker.matcher_ = TRY(Matcher::compile(query));
    for (const Root& root : query.roots) {
      asker.entries_.push_back(TRY(root_entry(root, tree)));
      const bool directory = asker.entries_.back().mode == FileMode::kTree;
      if (directory != asker.entries_.back().present() && query.tool == Tool::kFd) {
        return not_refined("fd was given a file");
      }
      if (directory && !query.recursive && query.tool == Tool::kGrep) {
        return not_refined("grep was given a directory");
      }
      if (!directory && !query.rules.empty()) return not_refined("a file was given beside globs");
    }
    const bool one = query.roots.size() == 1;
    asker.named_ = !one || (asker.entries_[0].mode == FileMode::kTree && query.recursive);
    return asker;
  }

  const TreeEntry& entry(std::size_t root) const { return entries_[root]; }
  Walk& walk() { return walk_; }

  // The lines about a path that counts.
  Refined<PathAnswer> answer(const Root& root, const std::string& path, const TreeEntry& entry,
                             const Place& place) {
    PathAnswer answer;
    answer.certain = place.certain && entry.mode != FileMode::kSubmodule;
    if (query_.tool == Tool::kGitGrep && is_quoted(path)) answer.certain = false;
    const std::string shown = walk_.shown(root, path, entry);
    bool known = true;
    if (!is_text_tool(query_)) {
      bool matches = true;
      if (matcher_) {
        const std::string name = base_name(path);
        if (!answer_is_certain(query_, name)) answer.certain = false;
        Match match;
        matches = !answer.certain || matcher_->find(name, 0, match) == Found::kYes;
      }
      if (matches) answer.lines.push_back(shown);
    } else if (!matcher_) {
      answer.lines.push_back(shown);  // rg --files
    } else {
      const Result<std::string> text = tree_.blob(entry.oid);
      if (!text) return not_refined("cannot read the tree: " + text.error().message);
      Lines lines = lines_of(query_, *matcher_, is_named() ? shown : std::string(), *text);
      // A file that is perhaps not read at all still prints these lines or none.
      known = lines.certain;
      answer.certain = answer.certain && lines.certain;
      answer.selected = lines.selected;
      answer.lines = std::move(lines.printed);
    }
    if (!known || (!answer.certain && (!is_text_tool(query_) || !matcher_))) {
      answer.lines = {"? " + std::to_string(static_cast<unsigned>(entry.mode)) + " " +
                      entry.oid.str()};
    }
    return answer;
  }

 private:
  Asker(const Query& query, const Tree& tree) : query_(query), tree_(tree), walk_(query, tree) {}
  bool is_named() const {
    if (query_.shown == Shown::kWithMatch || query_.shown == Shown::kWithoutMatch) return true;
    if (query_.names != NameShown::kAuto) return query_.names == NameShown::kAlways;
    return named_ || query_.tool == Tool::kGitGrep;
  }

  const Query& query_;
  const Tree& tree_;
  Walk walk_;
  std::optional<Matcher> matcher_;
  std::vector<TreeEntry> entries_;
  bool named_ = true;
};

// git grep looks at a file once, however many of its paths name it.
bool only_once(const Query& query) {
  return query.tool == Tool::kGitGrep;
}

enum class Look { kWhole, kScope };

class Evaluation {
 public:
  Evaluation(const Query& query, const Tree& tree, EvaluateLimits limits, Look look)
      : query_(query), tree_(tree), look_(look), left_(limits.max_entries) {}

  Refined<Answer> run() {
    Asker asker = TRY(Asker::make(query_, tree_));
    for (std::size_t i = 0; i < query_.roots.size(); ++i) {
      const TreeEntry entry = asker.entry(i);
      if (!entry.present()) continue;
      TRY(visit(asker, query_.roots[i], query_.roots[i].path, entry));
    }
    answer_.ignore_files = asker.walk().ignore_files();
    for (std::vector<std::string>* list : {&answer_.files, &answer_.directories}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return std::move(answer_);
  }

 private:
  struct Item {
    std::string path;
    TreeEntry entry;
  };

  Refined<void> visit(Asker& asker, const Root& root, const std::string& path,
                      const TreeEntry& entry) {
    std::vector<Item> stack{{path, entry}};
    while (!stack.empty()) {
      const Item item = std::move(stack.back());
      stack.pop_back();
      const Place place = TRY(asker.walk().place(root, item.path, item.entry));
      if (place.counts && TRY(count(asker, root, item, place))) continue;
      if (!place.enters) continue;
      answer_.directories.push_back(item.path);
      const Result<std::vector<NamedEntry>> names = tree_.list(item.path);
      if (!names) return not_refined("cannot read the tree: " + names.error().message);
      if (names->size() > left_) return not_refined("the tree is too large");
      left_ -= names->size();
      for (const NamedEntry& next : *names) {
        stack.push_back({item.path.empty() ? next.name : item.path + "/" + next.name, next.entry});
      }
    }
    return {};
  }

  // True when the file was seen before and is not to be seen again.
  Refined<bool> count(Asker& asker, const Root& root, const Item& item, const Place& place) {
    if (look_ == Look::kScope) {
      if (reads_files()) answer_.files.push_back(item.path);
      return false;
    }
    if (only_once(query_) && answer_.paths.contains(item.path)) return true;
    const PathAnswer found = TRY(asker.answer(root, item.path, item.entry, place));
    if (reads_files()) answer_.files.push_back(item.path);
    answer_.certain = answer_.certain && found.certain;
    PathAnswer& all = answer_.paths[item.path];
    all.certain = all.certain && found.certain;
    all.lines.insert(all.lines.end(), found.lines.begin(), found.lines.end());
    return false;
  }

  bool reads_files() const { return is_text_tool(query_) && query_.dialect != Dialect::kNone; }

  const Query& query_;
  const Tree& tree_;
  Look look_;
  std::size_t left_;
  Answer answer_;
};

bool within(std::string_view path, std::string_view directory) {
  return directory.empty() || path == directory || path_below(path, directory, nullptr);
}

bool contains_text(std::string_view text, std::string_view part, bool fold) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto same = [&](char a, char b) { return fold ? lower(a) == lower(b) : a == b; };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Whether a file of this name in git's index can make a difference to what is printed about the
// index. What stands around a name there is no text, so only a literal is sure not to match.
bool name_may_match(const Query& query, std::string_view name) {
  if (query.invert) return true;
  return std::any_of(query.patterns.begin(), query.patterns.end(), [&](const std::string& pattern) {
    return !is_literal(query.dialect, pattern) || contains_text(name, pattern, query.ignore_case);
  });
}

std::string cut_line(std::string line) {
  constexpr std::size_t kMost = 200;
  if (line.size() > kMost) line.resize(kMost);
  return line;
}

// The first of `lines` that `others` has not.
std::string first_missing(std::vector<std::string> lines, std::vector<std::string> others) {
  std::sort(others.begin(), others.end());
  for (std::string& line : lines) {
    if (!std::binary_search(others.begin(), others.end(), line)) return cut_line(std::move(line));
  }
  return {};
}

class Judge {
 public:
  Judge(const Query& query, const Tree& before, const Tree& after, const Changes& changes,
        const std::vector<std::string>& own)
      : query_(query),
        before_(before),
        after_(after),
        changes_(changes),
        own_(own.begin(), own.end()) {}

  Refined<void> run() {
    Asker old_asker = TRY(Asker::make(query_, before_));
    Asker new_asker = TRY(Asker::make(query_, after_));
    for (std::size_t i = 0; i < query_.roots.size(); ++i) {
      if (old_asker.entry(i).mode != new_asker.entry(i).mode) {
        return broken(query_.roots[i].path, "became something else");
      }
    }
    TRY(collect());
    TRY(index_names());
    bool moved = false;
    for (const std::string& path : affected_) {
      const TreeEntry old_entry = TRY(entry_of(before_, path));
      const TreeEntry new_entry = TRY(entry_of(after_, path));
      for (const Root& root : query_.roots) {
        if (!within(path, root.path)) continue;
        const Said was = TRY(said(old_asker, root, path, old_entry));
        const Said is = TRY(said(new_asker, root, path, new_entry));
        moved = moved || was.counts != is.counts;
        if (was.lines == is.lines) continue;
        was_ = first_missing(was.printed, is.printed);
        is_ = first_missing(is.printed, was.printed);
        return broken(path, "changes the answer");
      }
    }
    // rg says so, and ends otherwise, when there was no file to search.
    if (moved && query_.tool == Tool::kRipgrep && is_text_tool(query_)) {
      const bool both =
          TRY(searches_a_file(old_asker, before_)) && TRY(searches_a_file(new_asker, after_));
      if (!both) return not_refined("there may be no file to search");
    }
    return own_standing();
  }

  Judgement refusal(const NotRefined& why) const { return {false, why.reason, path_, was_, is_}; }

 private:
  struct Said {
    std::vector<std::string> lines;  // with what is not printed and counts too
    bool counts = false;
    std::vector<std::string> printed;
  };

  std::unexpected<NotRefined> broken(const std::string& path, std::string_view how) {
    path_ = path;
    return not_refined("'" + path + "' " + std::string(how));
  }

  Refined<void> index_names() {
    if (!query_.git_index) return {};
    for (const PathChange& change : changes_) {
      const auto is_name = [](const TreeEntry& entry) {
        return entry.present() && entry.mode != FileMode::kTree;
      };
      if (is_name(change.before) == is_name(change.after)) continue;
      if (name_may_match(query_, change.path)) {
        return broken(change.path, "may change what is printed about git's index");
      }
    }
    return {};
  }

  // Looks no further than the first.
  Refined<bool> searches_a_file(Asker& asker, const Tree& tree) const {
    for (std::size_t i = 0; i < query_.roots.size(); ++i) {
      std::vector<std::pair<std::string, TreeEntry>> stack;
      if (asker.entry(i).present()) stack.emplace_back(query_.roots[i].path, asker.entry(i));
      while (!stack.empty()) {
        const auto [path, entry] = std::move(stack.back());
        stack.pop_back();
        const Place place = TRY(asker.walk().place(query_.roots[i], path, entry));
        if (place.counts && place.certain) return true;
        if (!place.enters) continue;
        const Result<std::vector<NamedEntry>> names = tree.list(path);
        if (!names) return not_refined("cannot read the tree: " + names.error().message);
        for (const NamedEntry& next : *names) {
          stack.emplace_back(path.empty() ? next.name : path + "/" + next.name, next.entry);
        }
      }
    }
    return false;
  }

  static Refined<TreeEntry> entry_of(const Tree& tree, const std::string& path) {
    const Result<TreeEntry> entry = tree.entry(path);
    if (!entry) return not_refined("cannot read the tree: " + entry.error().message);
    return *entry;
  }

  bool in_scope(std::string_view path) const {
    return std::any_of(query_.roots.begin(), query_.roots.end(),
                       [&](const Root& root) { return within(path, root.path); });
  }

  Refined<void> collect() {
    const bool own_rules = std::any_of(own_.begin(), own_.end(), [&](const std::string& path) {
      return is_ignore_file(query_, path);
    });
    for (const PathChange& change : changes_) {
      // Attributes decide how files are checked out, and what git grep takes for text.
      if (is_text_tool(query_) && base_name(change.path) == ".gitattributes") {
        return broken(change.path, "changed");
      }
      if (in_scope(change.path)) affected_.insert(change.path);
      if (!is_ignore_file(query_, change.path)) continue;
      // Which rules the transaction's own files add cannot be seen in either tree.
      if (own_rules) return not_refined("ignore files changed on both sides");
      std::string directory = parent_dir(change.path);
      if (directory == ".") directory.clear();
      governed_.push_back(directory);
      TRY(collect_below(before_, directory));
      TRY(collect_below(after_, directory));
    }
    // A file that these trees' rules hide may be one that the transaction's own rules show.
    if (own_rules && !affected_.empty()) return not_refined("the transaction has ignore files");
    return {};
  }

  Refined<void> collect_below(const Tree& tree, const std::string& top) {
    std::vector<std::string> stack{top};
    while (!stack.empty()) {
      const std::string directory = std::move(stack.back());
      stack.pop_back();
      if (TRY(entry_of(tree, directory)).mode != FileMode::kTree) continue;
      const Result<std::vector<NamedEntry>> names = tree.list(directory);
      if (!names) return not_refined("cannot read the tree: " + names.error().message);
      for (const NamedEntry& next : *names) {
        const std::string path = directory.empty() ? next.name : directory + "/" + next.name;
        if (in_scope(path)) affected_.insert(path);
        if (next.entry.mode == FileMode::kTree) stack.push_back(path);
      }
    }
    return {};
  }

  // What the query may say about a path. Where nothing would be said, how it stands does not
  // matter.
  Refined<Said> said(Asker& asker, const Root& root, const std::string& path,
                     const TreeEntry& entry) {
    if (!entry.present()) return Said{};
    const Place place = TRY(asker.walk().place(root, path, entry));
    if (!place.counts) return Said{};
    PathAnswer answer = TRY(asker.answer(root, path, entry, place));
    std::vector<std::string> printed;
    if (answer.certain) printed = answer.lines;
    if (answer.selected) answer.lines.emplace_back("selected");
    if (!answer.lines.empty()) answer.lines.push_back(place.trail);
    return Said{std::move(answer.lines), true, std::move(printed)};
  }

  // Files of the transaction are in neither tree; new rules may hide them, or show them.
  Refined<void> own_standing() const {
    if (governed_.empty()) return {};
    for (const std::string& path : own_) {
      const bool ruled = std::any_of(governed_.begin(), governed_.end(),
                                     [&](const auto& top) { return within(path, top); });
      if (!ruled || !in_scope(path)) continue;
      return not_refined("ignore rules above '" + path + "', which is its own, changed");
    }
    return {};
  }

  const Query& query_;
  const Tree& before_;
  const Tree& after_;
  const Changes& changes_;
  std::set<std::string> own_;
  std::set<std::string> affected_;
  std::vector<std::string> governed_;
  std::string path_;  // of the witness
  std::string was_;
  std::string is_;
};

}  // namespace

Refined<Answer> evaluate(const Query& query, const Tree& tree, EvaluateLimits limits) {
  return Evaluation(query, tree, limits, Look::kWhole).run();
}

Refined<Answer> scope_of(const Query& query, const Tree& tree, EvaluateLimits limits) {
  return Evaluation(query, tree, limits, Look::kScope).run();
}

Judgement judge(const Query& query, const Tree& before, const Tree& after, const Changes& changes,
                const std::vector<std::string>& own) {
  Judge judge(query, before, after, changes, own);
  const Refined<void> same = judge.run();
  if (same) return {true, {}, {}, {}, {}};
  return judge.refusal(same.error());
}

}  // namespace gittxn::search

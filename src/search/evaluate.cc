#include "search/evaluate.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "base/fs.h"
#include "search/walk.h"

namespace gittxn::search {
namespace {

bool is_text_tool(const Query& query) {
  return query.kind != Kind::kNames;
}

// git writes such names in its own way.
bool is_quoted(std::string_view path) {
  return std::ranges::any_of(path, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte > 0x7e || c == '"' || c == '\\';
  });
}

// The entries of a directory, each by its whole path.
Refined<std::vector<NamedEntry>> entries_in(const Tree& tree, const std::string& directory) {
  std::vector<NamedEntry> entries = TRY(readable(tree.list(directory)));
  for (NamedEntry& entry : entries) entry.name = join_path(directory, entry.name);
  return entries;
}

// kScope: nobody asks what an entry has in it.
enum class Look { kWhole, kScope };

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

  // Shows `see` each entry at and below a root, with what it counts for; while it says so, and the
  // search enters the directory, what is in that too. At most `left` entries are listed. The path
  // of what is shown may be taken, but for one that is entered.
  template <typename See>
  Refined<void> each_of(std::size_t root, Look look, std::size_t& left, See see) {
    struct Inside {
      std::string path;  // with a slash at its end, unless it is the top
      Place place;
      std::vector<NamedEntry> entries;
      std::size_t next = 0;
    };
    const Root& given = query_.roots[root];
    std::vector<Inside> entered;
    const auto show = [&](NamedEntry& item, Place& place) -> Refined<void> {
      if (!TRY(see(item, place)) || !place.enters) return {};
      auto entries =
          TRY(readable(look == Look::kWhole ? tree_.list(item.name) : tree_.list_modes(item.name)));
      if (entries.size() > left) return not_refined("the tree is too large");
      left -= entries.size();
      if (!item.name.empty()) item.name += '/';
      entered.push_back({std::move(item.name), std::move(place), std::move(entries)});
      return {};
    };
    if (!entries_[root].present()) return {};
    Place first = TRY(walk_.place(given, given.path, entries_[root]));
    NamedEntry top{given.path, entries_[root]};
    TRY(show(top, first));
    while (!entered.empty()) {
      Inside& in = entered.back();
      if (in.next == in.entries.size()) {
        entered.pop_back();
        continue;
      }
      NamedEntry& item = in.entries[in.next++];
      item.name.insert(0, in.path);
      Place place = TRY(walk_.place_in(given, in.place, item.name, item.entry));
      TRY(show(item, place));
    }
    return {};
  }

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
      const std::string text = TRY(readable(tree_.blob(entry.oid)));
      PathAnswer printed = lines_of(query_, *matcher_, is_named() ? shown : std::string(), text);
      // A file that is perhaps not read at all still prints these lines or none.
      known = printed.certain;
      printed.certain = answer.certain && printed.certain;
      answer = std::move(printed);
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

Refined<Answer> look_at(const Query& query, const Tree& tree, Look look, std::size_t left) {
  const bool reads_files = is_text_tool(query) && query.dialect != Dialect::kNone;
  Asker asker = TRY(Asker::make(query, tree));
  Answer answer;
  for (std::size_t i = 0; i < query.roots.size(); ++i) {
    const auto see = [&](NamedEntry& item, const Place& place) -> Refined<bool> {
      if (place.enters) answer.directories.push_back(item.name);
      if (!place.counts) return true;
      if (look == Look::kWhole) {
        // git grep looks at a file once, however many of its paths name it.
        if (query.tool == Tool::kGitGrep && answer.paths.contains(item.name)) return false;
        PathAnswer found = TRY(asker.answer(query.roots[i], item.name, item.entry, place));
        answer.certain = answer.certain && found.certain;
        PathAnswer& all = answer.paths[item.name];
        all.certain = all.certain && found.certain;
        std::ranges::move(found.lines, std::back_inserter(all.lines));
      }
      if (reads_files) {
        answer.files.push_back(place.enters ? item.name : std::move(item.name));
      }
      return true;
    };
    TRY(asker.each_of(i, look, left, see));
  }
  answer.ignore_files = asker.walk().ignore_files();
  for (std::vector<std::string>* list : {&answer.files, &answer.directories}) {
    if (!std::ranges::is_sorted(*list)) std::ranges::sort(*list);
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  return answer;
}

bool within(std::string_view path, std::string_view directory) {
  return directory.empty() || path == directory || path_below(path, directory, nullptr);
}

// Whether a file of this name in git's index can make a difference to what is printed about the
// index. What stands around a name there is no text, so only a literal is sure not to match.
bool name_may_match(const Query& query, const std::string& name) {
  if (query.invert) return true;
  return std::ranges::any_of(query.patterns, [&](const std::string& pattern) {
    if (!is_literal(query.dialect, pattern)) return true;
    return query.ignore_case ? ::strcasestr(name.c_str(), pattern.c_str()) != nullptr
                             : name.contains(pattern);
  });
}

// The beginning of the first of `lines` that `others` has not.
std::string first_missing(const std::vector<std::string>& lines, std::vector<std::string> others) {
  std::ranges::sort(others);
  for (const std::string& line : lines) {
    if (!std::ranges::binary_search(others, line)) return line.substr(0, 200);
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

  // Shows `see` what is said of each path of which something else is said, until it refuses.
  template <typename See>
  Refined<void> run(See see) {
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
      const TreeEntry old_entry = TRY(readable(before_.entry(path)));
      const TreeEntry new_entry = TRY(readable(after_.entry(path)));
      for (const Root& root : query_.roots) {
        if (!within(path, root.path)) continue;
        const Said was = TRY(said(old_asker, root, path, old_entry));
        const Said is = TRY(said(new_asker, root, path, new_entry));
        moved = moved || was.counts != is.counts;
        if (was.lines != is.lines) TRY(see(path, was, is));
      }
    }
    // rg says so, and ends otherwise, when there was no file to search.
    if (moved && query_.tool == Tool::kRipgrep && is_text_tool(query_)) {
      const bool both = TRY(searches_a_file(old_asker)) && TRY(searches_a_file(new_asker));
      if (!both) return not_refined("there may be no file to search");
    }
    return own_standing();
  }

  Judgement judgement() {
    const Refined<void> same =
        run([this](const std::string& path, const Said& was, const Said& is) {
          was_ = first_missing(was.printed, is.printed);
          is_ = first_missing(is.printed, was.printed);
          return Refined<void>(broken(path, "changes the answer"));
        });
    if (same) return {true, {}, {}, {}, {}};
    return {false, same.error().reason, path_, was_, is_};
  }

  Refined<std::vector<Difference>> differences() {
    std::vector<Difference> found;
    TRY(run([&](const std::string& path, const Said& was, const Said& is) -> Refined<void> {
      if (!was.certain || !is.certain) return broken(path, "has no certain answer");
      found.push_back({path, was.printed, is.printed});
      return {};
    }));
    return found;
  }

 private:
  struct Said {
    std::vector<std::string> lines = {};  // with what is not printed and counts too
    bool counts = false;
    bool certain = true;
    std::vector<std::string> printed = {};
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
  Refined<bool> searches_a_file(Asker& asker) const {
    bool found = false;
    std::size_t left = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < query_.roots.size() && !found; ++i) {
      TRY(asker.each_of(i, Look::kScope, left,
                        [&](const NamedEntry&, const Place& place) -> Refined<bool> {
                          found = found || (place.counts && place.certain);
                          return !found;
                        }));
    }
    return found;
  }

  bool in_scope(std::string_view path) const {
    return std::ranges::any_of(query_.roots,
                               [&](const Root& root) { return within(path, root.path); });
  }

  Refined<void> collect() {
    const bool own_rules = std::ranges::any_of(
        own_, [&](const std::string& path) { return is_ignore_file(query_, path); });
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
      if (TRY(readable(tree.entry(directory))).mode != FileMode::kTree) continue;
      for (const NamedEntry& next : TRY(entries_in(tree, directory))) {
        if (in_scope(next.name)) affected_.insert(next.name);
        if (next.entry.mode == FileMode::kTree) stack.push_back(next.name);
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
    return Said{std::move(answer.lines), true, answer.certain, std::move(printed)};
  }

  // Files of the transaction are in neither tree; new rules may hide them, or show them.
  Refined<void> own_standing() const {
    if (governed_.empty()) return {};
    for (const std::string& path : own_) {
      const bool ruled =
          std::ranges::any_of(governed_, [&](const auto& top) { return within(path, top); });
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

Refined<Answer> evaluate(const Query& query, const Tree& tree, std::size_t max_entries) {
  return look_at(query, tree, Look::kWhole, max_entries);
}

Refined<Answer> scope_of(const Query& query, const Tree& tree) {
  return look_at(query, tree, Look::kScope, kMaxEntries);
}

Judgement judge(const Query& query, const Tree& before, const Tree& after, const Changes& changes,
                const std::vector<std::string>& own) {
  return Judge(query, before, after, changes, own).judgement();
}

Refined<std::vector<Difference>> differences(const Query& query, const Tree& before,
                                             const Tree& after, const Changes& changes,
                                             const std::vector<std::string>& own) {
  return Judge(query, before, after, changes, own).differences();
}

}  // namespace gittxn::search

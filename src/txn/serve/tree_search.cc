#include "txn/serve/tree_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json.h"
#include "base/text.h"
#include "search/glob.h"
#include "search/pattern.h"
#include "search/walk.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMaxLimit = 10'000;
constexpr std::size_t kMaxAnswer = 64u << 10;  // bytes of lines
constexpr std::size_t kMaxLine = 500;          // shown of one
constexpr std::size_t kMaxGlobs = 64;
constexpr std::uint32_t kMaxContext = 100;
constexpr std::size_t kMaxVisited = 1'000'000;
constexpr std::size_t kMaxSkipped = 20;

std::unexpected<Error> not_understood(const search::NotRefined& reason, std::string hint) {
  return fail(Code::kUsage, reason.reason, std::move(hint));
}

Status add_globs(const TreeQuery& asked, search::Query& query) {
  if (asked.request.globs.size() > kMaxGlobs) return fail(Code::kUsage, "more than 64 globs");
  for (const std::string& glob : asked.request.globs) {
    const bool exclude = glob.starts_with('!');
    const std::string rule = exclude ? glob.substr(1) : glob;
    const auto parsed = search::parse_rule(rule);
    if (!parsed || parsed->negated || rule.empty()) {
      return fail(
          Code::kUsage,
          fmt::format("glob '{}': {}", glob, parsed ? "it names nothing" : parsed.error().reason),
          "letters, '*' and '**' are understood; a leading '!' leaves out");
    }
    using Effect = search::NameRule::Effect;
    query.rules.push_back({exclude ? Effect::kExclude : Effect::kInclude, rule});
  }
  return {};
}

class Search {
 public:
  Search(const ServedTree& tree, const search::Query& query, const TreeQuery& asked,
         const std::function<bool()>& stop)
      : tree_(tree), query_(query), asked_(asked), stop_(stop), walk_(query, tree) {}

  Result<SearchAnswer> run() {
    if (!asked_.names_only) {
      auto matcher = search::Matcher::compile(query_);
      if (!matcher) return not_understood(matcher.error(), "search for it with literal: true");
      matcher_.emplace(*std::move(matcher));
    }
    const search::Root& root = query_.roots.front();
    const FileMode mode = asked_.path_is_file ? FileMode::kFile : FileMode::kTree;
    std::vector<Item> stack{{root.path, {mode, Oid(root.path)}}};
    while (!stack.empty() && !found_.more) {
      const Item item = std::move(stack.back());
      stack.pop_back();
      if (stop_ && stop_()) return fail(Code::kInterrupted, "the search was cancelled");
      if (++visited_ > kMaxVisited) {
        return fail(Code::kUsage, "more than a million files are below", "name a directory");
      }
      const auto place = walk_.place(root, item.path, item.entry);
      if (!place) return fail(Code::kFault, place.error().reason);
      if (place->counts && item.entry.mode == FileMode::kFile) TRY(file(item.path));
      if (!place->enters) continue;
      std::vector<search::NamedEntry> names = TRY(tree_.list(item.path));
      for (auto each = names.rbegin(); each != names.rend(); ++each) {
        stack.push_back(
            {item.path.empty() ? each->name : item.path + "/" + each->name, each->entry});
      }
    }
    return std::move(found_);
  }

 private:
  struct Item {
    std::string path;
    TreeEntry entry;
  };

  void skip(const std::string& path) {
    if (found_.skipped.size() < kMaxSkipped) found_.skipped.push_back(shown_path(path));
  }

  Status file(const std::string& path) {
    if (asked_.names_only) {
      add_file(path);
      return {};
    }
    const auto text = tree_.blob(Oid(path));
    if (!text && text.error().code == Code::kNotFound) return {};  // removed since it was listed
    if (!text || text->find('\0') != std::string::npos) {
      skip(path);
      return {};
    }
    const std::vector<std::string_view> lines = lines_of(*text);
    std::vector<bool> selected(lines.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      search::Match match;
      const search::Found found = matcher_->find(lines[i], 0, match);
      if (found == search::Found::kUnknown) {
        skip(path);  // the pattern takes too long on it
        return {};
      }
      selected[i] = found == search::Found::kYes;
      any = any || selected[i];
    }
    if (!any) return {};
    add_file(path);
    if (!asked_.request.files_only) print(path, lines, selected);
    return {};
  }

  void add_file(const std::string& path) {
    const bool counted = asked_.names_only || asked_.request.files_only;
    if (counted && found_.files.size() == asked_.request.limit) {
      found_.more = true;
      return;
    }
    found_.files.push_back(path);
    if (asked_.request.files_only) add_line(shown_path(path));
  }

  bool add_line(std::string line) {
    if (found_.lines.size() == asked_.request.limit || bytes_ + line.size() > kMaxAnswer) {
      found_.more = true;
      return false;
    }
    bytes_ += line.size() + 1;
    found_.lines.push_back(std::move(line));
    return true;
  }

  void print(const std::string& path, const std::vector<std::string_view>& lines,
             const std::vector<bool>& selected) {
    std::vector<bool> shown(lines.size(), false);
    const std::size_t around = asked_.request.context;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!selected[i]) continue;
      const std::size_t last = std::min(lines.size() - 1, i + around);
      for (std::size_t k = i - std::min(i, around); k <= last; ++k) shown[k] = true;
    }
    const std::string name = shown_path(path);
    bool gap = around > 0 && !found_.lines.empty();
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!shown[i]) {
        gap = gap || (around > 0 && !found_.lines.empty());
        continue;
      }
      if (gap && !add_line("--")) return;
      gap = false;
      const char sign = selected[i] ? ':' : '-';
      const bool cut = lines[i].size() > kMaxLine;
      if (!add_line(fmt::format("{}{}{}{}{}{}", name, sign, i + 1, sign,
                                lines[i].substr(0, kMaxLine), cut ? " [cut]" : ""))) {
        return;
      }
    }
  }

  const ServedTree& tree_;
  const search::Query& query_;
  const TreeQuery& asked_;
  const std::function<bool()>& stop_;
  search::Walk walk_;
  std::optional<search::Matcher> matcher_;
  SearchAnswer found_;
  std::size_t visited_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string shown_path(const std::string& path) {
  return is_utf8(path) ? path : encode_path(path);
}

Result<search::Query> query_of(const TreeQuery& asked) {
  const SearchRequest& request = asked.request;
  if (request.limit < 1 || request.limit > kMaxLimit) {
    return fail(Code::kUsage, "limit is 1 to 10,000");
  }
  if (request.context > kMaxContext) return fail(Code::kUsage, "context is at most 100 lines");
  search::Query query;
  query.tool = search::Tool::kRipgrep;
  query.recursive = true;
  query.hidden = true;
  query.ignore_files = true;
  query.cwd = asked.path_is_file ? "" : asked.path;
  query.roots = {{asked.path, asked.path}};
  TRY(add_globs(asked, query));
  if (!query.rules.empty() && asked.path_is_file) {
    return fail(Code::kUsage, "globs choose among the files of a directory, and this is a file");
  }
  if (asked.names_only) {
    query.kind = search::Kind::kNames;
    query.shown = search::Shown::kEntries;
    return query;
  }
  query.kind = request.files_only ? search::Kind::kFiles : search::Kind::kLines;
  query.shown = request.files_only ? search::Shown::kWithMatch : search::Shown::kLines;
  query.dialect = request.literal ? search::Dialect::kFixed : search::Dialect::kPerl;
  query.patterns = {request.pattern};
  query.ignore_case = request.ignore_case;
  query.word = request.word;
  query.before = query.after = request.files_only ? 0 : request.context;
  query.line_numbers = true;
  query.names = search::NameShown::kAlways;
  const auto known = search::check_pattern(query.dialect, request.pattern);
  if (!known) {
    return not_understood(known.error(),
                          "simplify the pattern, or search for a fixed string with literal: true");
  }
  return query;
}

Result<SearchAnswer> search_tree(const ServedTree& tree, const search::Query& query,
                                 const TreeQuery& asked, const std::function<bool()>& stop) {
  return Search(tree, query, asked, stop).run();
}

}  // namespace gittxn::api

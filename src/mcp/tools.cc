#include "mcp/tools.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>
#include <utility>

namespace gittxn::mcp {

namespace {

constexpr std::size_t kMaxPaths = 1000;

// Reads arguments strictly and remembers the first thing that is wrong, in words for a model.
class Arguments {
 public:
  explicit Arguments(const Json& json) : json_(json) {
    if (!json.is_object()) wrong_ = "arguments are an object";
  }

  void text(const char* key, std::string& out) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (value->is_string()) {
      out = value->text();
    } else {
      refuse(key, "a string");
    }
  }
  void needed_text(const char* key, std::string& out) {
    text(key, out);
    if (out.empty() && wrong_.empty()) wrong_ = fmt::format("'{}' is needed", key);
  }
  template <typename T>
  void number(const char* key, T& out) {
    const Json* value = find(key);
    if (value == nullptr) return;
    constexpr std::int64_t kMost = 1'000'000'000;
    const bool whole = value->is_integer();
    const std::int64_t given = whole ? value->get<std::int64_t>() : -1;
    if (given < 0 || given > kMost) return refuse(key, "a number of at least 0");
    out = static_cast<T>(given);
  }
  void flag(const char* key, bool& out) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return refuse(key, "true or false");
    out = value->get<bool>();
  }
  void texts(const char* key, std::vector<std::string>& out) {
    const Json* value = find(key);
    if (value == nullptr) return;
    if (value->is_string()) {
      out = {value->text()};
      return;
    }
    const bool fits = value->is_array() && value->size() <= kMaxPaths;
    if (!fits) return refuse(key, "a list of at most 1,000 strings");
    for (const Json& each : *value) {
      if (!each.is_string()) return refuse(key, "a list of strings");
      out.push_back(each.text());
    }
  }
  // kUsage: what is wrong.
  Status done() const {
    if (!wrong_.empty()) return fail(Code::kUsage, wrong_);
    for (const auto& [key, value] : json_.items()) {
      if (asked_.contains(key)) continue;
      return fail(Code::kUsage, "there is no argument '" + key.substr(0, 64) + "'");
    }
    return {};
  }

 private:
  const Json* find(const char* key) {
    asked_.insert(key);
    const Json& value = json_[key];
    return value.is_null() ? nullptr : &value;
  }
  void refuse(const char* key, std::string_view wanted) {
    if (wrong_.empty()) wrong_ = fmt::format("'{}' is {}", key, wanted);
  }
  const Json& json_;
  std::set<std::string, std::less<>> asked_;
  std::string wrong_;
};

Json property(const char* type, const char* description) {
  return {{"type", type}, {"description", description}};
}

Json texts(const char* description) {
  Json list = property("array", description);
  list["items"] = {{"type", "string"}};
  return list;
}

Json tool(const char* name, const char* description, Json properties, Json required) {
  return {{"name", name},
          {"description", description},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}}},
          {"annotations",
           {{"readOnlyHint", true}, {"idempotentHint", true}, {"openWorldHint", false}}}};
}

std::string words_of(const Error& error) {
  return error.hint.empty() ? error.message : error.message + "; " + error.hint;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Result<ToolAnswer> read_tool(api::TreeTools& tools, Arguments& in, const api::Caller& caller,
                             const std::function<bool()>& /*stop*/) {
  api::ReadRequest request;
  in.needed_text("path", request.path);
  in.number("offset", request.offset);
  in.number("limit", request.limit);
  in.number("column", request.column);
  TRY(in.done());
  const api::FileText file = TRY(tools.read(request, caller));
  if (file.binary) {
    return ToolAnswer{
        {fmt::format("{} is binary, {} bytes; it is not shown", file.path, file.size)}};
  }
  ToolAnswer answer{{file.text}};
  const std::int64_t last = request.offset + file.lines - 1;
  std::string notes;
  if (file.lines == 0) notes += fmt::format("no lines from {} on. ", request.offset);
  if (file.more) notes += fmt::format("truncated: lines {}-{} of more", request.offset, last);
  if (file.cut) {
    notes += fmt::format(
        "; line {} is longer than what is shown of it; go on with offset {} and column {}", last,
        last, file.column);
  }
  if (file.more && !file.cut) notes += fmt::format("; go on with offset {}", last + 1);
  if (file.more) notes += ". ";
  if (!is_utf8(file.text)) notes += "bytes that are not UTF-8 are shown as U+FFFD. ";
  if (!notes.empty()) answer.texts.push_back("[" + notes.substr(0, notes.size() - 1) + "]");
  return answer;
}

Result<ToolAnswer> search_tool(api::TreeTools& tools, Arguments& in, const api::Caller& caller,
                               const std::function<bool()>& stop) {
  api::SearchRequest request;
  in.needed_text("pattern", request.pattern);
  in.text("path", request.path);
  in.texts("glob", request.globs);
  in.flag("literal", request.literal);
  in.flag("ignore_case", request.ignore_case);
  in.flag("word", request.word);
  in.flag("files_only", request.files_only);
  in.number("context", request.context);
  in.number("limit", request.limit);
  TRY(in.done());
  const api::SearchAnswer found = TRY(tools.search(request, caller, stop));
  ToolAnswer answer{{found.files.empty() ? "no matches\n" : joined(found.lines)}};
  if (found.more) {
    answer.texts.push_back(
        "[truncated: there may be more; name a directory or a glob, or raise limit]");
  }
  if (!found.skipped.empty()) {
    answer.texts.push_back(fmt::format("[not searched, being binary or too large: {}]",
                                       fmt::join(found.skipped, ", ")));
  }
  return answer;
}

Result<ToolAnswer> list_tool(api::TreeTools& tools, Arguments& in, const api::Caller& caller,
                             const std::function<bool()>& stop) {
  api::ListRequest request;
  in.text("path", request.path);
  in.text("glob", request.glob);
  in.number("limit", request.limit);
  TRY(in.done());
  const api::ListAnswer found = TRY(tools.list(request, caller, stop));
  ToolAnswer answer{{found.names.empty() ? "nothing there\n" : joined(found.names)}};
  if (found.more) answer.texts.push_back("[truncated: there are more; raise limit]");
  return answer;
}

Result<ToolAnswer> status_tool(api::TreeTools& tools, Arguments& in, const api::Caller& /*caller*/,
                               const std::function<bool()>& /*stop*/) {
  TRY(in.done());
  Json status{{"worktree", encode_path(tools.top())},
              {"recording", !tools.observed().empty()},
              {"recorded", tools.recorded()}};
  // Written by the command that runs the transaction; nothing here is taken on trust by anyone.
  const auto about = parse_json(tools.about());
  status["transaction"] = about ? *about : Json();
  Json stale = Json::array();
  const api::TreeTools::News news = tools.news();
  for (const std::string& subject : news.subjects) stale.push_back(encode_path(subject));
  status["stale"] = std::move(stale);
  ToolAnswer answer{{dump_json(status)}};
  if (news.number > 0) answer.texts.push_back(news.text);
  if (tools.observed().empty()) {
    answer.texts.emplace_back(
        "[no transaction: this is the checkout itself, and nothing is recorded]");
  }
  return answer;
}

Result<ToolAnswer> declare_tool(api::TreeTools& tools, Arguments& in, const api::Caller& caller,
                                const std::function<bool()>& /*stop*/) {
  std::vector<std::string> paths;
  api::Declaration declaration;
  api::SearchRequest search;
  in.texts("paths", paths);
  in.texts("absent", declaration.absent);
  in.text("search", search.pattern);
  in.texts("glob", search.globs);
  in.text("search_path", search.path);
  in.text("reason", declaration.reason);
  TRY(in.done());
  for (const std::string& path : paths) {
    declaration.paths.push_back(TRY(api::parse_declared(path)));
  }
  if (!search.pattern.empty() || !search.globs.empty()) {
    declaration.searches.push_back(std::move(search));
  }
  if (declaration.size() == 0) {
    return fail(Code::kUsage, "one of 'paths', 'absent', 'search' and 'glob' is needed");
  }
  TRY(tools.declare(declaration, caller));
  return ToolAnswer{{fmt::format("{} declared", declaration.size())}};
}

Result<ToolAnswer> before_write_tool(api::TreeTools& tools, Arguments& in,
                                     const api::Caller& /*caller*/,
                                     const std::function<bool()>& /*stop*/) {
  std::vector<std::string> paths;
  in.texts("paths", paths);
  TRY(in.done());
  if (paths.empty()) return fail(Code::kUsage, "'paths' is needed");
  const api::TreeTools::BeforeWrite told = TRY(tools.before_write(paths));
  return ToolAnswer{{told.text.empty() ? "nobody else has changed them\n" : told.text}, told.deny};
}

using Tool = Result<ToolAnswer> (*)(api::TreeTools&, Arguments&, const api::Caller&,
                                    const std::function<bool()>&);
constexpr std::pair<std::string_view, Tool> kTools[] = {{"read", read_tool},
                                                        {"search", search_tool},
                                                        {"list", list_tool},
                                                        {"status", status_tool},
                                                        {"before_write", before_write_tool},
                                                        {"declare_read", declare_tool}};

}  // namespace

Json tool_list() {
  const char* path =
      "relative to the top of the worktree, or absolute and inside it; a name that is not UTF-8 "
      "has %XX for its bytes, as in answers";
  const Json globs =
      texts("files to look at, as in .gitignore: '*.c', 'src/**/*.h'; '!*.min.js' leaves out");
  return Json::array(
      {tool("read", "Read a text file of the transaction's worktree, or lines of it.",
            {{"path", property("string", path)},
             {"offset", property("integer", "first line, from 1")},
             {"limit", property("integer", "how many lines (default 2000)")},
             {"column",
              property("integer",
                       "first byte of the first line, from 1: to go on in a line that was cut")}},
            Json::array({"path"})),
       tool("search",
            "Search the files of the worktree for a regular expression (Perl's, without inline "
            "options). Answers lines as path:line:text. Ignored and binary files are left out.",
            {{"pattern", property("string", "the expression, or with literal the text itself")},
             {"path", property("string", path)},
             {"glob", globs},
             {"literal", property("boolean", "the pattern is a fixed string")},
             {"ignore_case", property("boolean", "letters of both cases match (ASCII)")},
             {"word", property("boolean", "match whole words")},
             {"files_only", property("boolean", "answer only the names of the files")},
             {"context", property("integer", "lines around each match (default 0)")},
             {"limit", property("integer", "how many lines or names (default 200)")}},
            Json::array({"pattern"})),
       tool("list", "List the names in a directory, or with glob every file below it that matches.",
            {{"path", property("string", path)},
             {"glob", property("string", "'*.c', 'src/**/*.h', as in .gitignore")},
             {"limit", property("integer", "how many names (default 1000)")}},
            Json::array()),
       tool("status",
            "Which transaction this is, what it started from, and which of its reads are stale.",
            Json::object(), Json::array()),
       tool("before_write",
            "Ask before you change files for the first time: who has changed, leased or is "
            "changing them, with the difference. Agents whose hooks git-txn runs are told without "
            "asking.",
            {{"paths", texts("relative to the current directory, or absolute")}},
            Json::array({"paths"})),
       tool("declare_read",
            "Say what your change depends on that you did not look at with these tools. It counts: "
            "your change does not land when it no longer holds. What is not so is refused.",
            {{"paths", texts("PATH or PATH:FIRST-LAST, relative to the current directory; of a "
                             "directory the names in it")},
             {"absent", texts("paths that do not exist")},
             {"search", property("string", "an expression: which lines match it")},
             {"glob", globs},
             {"search_path",
              property("string", "where search or glob looked; default: the current directory")},
             {"reason", property("string", "why, in a few words")}},
            Json::array())});
}

Result<ToolAnswer> call_tool(api::TreeTools& tools, const std::string& name, const Json& arguments,
                             const api::Caller& caller, const std::function<bool()>& stop) {
  for (const auto& [known, call] : kTools) {
    if (known != name) continue;
    Arguments in(arguments);
    Result<ToolAnswer> answer = call(tools, in, caller, stop);
    // An error of a tool is an answer; that it was cancelled is none.
    if (answer || answer.error().code == Code::kInterrupted) return answer;
    return ToolAnswer{{words_of(answer.error())}, true};
  }
  return fail(Code::kNotFound, "there is no tool '" + name.substr(0, 64) + "'");
}

}  // namespace gittxn::mcp

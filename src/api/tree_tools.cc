#include "api/tree_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <utility>

#include "agents/hook_log.h"
#include "api/brief.h"
#include "api/instructions.h"
#include "api/served_tree.h"
#include "api/tree_search.h"
#include "base/fs.h"
#include "base/json_value.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMaxServed = 64u
                                   << 10;  // bytes of text in one answer; agents cut what is longer
constexpr std::size_t kBinaryProbe = 8u << 10;
constexpr std::int64_t kMaxLinesRead = 100'000;
constexpr std::size_t kMaxAbout = 64u << 10;
constexpr std::size_t kMaxInstructions = 64u << 10;
constexpr std::size_t kMaxReason = 4096;
constexpr agents::Outcome kDone = agents::Outcome::kDone;
constexpr const char* kServedLog = "mcp.jsonl";
constexpr const char* kDeclaredLog = "declared.jsonl";

agents::Program program_of(std::string_view name) {
  if (name == "claude-code") return agents::Program::kClaudeCode;
  return name.starts_with("codex") ? agents::Program::kCodex : agents::Program::kUnknown;
}

// The checkout that a directory is in: the nearest one above it with a .git.
Result<std::string> checkout_around(const std::string& cwd) {
  for (std::string at = cwd;; at = parent_dir(at)) {
    if (TRY(exists(join_path(at, ".git")))) return at;
    if (at == "/" || at == ".") break;
  }
  return fail(Code::kUsage, "there is no transaction, and no checkout around '" + cwd + "'",
              "start it in a checkout, or name a transaction's directory with --into");
}

// Collects the lines that were asked for from a file of any size, in bounded memory.
class LineTaker {
 public:
  LineTaker(const ReadRequest& request, FileText& out)
      : skip_(request.offset - 1), left_(request.limit), out_(out) {}

  // False: it has enough.
  bool feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      const bool whole = bytes[end - 1] == '\n';
      if (skip_ > 0) {
        skip_ -= whole ? 1 : 0;
      } else if (!take(bytes.substr(0, end), whole)) {
        return false;
      }
      bytes.remove_prefix(end);
    }
    return true;
  }
  void finish() {
    if (in_line_) ++out_.lines;
  }

 private:
  bool take(std::string_view piece, bool whole) {
    const bool full = out_.text.size() + piece.size() > kMaxServed;
    if (left_ == 0 || (full && out_.lines > 0)) {
      // Half a line that was taken already is given back: it is served whole or first.
      if (in_line_) out_.text.resize(line_begin_);
      in_line_ = false;
      out_.more = true;
      return false;
    }
    if (!in_line_) line_begin_ = out_.text.size();
    out_.text += piece.substr(0, kMaxServed - out_.text.size());
    in_line_ = !whole;
    if (full) {
      in_line_ = true;
      out_.cut = out_.more = true;
      return false;
    }
    if (whole) {
      ++out_.lines;
      --left_;
    }
    return true;
  }

  std::int64_t skip_;
  std::int64_t left_;
  FileText& out_;
  std::size_t line_begin_ = 0;
  bool in_line_ = false;
};

}  // namespace

struct TreeTools::State {
  State(const Host& host, ServedTree served, std::string to)
      : clock(host.clock), cwd(host.cwd), tree(std::move(served)), observed(std::move(to)) {}

  Clock* clock;
  std::string cwd;
  ServedTree tree;
  std::string observed;
  std::int64_t recorded = 0;

  struct Noted {
    agents::Detail detail;
    agents::Outcome outcome;
    std::string tool;
    std::int64_t began_ms = 0;
  };
  agents::Observation observation(Noted noted, const Caller& caller) const {
    agents::Observation one;
    one.source = ReadSource::kMcp;
    one.program = program_of(caller.program);
    one.cwd = tree.top();
    one.tool = std::move(noted.tool);
    one.tool_use_id = caller.tool_use_id;
    one.start_ms = noted.began_ms;
    one.end_ms = clock->wall_ms();
    one.outcome = noted.outcome;
    one.detail = std::move(noted.detail);
    return one;
  }
  Status append(agents::Observation one, const char* file) {
    if (observed.empty()) return {};
    auto line = agents::log_line_of(one);
    if (!line) {
      // The names of the files are a help for who explains opens; the query is what was asked.
      if (auto* query = std::get_if<agents::Query>(&one.detail)) {
        query->files.clear();
        query->files_known = false;
      }
      line = agents::log_line_of(one);
    }
    if (!line) return std::unexpected(std::move(line).error());
    TRY_IN("recording what was served",
           agents::append_to_hook_log(join_path(observed, file), *line));
    ++recorded;
    return {};
  }
  Status record(Noted noted, const Caller& caller) {
    return append(observation(std::move(noted), caller), kServedLog);
  }
  // What an agent learned from an error, which is then the answer.
  std::unexpected<Error> failed(Error error, Noted noted, const Caller& caller) {
    if (error.code == Code::kRefused || error.code == Code::kUsage) {
      return std::unexpected(std::move(error));  // nothing in the tree was told
    }
    const bool absent = error.code == Code::kNotFound;
    noted.outcome = absent ? agents::Outcome::kAbsent : agents::Outcome::kFailed;
    if (auto noting = record(std::move(noted), caller); !noting) {
      return std::unexpected(std::move(noting).error());
    }
    return std::unexpected(std::move(error));
  }

  // A file that was left for us beside the observations; most are not there, and one that cannot
  // be read tells nothing.
  std::optional<std::string> note(std::string_view name, std::size_t max) const {
    if (observed.empty()) return std::nullopt;
    auto text = read_file(join_path(observed, name), max);
    if (!text) return std::nullopt;
    return *std::move(text);
  }

  // The query of a search or a glob, done and recorded.
  Result<TreeMatches> run(const TreeQuery& asked, const std::string& tool, agents::Query query,
                          const Caller& caller, const std::function<bool()>& stop) {
    const std::int64_t began = clock->wall_ms();
    tree.forget();
    const auto named = tree.resolve(asked.path);
    if (!named) {
      return failed(named.error(),
                    {agents::FileRead{asked.path, {}, agents::Via::kTool}, kDone, tool, began},
                    caller);
    }
    TreeQuery at = asked;
    at.path = named->path;
    at.path_is_file = !named->is_directory;
    const search::Query parsed = TRY(query_of(at));
    TreeMatches matches = TRY(search_tree(tree, parsed, at, stop));
    query.root = named->path;
    query.options = {{"query", canonical_json(search::to_json(parsed))}};
    query.files_known = !matches.more && matches.files.size() <= agents::kMaxFiles;
    if (query.files_known) query.files = matches.files;
    TRY(record({std::move(query), kDone, tool, began}, caller));
    return matches;
  }
};

TreeTools::TreeTools(std::unique_ptr<State> state) : state_(std::move(state)) {}
TreeTools::TreeTools(TreeTools&&) noexcept = default;
TreeTools& TreeTools::operator=(TreeTools&&) noexcept = default;
TreeTools::~TreeTools() = default;

const std::string& TreeTools::top() const {
  return state_->tree.top();
}
const std::string& TreeTools::observed() const {
  return state_->observed;
}
std::int64_t TreeTools::recorded() const {
  return state_->recorded;
}

Result<std::string> observed_place(const Host& host, const std::optional<std::string>& into) {
  std::string dir;
  if (into) {
    dir = *into;
  } else if (const auto found = host.env.find("GIT_TXN_OBSERVED"); found != host.env.end()) {
    dir = found->second;
  }
  if (dir.empty()) return dir;
  const std::string hint = "the command of a transaction has it in GIT_TXN_OBSERVED";
  const auto real = real_path(join_path(host.cwd, dir));
  if (!real)
    return fail(Code::kUsage, "there is no directory '" + dir + "' for observations", hint);
  return *real;
}

Result<TreeTools> TreeTools::open(const Host& host, const std::optional<std::string>& into) {
  std::string observed = TRY(observed_place(host, into));
  const std::string top =
      observed.empty() ? TRY(checkout_around(host.cwd)) : join_path(parent_dir(observed), "tree");
  auto tree = ServedTree::open(top);
  if (!tree) {
    return fail(Code::kUsage, "there is no worktree at '" + top + "': " + tree.error().message,
                "the transaction may have ended; start again with git txn run");
  }
  return TreeTools(std::make_unique<State>(host, *std::move(tree), std::move(observed)));
}

Result<FileText> TreeTools::read(const ReadRequest& request, const Caller& caller) {
  if (request.offset < 1 || request.limit < 1 || request.limit > kMaxLinesRead) {
    return fail(Code::kUsage, "offset counts from 1, and limit is 1 to 100,000 lines");
  }
  State& state = *state_;
  const std::int64_t began = state.clock->wall_ms();
  const std::string path = TRY(state.tree.path_of(request.path));
  State::Noted noted{agents::FileRead{path, {}, agents::Via::kTool}, kDone, "read", began};
  auto file = state.tree.open_file(path);
  if (!file) return state.failed(std::move(file).error(), std::move(noted), caller);
  FileText text;
  text.path = file->path;
  text.size = file->size;
  LineTaker taker(request, text);
  std::string buffer(kMaxServed, '\0');
  for (bool first = true;; first = false) {
    const ssize_t got = ::read(file->fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      return state.failed(fail_errno(error, "read '" + path + "'").error(), std::move(noted),
                          caller);
    }
    if (got == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    text.binary = first && bytes.substr(0, kBinaryProbe).find('\0') != std::string_view::npos;
    if (text.binary || !taker.feed(bytes)) break;
  }
  taker.finish();
  agents::LineRange range{request.offset, text.more ? std::max<std::int64_t>(text.lines, 1) : 0};
  if (text.binary) range = {};
  noted.detail = agents::FileRead{file->path, range, agents::Via::kTool};
  TRY(state.record(std::move(noted), caller));
  return text;
}

Result<SearchAnswer> TreeTools::search(const SearchRequest& request, const Caller& caller,
                                       const std::function<bool()>& stop) {
  TreeQuery query;
  query.request = request;
  query.path = TRY(state_->tree.path_of(request.path));
  agents::Query noted;
  noted.kind = agents::QueryKind::kGrep;
  noted.pattern = request.pattern;
  TreeMatches matches = TRY(state_->run(query, "search", std::move(noted), caller, stop));
  return SearchAnswer{std::move(matches.lines), matches.files.size(), std::move(matches.skipped),
                      matches.more};
}

Result<ListAnswer> TreeTools::list(const ListRequest& request, const Caller& caller,
                                   const std::function<bool()>& stop) {
  State& state = *state_;
  const std::string path = TRY(state.tree.path_of(request.path));
  if (request.limit < 1) return fail(Code::kUsage, "limit is at least 1");
  if (!request.glob.empty()) {
    TreeQuery query;
    query.request.globs = {request.glob};
    query.request.limit = request.limit;
    query.path = path;
    query.names_only = true;
    agents::Query noted;
    noted.kind = agents::QueryKind::kGlob;
    noted.pattern = request.glob;
    TreeMatches matches = TRY(state.run(query, "list", std::move(noted), caller, stop));
    return ListAnswer{std::move(matches.files), matches.more};
  }
  const std::int64_t began = state.clock->wall_ms();
  State::Noted noted{agents::Listing{path, agents::Via::kTool}, kDone, "list", began};
  state.tree.forget();
  auto named = state.tree.resolve(path);
  if (!named) return state.failed(std::move(named).error(), std::move(noted), caller);
  if (!named->is_directory) {
    return fail(Code::kUsage, fmt::format("'{}' is not a directory", path), "read it instead");
  }
  auto entries = state.tree.list(named->path);
  if (!entries) return state.failed(std::move(entries).error(), std::move(noted), caller);
  ListAnswer answer;
  for (const search::NamedEntry& each : *entries) {
    if (answer.names.size() == request.limit) {
      answer.more = true;
      break;
    }
    answer.names.push_back(each.name + (each.entry.mode == FileMode::kTree ? "/" : ""));
  }
  noted.detail = agents::Listing{named->path, agents::Via::kTool};
  TRY(state.record(std::move(noted), caller));
  return answer;
}

Result<DeclaredRead> parse_declared(const std::string& text) {
  DeclaredRead read;
  read.path = text;
  const auto number = [](std::string_view digits) -> std::int64_t {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? value : -1;
  };
  // A suffix that is no two numbers belongs to the name, as names may hold colons.
  const std::size_t colon = text.rfind(':');
  const std::size_t dash = colon == std::string::npos ? colon : text.find('-', colon);
  if (dash != std::string::npos) {
    const std::string_view view(text);
    const std::int64_t first = number(view.substr(colon + 1, dash - colon - 1));
    const std::int64_t last = number(view.substr(dash + 1));
    if (first >= 0 && last >= 0) {
      if (first < 1 || last < first) {
        return fail(Code::kUsage, "'" + text + "' names no lines", "write PATH:FIRST-LAST, from 1");
      }
      read = {text.substr(0, colon), first, last};
    }
  }
  if (read.path.empty() || read.path.size() > agents::kMaxPath ||
      read.path.find('\0') != std::string::npos) {
    return fail(Code::kUsage, "a path is empty, longer than 4,096 bytes, or holds a NUL");
  }
  return read;
}

Status TreeTools::declare(const std::vector<DeclaredRead>& reads, const std::string& reason,
                          const Caller& caller) {
  State& state = *state_;
  if (state.observed.empty()) {
    return fail(Code::kUsage, "reads are declared inside a transaction, and this is none",
                "run the agent with: git txn run -- COMMAND");
  }
  if (reason.size() > kMaxReason) return fail(Code::kUsage, "a reason has at most 4,096 bytes");
  std::vector<agents::Observation> all;
  for (const DeclaredRead& read : reads) {
    // Nothing is looked up: that would be a read of its own.
    const std::string full = normal_path(join_path(state.cwd, read.path));
    if (!path_below(full, state.tree.top(), nullptr)) {
      return fail(Code::kRefused, "'" + read.path + "' is outside of the transaction's worktree",
                  "name paths in " + state.tree.top());
    }
    const std::int64_t count = read.last == 0 ? 0 : read.last - read.first + 1;
    State::Noted noted{agents::FileRead{full, {read.first, count}, agents::Via::kTool}, kDone,
                       "declare_read", state.clock->wall_ms()};
    agents::Observation one = state.observation(std::move(noted), caller);
    one.source = ReadSource::kDeclared;
    one.cwd = state.cwd;
    one.note = reason;
    all.push_back(std::move(one));
  }
  for (agents::Observation& one : all) TRY(state.append(std::move(one), kDeclaredLog));
  return {};
}

std::string TreeTools::about() const {
  return state_->note(kAboutFile, kMaxAbout).value_or("");
}

TreeTools::News TreeTools::news() const {
  if (state_->observed.empty()) return {};
  const auto brief = read_brief(state_->observed);
  if (!brief || !*brief) return {};  // one that cannot be read tells nothing; the landing will
  News news{(*brief)->number, brief_text(**brief), {}};
  for (const Brief::Change& change : (*brief)->changes) news.subjects.push_back(change.subject);
  return news;
}

std::string TreeTools::instructions() const {
  return state_->note(kInstructionsFile, kMaxInstructions)
      .value_or(std::string(shipped_instructions()));
}

}  // namespace gittxn::api

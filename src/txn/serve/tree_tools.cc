#include "txn/serve/tree_tools.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agents/hook_log.h"
#include "base/fs.h"
#include "base/json.h"
#include "txn/serve/brief.h"
#include "txn/serve/instructions.h"
#include "txn/serve/tree_tools_state.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMaxServed = 64u
                                   << 10;  // bytes of text in one answer; agents cut what is longer
constexpr std::size_t kBinaryProbe = 8u << 10;
constexpr std::int64_t kMaxLinesRead = 100'000;
constexpr std::size_t kMaxAbout = 64u << 10;
constexpr std::size_t kMaxInstructions = 64u << 10;
constexpr agents::Outcome kDone = agents::Outcome::kDone;

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
      : skip_(request.offset - 1),
        skip_bytes_(request.column - 1),
        left_(request.limit),
        out_(out) {
    out_.column = request.column;
  }

  // False: it has enough.
  bool feed(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
      const bool whole = bytes[end - 1] == '\n';
      std::size_t skipped = 0;
      if (skip_ > 0) {
        skip_ -= whole ? 1 : 0;
        skipped = end;
      } else if (skip_bytes_ > 0) {  // of the first line that was asked for, which may end before
        const std::size_t of_line = whole ? end - 1 : end;
        skipped = std::min(of_line, static_cast<std::size_t>(skip_bytes_));
        skip_bytes_ = whole ? 0 : skip_bytes_ - static_cast<std::int64_t>(skipped);
      }
      if (skipped < end && !take(bytes.substr(skipped, end - skipped), whole)) return false;
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
    const std::size_t had = out_.text.size();
    out_.text += piece.substr(0, kMaxServed - had);
    in_line_ = !whole;
    if (full) {
      // Not inside of a character: what comes next begins with a whole one.
      char next = piece[out_.text.size() - had];
      for (int back = 0; back < 3 && continues(next) && out_.text.size() > line_begin_; ++back) {
        next = out_.text.back();
        out_.text.pop_back();
      }
      in_line_ = true;
      out_.cut = out_.more = true;
      out_.column += static_cast<std::int64_t>(out_.text.size());
      return false;
    }
    if (whole) {
      ++out_.lines;
      --left_;
    }
    return true;
  }

  static bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

  std::int64_t skip_;
  std::int64_t skip_bytes_;
  std::int64_t left_;
  FileText& out_;
  std::size_t line_begin_ = 0;
  bool in_line_ = false;
};

}  // namespace

agents::Observation TreeTools::State::observation(Noted noted, const Caller& caller) const {
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

Status TreeTools::State::append(agents::Observation one, const char* file) {
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
  TRY_IN("recording what was served", agents::append_to_hook_log(join_path(observed, file), *line));
  ++recorded;
  return {};
}

std::unexpected<Error> TreeTools::State::failed(Error error, Noted noted, const Caller& caller) {
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

Result<std::string> TreeTools::State::path_of(const std::string& given) const {
  std::string path = TRY(tree.path_of(given));
  const std::string bytes = decode_path(given);
  if (is_utf8(bytes)) return path;
  const auto entry = tree.entry(path);
  if (entry && entry->present()) return path;
  return tree.path_of(bytes);
}

std::optional<std::string> TreeTools::State::note(std::string_view name, std::size_t max) const {
  if (observed.empty()) return std::nullopt;
  auto text = read_file(join_path(observed, name), max);
  if (!text) return std::nullopt;
  return *std::move(text);
}

Result<SearchAnswer> TreeTools::State::run(const TreeQuery& asked, const std::string& tool,
                                           agents::Query query, const Caller& caller,
                                           const std::function<bool()>& stop) {
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
  SearchAnswer matches = TRY(search_tree(tree, parsed, at, stop));
  query.root = named->path;
  query.options = {{"query", search::query_text(parsed)}};
  query.files_known = !matches.more && matches.files.size() <= agents::kMaxFiles;
  if (query.files_known) query.files = matches.files;
  TRY(record({std::move(query), kDone, tool, began}, caller));
  return matches;
}

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
  const std::string dir = into ? *into : host.variable("GIT_TXN_OBSERVED");
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
  return TreeTools(std::make_shared<State>(host, *std::move(tree), std::move(observed)));
}

Result<FileText> TreeTools::read(const ReadRequest& request, const Caller& caller) {
  if (request.offset < 1 || request.column < 1 || request.limit < 1 ||
      request.limit > kMaxLinesRead) {
    return fail(Code::kUsage, "offset and column count from 1, and limit is 1 to 100,000 lines");
  }
  State& state = *state_;
  const std::int64_t began = state.clock->wall_ms();
  const std::string path = TRY(state.path_of(request.path));
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
  query.path = TRY(state_->path_of(request.path));
  agents::Query noted;
  noted.kind = agents::QueryKind::kGrep;
  noted.pattern = request.pattern;
  return state_->run(query, "search", std::move(noted), caller, stop);
}

Result<ListAnswer> TreeTools::list(const ListRequest& request, const Caller& caller,
                                   const std::function<bool()>& stop) {
  State& state = *state_;
  const std::string path = TRY(state.path_of(request.path));
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
    SearchAnswer matches = TRY(state.run(query, "list", std::move(noted), caller, stop));
    ListAnswer answer{{}, matches.more};
    for (const std::string& file : matches.files) answer.names.push_back(shown_path(file));
    return answer;
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
    answer.names.push_back(shown_path(each.name) + (each.entry.mode == FileMode::kTree ? "/" : ""));
  }
  noted.detail = agents::Listing{named->path, agents::Via::kTool};
  TRY(state.record(std::move(noted), caller));
  return answer;
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

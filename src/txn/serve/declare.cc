// Declarations of what an agent relied on. Each declaration is looked at before it is recorded, so
// that one that is not so is refused while the agent can still correct it; the look itself is
// explained by the declaration (capture/union.h).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/fs.h"
#include "base/json.h"
#include "txn/serve/ask.h"
#include "txn/serve/tree_tools_state.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMaxReason = 4096;
constexpr std::size_t kPiece = 64u << 10;

// How many lines a file has, counted no further than `enough`.
Result<std::int64_t> lines_of_file(int fd, std::int64_t enough) {
  std::string buffer(kPiece, '\0');
  std::int64_t lines = 0;
  bool in_line = false;
  while (lines < enough) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "reading it");
    if (got == 0) break;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    lines += std::count(bytes.begin(), bytes.end(), '\n');
    in_line = bytes.back() != '\n';
  }
  return lines + (in_line ? 1 : 0);
}

}  // namespace

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

namespace {

// Looks at one declaration after the other, and keeps what is to be recorded.
class Declared {
 public:
  Declared(TreeTools::State& state, const Caller& caller) : state_(state), caller_(caller) {}

  Status path(const DeclaredRead& read) {
    begin();
    const std::string path = TRY(below(read.path));
    auto named = state_.tree.resolve(path);
    if (!named) return refused(read.path, std::move(named).error());
    if (named->is_directory) {
      if (read.last != 0) return fail(Code::kUsage, quoted(read.path) + " is a directory");
      keep(agents::Listing{full(named->path), agents::Via::kTool}, agents::Outcome::kDone);
      return {};
    }
    if (read.last != 0) TRY(has_lines(read, named->path));
    const std::int64_t count = read.last == 0 ? 0 : read.last - read.first + 1;
    keep(agents::FileRead{full(named->path), {read.first, count}, agents::Via::kTool},
         agents::Outcome::kDone);
    return {};
  }

  Status absent(const std::string& given) {
    begin();
    const std::string path = TRY(below(given));
    const auto named = state_.tree.resolve(path);
    if (named) return fail(Code::kUsage, quoted(given) + " exists", "declare it as read");
    if (named.error().code != Code::kNotFound) return std::unexpected(named.error());
    keep(agents::FileRead{full(path), {}, agents::Via::kTool}, agents::Outcome::kAbsent);
    return {};
  }

  Status search(const SearchRequest& request) {
    begin();
    const std::string path = TRY(below(request.path.empty() ? "." : request.path));
    auto named = state_.tree.resolve(path);
    if (!named) return refused(request.path, std::move(named).error());
    TreeQuery asked;
    asked.request.pattern = request.pattern;
    asked.request.globs = request.globs;
    asked.path = named->path;
    asked.path_is_file = !named->is_directory;
    asked.names_only = request.pattern.empty();
    if (asked.names_only && request.globs.empty()) {
      return fail(Code::kUsage, "a search has a pattern, a glob or both");
    }
    const search::Query parsed = TRY(query_of(asked));
    agents::Query query;
    query.kind = asked.names_only ? agents::QueryKind::kGlob : agents::QueryKind::kGrep;
    query.pattern = asked.names_only ? request.globs.front() : request.pattern;
    query.root = full(named->path);
    query.options = {{"query", search::query_text(parsed)}};
    keep(std::move(query), agents::Outcome::kDone);
    return {};
  }

  std::vector<agents::Observation> take(const std::string& reason) {
    for (agents::Observation& one : all_) one.note = reason;
    return std::move(all_);
  }

 private:
  static std::string quoted(const std::string& path) { return "'" + path + "'"; }
  std::string full(const std::string& path) const {
    return path.empty() ? state_.tree.top() : join_path(state_.tree.top(), path);
  }
  void begin() { began_ms_ = state_.clock->wall_ms(); }

  Result<std::string> below(const std::string& given) const {
    std::string path;
    if (!path_below(normal_path(join_path(state_.cwd, given)), state_.tree.top(), &path)) {
      return fail(Code::kRefused, quoted(given) + " is outside of the transaction's worktree",
                  "name paths in " + state_.tree.top());
    }
    return state_.path_of(path);
  }

  static std::unexpected<Error> refused(const std::string& given, Error error) {
    if (error.code != Code::kNotFound) return std::unexpected(std::move(error));
    return fail(Code::kUsage, quoted(given) + " does not exist, so it cannot have been read",
                "if the change depends on that: git txn read --absent PATH");
  }

  Status has_lines(const DeclaredRead& read, const std::string& path) {
    const ServedTree::File file = TRY(state_.tree.open_file(path));
    const std::int64_t lines = TRY_IN("counting the lines of " + quoted(read.path),
                                      lines_of_file(file.fd.get(), read.last));
    if (lines >= read.last) return {};
    // The refusal tells where the file ends.
    TRY(state_.record({agents::FileRead{full(path), {lines + 1, 0}, agents::Via::kTool},
                       agents::Outcome::kDone, "declare_read", began_ms_},
                      caller_));
    return fail(Code::kUsage,
                fmt::format("'{}' has {} lines, so lines {} to {} cannot have been read", read.path,
                            lines, read.first, read.last),
                "name lines that it has");
  }

  void keep(agents::Detail detail, agents::Outcome outcome) {
    agents::Observation one =
        state_.observation({std::move(detail), outcome, "declare_read", began_ms_}, caller_);
    one.source = ReadSource::kDeclared;
    one.cwd = state_.cwd;
    all_.push_back(std::move(one));
  }

  TreeTools::State& state_;
  const Caller& caller_;
  std::int64_t began_ms_ = 0;
  std::vector<agents::Observation> all_;
};

}  // namespace

Result<TreeTools::BeforeWrite> TreeTools::before_write(
    const std::vector<std::string>& paths) const {
  if (state_->observed.empty()) {
    return fail(Code::kUsage, "this is asked inside a transaction, and this is none",
                "run the agent with: git txn run -- AGENT");
  }
  BeforeWrite answer;
  for (const std::string& given : paths) {
    const std::string asked = normal_path(join_path(state_->cwd, TRY(state_->path_of(given))));
    std::string path;
    if (!path_below(asked, state_->tree.top(), &path) || path.empty()) {
      return fail(Code::kRefused, "'" + given + "' is outside of the worktree");
    }
    const WriteAnswer told = TRY(ask_before_write(state_->observed, path));
    answer.deny = answer.deny || told.deny;
    answer.text += told.text;
  }
  return answer;
}

Status TreeTools::declare(const Declaration& declared, const Caller& caller) {
  State& state = *state_;
  if (state.observed.empty()) {
    return fail(Code::kUsage, "reads are declared inside a transaction, and this is none",
                "run the agent with: git txn run -- COMMAND");
  }
  if (declared.reason.size() > kMaxReason) {
    return fail(Code::kUsage, "a reason has at most 4,096 bytes");
  }
  state.tree.forget();
  Declared looked(state, caller);
  for (const DeclaredRead& read : declared.paths) TRY(looked.path(read));
  for (const std::string& path : declared.absent) TRY(looked.absent(path));
  for (const SearchRequest& search : declared.searches) TRY(looked.search(search));
  for (agents::Observation& one : looked.take(declared.reason)) {
    TRY(state.append(std::move(one), kDeclaredLog));
  }
  return {};
}

}  // namespace gittxn::api

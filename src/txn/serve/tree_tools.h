// The tools that serve an agent from its worktree: read, search and list, and what it declares to
// have read. Each says in A/observed/mcp.jsonl or declared.jsonl exactly what it served, durably
// and before the caller gets the answer, so that nothing an agent was shown is unknown when its
// change is taken.
//
// It runs inside the traced tree, beside the agent. So it opens what it serves and nothing of
// git's, and its own opens are explained by what it recorded. Outside of a transaction it serves
// the checkout around it and records nothing.
//
// If we die: a line that was recorded and never answered is one read too many, which is safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "txn/host.h"

namespace gittxn::api {

// Who asks, as far as the asker says.
struct Caller {
  std::string program;      // its own name, "claude-code"; "" unknown
  std::string tool_use_id;  // joins the call to what hooks say of it
};

struct ReadRequest {
  std::string path;
  std::int64_t offset = 1;    // first line, from 1
  std::int64_t limit = 2000;  // lines
  std::int64_t column = 1;    // first byte of the first line, from 1
};
struct FileText {
  std::string path;  // in the repository
  std::string text;  // whole lines with their ends; any bytes
  std::int64_t lines = 0;
  bool more = false;  // the file goes on behind what was served
  bool cut = false;   // the last line is not whole; it goes on at `column`
  std::int64_t column = 1;
  bool binary = false;  // it holds a NUL near its beginning; no text is served
  std::uint64_t size = 0;
};

struct SearchRequest {
  std::string pattern;
  std::string path = {};                // a directory or a file; "" is the top
  std::vector<std::string> globs = {};  // "*.c", "src/**/*.h", "!*.min.js": as in .gitignore
  bool literal = false;
  bool ignore_case = false;
  bool word = false;
  bool files_only = false;  // the names of the files that match
  std::uint32_t context = 0;
  std::size_t limit = 200;  // lines, or names
};
struct SearchAnswer {
  std::vector<std::string> lines;  // "path:12:text", of context "path-13-text", "--" between groups
  std::vector<std::string> files;  // with a match, in the order of their names
  std::vector<std::string> skipped;  // binary or too large: matched by nothing, some named here
  bool more = false;                 // the limit ended it
};

struct ListRequest {
  std::string path = {};  // a directory; "" is the top
  std::string glob = {};  // not empty: every file below that it matches, as in .gitignore
  std::size_t limit = 1000;
};
struct ListAnswer {
  std::vector<std::string> names;  // of a directory with a '/' behind; of a glob repository paths
  bool more = false;
};

// "src/a.c", "src/a.c:10-40": what an agent says that it relied on. A directory stands for the
// names in it.
struct DeclaredRead {
  std::string path;
  std::int64_t first = 1;
  std::int64_t last = 0;  // 0: to the end
};
// kUsage: the range is none, or the path is empty, too long or holds a NUL.
Result<DeclaredRead> parse_declared(const std::string& text);

struct Declaration {
  std::vector<DeclaredRead> paths = {};
  std::vector<std::string> absent = {};  // nothing is there
  // What matched, or with an empty pattern which names the globs matched. Only pattern, path and
  // globs count.
  std::vector<SearchRequest> searches = {};
  std::string reason = {};
  std::size_t size() const { return paths.size() + absent.size() + searches.size(); }
};

// The directory of an attempt's observations: `into`, else GIT_TXN_OBSERVED; empty when neither is
// given. kUsage: it is given and is not there.
Result<std::string> observed_place(const Host& host, const std::optional<std::string>& into);

class TreeTools {
 public:
  struct State;  // of those who implement it (tree_tools_state.h)

  // Serves the worktree beside the place of observations, else the checkout around the caller's
  // directory. kUsage: there is neither.
  static Result<TreeTools> open(const Host& host, const std::optional<std::string>& into);

  const std::string& top() const;
  const std::string& observed() const;  // "" outside of a transaction
  std::int64_t recorded() const;        // observations by this object

  // Errors: kNotFound (recorded: the agent learned that it is not there), kUsage, kRefused, and
  // kFault when it could not be recorded; then nothing is served.
  Result<FileText> read(const ReadRequest& request, const Caller& caller);
  // kUsage says what is not understood in the pattern or a glob; kInterrupted: `stop` said so,
  // and nothing is recorded or served.
  Result<SearchAnswer> search(const SearchRequest& request, const Caller& caller,
                              const std::function<bool()>& stop);
  Result<ListAnswer> list(const ListRequest& request, const Caller& caller,
                          const std::function<bool()>& stop);
  // Says that the change depends on all of this. Paths are relative to the caller's directory.
  // kUsage outside of a transaction, and where it is not so: a path does not exist, or has fewer
  // lines, or is there after all, or a pattern is not understood; kRefused: a path leaves the tree.
  // Then none of it is recorded.
  Status declare(const Declaration& declared, const Caller& caller);

  // Tells, before these files are changed for the first time, who has changed, leased or is
  // changing them, and whether policy refuses that (txn/first_write.h). "" nobody. kUsage outside
  // of a transaction.
  struct BeforeWrite {
    bool deny = false;
    std::string text;
  };
  Result<BeforeWrite> before_write(const std::vector<std::string>& paths) const;

  // What the transaction is, a JSON object as leave_briefing() wrote it; "" when there is none.
  std::string about() const;
  // What of its reads became stale (brief.h); number 0: nothing, or it cannot be read.
  struct News {
    int number = 0;                     // a later brief has a higher one
    std::string text;                   // for the model
    std::vector<std::string> subjects;  // what was read and has changed
  };
  News news() const;
  // What agents are told to do: the transaction's own text, else the one that is shipped.
  std::string instructions() const;

 private:
  explicit TreeTools(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace gittxn::api

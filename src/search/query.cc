#include "search/query.h"

#include <array>

#include "base/fields.h"
#include "search/pattern.h"

namespace gittxn::search {
namespace {

constexpr int kVersion = 1;
constexpr std::string_view kTools[] = {"grep", "rg", "git grep", "find", "fd", "ls"};
constexpr std::string_view kKinds[] = {"lines", "files", "names"};
constexpr std::string_view kDialects[] = {"none", "fixed", "basic", "extended", "perl", "rust"};
constexpr std::string_view kShown[] = {"lines",      "only-matching", "count",
                                       "with-match", "without-match", "entries"};
constexpr std::string_view kNames[] = {"auto", "always", "never"};
constexpr std::string_view kEffects[] = {"include", "exclude", "exclude-dir"};
constexpr std::string_view kOps[] = {"name", "path", "type", "prune", "print",
                                     "true", "not",  "and",  "or",    "iname"};
constexpr Bounds kItems{.least = 0, .most = 10'000};

// By its place in the list of names.
template <typename E, std::size_t N>
void word(FieldIo& io, const char* key, E& value, const std::string_view (&names)[N]) {
  std::array<std::pair<E, std::string_view>, N> table{};
  for (std::size_t i = 0; i < N; ++i) table[i] = {static_cast<E>(i), names[i]};
  io.choice(key, value, table);
}
void number(FieldIo& io, const char* key, std::uint32_t& value) {
  std::int64_t wide = value;
  io.integer(key, wide, {.least = 0, .most = Query::kNoDepth});
  if (wide != value) value = static_cast<std::uint32_t>(wide);
}
void strings(FieldIo& io, const char* key, std::vector<std::string>& values) {
  io.list_of(key, values, [](FieldIo& each, std::string& one) { each.text("", one); }, kItems);
}

// The evaluator relies on it, and a log is untrusted input.
Status check_expression(const std::vector<Term>& terms) {
  std::size_t depth = 0;
  for (const Term& term : terms) {
    const std::size_t needs = term.op == Term::Op::kNot                               ? 1
                              : term.op == Term::Op::kAnd || term.op == Term::Op::kOr ? 2
                                                                                      : 0;
    if (depth < needs) return fail(Code::kCorrupt, "the expression of a search is broken");
    depth = depth - needs + 1;
  }
  if (depth > 1) return fail(Code::kCorrupt, "the expression of a search is broken");
  return {};
}

}  // namespace

static void fields(FieldIo& io, Query& query, int& version) {
  const auto root = [](FieldIo& each, Root& one) {
    each.text("given", one.given);
    each.text("path", one.path);
  };
  const auto rule = [](FieldIo& each, NameRule& one) {
    word(each, "effect", one.effect, kEffects);
    each.text("glob", one.glob);
  };
  const auto term = [](FieldIo& each, Term& one) {
    word(each, "op", one.op, kOps);
    each.text("text", one.text);
  };
  io.thing("a search");
  io.integer("version", version, {.least = 0});
  word(io, "tool", query.tool, kTools);
  word(io, "kind", query.kind, kKinds);
  word(io, "dialect", query.dialect, kDialects);
  strings(io, "patterns", query.patterns);
  io.boolean("ignore_case", query.ignore_case);
  io.boolean("word", query.word);
  io.boolean("whole_line", query.whole_line);
  io.boolean("invert", query.invert);
  word(io, "shown", query.shown, kShown);
  number(io, "before", query.before);
  number(io, "after", query.after);
  number(io, "max_per_file", query.max_per_file);
  io.boolean("line_numbers", query.line_numbers);
  word(io, "names", query.names, kNames);
  io.text("cwd", query.cwd);
  io.list_of("roots", query.roots, root, kItems);
  io.boolean("recursive", query.recursive);
  io.list_of("rules", query.rules, rule, kItems);
  io.text("types", query.types);
  strings(io, "extensions", query.extensions);
  io.boolean("hidden", query.hidden);
  io.boolean("ignore_files", query.ignore_files);
  number(io, "min_depth", query.min_depth);
  number(io, "max_depth", query.max_depth);
  io.list_of("expression", query.expression, term, kItems);
  io.boolean("mark_directories", query.mark_directories);
  io.boolean("git_index", query.git_index);
}

std::string query_text(const Query& query) {
  Query written = query;
  int version = kVersion;
  return canonical_text([&](FieldIo& io) { fields(io, written, version); });
}

Result<Query> query_from_text(std::string_view text) {
  Query query;
  int version = kVersion;
  const Status read = read_text(text, "", [&](FieldIo& io) { fields(io, query, version); });
  if (version != kVersion) return fail(Code::kNewer, "a search was recorded by another version");
  TRY(read);
  TRY(check_expression(query.expression));
  for (const std::string& pattern : query.patterns) {
    const Refined<void> known = check_pattern(query.dialect, pattern);
    if (!known) return fail(Code::kCorrupt, "a search: " + known.error().reason);
  }
  return query;
}

}  // namespace gittxn::search

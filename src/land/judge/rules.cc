#include "land/judge/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/bug.h"
#include "base/fs.h"
#include "certify/witness.h"
#include "land/history.h"
#include "repo/attributes.h"
#include "repo/worktree/worktree_ignore.h"

namespace gittxn::land {
namespace {

constexpr std::size_t kMaxBlob = 64u << 20;  // a larger one counts as one with CR LF

bool is_rule_file(const std::string& path, std::string_view name) {
  return path == name || path.ends_with("/" + std::string(name));
}

// The last change of such a file, for who is named; null: there is none.
const PathChange* changed_rules(const Changes& changes, std::string_view name) {
  for (const PathChange& change : changes) {
    if (is_rule_file(change.path, name) && !change.is_directory()) return &change;
  }
  return nullptr;
}

// True when CR LF becomes LF as a file is stored.
bool converts(const Conversion& rules) {
  if (rules.text == "set" || rules.text == "auto") return true;
  if (rules.text == "unset") return false;
  if (rules.crlf == "set" || rules.crlf == "auto" || rules.crlf == "input") return true;
  if (rules.crlf == "unset") return false;
  return rules.eol == "lf" || rules.eol == "crlf";
}

bool writes_crlf(const Conversion& rules) {
  return converts(rules) && rules.eol == "crlf";
}

bool same_filters(const Conversion& a, const Conversion& b) {
  return a.filter == b.filter && a.ident == b.ident && a.encoding == b.encoding;
}

// One landing's questions.
class RulesJudge {
 public:
  RulesJudge(const Context& context, const Footprint& footprint, const Candidate& candidate)
      : context_(context),
        repository_(*context.repository),
        footprint_(footprint),
        candidate_(candidate) {}

  Result<std::vector<Conflict>> judge() {
    if (changed_rules(candidate_.moved.changes, ".gitignore") != nullptr) TRY(ignore_rules());
    if (changed_rules(candidate_.moved.changes, ".gitattributes") != nullptr) TRY(attributes());
    return std::move(conflicts_);
  }

 private:
  Status ignore_rules();
  Status attributes();
  Result<std::vector<Conversion>> conversions(const Oid& commitish,
                                              const std::vector<std::string>& paths);
  Result<LineEnds> line_ends(const Oid& blob) const;
  Status conflict(const std::string& path, const std::string& cause, std::string hint);
  std::string rule_file(const std::string& rule) const;

  const Context& context_;
  repo::Repository& repository_;
  const Footprint& footprint_;
  const Candidate& candidate_;
  std::vector<Landed> history_;
  std::vector<Conflict> conflicts_;
};

Status RulesJudge::conflict(const std::string& path, const std::string& cause, std::string hint) {
  if (history_.empty()) {
    history_ = TRY(history_between(context_, {candidate_.moved}, candidate_.head));
  }
  Conflict found = certify::Witnesses(history_).stale(
      {.kind = ReadKind::kMetadata, .subject = path}, {cause, "", ""});
  found.hint = std::move(hint);
  found.cause = cause;
  conflicts_.push_back(std::move(found));
  return {};
}

// "<file>:<line>:<pattern>" begins with a path below the folder where git was asked.
std::string RulesJudge::rule_file(const std::string& rule) const {
  const std::string file = rule.substr(0, rule.find(':'));
  const PathChange* changed = changed_rules(candidate_.moved.changes, ".gitignore");
  return is_rule_file(file, ".gitignore") ? file : changed->path;
}

Status RulesJudge::ignore_rules() {
  std::vector<std::string> added, left, asked;
  for (const PathChange& change : footprint_.writes) {
    if (!change.before.present() && !change.is_directory()) added.push_back(change.path);
  }
  for (const Read& read : footprint_.reads.reads) {
    if (read.op == kLeftOut) left.push_back(read.subject);
  }
  if (left.size() > kMostLeftOut) {
    const std::string& file = changed_rules(candidate_.moved.changes, ".gitignore")->path;
    return conflict(file, file,
                    fmt::format("more than {} paths were left out as ignored, and the head has "
                                "other ignore rules",
                                kMostLeftOut));
  }
  if (added.empty() && left.empty()) return {};
  // A directory that was left out whole stands for itself and everything in it.
  asked = added;
  for (const std::string& path : left) {
    asked.push_back(path);
    asked.push_back(path.ends_with('/') ? path + "anything" : path);
  }
  const std::string scratch =
      fmt::format("{}/tmp/rules-{}", repository_.txn_dir(), context_.random->name(12));
  repo::IgnoreRules then(repository_, footprint_.base, scratch + "-then");
  repo::IgnoreRules now(repository_, candidate_.head, scratch + "-now");
  const std::vector<bool> before = TRY(then.ignored(asked));
  const std::vector<bool> after = TRY(now.ignored(asked));
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (before[i] || !after[i]) continue;  // ignored and taken: it was added by name
    const std::string rule = TRY(now.rule_for(added[i]));
    TRY(conflict(added[i], rule_file(rule),
                 fmt::format("'{}' was taken, and the head ignores it now ({})", added[i], rule)));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    const std::size_t at = added.size() + 2 * i;
    if (!before[at] || after[at] || after[at + 1]) continue;
    const std::string rule = TRY(then.rule_for(left[i]));
    TRY(conflict(left[i], rule_file(rule),
                 fmt::format("'{}' was left out as ignored ({}), and the head does not ignore it "
                             "any more",
                             left[i], rule)));
  }
  return {};
}

Result<std::vector<Conversion>> RulesJudge::conversions(const Oid& commitish,
                                                        const std::vector<std::string>& paths) {
  std::vector<Conversion> all;
  for (const auto& values :
       TRY(repo::attributes_of(repository_, commitish,
                               {"text", "crlf", "eol", "filter", "ident", "working-tree-encoding"},
                               paths, *context_.random))) {
    all.push_back({values[0], values[1], values[2], values[3], values[4], values[5]});
  }
  return all;
}

Result<LineEnds> RulesJudge::line_ends(const Oid& blob) const {
  if (TRY(repository_.objects().blob_size(blob)) > kMaxBlob) return LineEnds::kCrLf;
  const std::string bytes = TRY(repository_.objects().blob(blob));
  return bytes.find("\r\n") == std::string::npos ? LineEnds::kPlain : LineEnds::kCrLf;
}

// The transaction's own changes of the rules count on both sides and are left out of both.
Status RulesJudge::attributes() {
  const PathChange& cause = *changed_rules(candidate_.moved.changes, ".gitattributes");
  std::vector<std::string> paths;
  std::vector<Oid> blobs;  // of what it wrote; none: it was read
  std::set<std::string> own;
  for (const PathChange& change : footprint_.writes) {
    own.insert(change.path);
    if (!change.after.is_file()) continue;
    paths.push_back(change.path);
    blobs.push_back(change.after.oid);
  }
  std::set<std::string> read_too;
  for (const Read& read : footprint_.reads.reads) {
    const bool content = read.kind == ReadKind::kContent && read.strength == Strength::kHard;
    if (!content || own.contains(read.subject)) continue;
    if (read_too.insert(read.subject).second) paths.push_back(read.subject);
  }
  blobs.resize(paths.size());
  const std::vector<Conversion> then = TRY(conversions(footprint_.base, paths));
  const std::vector<Conversion> now = TRY(conversions(candidate_.head_tree, paths));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (then[i] == now[i]) continue;
    const bool wrote = !blobs[i].empty();
    const bool differs = wrote ? stored_otherwise(then[i], now[i], TRY(line_ends(blobs[i])))
                               : written_otherwise(then[i], now[i]);
    if (!differs) continue;
    TRY(conflict(paths[i], cause.path,
                 fmt::format("'{}' was {}, and the head's {} converts it otherwise", paths[i],
                             wrote ? "written" : "read", cause.path)));
  }
  return {};
}

}  // namespace

std::vector<Read> left_out(const std::vector<std::string>& ignored, const Oid& snapshot) {
  std::vector<Read> reads;
  for (const std::string& path : ignored) {
    if (reads.size() > kMostLeftOut) break;  // one more says that there are more
    reads.push_back({.kind = ReadKind::kEnvironment,
                     .subject = path,
                     .strength = Strength::kSoft,
                     .source = ReadSource::kKernel,
                     .snapshot = snapshot,
                     .op = std::string(kLeftOut)});
  }
  return reads;
}

bool stored_otherwise(const Conversion& then, const Conversion& now, LineEnds blob) {
  if (!same_filters(then, now)) return true;
  // A blob without CR LF was not converted, or was converted when it was stored.
  if (converts(then) && !converts(now)) return then.eol == "crlf";
  return blob == LineEnds::kCrLf && converts(now);
}

bool written_otherwise(const Conversion& then, const Conversion& now) {
  return !same_filters(then, now) || writes_crlf(then) != writes_crlf(now);
}

Result<std::vector<Conflict>> judge_rules(const Context& context, const Footprint& footprint,
                                          const Candidate& candidate) {
  const bool asked = candidate.level >= Isolation::kSemantic && footprint.base != candidate.head;
  if (!asked || INJECTED_BUG("land.rules_of_the_base")) return std::vector<Conflict>{};
  return RulesJudge(context, footprint, candidate).judge();
}

}  // namespace gittxn::land

#include "api/confine.h"

#include <fmt/format.h>

#include <set>

namespace gittxn::api {

namespace {

constexpr std::size_t kMostOutsideNamed = 20;
constexpr std::size_t kMostLearnedFrom = 50;

Status check_scope(const std::string& path) {
  const std::string normal = normal_path(path);
  if (!path.empty() && !path.starts_with('/') && normal != ".." && !normal.starts_with("../")) {
    return {};
  }
  return fail(Code::kUsage, "'" + path + "' is no path of the repository",
              "name it as it is seen from the top of the tree: --scope src/parser");
}

std::vector<std::string> split_colons(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t colon = std::min(text.find(':', at), text.size());
    if (colon > at) parts.push_back(text.substr(at, colon - at));
    at = colon + 1;
  }
  return parts;
}

// Directories that hold what was read; a file at the top stands for itself.
void learn(const ReadSet& reads, std::set<std::string>& scope) {
  for (const Read& read : reads.reads) {
    const bool of_a_path = read.kind == ReadKind::kContent || read.kind == ReadKind::kListing ||
                           read.kind == ReadKind::kMetadata;
    if (!of_a_path || read.subject.empty()) continue;
    const std::string above = parent_dir(read.subject);
    if (read.kind == ReadKind::kListing) {
      scope.insert(read.subject);
    } else {
      scope.insert(above == "." ? read.subject : above);
    }
  }
}

Result<std::vector<std::string>> learned_scope(Kernel::State& state, const Txn& txn) {
  std::set<std::string> scope;
  std::size_t from = 0;
  const std::vector<Txn> known = TRY(state.store->txns({}));
  for (auto other = known.rbegin(); other != known.rend() && from < kMostLearnedFrom; ++other) {
    const bool same =
        other->command == txn.command || (!txn.name.empty() && other->name == txn.name);
    if (other->id == txn.id || !same || other->attempts.empty()) continue;
    const Attempt& attempt = other->attempts.back();
    if (!attempt.reads_complete || attempt.reads.empty()) continue;
    learn(TRY(recorded_reads(*state.store, attempt)), scope);
    ++from;
  }
  if (from == 0) {
    return fail(
        Code::kUsage, "nothing is known yet of what this command reads",
        "run it once without --confine learned, or declare: --confine declared --scope PATH");
  }
  return std::vector<std::string>(scope.begin(), scope.end());
}

}  // namespace

Status check_confine(const RunOptions& options) {
  if (!options.confine) {
    if (options.scope.empty()) return {};
    return fail(Code::kUsage, "--scope is for --confine declared", "give both, or neither");
  }
  const std::string& mode = *options.confine;
  if (mode != "writes" && mode != "declared" && mode != "learned") {
    return fail(Code::kUsage, "--confine does not know '" + mode + "'",
                "use writes, declared or learned");
  }
  if ((mode == "declared") != !options.scope.empty()) {
    return fail(Code::kUsage, "--confine declared and --scope go together",
                "git txn run --confine declared --scope src -- COMMAND");
  }
  for (const std::string& path : options.scope) TRY(check_scope(path));
  TRY(capture::landlock_abi());
  return {};
}

Result<std::optional<capture::Confine>> confine_for(Kernel::State& state, const Txn& txn,
                                                    const repo::Worktree& worktree,
                                                    const RunOptions& options) {
  if (!options.confine) return std::optional<capture::Confine>{};
  capture::Confine confine;
  confine.tree = worktree.tree;
  confine.write = {worktree.tree, observed_dir(txn.attempts.back()), "/tmp", "/var/tmp", "/dev",
                   "/proc"};
  if (const std::string temp = state.variable("TMPDIR"); temp.starts_with('/')) {
    confine.write.push_back(normal_path(temp));
  }
  if (const auto more = TRY(state.repository.config().get("txn.confinewrite"))) {
    for (std::string path : split_colons(*more)) {
      if (path.starts_with("~/")) path = join_path(state.variable("HOME"), path.substr(2));
      if (!path.starts_with('/')) {
        return fail(Code::kUsage, "txn.confineWrite names '" + path + "', which is not absolute",
                    "separate absolute paths, or such that begin with ~/, by ':'");
      }
      confine.write.push_back(normal_path(path));
    }
  }
  if (*options.confine == "writes") return std::optional(std::move(confine));
  std::vector<std::string> scope = options.scope;
  if (*options.confine == "learned") scope = TRY(learned_scope(state, txn));
  confine.read.emplace({worktree.git_dir});
  for (const std::string& path : scope) {
    confine.read->push_back(normal_path(join_path(worktree.tree, path)));
  }
  return std::optional(std::move(confine));
}

Status tell_outside(const std::string& record_file, const capture::Confine& confine,
                    std::vector<std::string>& notes) {
  for (const std::string& path :
       TRY(capture::outside_scope(record_file, confine, kMostOutsideNamed))) {
    std::string shown;
    if (!path_below(path, confine.tree, &shown)) shown = path;
    notes.push_back("outside its scope: " + shown);
  }
  return {};
}

}  // namespace gittxn::api

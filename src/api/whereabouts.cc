#include "api/whereabouts.h"

#include <map>
#include <sstream>

#include "txn/state.h"

namespace gittxn::api {

namespace {

constexpr std::string_view kMostCommits = "5000";  // that are searched for a landing's trailers

using Rewritten = std::map<std::string, Oid>;  // by transaction: the newest commit that names it

Result<Rewritten> commits_by_txn(State& state, const Oid& head) {
  repo::GitOptions git;
  git.dir = state.repository.place().common_dir;
  const std::string text = TRY(state.repository.git().must(
      {"log", "-n", std::string(kMostCommits),
       "--format=%H %(trailers:key=Txn-Id,valueonly,separator=%x20)", head.str(), "--"},
      git));
  Rewritten found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string commit, txn;
    words >> commit;
    while (words >> txn) found.emplace(txn, Oid(commit));
  }
  return found;
}

}  // namespace

Result<std::vector<LandingNow>> whereabouts(State& state,
                                            const std::vector<store::LandedRow>& rows) {
  std::vector<LandingNow> all(rows.size());
  if (rows.empty()) return all;
  const auto head = state.seen(rows.front().branch);
  if (!head && head.error().code != Code::kNotFound) return std::unexpected(head.error());
  std::optional<Rewritten> rewritten;
  Oid below;  // the commit that a row has to be for the one above it to say that it is there
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const store::LandedRow& row = rows[i];
    LandingNow& now = all[i];
    if (row.new_head.empty()) continue;  // the branch was deleted
    bool there = !below.empty() && below == row.new_head;
    if (!there && head) {
      const auto above = state.repository.objects().is_ancestor(row.new_head, *head);
      there = above && *above;  // one whose objects git has collected is not
    }
    below = there && !row.txn.empty() ? row.old_head : Oid();
    if (there) continue;
    now.how = LandingNow::How::kGone;
    if (row.txn.empty() || !head) continue;
    if (!rewritten) rewritten = TRY(commits_by_txn(state, *head));
    const auto found = rewritten->find(row.txn.str());
    if (found == rewritten->end()) continue;
    now = {LandingNow::How::kRewritten, found->second};
  }
  return all;
}

}  // namespace gittxn::api

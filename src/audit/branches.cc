// Branches against the log. Because the log's moves join up (each starts where the one before
// ended) and each landing is one commit on top of the head it was certified on, all landed commits
// are in the branch's history, except where an outside move rewrote it: that is then on record.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "audit/checks.h"
#include "base/fs.h"
#include "base/text.h"
#include "repo/refs.h"

namespace gittxn::audit {
namespace {

std::string brief(const Oid& oid) {
  return oid.empty() ? "nothing" : oid.str().substr(0, 7);
}

// Where the repository has the value of a branch that is landed on.
RefName seen_at(const Place& place, const RefName& branch) {
  if (place.remote.empty()) return branch;
  return RefName(fmt::format("refs/remotes/{}/{}", place.remote, repo::short_branch(branch)));
}

class BranchCheck {
 public:
  BranchCheck(repo::Repository& repository, const store::Store& store, const Claims& claims,
              const Place& place, const store::BranchState& state, Report& report)
      : repository_(repository),
        store_(store),
        claims_(claims),
        state_(state),
        name_(state.branch.str()),
        ref_(seen_at(place, state.branch)),
        place_(place),
        report_(report) {}

  Status run() {
    const auto found = claims_.moves.find(name_);
    if (found != claims_.moves.end()) moves_ = found->second;
    check_joins();
    TRY(check_landings());
    const std::optional<Oid> head = TRY(head_now());
    if (head) TRY(check_head(*head));
    check_fence();
    // Of a hub's branch this one only follows; its reflog may tell of landings before there was
    // one.
    return place_.remote.empty() ? check_reflog() : Status{};
  }

 private:
  void problem(std::string text) { report_.problems.push_back(name_ + ": " + std::move(text)); }
  void note(std::string text) { report_.notes.push_back(name_ + ": " + std::move(text)); }

  void check_joins() {
    for (std::size_t i = 1; i < moves_.size(); ++i) {
      if (moves_[i].old_head == moves_[i - 1].new_head) continue;
      problem(fmt::format("event {} starts at {}, but event {} ended at {}", moves_[i].seq,
                          brief(moves_[i].old_head), moves_[i - 1].seq,
                          brief(moves_[i - 1].new_head)));
    }
    if (!moves_.empty() && moves_.back().new_head != state_.head) {
      problem(fmt::format("the log ends at {}, its projection at {}", brief(moves_.back().new_head),
                          brief(state_.head)));
    }
  }

  Status check_landings() {
    for (const auto& [seq, landing] : claims_.landings) {
      if (landing.branch.str() == name_ && landing.landed) TRY(check_landing(landing));
    }
    return {};
  }

  // Directly, or as the last of as many commits as its message says (Txn-Commits).
  Result<bool> made_on(repo::CommitInfo commit, const Oid& head) {
    constexpr int kMostCommits = 1001;
    const std::string said = trailer(commit.message, "Txn-Commits");
    const int commits = said.empty() ? 1 : static_cast<int>(std::strtol(said.c_str(), nullptr, 10));
    for (int i = 1; i < std::min(commits, kMostCommits); ++i) {
      if (commit.parents.size() != 1 || commit.parents.front() == head) return false;
      const bool there = TRY(repository_.objects().contains(commit.parents.front()));
      if (!there) return false;
      commit = TRY(repository_.objects().commit(commit.parents.front()));
    }
    return commit.parents.size() == 1 && commit.parents.front() == head;
  }

  Status check_landing(const Claims::Landing& landing) {
    ++report_.commits;
    const std::string what =
        fmt::format("{} landed as {}", landing.txn.str(), brief(landing.new_head));
    const Result<bool> there = repository_.objects().contains(landing.new_head);
    if (!there) return std::unexpected(there.error());
    if (!*there) {
      // Rewritten away and collected is possible; missing from the branch is found by check_head.
      note(what + ", which is no longer in the repository");
      return {};
    }
    const repo::CommitInfo commit = TRY(repository_.objects().commit(landing.new_head));
    if (commit.tree != landing.tree) {
      problem(fmt::format("{} with tree {}, but {} was certified", what, brief(commit.tree),
                          brief(landing.tree)));
    }
    if (!TRY(made_on(commit, landing.old_head))) {
      problem(fmt::format("{}, whose parent is not {}", what, brief(landing.old_head)));
    }
    if (trailer(commit.message, "Txn-Id") != landing.txn.str()) {
      problem(what + ", whose message does not say so (Txn-Id)");
    }
    return {};
  }

  // What the ref is now; nullopt: it cannot be read, which is reported.
  Result<std::optional<Oid>> head_now() {
    Result<Oid> head = repository_.refs().read(ref_);
    if (head) return std::optional<Oid>(*std::move(head));
    if (head.error().code == Code::kNotFound) return std::optional<Oid>(Oid());
    if (head.error().code != Code::kCorrupt) return std::unexpected(head.error());
    problem(fmt::format("{}; its last value in the log is {}", head.error().message,
                        state_.head.str()));
    return std::optional<Oid>();
  }

  Status check_head(const Oid& head) {
    if (head.empty()) {
      if (!state_.head.empty()) note("the branch is gone; the next command records that");
      return {};
    }
    const bool there = TRY(repository_.objects().contains(head));
    if (!there) {
      problem(fmt::format("its commit {} is missing; its last value in the log is {}", head.str(),
                          state_.head.str()));
      return {};
    }
    if (state_.prepared) {
      note(fmt::format("the landing of {} is under way, or waits for 'git txn recover'",
                       state_.prepared->txn.str()));
    } else if (head != state_.head) {
      note(fmt::format("moved from {} to {} since the last event; the next command records that",
                       brief(state_.head), brief(head)));
    }
    return check_trailers(head);
  }

  // Commits since the log began. One that carries a Txn-Id is a landing of the log, or somebody's
  // copy (a cherry-pick, a rebase, a pull from another clone), unless this repository itself has
  // the rest of that transaction.
  Status check_trailers(const Oid& head) {
    if (moves_.empty() && !foreign_fence()) return {};
    Oid start = moves_.empty() ? state_.head : moves_.front().old_head;
    // The first thing that the log of a hub says of a branch is where it was found.
    if (start.empty() && !moves_.empty() && !place_.remote.empty()) start = moves_.front().new_head;
    if (start.empty()) return {};
    const bool there = TRY(repository_.objects().contains(start));
    if (!there) return {};
    const auto path = TRY(repository_.objects().first_parent_path(start, head));
    if (!path) return {};  // rewritten: the moves say so
    std::set<std::string> landed;
    for (const store::LandedRow& move : moves_) {
      if (!move.txn.empty()) landed.insert(move.new_head.str());
    }
    for (const Oid& oid : *path) {
      ++report_.commits;
      if (landed.contains(oid.str())) continue;
      const repo::CommitInfo commit = TRY(repository_.objects().commit(oid));
      const std::string id = trailer(commit.message, "Txn-Id");
      if (id.empty() || under_way(oid)) continue;
      const std::optional<Txn> txn = TRY(store_.txn(TxnId(id)));
      const auto refs = TRY(repository_.refs().list("refs/txn/" + id + "/"));
      if (!txn && foreign_fence()) {
        problem(fmt::format("{} on the hub says it is {}, but the log does not know it", brief(oid),
                            id));
        lost_here_ = true;
      } else if (!txn && !refs.empty()) {
        problem(
            fmt::format("{} says it is {}, whose work is kept here, but the log does not know "
                        "it: the log lost its end",
                        brief(oid), id));
      }
    }
    return {};
  }

  // The hub was asked before the log was read, so a fence that it had is one that the log knows;
  // but for the one of whoever resolves a landing at this moment. A commit with a Txn-Id alone may
  // be somebody's copy from another repository.
  bool foreign_fence() const {
    const auto found = place_.fences.find(state_.branch);
    // None yet when it was asked, or none any more: then the head tells more.
    if (found == place_.fences.end() || found->second.empty()) return false;
    return found->second != state_.fence && !claims_.fences.contains(found->second.str());
  }

  // Without a landing that is lost it may be the fence of somebody who came too late to close one.
  void check_fence() {
    if (!foreign_fence()) return;
    const std::string what = "the hub's fence is of no landing in the log";
    if (lost_here_) {
      problem(what +
              ": the server may have been restored or failed over to an older state; "
              "docs/BACKUPS.md (On PostgreSQL) says how to put the fence right");
    } else if (!state_.prepared) {
      note(what + "; the next landing says whether it is in the way");
    }
  }

  bool under_way(const Oid& oid) const {
    return state_.prepared && state_.prepared->new_head == oid;
  }

  Status check_reflog() {
    const std::vector<ReflogLanding> entries = TRY(reflog_landings(repository_, state_.branch));
    std::set<std::pair<std::string, std::string>> prepared;
    for (const auto& [seq, landing] : claims_.landings) {
      prepared.emplace(landing.txn.str(), landing.new_head.str());
    }
    for (const ReflogLanding& entry : entries) {
      if (prepared.contains({entry.txn.str(), entry.commit.str()})) continue;
      // Newer than what was read of the log?
      const std::optional<Txn> txn = TRY(store_.txn(entry.txn));
      if (txn && (txn->state == TxnState::kLanding || txn->landed_commit == entry.commit)) continue;
      // A landing that was lost, and forgotten since.
      if (txn && is_final(txn->state) && claims_.pruned > 0) continue;
      problem(
          fmt::format("the reflog shows {} landing as {}, but the log does not: the log lost "
                      "its end",
                      entry.txn.str(), brief(entry.commit)));
    }
    return {};
  }

  repo::Repository& repository_;
  const store::Store& store_;
  const Claims& claims_;
  const store::BranchState& state_;
  const std::string name_;
  const RefName ref_;
  const Place& place_;
  Report& report_;
  std::vector<store::LandedRow> moves_;
  bool lost_here_ = false;  // the hub has a landing that the log does not know
};

}  // namespace

Status check_branches(repo::Repository& repository, const store::Store& store, const Claims& claims,
                      const Place& place, Report& report) {
  const std::vector<store::BranchState> branches = TRY(store.branches());
  std::set<std::string> known;
  for (const store::BranchState& branch : branches) {
    known.insert(branch.branch.str());
    TRY_IN(branch.branch.str(),
           BranchCheck(repository, store, claims, place, branch, report).run());
  }
  for (const auto& [name, moves] : claims.moves) {
    if (!known.contains(name)) {
      report.problems.push_back(name + ": the log moved it, its projection does not know it");
    }
  }
  return {};
}

std::string trailer(std::string_view message, std::string_view name) {
  std::string value;
  for (const std::string_view line : lines_of(message)) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with(": ")) {
      value = line.substr(name.size() + 2);
    }
  }
  return value;
}

Result<std::vector<ReflogLanding>> reflog_landings(repo::Repository& repository,
                                                   const RefName& branch) {
  std::vector<ReflogLanding> out;
  const Result<std::string> log =
      read_file(repository.place().common_dir + "/logs/" + branch.str());
  if (!log && log.error().code == Code::kNotFound) return out;
  if (!log) return std::unexpected(log.error());
  constexpr std::string_view kMark = "txn: land ";
  for (const std::string_view line : lines_of(*log)) {
    const std::size_t tab = line.find('\t');
    // "<old> <new> who time zone\tmessage"
    if (tab != std::string_view::npos && line.substr(tab + 1).starts_with(kMark) &&
        line.size() > 81) {
      out.push_back({TxnId(std::string(line.substr(tab + 1 + kMark.size()))),
                     Oid(std::string(line.substr(41, 40)))});
    }
  }
  return out;
}

}  // namespace gittxn::audit

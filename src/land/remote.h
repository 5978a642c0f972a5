// The part of a landing at a remote: nothing (local), move the same branch there as part of landing
// (push), or put the change on a branch of its own for a pull request (branch). Set for a branch by
// txn.<branch>.remote, for all by txn.remote.
//
// A push is the point of no return, and comes before the branch moves here: under the turn, and not
// under the landing lock, because nothing waits on a network there. Before it a note in
// <txn dir>/pushing/<id> says, durably, which commit goes where. The next landing of the
// transaction asks the remote:
//
//   the remote has it    the branch is brought to its parent, and it lands here as it is: it was
//                        certified on what the remote had, and the gates saw it
//   has it not           the note goes; certified again on what the remote has now
//   does not answer      it waits, saying so; nothing is known and nothing is assumed
//
// Recovery (recover.cc) never talks to a remote and never moves a ref for one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "land/land.h"

namespace gittxn::land {

struct RemotePlace {
  std::string name;                  // as git knows it
  std::int64_t timeout_ms = 60'000;  // of each exchange
};

struct RemoteRule {
  enum class How { kLocal, kPush, kBranch } how = How::kLocal;
  RemotePlace remote;
  RefName ref;  // there
};
// txn.remoteTimeout, where it is set.
Result<std::optional<std::int64_t>> remote_timeout_ms(repo::Config& config);
// kUsage: a value nobody knows, or a remote that is not configured.
Result<RemoteRule> remote_rule(const Context& context, const Txn& txn);

// What a remote has, of the refs that were asked for.
struct RemoteRefs {
  bool reached = false;
  std::map<std::string, Oid> values;  // by full name; absent: there is none
  std::string why;                    // not reached: in git's words
};
Result<RemoteRefs> list_remote(const Context& context, const RemotePlace& remote,
                               const std::vector<RefName>& refs);
// The ref that says what a remote's branch was when it was last asked.
RefName tracking_ref(const std::string& remote, const RefName& branch);
// Brings a commit that a remote's branch has just been seen at; why not, otherwise. kMoved: the
// remote has answered, and the branch is elsewhere by now.
enum class Fetched { kHere, kMoved, kFailed };
Result<Fetched> fetch_branch(const Context& context, const RemotePlace& remote,
                             const RefName& branch, const Oid& commit, std::string* why);
// kRefused: what is pushed goes elsewhere, or to more places, than where the remote is asked
// (pushurl, pushInsteadOf, several URLs). Then no answer to a push says what it did.
Status check_one_place(const Context& context, const std::string& remote);

struct RemoteAnswer {
  bool reached = false;
  Oid head;         // of rule.ref there; empty: there is none
  std::string why;  // not reached: in git's words
};
// Asks for the ref, and brings its commit here. Each exchange takes a minute at most, or
// txn.remoteTimeout.
Result<RemoteAnswer> ask_remote(const Context& context, const RemoteRule& rule);

// Moves the branch here from one commit to a descendant of it, as `git merge --ff-only` does where
// it is checked out; not under the landing lock, and recorded as any move from outside. Nothing of
// a person's is overwritten, ignored files included, and a rebase in progress is left alone. Why it
// could not; nullopt: it is there.
Result<std::optional<std::string>> fast_forward(const Context& context, const RefName& branch,
                                                const Oid& from, const Oid& to);

struct PushAnswer {
  enum class How { kDone, kMoved, kRefused, kUnknown } how = How::kUnknown;
  std::string why;
  bool locked = false;     // kMoved: nothing was; somebody holds a ref's lock there
  bool under_way = false;  // kUnknown: the remote may still be at it
};
struct RefMove {
  RefName ref;
  Oid expected;  // empty: absent
  Oid desired;
};
// All of them, each from what it is expected to be, or none.
Result<PushAnswer> push_refs(const Context& context, const RemotePlace& remote,
                             const std::vector<RefMove>& moves);

// rule.ref there: `expected` (empty: absent) -> `commit`, or nothing at all. The note is there
// before the first byte is sent, and stays.
Result<PushAnswer> push_commit(const Context& context, const TxnId& txn, const RemoteRule& rule,
                               const Oid& expected, const Oid& commit);

// refs/txn/<id>/pull: what was pushed for a pull request.
RefName pull_ref(const TxnId& txn);
// How the commit that was pushed for a pull request came to the branch: merged as it is, squashed
// or rebased; nullopt: it has not. By its trailer, or by the same change of the same files, or by
// git's patch id. Looks at 1000 commits at most.
Result<std::optional<Oid>> merged_as(const Context& context, const TxnId& txn, const Oid& pushed,
                                     const Oid& head);

// The commit that an earlier landing of the transaction may have pushed.
Result<std::optional<Oid>> pushed_commit(const Context& context, const TxnId& txn);
Status forget_push(const Context& context, const TxnId& txn);

}  // namespace gittxn::land

// State that the files of the facade share: one opened repository, its store, and the small
// questions every verb asks. Faces never see this header.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "land/land.h"
#include "model/event.h"
#include "repo/refs.h"
#include "repo/repository.h"
#include "repo/worktree.h"
#include "store/store.h"
#include "store/work/recorded.h"
#include "txn/host.h"
#include "txn/outcome.h"

namespace gittxn::api {

// What `init` has written into a clone's configuration.
struct Membership {
  std::optional<land::Hub> hub;  // none: all of this is empty, and the store is this repository's
  std::string store;             // txn.store, a server's address
  std::string schema;            // txn.storeSchema
  std::string log;               // txn.log, the log that was joined
};

struct State {
  State(Host known, repo::Repository opened)
      : host(std::move(known)), repository(std::move(opened)) {}

  Host host;
  repo::Repository repository;
  std::optional<store::Store> store;
  std::string worktrees;  // cache of worktree_root()
  std::shared_ptr<land::Policies> policies = std::make_shared<land::Policies>();
  int loads = 0;               // of transactions, by find() and reload()
  Membership membership;       // of a hub, as this clone's configuration has it
  db::Patience patience = {};  // of the command, with a store on a server
  bool at_home = false;        // the store was found to be this repository's (home.cc)
  std::vector<std::string> home_notes = {};  // to be told by the next verb that tells anything

  // The one that was opened.
  store::Store* keep(store::Store opened);
  // For verbs that write: creates the store when there is none.
  Result<store::Store*> writing();
  // For verbs that only look; null: nothing was ever recorded here, and nothing is created.
  Result<store::Store*> looking();
  // --wait covers the store. Before it is opened.
  void be_patient(std::optional<std::int64_t> wait_ms, const Progress& progress);
  // looking(), and the transaction by id, unique prefix or name.
  Result<Txn> find(const std::string& id_or_name);

  // Where this repository's worktrees go: outside of it, absolute. Whoever puts something there
  // makes it.
  Result<std::string> worktree_root();
  // A store must be open. The callbacks of `progress` live as long as the context is used.
  Result<land::Context> context(const Progress& progress);
  // The part of context() that is for gates, without a store.
  Result<gates::GateContext> gate_context(const Progress& progress);
  // The same for who only looks.
  land::Context looking_context();
  Result<RefName> target(const std::optional<std::string>& onto) const {
    return repository.target_branch(onto);
  }
  // As looking(), where there has to be something. kUsage: nothing was ever recorded here.
  Result<store::Store*> recorded();
  // "Name <mail>" of the git identity.
  Result<std::string> caller() const;
  // The policy of a commit or tree (land/land.h).
  Result<Policy> policy_at(const Oid& commitish) { return policies->at(repository, commitish); }
  // A branch as it is known here, for those who look: a hub is not asked.
  Result<Oid> seen(const RefName& branch) const;
  Result<Policy> policy_on(const RefName& branch) { return policy_at(TRY(seen(branch))); }
  // kRefused: its worktree and its work are in another clone of the hub.
  Status require_here(const Txn& txn) const;
};

// Opens the repository that `host` means. Writes nothing: the store is made by the first verb that
// has something to record.
Result<std::unique_ptr<State>> open_state(Host host);

// Verbs that write refuse to run inside a transaction, and inside a compensation of one, by name
// (exit 3).
Status refuse_inside(const Host& host, std::string_view verb);

// Where it is noted that the last `git txn verify` found the store's log damaged: how it was found,
// and then what.
inline constexpr std::size_t kMostDamageBytes = 1u << 16;
inline constexpr std::string_view kByReplay = "replay\n";
std::string damage_file(const State& state);

// Of all events of a transaction that the log still has.
bool was_pruned(const std::vector<Event>& history);

// Of a repository: "web" of /somewhere/web, /somewhere/web.git and /somewhere/web/.git.
std::string name_of_place(const std::string& place);
std::string short_oid(const Oid& oid);
// Its change as one commit: as it landed, else as it was kept; empty: nothing was taken yet.
Oid work_of(const Txn& txn);
std::string ref_of_attempt(const TxnId& id, int attempt);
// Of the commit that an attempt starts from, so that no clean-up of git's takes it meanwhile. Of
// each attempt: while one is begun, the one before is still what can be landed.
std::string ref_of_base(const TxnId& id, int attempt);
// Work of worktrees that a command made of its own (repo::LinkedWork), by number.
std::string ref_of_linked(const TxnId& id, int attempt, std::size_t number);
using repo::short_branch;
// "Name <mail>"; kUsage when it is not that.
Result<Identity> parse_identity(std::string_view text);
// The name of an owner, of a transaction, a lease or a budget: somebody's mail address, or whatever
// a program calls itself. It is in the log for good and is shown among lines of ours, so that every
// way in asks here. kUsage: it is empty, longer than 256 bytes, or has a line break or another
// control character.
Status check_owner(std::string_view name);
// As given; where nothing is, the mail address of the caller's git identity.
Result<std::string> owner_of(State& state, const std::string& asked);
// Of a raw identity, "Name <mail> 1700000000 +0100".
struct Signature {
  Identity who;
  std::int64_t wall_ms = 0;
};
std::optional<Signature> parse_raw_identity(std::string_view raw);

// A unified diff of a path, or of everything below it, between two commits; "" when it is the same.
Result<std::string> difference(State& state, const Oid& before, const Oid& after,
                               const std::string& path);

// txn.gateJobs. kUsage: it is no such number.
inline constexpr int kMostGateJobs = 256;
Result<int> gate_jobs(const repo::Repository& repository);

using store::recorded_reads;
using store::recorded_writes;

}  // namespace gittxn::api

#include "txn/state.h"

#include <fmt/format.h>

#include <algorithm>

#include "asking/ask.h"
#include "base/fs.h"
#include "base/hash.h"
#include "gates/evidence/machine.h"
#include "land/hub.h"
#include "repo/checkout/shared_checkout.h"
#include "store/log/pruning.h"
#include "txn/clone.h"
#include "txn/reads.h"

namespace gittxn::api {

namespace {

// A person in a transaction's worktree (git txn open) means the repository that it belongs to. The
// private git directory names it as the remote txn-target.
Result<repo::Repository> open_home(const Host& host) {
  repo::Repository repository = TRY(repo::Repository::open(host.cwd, host.env));
  const std::string& common = repository.place().common_dir;
  if (base_name(common) != ".git" || base_name(parent_dir(common)) != "tree") return repository;
  const auto home = TRY(repository.config().get("remote.txn-target.url"));
  if (!home) return repository;
  return repo::Repository::open(*home, repo::without_repository(host.env));
}

// The real path of something that may not exist yet: of its nearest parent that does, and the rest.
Result<std::string> real_future_path(const std::string& path) {
  std::string there = path;
  std::string rest;
  while (!TRY(exists(there)) && there != "/") {
    rest = rest.empty() ? base_name(there) : join_path(base_name(there), rest);
    there = parent_dir(there);
  }
  const std::string real = TRY(real_path(there));
  return rest.empty() ? real : join_path(real, rest);
}

// A server where the log of this clone was replaced by another one would make it land on what it
// does not know.
Status check_log(const Membership& membership, const Result<store::Store>& opened) {
  if (!opened && opened.error().code == Code::kNotFound) {
    return fail(Code::kFault, opened.error().message + " any more",
                "restore the server's database from its backup; or leave the hub (what is open "
                "stays under refs/txn/): git config --unset txn.hub");
  }
  if (!opened) return std::unexpected(opened.error());
  if (!membership.hub || TRY(store::log_uri(*opened)) == membership.log) return {};
  return fail(Code::kRefused, "the store holds another log than the one that this clone joined",
              "ask whoever runs the server; to join the new one: git config --unset txn.hub, then "
              "git txn init --store URL --hub REMOTE");
}

// kCorrupt: it was found damaged. Nothing is added to that.
Status refuse_damaged(const State& state) {
  const auto known = read_file(damage_file(state), kMostDamageBytes);
  if (!known && known.error().code == Code::kNotFound) return {};
  if (!known) return std::unexpected(known.error());
  const bool replay = known->starts_with(kByReplay);
  std::string what = known->substr(std::min(known->find('\n') + 1, known->size()));
  while (what.ends_with('\n')) what.pop_back();
  return fail(Code::kCorrupt, "git txn verify has found the store damaged: " + what,
              fmt::format("put a copy of it back (docs/BACKUPS.md), then: git txn verify{}",
                          replay ? " --replay" : ""));
}

}  // namespace

bool was_pruned(const std::vector<Event>& history) {
  return history.empty() || history.front().type != event_type::kTxnBegun;
}

std::string name_of_place(const std::string& place) {
  std::string name = base_name(place);
  if (name == ".git") name = base_name(parent_dir(place));
  if (name.ends_with(".git")) name.resize(name.size() - 4);
  return name;
}

std::string short_oid(const Oid& oid) {
  return oid.str().substr(0, 7);
}

Oid work_of(const Txn& txn) {
  if (!txn.landed_commit.empty() || txn.attempts.empty()) return txn.landed_commit;
  return txn.attempts.back().kept;
}

std::string ref_of_attempt(const TxnId& id, int attempt) {
  return fmt::format("refs/txn/{}/{}", id.str(), attempt);
}

std::string ref_of_base(const TxnId& id, int attempt) {
  return fmt::format("refs/txn/{}/base-{}", id.str(), attempt);
}

std::string ref_of_linked(const TxnId& id, int attempt, std::size_t number) {
  return fmt::format("refs/txn/{}/worktree-{}-{}", id.str(), attempt, number);
}

std::optional<Signature> parse_raw_identity(std::string_view raw) {
  const std::size_t open = raw.find('<');
  const std::size_t close = raw.find('>', open == std::string_view::npos ? 0 : open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  Signature signature;
  signature.who.name = raw.substr(0, open);
  while (signature.who.name.ends_with(' ')) signature.who.name.pop_back();
  signature.who.email = raw.substr(open + 1, close - open - 1);
  std::int64_t seconds = 0;
  for (std::size_t i = close + 2; i < raw.size() && raw[i] >= '0' && raw[i] <= '9'; ++i) {
    seconds = seconds * 10 + (raw[i] - '0');
    if (seconds > 1'000'000'000'000) return std::nullopt;
  }
  signature.wall_ms = seconds * 1000;
  return signature;
}

Result<Identity> parse_identity(std::string_view text) {
  const auto signature = parse_raw_identity(text);
  const bool whole = signature && text.ends_with('>') && !signature->who.name.empty();
  if (!whole || text.find('\n') != std::string_view::npos) {
    return fail(Code::kUsage, fmt::format("'{}' is not an author", text),
                "write it as \"Name <mail@example.org>\"");
  }
  return signature->who;
}

Status check_owner(std::string_view name) {
  constexpr std::size_t kMaxOwnerName = 256;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::string_view wrong;
  if (name.empty()) wrong = "is empty";
  if (name.size() > kMaxOwnerName) wrong = "is longer than 256 bytes";
  if (wrong.empty() && std::ranges::any_of(name, is_control)) {
    wrong = "has a line break or another control character in it";
  }
  if (wrong.empty()) return {};
  return fail(Code::kUsage, fmt::format("the name of the owner {}", wrong),
              "write a mail address or another name, such as pat@example.org");
}

Result<std::string> owner_of(State& state, const std::string& asked) {
  std::string owner = asked;
  if (owner.empty()) owner = TRY(state.repository.identity()).email;
  TRY(check_owner(owner));
  return owner;
}

Status refuse_inside(const Host& host, std::string_view verb) {
  if (const std::string inside = host.variable("GIT_TXN_ID"); !inside.empty()) {
    return fail(Code::kUnsupported,
                fmt::format("git txn {} inside transaction {} is not supported", verb, inside),
                "what you change here lands with that transaction; run the command itself instead");
  }
  const std::string of = host.variable("GIT_TXN_COMPENSATES");
  if (of.empty()) return {};
  return fail(Code::kUnsupported,
              fmt::format("git txn {} inside a compensation of {} is not supported", verb, of),
              "a compensation undoes what was done elsewhere; leave the rest to who aborted it");
}

void State::be_patient(std::optional<std::int64_t> wait_ms, const Progress& progress) {
  constexpr std::int64_t kAtATerminalMs = 60'000;
  patience.wait_ms = wait_ms.value_or(host.stdin_is_terminal ? kAtATerminalMs : 0);
  patience.interrupted = progress.interrupted;
  if (progress.on_wait) {
    patience.on_wait = [tell = progress.on_wait](std::string_view why) {
      tell(why.empty() ? WaitReason::kNone : WaitReason::kStoreUnreached, why);
    };
  }
}

store::Store* State::keep(store::Store opened) {
  store.emplace(std::move(opened));
  store->set_left_reads([this](const TxnId& txn, const Attempt& attempt, ReadSet recorded) {
    return left_reads(*this, txn, attempt, std::move(recorded));
  });
  return &*store;
}

Result<store::Store*> State::writing() {
  if (!store) {
    TRY(check_clone(*this));
    store::Location place = location_of(repository, membership);
    place.patience = patience;
    // A server's store is made by `init` alone.
    auto opened = place.on_server() ? store::Store::open_existing(place, *host.clock)
                                    : store::Store::open(place, *host.clock);
    TRY(check_log(membership, opened));
    keep(*std::move(opened));
  }
  TRY(refuse_damaged(*this));
  if (!at_home) TRY(settle_home(*this));
  at_home = true;
  return &*store;
}

Result<store::Store*> State::looking() {
  if (store) return &*store;
  TRY(check_clone(*this));
  store::Location place = location_of(repository, membership);
  place.patience = patience;
  auto opened = store::Store::open_existing(place, *host.clock);
  if (!place.on_server() && !opened && opened.error().code == Code::kNotFound) return nullptr;
  TRY(check_log(membership, opened));
  return keep(*std::move(opened));
}

Result<store::Store*> State::recorded() {
  store::Store* there = TRY(looking());
  if (there != nullptr) return there;
  return fail(Code::kUsage, "nothing was ever recorded in this repository",
              "git txn run -- COMMAND starts something");
}

Result<std::string> State::caller() const {
  const Identity who = TRY(repository.identity());
  return fmt::format("{} <{}>", who.name, who.email);
}

Result<Oid> State::seen(const RefName& branch) const {
  return repository.refs().read(land::seen_ref(membership.hub, branch));
}

Status State::require_here(const Txn& txn) const {
  const std::string here = membership.hub ? membership.hub->clone : "";
  if (txn.clone == here) return {};
  return fail(Code::kRefused,
              fmt::format("{} belongs to the clone {}: its worktree and its work are there",
                          txn.id.str(), txn.clone.empty() ? "it was begun in" : txn.clone),
              "go on with it there");
}

Result<Txn> State::find(const std::string& id_or_name) {
  store::Store* opened = TRY(looking());
  const std::string hint = "git txn status lists them";
  if (opened == nullptr) return fail(Code::kUsage, "no transaction '" + id_or_name + "'", hint);
  auto id = opened->find_txn(id_or_name);
  if (!id) {
    Error error = std::move(id).error();
    if (error.code == Code::kNotFound) error.code = Code::kUsage;
    if (error.hint.empty()) error.hint = hint;
    return std::unexpected(std::move(error));
  }
  ++loads;
  auto txn = TRY(opened->txn(*id));
  if (!txn)
    return fail(Code::kCorrupt, "the store names " + id->str() + " and has no such transaction");
  return *std::move(txn);
}

Result<std::string> State::worktree_root() {
  if (!worktrees.empty()) return worktrees;
  std::string root;
  if (const auto set = TRY(repository.config().path("txn.worktreeRoot"))) {
    root = *set;
  } else if (const std::string state = host.variable("XDG_STATE_HOME"); state.starts_with('/')) {
    root = state + "/git-txn";
  } else if (const std::string home = host.variable("HOME"); home.starts_with('/')) {
    root = home + "/.local/state/git-txn";
  }
  const std::string hint = "set it with: git config txn.worktreeRoot /absolute/path";
  if (!root.starts_with('/')) {
    return fail(Code::kUsage,
                "there is no place for worktrees: neither txn.worktreeRoot, "
                "XDG_STATE_HOME nor HOME names an absolute path",
                hint);
  }
  const std::string& common = repository.place().common_dir;
  root = join_path(normal_path(root),
                   name_of_place(common) + "-" + sha256(common).str().substr(0, 12));
  const std::string real = TRY(real_future_path(root));
  std::vector<std::string> inside{repository.place().common_dir};
  for (const auto& place : TRY(repository.checkouts())) inside.push_back(place.worktree);
  for (const std::string& directory : inside) {
    std::string relative;
    if (!path_below(real, TRY(real_future_path(directory)), &relative)) continue;
    return fail(Code::kUsage, "the worktree root " + root + " is inside the repository", hint);
  }
  worktrees = real;
  return worktrees;
}

land::Context State::looking_context() {
  land::Context context;
  context.policies = policies;
  context.repository = &repository;
  context.store = &*store;
  context.clock = host.clock;
  context.random = host.random;
  context.hub = membership.hub;
  if (context.hub) context.hub->log = membership.log;
  return context;
}

Result<int> gate_jobs(const repo::Repository& repository) {
  if (const auto set = TRY(repository.config().number("txn.gateJobs", 1, kMostGateJobs)))
    return *set;
  return gates::processors();
}

Result<gates::GateContext> State::gate_context(const Progress& progress) {
  gates::GateContext context;
  context.repository = &repository;
  context.clock = host.clock;
  context.caller = host.env;
  context.worktree_root = TRY(worktree_root());
  context.main_checkout = repository.place().worktree.value_or("");
  if (progress.on_gate_output) {
    context.on_output = [&progress](const GateName& gate, std::string_view bytes) {
      progress.on_gate_output(gate.str(), bytes);
    };
  }
  context.on_phase = progress.on_phase;
  context.interrupted = progress.interrupted;
  context.jobs = TRY(gate_jobs(repository));
  return context;
}

Result<land::Context> State::context(const Progress& progress) {
  TRY(writing());
  land::Context context = looking_context();
  context.gates = TRY(gate_context(progress));
  context.gates.store = context.store;
  context.asks.root = asking::root_below(context.gates.worktree_root);
  context.asks.shared = repo::shared_checkouts_below(context.gates.worktree_root);
  return context;
}

Result<std::unique_ptr<State>> open_state(Host host) {
  repo::Repository repository = TRY(open_home(host));
  Membership membership = TRY(membership_of(repository));
  auto state = std::make_unique<State>(std::move(host), std::move(repository));
  state->membership = std::move(membership);
  return state;
}

std::string damage_file(const State& state) {
  return state.repository.txn_dir() + "/damaged";
}

Result<std::string> difference(State& state, const Oid& before, const Oid& after,
                               const std::string& path) {
  repo::GitOptions git;
  git.dir = state.repository.place().common_dir;
  git.extra["GIT_LITERAL_PATHSPECS"] = "1";
  return state.repository.git().must({"diff", "--no-ext-diff", "--no-color", "--no-renames",
                                      before.str(), after.str(), "--", path.empty() ? "." : path},
                                     git);
}

}  // namespace gittxn::api

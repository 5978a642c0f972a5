#include "work/leases.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/subprocess.h"
#include "base/text.h"
#include "capture/trace/trace.h"
#include "catalogue/catalogue.h"
#include "land/turn.h"
#include "store/work/lease_moves.h"
#include "txn/attempt.h"
#include "txn/state.h"

namespace gittxn::api {
namespace {

constexpr std::size_t kMaxSentinelName = 256;
constexpr std::int64_t kFirstLookMs = 20;
constexpr std::int64_t kLongestLookMs = 250;
constexpr std::int64_t kLookNs = 1'000 * kNsPerMs;
constexpr std::int64_t kTxnLeaseMs = 600'000;

// It may be about to be written, and it may be a slip of the pen that protects nothing.
Status tell_new_symbol(const repo::Objects& objects, const store::LeaseSubject& subject,
                       const TreeEntry& entry, const RefName& branch, const Progress& progress) {
  if (!progress.on_note) return {};
  const auto facts =
      TRY(catalogue::look_into(objects, catalogue::language_hint(subject.path), entry, {}));
  if (facts.opaque != semantic::Opaque::kNo) return {};  // whatever is in it
  const bool there = std::ranges::any_of(facts.symbols, [&](const semantic::Symbol& one) {
    return one.id.starts_with("/" + subject.symbol);
  });
  if (there) return {};
  progress.note(
      fmt::format("there is no such symbol on {}: {}; git txn symbols {} prints those "
                  "there are",
                  short_branch(branch), subject_text(subject), subject.path));
  return {};
}

// As of a symbol; a glob may be about what is to come.
Status tell_new_path(State& state, const store::LeaseSubject& subject, const Progress& progress) {
  if (!progress.on_note || subject.path.empty()) return {};
  const auto branch = state.target(std::nullopt);
  if (!branch) return {};  // no branch is checked out that could have it
  const auto head = state.seen(*branch);
  if (!head) return {};  // nor a commit
  const repo::Objects& objects = state.repository.objects();
  const Oid tree = TRY(objects.tree_of(*head));
  if (TRY(objects.entry_at(tree, subject.path)).present()) return {};
  progress.note(fmt::format("there is no such path on {}: {}; paths are from the top of the tree",
                            short_branch(*branch), subject_text(subject)));
  return {};
}

// The file of a symbol is the longest beginning of its id that is one at the head.
Status find_file(State& state, store::LeaseSubject& subject, const Progress& progress) {
  const RefName branch = TRY(state.target(std::nullopt));
  const repo::Objects& objects = state.repository.objects();
  const Oid tree = TRY(objects.tree_of(TRY(state.seen(branch))));
  for (std::size_t at = subject.symbol.rfind('/'); at != std::string::npos && at > 0;
       at = subject.symbol.rfind('/', at - 1)) {
    const TreeEntry entry = TRY(objects.entry_at(tree, subject.symbol.substr(0, at)));
    if (!entry.is_file()) continue;
    if (at + 1 == subject.symbol.size()) break;
    subject.path = subject.symbol.substr(0, at);
    subject.symbol.erase(0, at + 1);
    return tell_new_symbol(objects, subject, entry, branch, progress);
  }
  return fail(
      Code::kUsage,
      fmt::format("no file of {} has the symbol '{}'", short_branch(branch), subject.symbol),
      "name it as git txn symbols prints it, with its file");
}

Result<std::vector<store::LeaseSubject>> subjects_of(State& state,
                                                     const std::vector<std::string>& texts,
                                                     const Progress& progress) {
  std::vector<store::LeaseSubject> subjects;
  for (const std::string& text : texts) {
    store::LeaseSubject subject = TRY(store::parse_lease_subject(text));
    if (subject.kind == store::LeaseSubject::Kind::kSymbol) {
      TRY(find_file(state, subject, progress));
    }
    if (subject.kind == store::LeaseSubject::Kind::kPrefix) {
      TRY(tell_new_path(state, subject, progress));
    }
    if (std::ranges::find(subjects, subject) == subjects.end()) {
      subjects.push_back(std::move(subject));
    }
  }
  return subjects;
}

std::string told(const store::Lease& lease) {
  return fmt::format("{} {} {} ({})", lease.owner, lease.held ? "has" : "waits for",
                     texts_of(lease.subjects), lease.id);
}

Result<store::LeaseMoment> moment(State& state) {
  return store::moment_of(*state.store, *state.store, *state.host.clock);
}

LeaseLine line_of(const store::Lease& lease, const store::LeaseMoment& now,
                  store::Standing stands) {
  const std::int64_t left_ms = lease.held ? ends_ms(lease, now) - now.now_ms : 0;
  return {lease, stands, std::max<std::int64_t>(left_ms, 0)};
}

Result<LeaseLine> line_now(State& state, const store::Lease& lease) {
  return line_of(lease, TRY(moment(state)), store::Standing::kGood);
}

// Looks without the write lock whether it is worth trying: with many in line, only the one whose
// turn it is takes it. Trying makes sure of those that are taken for dead here.
Result<bool> worth_trying(State& state, const store::Lease& lease) {
  const store::IsAlive alive = store::seen_alive_in(*state.store);
  const auto way = TRY(store::way_of(*state.store, lease, TRY(moment(state)), alive));
  return way.blockers.empty();
}

// How to give back what keeps its own owner waiting; "": it is somebody else's, or ends with the
// command that it is held for.
std::string give_back_line(State& state, const store::LeaseAsk& ask, const store::Lease& first) {
  const auto caller = state.repository.identity();
  const std::string me = caller ? caller->email : "";
  // What a run waits for it asks for by its own name, on behalf of whoever runs it.
  const std::string& person = ask.txn.empty() ? ask.owner : me;
  if (!first.held || first.slot != 0 || first.owner != person) return "";
  std::vector<std::string> line{"git", "txn", "lease", "release", first.id};
  if (person != me) line.insert(line.end(), {"--owner", person});
  return "you have it yourself; give it back with: " + quote_argv(line);
}

std::unexpected<Error> not_had(State& state, const store::LeaseAsk& ask,
                               const store::LeaseAnswer& answer, store::Line line) {
  const store::Lease& first = answer.blockers.front();
  std::string others;
  if (answer.blockers.size() > 1) others = fmt::format(" and {} more", answer.blockers.size() - 1);
  std::vector<store::LeaseSubject> taken;
  std::ranges::copy_if(ask.subjects, std::back_inserter(taken), [&](const auto& one) {
    return std::ranges::any_of(first.subjects,
                               [&](const auto& other) { return store::overlap(one, other); });
  });
  const bool at_once = line == store::Line::kGoAway;
  std::string next = give_back_line(state, ask, first);
  if (next.empty()) {
    next = std::string(at_once ? "wait for it with --wait 5m" : "wait longer with --wait") +
           ", or see who has what with: git txn lease list";
  }
  return fail(at_once ? Code::kBusy : Code::kTimeout,
              fmt::format("{} is not to be had: {}{}", texts_of(taken), told(first), others), next);
}

// In line until it is had, or the wait is over. Pauses grow to a quarter of a second; each looks at
// a few rows and takes no lock.
Status wait_in_line(State& state, const store::LeaseAsk& ask, std::int64_t wait_ms,
                    const Progress& progress, store::LeaseAnswer& answer) {
  const land::Deadline deadline(*state.host.clock, wait_ms);
  std::int64_t pause_ms = kFirstLookMs;
  const std::string own = give_back_line(state, ask, answer.blockers.front());
  if (!own.empty()) progress.note(told(answer.blockers.front()) + "; " + own);
  if (progress.on_wait) progress.on_wait(WaitReason::kLease, told(answer.blockers.front()));
  while (true) {
    if (progress.is_interrupted()) {
      return fail(Code::kInterrupted, "interrupted while waiting for a lease");
    }
    if (TRY(worth_trying(state, answer.lease))) {
      TRY(store::try_lease(*state.store, ask, answer));
      if (answer.lease.held) break;
    }
    if (deadline.passed()) return not_had(state, ask, answer, store::Line::kQueue);
    state.host.clock->sleep_ms(deadline.clip(pause_ms));
    pause_ms = std::min(pause_ms * 2, kLongestLookMs);
  }
  if (progress.on_wait) progress.on_wait(WaitReason::kNone, "");
  return {};
}

// Who dies in line is passed over; who gives up says so.
Result<store::LeaseAnswer> had(State& state, const store::LeaseAsk& ask, std::int64_t wait_ms,
                               const Progress& progress) {
  const store::Line line = wait_ms == 0 ? store::Line::kGoAway : store::Line::kQueue;
  store::LeaseAnswer answer = TRY(store::ask_lease(*state.store, ask, line));
  if (answer.lease.held) return answer;
  if (line == store::Line::kGoAway) return not_had(state, ask, answer, line);
  Status waited = wait_in_line(state, ask, wait_ms, progress, answer);
  if (waited) return answer;
  const Status left =
      store::release_lease(*state.store, answer.lease.id, ask.owner, "it waited long enough");
  if (!left) waited.error().message += "; and then: " + left.error().message;
  return std::unexpected(std::move(waited).error());
}

Result<store::LeaseAsk> ask_of(State& state, const LeaseRequest& request,
                               const Progress& progress) {
  store::LeaseAsk ask;
  ask.subjects = TRY(subjects_of(state, request.subjects, progress));
  ask.sharing = request.sharing;
  ask.force = request.force;
  ask.owner = TRY(owner_of(state, request.owner));
  ask.ttl_ms = request.ttl_ms;
  if (!request.txn.empty()) {
    const Txn txn = TRY(state.find(request.txn));
    TRY(state.require_here(txn));
    if (is_final(txn.state)) {
      return fail(Code::kUsage, fmt::format("{} is {}", txn.id.str(), state_name(txn.state)),
                  "name one that has not ended: git txn status");
    }
    ask.owner = txn.id.str();
    ask.txn = txn.id;
  }
  const bool shared = ask.sharing == store::Sharing::kShared;
  if (!shared || ask.force != store::Force::kMandatory) return ask;
  return fail(Code::kUsage, "a shared lease keeps nobody from landing, so it cannot be mandatory",
              "take it --advisory, or --exclusive");
}

}  // namespace

// A lease that this process holds and renews, when a third of its time has gone. Once a second it
// looks whether the lease is still there: on a server somebody may have it who found its owner cut
// off.
class Keeper {
 public:
  Keeper(State& state, store::LeaseAnswer answer) : state_(state), answer_(std::move(answer)) {
    had_until(now_ns() + lease().ttl_ms * kNsPerMs);
  }
  const store::Lease& lease() const { return answer_.lease; }

  // An error: it is lost; told once.
  Status look() {
    const std::int64_t now = now_ns();
    if (over_ || now < look_ns_) return {};
    look_ns_ = now + kLookNs;
    if (now < renew_ns_ && !seems_lost()) return {};
    const auto renewed = store::renew_lease(*state_.store, lease().id, lease().owner, {});
    if (renewed) {
      had_until(now + lease().ttl_ms * kNsPerMs);
      return {};
    }
    // A store that does not answer for a moment is asked again, while the lease lasts.
    const Code code = renewed.error().code;
    const bool away = code == Code::kFault || code == Code::kBusy;
    if (away && now_ns() < until_ns_) return {};
    over_ = true;
    return std::unexpected(renewed.error());
  }
  Status give_back() {
    Status given;
    if (!over_) given = store::release_lease(*state_.store, lease().id, lease().owner, "");
    over_ = true;
    answer_.alive.release();
    return given;
  }

 private:
  std::int64_t now_ns() const { return state_.host.clock->monotonic_ns(); }
  void had_until(std::int64_t until_ns) {
    until_ns_ = until_ns;
    const std::int64_t now = now_ns();
    renew_ns_ = now + std::max<std::int64_t>(lease().ttl_ms / 3, 1) * kNsPerMs;
    look_ns_ = std::min(now + kLookNs, renew_ns_);
  }
  // Whoever cannot tell finds out when it is renewed.
  bool seems_lost() const {
    const auto now = store::lease(*state_.store, lease().id);
    return now && (!*now || (*now)->fence != lease().fence);
  }

  State& state_;
  store::LeaseAnswer answer_;
  std::int64_t look_ns_ = 0;
  std::int64_t renew_ns_ = 0;
  std::int64_t until_ns_ = 0;
  bool over_ = false;
};

namespace {

Status start_writing(State& state, std::string_view verb) {
  TRY(refuse_inside(state.host, verb));
  TRY(state.writing());
  return {};
}

}  // namespace

std::string texts_of(const std::vector<store::LeaseSubject>& subjects) {
  std::vector<std::string> texts;
  std::ranges::transform(subjects, std::back_inserter(texts), store::subject_text);
  return listed(texts);
}

std::string_view sharing_word(const store::Lease& lease) {
  return lease.sharing == store::Sharing::kShared ? "shared" : "exclusive";
}

std::string_view force_word(const store::Lease& lease) {
  return lease.force == store::Force::kMandatory ? "mandatory" : "advisory";
}

std::string_view state_word(const LeaseLine& line) {
  if (line.standing != store::Standing::kGood) return store::why_over(line.standing);
  return line.lease.held ? "held" : "waiting";
}

Result<LeaseLine> acquire_lease(State& state, const LeaseRequest& request,
                                const Progress& progress) {
  state.be_patient(request.wait_ms, progress);
  TRY(start_writing(state, "lease"));
  const store::LeaseAsk ask = TRY(ask_of(state, request, progress));
  const store::LeaseAnswer answer = TRY(had(state, ask, request.wait_ms, progress));
  return line_now(state, answer.lease);
}

Result<int> run_under_lease(State& state, const LeaseRequest& request,
                            const std::vector<std::string>& command, const Progress& progress) {
  state.be_patient(request.wait_ms, progress);
  TRY(start_writing(state, "lease"));
  TRY(find_program(state.host, command.front()));
  store::LeaseAsk ask = TRY(ask_of(state, request, progress));
  ask.attach = store::LeaseAsk::Attach::kAttached;
  Keeper keeper(state, TRY(had(state, ask, request.wait_ms, progress)));
  capture::TraceSpec spec;
  spec.argv = command;
  spec.cwd = state.host.cwd;
  spec.env = state.host.env;
  spec.env["GIT_TXN_LEASE"] = keeper.lease().id;
  spec.env["GIT_TXN_FENCE"] = std::to_string(keeper.lease().fence);
  spec.backend = capture::Backend::kOff;
  spec.foreground = state.host.stdin_is_terminal;
  if (state.host.json) spec.stdout_fd = STDERR_FILENO;
  const std::string scratch = join_path(state.repository.txn_dir(), "tmp");
  TRY(make_dirs(scratch));
  spec.record_file = fmt::format("{}/lease.{}", scratch, ::getpid());
  std::optional<Error> lost;
  int ending = 0;  // a first answer of yes asks the command to end, a second ends it
  spec.interrupted = [&] {
    if (!lost) {
      const Status kept = keeper.look();
      if (!kept) lost = kept.error();
    }
    if (lost && ending < 2) return ++ending > 0;
    return progress.is_interrupted();
  };
  TRY(remove_file(spec.record_file));
  auto ran = capture::run_traced(spec);
  TRY(remove_file(spec.record_file));
  const Status given = keeper.give_back();
  if (lost) {
    lost->message = "the command was ended: " + lost->message;
    return std::unexpected(*std::move(lost));
  }
  if (!ran && ran.error().code == Code::kNotFound) ran.error().code = Code::kUsage;
  if (!ran) return std::unexpected(std::move(ran).error());
  if (!given) return std::unexpected(given.error());
  return ran->exit_status;
}

Result<LeaseLine> renew_lease(State& state, const std::string& id, const std::string& owner,
                              std::optional<std::int64_t> ttl_ms, std::optional<Seq> fence) {
  TRY(start_writing(state, "lease"));
  const std::string whose = TRY(owner_of(state, owner));
  return line_now(state, TRY(store::renew_lease(*state.store, id, whose, ttl_ms, fence)));
}

Result<LeaseLine> transfer_lease(State& state, const std::string& id, const std::string& owner,
                                 const std::string& to, std::optional<Seq> fence) {
  TRY(start_writing(state, "lease"));
  const std::string whose = TRY(owner_of(state, owner));
  const std::string next = TRY(owner_of(state, to));
  return line_now(state, TRY(store::transfer_lease(*state.store, id, whose, next, fence)));
}

Status release_lease(State& state, const std::string& id, const std::string& owner,
                     std::optional<Seq> fence) {
  TRY(start_writing(state, "lease"));
  return store::release_lease(*state.store, id, TRY(owner_of(state, owner)), "", fence);
}

Result<std::vector<LeaseLine>> list_leases(State& state) {
  std::vector<LeaseLine> lines;
  store::Store* store = TRY(state.looking());
  if (store == nullptr) return lines;
  const store::LeaseMoment now = TRY(moment(state));
  const store::IsAlive alive = store::seen_alive_in(*store);
  for (const store::Lease& lease : TRY(store::leases(*store))) {
    lines.push_back(line_of(lease, now, TRY(store::standing(*store, lease, now, alive))));
  }
  return lines;
}

Result<TxnLease> TxnLease::take(State& state, const std::vector<std::string>& subjects,
                                const Txn& txn, std::int64_t wait_ms, const Progress& progress) {
  TxnLease lease;
  if (subjects.empty()) return lease;
  store::LeaseAsk ask;
  ask.subjects = TRY(subjects_of(state, subjects, progress));
  ask.owner = txn.id.str();
  ask.txn = txn.id;
  ask.slot = txn.slot;
  ask.attach = store::LeaseAsk::Attach::kAttached;
  ask.ttl_ms = kTxnLeaseMs;
  lease.keeper_ = std::make_shared<Keeper>(state, TRY(had(state, ask, wait_ms, progress)));
  return lease;
}

void TxnLease::look() {
  if (!keeper_) return;
  const Status kept = keeper_->look();
  if (!kept) notes.push_back(kept.error().message + "; " + kept.error().hint);
}

Status TxnLease::give_back() {
  if (!keeper_) return {};
  Status given = keeper_->give_back();
  if (given || given.error().code != Code::kStale) return given;
  notes.push_back(given.error().message + "; " + given.error().hint);
  return {};
}

Result<store::SentinelAnswer> pass_sentinel(State& state, const std::string& name,
                                            std::int64_t every_ms) {
  if (name.empty() || name.size() > kMaxSentinelName) {
    return fail(Code::kUsage, "the name of a sentinel has 1 to 256 bytes");
  }
  if (every_ms <= 0) {
    return fail(Code::kUsage, "at most once in no time is never", "give --every, such as 10m");
  }
  TRY(start_writing(state, "sentinel"));
  return store::pass_sentinel(*state.store, *state.host.clock, name, every_ms);
}

Result<std::vector<store::Sentinel>> list_sentinels(State& state) {
  store::Store* store = TRY(state.looking());
  return store == nullptr ? std::vector<store::Sentinel>() : store::sentinels(*store);
}

Status reset_sentinel(State& state, const std::string& name) {
  TRY(start_writing(state, "sentinel"));
  if (TRY(store::reset_sentinel(*state.store, name))) return {};
  return fail(Code::kNotFound, fmt::format("there is no sentinel '{}'", name),
              "git txn sentinel list has those whose interval runs");
}

}  // namespace gittxn::api

// See remote.h. git's own program talks to the remote, with the person's configuration and
// credentials and no terminal to ask on. If we die: the note, and a remote that has the commit or
// has it not.
#include "land/remote.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "base/text.h"
#include "gates/gate.h"
#include "land/message.h"
#include "model/names.h"

namespace gittxn::land {

namespace {

FAILPOINT(fp_before_push, "land.before_push");
FAILPOINT(fp_after_push, "land.after_push");

constexpr std::size_t kMaxPushNote = 256;
constexpr int kMostMergedLookedAt = 1000;

constexpr NameTable<RemoteRule::How, 3> kRemoteHows{{{RemoteRule::How::kLocal, "local"},
                                                     {RemoteRule::How::kPush, "push"},
                                                     {RemoteRule::How::kBranch, "branch"}}};

using repo::RefStep;

std::string note_path(const Context& context, const TxnId& txn) {
  return context.repository->txn_dir() + "/pushing/" + txn.str();
}

// A name a person gave, as the end of a branch's name.
std::string branch_word(const Txn& txn) {
  std::string word;
  for (const char c : txn.name.substr(0, 60)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || c == '_') word += c;
    if (!plain && !word.empty() && word.back() != '-') word += '-';
  }
  while (word.ends_with('-')) word.pop_back();
  return word.empty() ? txn.id.str() : word + "-" + txn.id.str();
}

// Where git itself would push this branch.
Result<std::string> remote_of(const Context& context, const std::string& branch) {
  for (const std::string& key :
       {"branch." + branch + ".pushremote", std::string("remote.pushdefault"),
        "branch." + branch + ".remote"}) {
    if (auto name = TRY(context.repository->config().get(key)); name && !name->empty())
      return *name;
  }
  return std::string("origin");
}

std::string last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of('\n') + 1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

repo::GitOptions patient(const Context& context, const RemotePlace& remote) {
  repo::GitOptions options = context.repository->here();
  options.timeout_ms = remote.timeout_ms;
  return options;
}

// Why, in git's words: the first thing that was fatal, which the rest gives advice about.
std::string no_answer(const Output& output) {
  if (output.exit.timed_out) return "no answer in time";
  constexpr std::string_view kFatal = "fatal: ";
  const std::size_t fatal = output.err.find(kFatal);
  if (fatal == output.err.npos) return last_line(output.err);
  return output.err.substr(fatal + kFatal.size(),
                           output.err.find('\n', fatal) - fatal - kFatal.size());
}

// Who tries again finds it free, or held by somebody who died there.
bool names_lock(std::string_view text) {
  return text.find("Unable to create '") != text.npos && text.find(".lock'") != text.npos;
}

// It was sent, or may have been: what became of it there is not told, and may not be decided.
PushAnswer not_told(const Output& output, std::string why) {
  constexpr std::array<std::string_view, 4> kCutWords = {"hung up", "early EOF",
                                                         "unexpected disconnect", "Broken pipe"};
  const auto says = [&](std::string_view word) { return output.err.find(word) != output.err.npos; };
  PushAnswer answer{PushAnswer::How::kUnknown, std::move(why)};
  answer.under_way = output.exit.timed_out || std::ranges::any_of(kCutWords, says);
  return answer;
}

// The remote's hook reference-transaction said no: its git dies of that, and has moved nothing
// then.
std::optional<PushAnswer> refused_by_ref_hook(const Output& output) {
  constexpr std::string_view kSaidNo = "ref updates aborted by hook";
  if (output.err.find(kSaidNo) == output.err.npos) return std::nullopt;
  std::string said = last_line(output.err.substr(0, output.err.find("fatal: ")));
  if (said.starts_with("remote: ")) said.erase(0, 8);
  return PushAnswer{PushAnswer::How::kRefused,
                    fmt::format("{}{}{}", kSaidNo, said.empty() ? "" : ": ", said)};
}

// What a refused push says, a line for each ref that was not moved:
// "!\t<from>:<to>\t[remote rejected] (hook declined)".
PushAnswer read_refusal(const Output& output) {
  // Of the remote's own race as of ours: somebody else was there first.
  constexpr std::array<std::string_view, 6> kMovedWords = {
      "stale info",          "fetch first", "non-fast-forward",
      "incorrect old value", "lock ref",    "failed to update ref"};
  if (auto refused = refused_by_ref_hook(output)) return *std::move(refused);
  std::string why;
  for (const std::string_view told : lines_of(output.out)) {
    if (!told.starts_with("!\t")) continue;
    const std::string line(told);
    const auto says = [&line](std::string_view word) { return line.find(word) != line.npos; };
    // It was sent, and what became of it was not told.
    if (says("[remote failure]")) return {PushAnswer::How::kUnknown, line, false, true};
    if (std::ranges::any_of(kMovedWords, says)) {
      return {PushAnswer::How::kMoved, line, names_lock(line) || names_lock(output.err)};
    }
    // Of those that fell with another one, the other's line tells the reason.
    if (why.empty() || !says("atomic")) why = line;
  }
  if (why.empty()) return not_told(output, no_answer(output));
  // An atomic push may say it of the whole, and the reason in its own words.
  if (output.err.find("but expected") != output.err.npos) return {PushAnswer::How::kMoved, why};
  if (names_lock(output.err)) return {PushAnswer::How::kMoved, why, true};
  why = why.substr(why.rfind('\t') + 1);
  if (const std::size_t said = output.err.find("remote: "); said != output.err.npos) {
    why += ": " + output.err.substr(said + 8, output.err.find('\n', said) - said - 8);
    while (why.ends_with(' ')) why.pop_back();
  }
  return {PushAnswer::How::kRefused, std::move(why)};
}

// git's own words, and the first files that it names.
std::string why_not_merged(const std::string& err) {
  constexpr std::size_t kFiles = 3;
  const std::vector<std::string_view> lines = lines_of(err);
  std::string why(lines.empty() ? "" : lines.front());
  for (std::size_t i = 1; i <= kFiles && i < lines.size() && lines[i].starts_with('\t'); ++i) {
    why.append(" ").append(lines[i].substr(1));
  }
  return why;
}

// git's own program moves the branch and runs no hook for us, so ours is told here.
Status tell_hook_of_move(const Context& context, const repo::RefUpdate& move, RefStep step) {
  const Status heard = gates::run_ref_hook(context.gates, move, step, TxnId());
  // How it ended is a fact; only the question before it has an answer.
  if (!heard && heard.error().code == Code::kRefused && step != RefStep::kPrepared) return {};
  return heard;
}

// Why, where it does.
Result<std::optional<std::string>> hook_refuses(const Context& context,
                                                const repo::RefUpdate& move) {
  const Status asked = tell_hook_of_move(context, move, RefStep::kPrepared);
  if (asked) return std::optional<std::string>{};
  if (asked.error().code != Code::kRefused) return std::unexpected(asked.error());
  TRY(tell_hook_of_move(context, move, RefStep::kAborted));
  return std::optional<std::string>(asked.error().message);
}

// By git's patch id, which knows a change that was moved by others around it. Of several commits as
// of one.
Result<std::optional<Oid>> merged_as_patch(const Context& context, const Oid& fork,
                                           const Oid& pushed, const Oid& head) {
  const repo::Objects& objects = context.repository->objects();
  repo::CommitInfo info = TRY(objects.commit(pushed));
  Oid whole = pushed;
  if (info.parents != std::vector<Oid>{fork}) {
    whole = TRY(context.repository->objects().write_commit(
        {info.tree, {fork}, info.author, info.committer, info.message, ""}));
  }
  const std::string found =
      TRY(context.repository->git().must({"rev-list", "--left-only", "--cherry-mark", "--no-merges",
                                          fmt::format("{}...{}", head.str(), whole.str())},
                                         context.repository->here()));
  for (const std::string_view line : lines_of(found)) {
    if (line.starts_with('=')) return Oid(std::string(line.substr(1)));
  }
  return std::nullopt;
}

}  // namespace

Result<std::optional<std::int64_t>> remote_timeout_ms(repo::Config& config) {
  const auto limit = TRY(config.get("txn.remotetimeout"));
  if (!limit) return std::optional<std::int64_t>{};
  return std::optional<std::int64_t>(TRY_IN("txn.remoteTimeout", parse_duration_ms(*limit)));
}

Result<RemoteRule> remote_rule(const Context& context, const Txn& txn) {
  const std::string branch = repo::short_branch(txn.target);
  repo::Config& config = context.repository->config();
  std::string key = "txn." + branch + ".remote";
  auto value = TRY(config.get(key));
  if (!value) {
    key = "txn.remote";
    value = TRY(config.get(key));
  }
  RemoteRule rule;
  if (context.hub || !value) return rule;  // a hub is where it lands anyway
  const auto how = value_in(kRemoteHows, key, *value);
  if (!how) {
    return fail(Code::kUsage, fmt::format("{} is '{}'", key, *value),
                fmt::format("git config {} local, push or branch", key));
  }
  if (*how == RemoteRule::How::kLocal) return rule;
  rule.remote.timeout_ms = TRY(remote_timeout_ms(config)).value_or(rule.remote.timeout_ms);
  rule.remote.name = TRY(remote_of(context, branch));
  if (!TRY(config.get("remote." + rule.remote.name + ".url"))) {
    return fail(
        Code::kUsage,
        fmt::format("{} is {}, and there is no remote '{}'", key, *value, rule.remote.name),
        fmt::format("git remote add {} URL, or git config {} local", rule.remote.name, key));
  }
  rule.how = *how;
  rule.ref = txn.target;
  if (rule.how == RemoteRule::How::kBranch) {
    rule.ref = RefName(fmt::format("{}txn/{}", repo::kHeads, branch_word(txn)));
    return rule;
  }
  const auto upstream = TRY(config.get("branch." + branch + ".remote"));
  const auto merge = TRY(config.get("branch." + branch + ".merge"));
  if (merge && upstream && *upstream == rule.remote.name) rule.ref = RefName(*merge);
  return rule;
}

RefName tracking_ref(const std::string& remote, const RefName& branch) {
  return RefName(fmt::format("refs/remotes/{}/{}", remote, repo::short_branch(branch)));
}

Result<RemoteRefs> list_remote(const Context& context, const RemotePlace& remote,
                               const std::vector<RefName>& refs) {
  std::vector<std::string> argv{"ls-remote", "--", remote.name};
  for (const RefName& ref : refs) argv.push_back(ref.str());
  const Output asked =
      TRY(context.repository->git().run(std::move(argv), patient(context, remote)));
  if (!asked.exit.success()) return RemoteRefs{false, {}, no_answer(asked)};
  RemoteRefs answer{true, {}, {}};
  for (const std::string_view line : lines_of(asked.out)) {
    constexpr std::size_t kId = 40;
    const std::string id(line.substr(0, kId));
    if (!repo::is_oid(id) || line.find('\t') != kId) {
      return RemoteRefs{false, {}, "it said: " + std::string(line)};
    }
    // It matches the end of a name, so others may be among them.
    const RefName name{std::string(line.substr(kId + 1))};
    if (std::ranges::find(refs, name) != refs.end()) answer.values[name.str()] = Oid(id);
  }
  return answer;
}

Result<Fetched> fetch_branch(const Context& context, const RemotePlace& remote,
                             const RefName& branch, const Oid& commit, std::string* why) {
  repo::Repository& repository = *context.repository;
  const Output fetched = TRY(repository.git().run(
      {"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", remote.name,
       fmt::format("+{}:{}", branch.str(), tracking_ref(remote.name, branch).str())},
      patient(context, remote)));
  // One that failed may have brought it all the same: another process of the clone was faster with
  // the ref, or somebody else's is in its way.
  if (TRY(repository.objects().contains(commit))) return Fetched::kHere;
  *why = fetched.exit.success() ? "it moved while it was asked" : no_answer(fetched);
  return fetched.exit.success() ? Fetched::kMoved : Fetched::kFailed;
}

Status check_one_place(const Context& context, const std::string& remote) {
  const std::string told =
      TRY(context.repository->git().must({"remote", "-v"}, context.repository->here()));
  std::string asked;
  std::vector<std::string> pushed;
  for (const std::string_view line : lines_of(told)) {
    if (!line.starts_with(remote + "\t")) continue;
    const std::size_t fetch = line.rfind(" (fetch)");
    const std::size_t from = remote.size() + 1;
    if (fetch != line.npos) asked = line.substr(from, fetch - from);
    if (line.ends_with(" (push)")) pushed.emplace_back(line.substr(from, line.size() - from - 7));
  }
  // A remote that is gone is told of by whoever asks it.
  if (asked.empty() || pushed == std::vector<std::string>{asked}) return {};
  return fail(
      Code::kRefused,
      pushed.size() == 1
          ? fmt::format("what is pushed to the remote {} goes elsewhere than where it is asked",
                        remote)
          : fmt::format("what is pushed to the remote {} goes to {} places", remote, pushed.size()),
      fmt::format("see git remote -v; a hub is one place: git config --replace-all "
                  "remote.{}.pushurl \"$(git remote get-url {})\"",
                  remote, remote));
}

Result<RemoteAnswer> ask_remote(const Context& context, const RemoteRule& rule) {
  RemoteRefs asked = TRY(list_remote(context, rule.remote, {rule.ref}));
  RemoteAnswer answer{asked.reached, asked.values[rule.ref.str()], std::move(asked.why)};
  if (answer.head.empty() || TRY(context.repository->objects().contains(answer.head))) {
    return answer;
  }
  answer.reached =
      TRY(fetch_branch(context, rule.remote, rule.ref, answer.head, &answer.why)) == Fetched::kHere;
  return answer;
}

Result<std::optional<std::string>> fast_forward(const Context& context, const RefName& branch,
                                                const Oid& from, const Oid& to) {
  repo::Repository& repository = *context.repository;
  const repo::RefUpdate move{.ref = branch,
                             .expected = from,
                             .desired = to,
                             .reflog_message = "txn: brought to what the remote has"};
  const std::vector<repo::CheckoutPlace> places = TRY(repository.checkouts());
  // One that is in the middle of a rebase has its HEAD elsewhere: a merge there would move what the
  // person works on, and the branch is the rebase's to move.
  for (const repo::CheckoutPlace& place : places) {
    if (place.branch != branch) continue;
    const repo::HeadValue head = TRY(repo::read_head(place.git_dir));
    if (head.symbolic && head.target == branch) continue;
    return std::optional<std::string>(place.worktree + " is in the middle of a rebase of it");
  }
  for (const repo::CheckoutPlace& place : places) {
    if (place.branch != branch) continue;
    if (auto no = TRY(hook_refuses(context, move))) return no;
    repo::GitOptions options;
    options.dir = place.worktree;
    // Whatever merge.* and branch.*.mergeOptions say: nothing of the person's is put aside or
    // overwritten, files that are ignored included.
    const Output merged =
        TRY(repository.git().run({"merge", "--ff-only", "--quiet", "--no-overwrite-ignore",
                                  "--no-autostash", "--no-squash", to.str()},
                                 options));
    TRY(tell_hook_of_move(context, move,
                          merged.exit.success() ? RefStep::kCommitted : RefStep::kAborted));
    if (merged.exit.success()) return std::optional<std::string>{};
    return std::optional<std::string>(place.worktree + ": " + why_not_merged(merged.err));
  }
  repo::RefUpdate update = move;
  update.told = [&](RefStep step) {
    return gates::run_ref_hook(context.gates, move, step, TxnId());
  };
  const Status updated = repository.refs().update(update);
  if (!updated && updated.error().code == Code::kRefused) return updated.error().message;
  TRY(unless(Code::kStale, updated));
  return std::nullopt;
}

Result<PushAnswer> push_commit(const Context& context, const TxnId& txn, const RemoteRule& rule,
                               const Oid& expected, const Oid& commit) {
  const std::string note = note_path(context, txn);
  TRY(make_dirs(parent_dir(note)));
  TRY_IN("noting the push", write_file(note, commit.str() + "\n", Sync::kYes));
  TRY(fp_before_push.hit());
  PushAnswer answer = TRY(push_refs(context, rule.remote, {{rule.ref, expected, commit}}));
  TRY(fp_after_push.hit());
  return answer;
}

Result<PushAnswer> push_refs(const Context& context, const RemotePlace& remote,
                             const std::vector<RefMove>& moves) {
  std::vector<std::string> argv{"push", "--porcelain", "--atomic", "--no-follow-tags"};
  for (const RefMove& move : moves) {
    argv.push_back(
        INJECTED_BUG("land.push_blindly")
            ? std::string("--force")
            : fmt::format("--force-with-lease={}:{}", move.ref.str(), move.expected.str()));
  }
  argv.insert(argv.end(), {"--", remote.name});
  for (const RefMove& move : moves) {
    // Nothing before the colon deletes it.
    argv.push_back(fmt::format("{}:{}", move.desired.str(), move.ref.str()));
  }
  const Output pushed =
      TRY(context.repository->git().run(std::move(argv), patient(context, remote)));
  if (pushed.exit.success()) return PushAnswer{PushAnswer::How::kDone, {}};
  return read_refusal(pushed);
}

RefName pull_ref(const TxnId& txn) {
  return RefName(fmt::format("refs/txn/{}/pull", txn.str()));
}

Result<std::optional<Oid>> merged_as(const Context& context, const TxnId& txn, const Oid& pushed,
                                     const Oid& head) {
  const repo::Objects& objects = context.repository->objects();
  if (TRY(objects.is_ancestor(pushed, head))) return std::optional<Oid>(pushed);
  const auto fork = TRY(objects.merge_base(pushed, head));
  if (!fork) return std::optional<Oid>{};
  const Changes change = TRY(objects.diff(*fork, pushed));
  Oid at = head;
  for (int i = 0; i < kMostMergedLookedAt && at != *fork; ++i) {
    const repo::CommitInfo info = TRY(objects.commit(at));
    if (trailer_of(info.message, "Txn-Id") == txn.str()) return std::optional<Oid>(at);
    if (info.parents.empty()) break;
    if (TRY(objects.diff(info.parents.front(), info.tree)) == change) return at;
    at = info.parents.front();
  }
  return merged_as_patch(context, *fork, pushed, head);
}

Result<std::optional<Oid>> pushed_commit(const Context& context, const TxnId& txn) {
  const auto text = TRY(if_there(read_file(note_path(context, txn), kMaxPushNote)));
  if (!text) return std::optional<Oid>{};
  const std::string id = text->substr(0, 40);
  if (!repo::is_oid(id)) {
    return fail(Code::kCorrupt, "'" + note_path(context, txn) + "' names no commit",
                "see whether the remote has the change, then remove that file");
  }
  return std::optional<Oid>(Oid(id));
}

Status forget_push(const Context& context, const TxnId& txn) {
  return remove_file(note_path(context, txn));
}

}  // namespace gittxn::land

// See remote.h. git's own program talks to the remote, with the person's configuration and
// credentials and no terminal to ask on. If we die: the note, and a remote that has the commit or
// has it not.
#include "land/remote.h"

#include <fmt/format.h>

#include <array>

#include "base/bug.h"
#include "base/duration.h"
#include "base/failpoint.h"
#include "base/fs.h"

namespace gittxn::land {

namespace {

FAILPOINT(fp_before_push, "land.before_push");
FAILPOINT(fp_after_push, "land.after_push");

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::size_t kMaxNote = 256;

std::string short_name(const RefName& branch) {
  return branch.str().starts_with(kHeads) ? branch.str().substr(kHeads.size()) : branch.str();
}

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

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  return line == text.npos ? text : text.substr(line + 1);
}

repo::GitOptions patient(const Context& context, const RemoteRule& rule) {
  repo::GitOptions options = context.repository->here();
  options.timeout_ms = rule.timeout_ms;
  return options;
}

RemoteAnswer no_answer(const Output& output) {
  return {false, {}, output.exit.timed_out ? "no answer in time" : last_line(output.err)};
}

// What a refused push says of one ref: "!\t<from>:<to>\t[remote rejected] (hook declined)".
PushAnswer read_refusal(const Output& output) {
  const std::size_t at = output.out.find("!\t");
  if (at == output.out.npos) return {PushAnswer::How::kUnknown, no_answer(output).why};
  const std::string line = output.out.substr(at, output.out.find('\n', at) - at);
  // Of the remote's own race as of ours: somebody else was there first.
  constexpr std::array<std::string_view, 6> kMovedWords = {
      "stale info",          "fetch first", "non-fast-forward",
      "incorrect old value", "lock ref",    "failed to update ref"};
  for (const std::string_view word : kMovedWords) {
    if (line.find(word) != line.npos) return {PushAnswer::How::kMoved, line};
  }
  // An atomic push says it of the whole, and the reason in its own words.
  if (output.err.find("but expected") != output.err.npos) return {PushAnswer::How::kMoved, line};
  const std::size_t reason = line.rfind('\t');
  std::string why = line.substr(reason + 1);
  if (const std::size_t said = output.err.find("remote: "); said != output.err.npos) {
    why += ": " + output.err.substr(said + 8, output.err.find('\n', said) - said - 8);
    while (why.ends_with(' ')) why.pop_back();
  }
  return {PushAnswer::How::kRefused, std::move(why)};
}

}  // namespace

Result<RemoteRule> remote_rule(const Context& context, const Txn& txn) {
  const std::string branch = short_name(txn.target);
  repo::Config& config = context.repository->config();
  std::string key = "txn." + branch + ".remote";
  auto value = TRY(config.get(key));
  if (!value) {
    key = "txn.remote";
    value = TRY(config.get(key));
  }
  RemoteRule rule;
  if (!value || *value == "local") return rule;
  if (*value != "push" && *value != "branch") {
    return fail(Code::kUsage, fmt::format("{} is '{}'", key, *value),
                fmt::format("git config {} local, push or branch", key));
  }
  if (const auto limit = TRY(config.get("txn.remotetimeout"))) {
    rule.timeout_ms = TRY_IN("txn.remoteTimeout", parse_duration_ms(*limit));
  }
  rule.remote = TRY(remote_of(context, branch));
  if (!TRY(config.get("remote." + rule.remote + ".url"))) {
    return fail(Code::kUsage,
                fmt::format("{} is {}, and there is no remote '{}'", key, *value, rule.remote),
                fmt::format("git remote add {} URL, or git config {} local", rule.remote, key));
  }
  rule.how = RemoteRule::How::kBranch;
  rule.ref = RefName(fmt::format("{}txn/{}", kHeads, branch_word(txn)));
  if (*value == "branch") return rule;
  rule.how = RemoteRule::How::kPush;
  rule.ref = txn.target;
  const auto upstream = TRY(config.get("branch." + branch + ".remote"));
  const auto merge = TRY(config.get("branch." + branch + ".merge"));
  if (merge && upstream && *upstream == rule.remote) rule.ref = RefName(*merge);
  return rule;
}

Result<RemoteAnswer> ask_remote(const Context& context, const RemoteRule& rule) {
  repo::Repository& repository = *context.repository;
  const Output asked = TRY(repository.git().run(
      {"ls-remote", "--exit-code", "--", rule.remote, rule.ref.str()}, patient(context, rule)));
  constexpr int kNoSuchRef = 2;
  if (asked.exit.status == kNoSuchRef && !asked.exit.timed_out) return RemoteAnswer{true, {}, {}};
  if (!asked.exit.success()) return no_answer(asked);
  const std::string id = asked.out.substr(0, 40);
  if (!repo::is_oid(id) || asked.out.find('\t') != 40) {
    return RemoteAnswer{false, {}, "it said: " + last_line(asked.out)};
  }
  RemoteAnswer answer{true, Oid(id), {}};
  if (TRY(repository.objects().contains(answer.head))) return answer;
  const std::string tracking = fmt::format("refs/remotes/{}/{}", rule.remote, short_name(rule.ref));
  const Output fetched =
      TRY(repository.git().run({"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--",
                                rule.remote, fmt::format("+{}:{}", rule.ref.str(), tracking)},
                               patient(context, rule)));
  if (!fetched.exit.success()) return no_answer(fetched);
  if (!TRY(repository.objects().contains(answer.head))) {
    return RemoteAnswer{false, {}, "it moved while it was asked"};
  }
  return answer;
}

Result<std::optional<std::string>> fast_forward(const Context& context, const RefName& branch,
                                                const Oid& from, const Oid& to) {
  repo::Repository& repository = *context.repository;
  for (const repo::CheckoutPlace& place : TRY(repository.checkouts())) {
    if (place.branch != branch) continue;
    repo::GitOptions options;
    options.dir = place.worktree;
    const Output merged =
        TRY(repository.git().run({"merge", "--ff-only", "--quiet", to.str()}, options));
    if (merged.exit.success()) return std::optional<std::string>{};
    return std::optional<std::string>(place.worktree + ": " +
                                      merged.err.substr(0, merged.err.find('\n')));
  }
  repo::RefUpdate update;
  update.ref = branch;
  update.expected = from;
  update.desired = to;
  update.reflog_message = "txn: brought to what the remote has";
  const Status updated = repository.refs().update(update);
  if (!updated && updated.error().code == Code::kStale) return std::optional<std::string>{};
  if (!updated) return std::unexpected(updated.error());
  return std::optional<std::string>{};
}

Result<PushAnswer> push_commit(const Context& context, const TxnId& txn, const RemoteRule& rule,
                               const Oid& expected, const Oid& commit) {
  const std::string note = note_path(context, txn);
  TRY(make_dirs(parent_dir(note)));
  TRY_IN("noting the push", write_file(note, commit.str() + "\n", Sync::kYes));
  TRY(fp_before_push.hit());
  const std::string lease =
      INJECTED_BUG("land.push_blindly")
          ? std::string("--force")
          : fmt::format("--force-with-lease={}:{}", rule.ref.str(), expected.str());
  const Output pushed = TRY(context.repository->git().run(
      {"push", "--porcelain", "--atomic", "--no-follow-tags", lease, "--", rule.remote,
       fmt::format("{}:{}", commit.str(), rule.ref.str())},
      patient(context, rule)));
  TRY(fp_after_push.hit());
  if (pushed.exit.success()) return PushAnswer{PushAnswer::How::kDone, {}};
  return read_refusal(pushed);
}

Result<std::optional<Oid>> pushed_commit(const Context& context, const TxnId& txn) {
  const auto text = read_file(note_path(context, txn), kMaxNote);
  if (!text && text.error().code == Code::kNotFound) return std::optional<Oid>{};
  if (!text) return std::unexpected(text.error());
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

// git txn doctor: what this machine and this repository can do, one line a subject. Never stops at
// the first thing that is wrong, and never changes anything.
#include <fmt/format.h>
#include <git2.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "api/kernel.h"
#include "base/duration.h"
#include "base/fs.h"
#include "base/text.h"
#include "capture/trace/trace.h"
#include "repo/worktree/worktree_mount.h"
#include "txn/attempt.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

using Lines = std::vector<DoctorLine>;

// An error as one line: what, and what to do about it.
std::string in_words(const Error& error) {
  return error.hint.empty() ? error.message : error.message + "; " + error.hint;
}

void add(Lines& lines, std::string subject, std::string detail) {
  lines.push_back({std::move(subject), true, std::move(detail)});
}
void add_wrong(Lines& lines, std::string subject, std::string detail) {
  lines.push_back({std::move(subject), false, std::move(detail)});
}

// What is known, or why it is not.
void add_known(Lines& lines, std::string subject, const Result<std::string>& detail) {
  lines.push_back(
      {std::move(subject), detail.has_value(), detail ? *detail : in_words(detail.error())});
}

void check_machine(const Host& host, Lines& lines) {
  const repo::Git git(host.env);
  repo::GitOptions options;
  options.dir = host.cwd;
  const auto version = git.run({"version"}, options);
  if (version && version->exit.success()) {
    add(lines, "git", std::string(trimmed(version->out)));
  } else {
    add_wrong(lines, "git",
              version ? std::string(trimmed(version->err)) : in_words(version.error()));
  }
  int major = 0, minor = 0, revision = 0;
  git_libgit2_version(&major, &minor, &revision);
  add(lines, "libgit2", fmt::format("{}.{}.{}", major, minor, revision));
  utsname kernel{};
  if (::uname(&kernel) == 0)
    add(lines, "kernel", fmt::format("{} {}", kernel.sysname, kernel.release));
  bool any = false;
  for (const capture::Capability& backend : capture::probe_backends()) {
    const std::string name = fmt::format("trace {}", capture::backend_name(backend.backend));
    const std::string detail = backend.detail.empty() ? "usable" : backend.detail;
    // A back end that is missing is a fact; none at all is what is wrong.
    add(lines, name, backend.usable ? detail : "not usable: " + detail);
    any = any || (backend.usable && backend.backend != capture::Backend::kOff);
  }
  if (!any) add_wrong(lines, "trace", "no tracer works here, so every read set is unknown");
}

// A command that is confined needs it; nothing else does.
void check_confine_means(Lines& lines) {
  const auto means = capture::confine_means();
  if (!means) return add(lines, "confine", "not usable: " + means.error().message);
  std::string open;
  if (!means->no_mounts.empty()) {
    open += "; not modes, owners and times of files, because " + means->no_mounts;
  }
  if (!means->scopes) open += "; not signals and abstract sockets, which need Linux 6.12";
  add(lines, "confine",
      fmt::format("usable: Landlock, version {}{}{}", means->landlock,
                  means->no_mounts.empty() ? ", and a mount namespace" : "", open));
}

// The address of a server as it may be shown. The store refuses one with a password in it, but here
// it is shown before that, and people paste what doctor prints.
std::string without_password(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return "an address that is no URL";
  const std::size_t options = std::min(url.find('?'), url.size());
  std::string shown = url.substr(0, options);
  const std::size_t at = shown.rfind('@');
  const std::size_t colon = shown.find(':', scheme + 3);
  if (at != std::string::npos && colon < at) shown.erase(colon, at - colon);
  constexpr std::array<std::string_view, 4> kHarmless{"host=", "port=", "user=", "dbname="};
  char before = '?';
  for (std::size_t from = options + 1; from < url.size();) {
    const std::size_t end = std::min(url.find('&', from), url.size());
    const std::string option = url.substr(from, end - from);
    from = end + 1;
    const auto starts = [&](std::string_view name) { return option.starts_with(name); };
    if (!std::ranges::any_of(kHarmless, starts)) continue;
    shown += before + option;
    before = '&';
  }
  return shown;
}

void check_hub(State& state, Lines& lines) {
  const Membership& membership = state.membership;
  if (!membership.hub) return;
  add(lines, "hub", fmt::format("{}, as clone {}", membership.hub->remote, membership.hub->clone));
  add(lines, "server",
      fmt::format("{}, schema {}", without_password(membership.store), membership.schema));
}

void check_store(State& state, Lines& lines) {
  const auto opened = state.looking();
  if (!opened) return add_wrong(lines, "store", in_words(opened.error()));
  if (*opened == nullptr) return add(lines, "store", "none yet; the first run makes it");
  const auto report = (*opened)->verify();
  if (!report) return add_wrong(lines, "store", in_words(report.error()));
  if (!report->problems.empty()) return add_wrong(lines, "store", report->problems.front());
  add(lines, "store", fmt::format("{} events, schema {}", report->events, store::kSchemaVersion));
}

// It once meant what semantic means now, so whoever wrote it then may have wanted that.
void check_levels(const Policy& policy, Lines& lines) {
  const auto is_strict = [](const PathRule& rule) { return rule.isolation == Isolation::kStrict; };
  const bool named = policy.default_isolation == Isolation::kStrict ||
                     std::ranges::any_of(policy.rules, is_strict);
  if (!named) return;
  add(lines, "isolation",
      ".gittxn.toml names strict, which is exact now: any change of a file that was read is a "
      "conflict, and so is any file that both changed; what it was before is called semantic");
}

void check_policy(State& state, Lines& lines) {
  const auto target = state.target(std::nullopt);
  if (!target) return add_wrong(lines, "branch", in_words(target.error()));
  add(lines, "branch", short_branch(*target));
  const auto head = state.seen(*target);
  if (!head) return add_wrong(lines, "branch", in_words(head.error()));
  const auto policy = state.policy_at(*head);
  if (!policy) return add_wrong(lines, "policy", in_words(policy.error()));
  add(lines, "policy", fmt::format("{} gates", policy->gates.size()));
  check_levels(*policy, lines);
  if (policy->trust_hash.empty())
    return add(lines, "trust", "nothing to trust: it runs no commands");
  const auto opened = state.looking();
  const auto known = opened && *opened != nullptr ? (*opened)->is_trusted(policy->trust_hash)
                                                  : Result<bool>(false);
  if (known && *known) return add(lines, "trust", "its commands are trusted");
  add_wrong(lines, "trust", "not given; read its commands with: git txn trust");
}

// Tried where worktrees will be, or in the nearest directory above that is there already.
void check_kinds(State& state, std::string root, Lines& lines) {
  for (auto there = exists(root); there && !*there && root != "/"; there = exists(root)) {
    root = parent_dir(root);
  }
  for (const repo::KindSupport& kind : repo::probe_kinds(root)) {
    const std::string subject =
        fmt::format("worktree {}", name_in(repo::kWorktreeKinds, kind.kind));
    const std::string detail = kind.detail.empty() ? "usable" : kind.detail;
    add(lines, subject, kind.usable ? detail : "not usable: " + detail);
  }
  const auto set = state.repository.config().get("txn.worktree");
  if (!set || !*set) return;
  const auto kind = repo::kind_from_name(**set);
  if (!kind && **set != kAutomaticKind) add_wrong(lines, "txn.worktree", in_words(kind.error()));
}

void check_durations(State& state, Lines& lines) {
  const auto set = state.repository.config().get("txn.ask");
  if (!set || !*set) return;
  const auto limit = parse_duration_ms(**set);
  if (!limit) add_wrong(lines, "txn.ask", in_words(limit.error()));
}

void check_gate_jobs(State& state, Lines& lines) {
  const auto jobs = gate_jobs(state.repository);
  if (!jobs) add_wrong(lines, "txn.gateJobs", in_words(jobs.error()));
}

void check_repository(State& state, Lines& lines) {
  const auto& place = state.repository.place();
  add(lines, "repository", place.common_dir);
  const auto kind = fs_kind(place.common_dir);
  if (kind) {
    add(lines, "file system", *kind == FsKind::kLocal ? "local" : "network");
  } else {
    add_wrong(lines, "file system", in_words(kind.error()));
  }
  const auto root = state.worktree_root();
  add_known(lines, "worktrees", root);
  if (root) check_kinds(state, *root, lines);
  check_durations(state, lines);
  check_gate_jobs(state, lines);
  add_known(lines, "identity", state.caller());
  check_hub(state, lines);
  check_store(state, lines);
  check_policy(state, lines);
}

}  // namespace

Result<std::vector<DoctorLine>> Kernel::doctor(const Host& host) {
  Lines lines;
  check_machine(host, lines);
  check_confine_means(lines);
  auto kernel = Kernel::open(host);
  if (kernel) {
    check_repository(*kernel->state_, lines);
  } else {
    add_wrong(lines, "repository", in_words(kernel.error()));
  }
  return lines;
}

}  // namespace gittxn::api

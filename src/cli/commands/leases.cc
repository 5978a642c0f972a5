// lease and sentinel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/work.h"
#include "base/duration.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr Printed<api::LeaseLine> kLeaseJson{
    "lease", "A lease, held or waited for.", [](FieldIo& io, const api::LeaseLine& line) {
      const store::Lease& lease = line.lease;
      const auto subject = [](FieldIo& each, const store::LeaseSubject& one) {
        each.text("", subject_text(one));
      };
      io.text("id", lease.id);
      io.list_of("subjects", lease.subjects, subject, {.least = 1});
      io.word("sharing", api::sharing_word(lease), {"shared", "exclusive"});
      io.word("force", api::force_word(lease), {"advisory", "mandatory"});
      io.text("owner", lease.owner);
      io.text_or_null("txn", lease.txn.str());
      io.boolean("attached", lease.slot != 0);
      io.text({"state", "held, waiting, or why it is over"}, api::state_word(line));
      io.integer("left_ms", line.left_ms, kNotNegative);
      io.integer_or_null("fence", lease.held ? lease.fence : 0, kPositive);
    }};

constexpr Printed<std::string> kLeaseReleasedJson{"lease-released", "A lease that was given back.",
                                                  [](FieldIo& io, const std::string& id) {
                                                    io.text("id", id);
                                                    io.word("state", "released", {"released"});
                                                  }};

constexpr Printed<int> kCommandJson{
    "command", "The exit status of a command that was run under a lease.",
    [](FieldIo& io, const int& status) { io.integer("command_exit", status); }};

std::string lease_text(const api::LeaseLine& line) {
  const store::Lease& lease = line.lease;
  std::string subjects;
  for (const store::LeaseSubject& subject : lease.subjects) {
    subjects += (subjects.empty() ? "" : ", ") + clean(subject_text(subject));
  }
  std::string state(api::state_word(line));
  if (line.is_held()) {
    state = fmt::format("held, {} left, fence {}", format_duration(line.left_ms), lease.fence);
  }
  return fmt::format("{}  {}  {}, {}  {}  {}\n", clean(lease.id), subjects,
                     api::sharing_word(lease), api::force_word(lease), clean(lease.owner), state);
}

int tell(Session& session, const api::LeaseLine& line, std::string_view verb) {
  return session.made(kLeaseJson(line), line.lease.id,
                      fmt::format("{} {}", verb, lease_text(line)));
}

Status check_pair(const Session& session, const char* one, const char* other) {
  if (!session.args.has(one) || !session.args.has(other)) return {};
  return fail(Code::kUsage, fmt::format("{} and {} exclude each other", one, other),
              fmt::format("leave out {}, or {}", one, other));
}

Result<int> lease_acquire(Session& session) {
  TRY(check_pair(session, "--shared", "--exclusive"));
  TRY(check_pair(session, "--mandatory", "--advisory"));
  api::LeaseRequest request;
  request.subjects = session.args.operands;
  if (session.args.has("--shared")) request.sharing = store::Sharing::kShared;
  if (session.args.has("--mandatory")) request.force = store::Force::kMandatory;
  request.ttl_ms = session.args.duration_ms("--ttl").value_or(request.ttl_ms);
  const bool command = !session.args.rest.empty();
  request.wait_ms = session.args.duration_ms("--wait").value_or(command ? -1 : 0);
  TRY(check_pair(session, "--owner", "--for"));
  request.owner = session.text_of("--owner");
  request.txn = session.text_of("--for");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::Progress progress = session.progress();
  if (!command) {
    return tell(session, TRY(api::acquire_lease(kernel, request, progress)), "acquired");
  }
  const int status = TRY(api::run_under_lease(kernel, request, session.args.rest, progress));
  session.reporter->finish();
  if (session.json()) session.out->json(kCommandJson(status));
  return status;
}

Result<int> lease_list(Session& session, api::Kernel& kernel) {
  return session.list(TRY(api::list_leases(kernel)), kLeaseJson, lease_text,
                      session.quiet() ? "" : "no leases\n");
}

// What a lease must still have to be changed.
std::optional<Seq> fence_of(const Session& session) {
  if (!session.args.has("--fence")) return std::nullopt;
  return session.args.number("--fence", 0);
}

Result<int> lease_renew(Session& session, api::Kernel& kernel) {
  const auto ttl_ms = session.args.duration_ms("--ttl");
  return tell(session,
              TRY(api::renew_lease(kernel, session.id(), session.text_of("--owner"), ttl_ms,
                                   fence_of(session))),
              "renewed");
}

Result<int> lease_transfer(Session& session, api::Kernel& kernel) {
  return tell(session,
              TRY(api::transfer_lease(kernel, session.id(), session.text_of("--owner"),
                                      session.text_of("--to"), fence_of(session))),
              "transferred");
}

Result<int> lease_release(Session& session, api::Kernel& kernel) {
  const std::string& id = session.id();
  TRY(api::release_lease(kernel, id, session.text_of("--owner"), fence_of(session)));
  return session.done(kLeaseReleasedJson(id), fmt::format("released {}\n", clean(id)));
}

constexpr Printed<store::Sentinel> kSentinelJson{
    "sentinel", "An interval that runs. One a line.", [](FieldIo& io, const store::Sentinel& line) {
      io.text("name", line.name);
      io.integer("every_ms", line.every_ms, kPositive);
      io.integer("left_ms", line.left_ms, kNotNegative);
    }};

constexpr Printed<std::string> kSentinelResetJson{
    "sentinel-reset", "An interval that was ended.", [](FieldIo& io, const std::string& name) {
      io.text("name", name);
      io.integer("left_ms", 0, {.least = 0, .most = 0});
    }};

using Passed = std::pair<std::string, store::SentinelAnswer>;
constexpr Printed<Passed> kSentinelPassedJson{
    "sentinel-passed", "Whether it was let through, and when the next one is.",
    [](FieldIo& io, const Passed& passed) {
      io.text("name", passed.first);
      io.boolean("passed", passed.second.passing == store::Passing::kPassed);
      io.integer("left_ms", passed.second.left_ms, kNotNegative);
    }};

std::string sentinel_text(const store::Sentinel& line) {
  return fmt::format("{}  every {}, the next in {}\n", clean(line.name),
                     format_duration(line.every_ms), format_duration(line.left_ms));
}

Result<int> sentinel_list(Session& session, api::Kernel& kernel) {
  return session.list(TRY(api::list_sentinels(kernel)), kSentinelJson, sentinel_text,
                      session.quiet() ? "" : "no intervals run\n");
}

Result<int> sentinel_reset(Session& session, api::Kernel& kernel) {
  const std::string& name = session.id();
  TRY(api::reset_sentinel(kernel, name));
  return session.done(kSentinelResetJson(name), fmt::format("the next {} passes\n", clean(name)));
}

Result<int> sentinel_pass(Session& session, api::Kernel& kernel) {
  const std::string& name = session.id();
  const std::int64_t every_ms = session.args.duration_ms("--every").value_or(0);
  const store::SentinelAnswer result = TRY(api::pass_sentinel(kernel, name, every_ms));
  const bool passed = result.passing == store::Passing::kPassed;
  session.done(kSentinelPassedJson({name, result}),
               fmt::format("{}: the next {} in {}\n", passed ? "passed" : "throttled", clean(name),
                           format_duration(result.left_ms)));
  return passed ? kExitDone : kExitNo;
}

constexpr FlagSpec kLeaseTtl{"--ttl", "DURATION",
                             "how long it lasts, when nobody renews it (default 10m, at most 7d)",
                             Value::kDuration};
constexpr FlagSpec kLeaseOwner{"--owner", "OWNER", "whose it is (default: your git identity)"};
constexpr FlagSpec kLeaseFence{"--fence", "NUMBER",
                               "only when it still has this fence (GIT_TXN_FENCE); exit 1 when it "
                               "was somebody else's meanwhile",
                               Value::kNumber};
constexpr OperandSpec kLeaseId{"ID", Value::kText, 1, 1, "the ID of one lease", "lease list"};

const CommandSpec kLeaseCommand{
    .name = "lease",
    .summary = "say that a part of the tree is yours for a while",
    .description =
        "A SUBJECT is a path of the tree with all below it, a glob (what has a '*'; ** is any "
        "number of folders), or symbol:ID; "
        "always from the top of the tree, and '.' is all of it. Acquires all of them or none. Two "
        "leases that overlap exclude each other unless both are shared.\n\nA lease ends when it is "
        "released or its time is over; with a COMMAND it is renewed while that runs, and free at "
        "once when this process dies. An owner who is stopped keeps it until its time is over; "
        "then release and renew are refused and say who has it, and the COMMAND is ended. The "
        "fence is a number that grows with every new holder: hand it to what must not listen to an "
        "earlier one.\n\nAn owner is a person: all transactions that you run share your git "
        "identity, so a lease of yours keeps none of them out. One that a transaction has (--for, "
        "git txn run --lease) does.\n\nLeases are about transactions: a commit made without one is "
        "not asked. What has landed before a lease was had stays landed.",
    .group = Group::kSharing,
    .subcommands = {
        {.name = "lease acquire",
         .summary = "take a lease, and with a COMMAND hold it while that runs",
         .effect = Effect::kWrites,
         .takes = Takes::kMaybeCommand,
         .handler = lease_acquire,
         .operands = {{"SUBJECT", Value::kText, 1, 64, "a SUBJECT: a path, a glob, or symbol:ID"}},
         .flags = {{"--shared", "", "others may have a shared lease on it too"},
                   {"--exclusive", "", "nobody else may have a lease on it (default)"},
                   {"--mandatory", "",
                    "landings of other owners that write there wait until it is over"},
                   {"--advisory", "", "such landings are told, and land (default)"},
                   kLeaseTtl,
                   {"--wait", "DURATION",
                    "how long to wait for it, first come, first served (default 0; with a COMMAND "
                    "until it is had)",
                    Value::kDuration},
                   kLeaseOwner,
                   {"--for", "ID",
                    "a transaction has it, and not you: your other transactions are kept out as "
                    "well, and it ends with the transaction",
                    Value::kTxn}},
         .examples =
             {{"git txn lease acquire src/api --ttl 1h", "say that a folder is yours for an hour"},
              {"git txn lease acquire 'src/**/*.proto' --mandatory --wait 10m -- make regenerate",
               "hold it while a command runs; nobody else lands there meanwhile"},
              {"git txn lease acquire 'symbol:src/auth.py/Token#validate().'",
               "one function, as git txn symbols prints it"},
              {"git txn lease acquire src/db --mandatory --for t-7k2m",
               "keep your other agents out of it until t-7k2m has ended"}},
         .outputs = {{kLeaseJson}, {kCommandJson, "--"}}},
        {.name = "lease release",
         .summary = "give a lease back",
         .effect = Effect::kWrites,
         .handler = lease_release,
         .operands = {kLeaseId},
         .flags = {kLeaseOwner, kLeaseFence},
         .examples = {{"git txn lease release l-120", "from now on it is free"}},
         .outputs = {{kLeaseReleasedJson}}},
        {.name = "lease renew",
         .summary = "let the time of a lease begin anew",
         .effect = Effect::kWrites,
         .handler = lease_renew,
         .operands = {kLeaseId},
         .flags = {kLeaseTtl, kLeaseOwner, kLeaseFence},
         .examples = {{"git txn lease renew l-120 --ttl 1h", "from now on for an hour"}},
         .outputs = {{kLeaseJson}}},
        {.name = "lease transfer",
         .summary = "give a lease to another owner",
         .effect = Effect::kWrites,
         .handler = lease_transfer,
         .operands = {kLeaseId},
         .flags = {kLeaseOwner, needed({"--to", "OWNER", "whose it is to be"}), kLeaseFence},
         .examples = {{"git txn lease transfer l-120 --to bob@example.org",
                       "from now on it is of Bob"}},
         .outputs = {{kLeaseJson}}},
        {.name = "lease list",
         .summary = "list what is held, and who waits",
         .handler = lease_list,
         .examples = {{"git txn lease list --json | jq -r .id", "what is held, and who waits"}},
         .outputs = {{kLeaseJson, "", Lines::kMany}}}}};

const CommandSpec kSentinelCommand{
    .name = "sentinel",
    .summary = "let something through at most once per interval (a throttle)",
    .description =
        "Exits 0 when it is let through, and 1 when it was less than --every ago that another was; "
        "then it says when the next one is. Of any number that ask at once one is let through. "
        "Time is the kernel's: a wall clock that is set changes nothing, and after a reboot an "
        "interval begins anew. The interval of a name is that of the last one that was let "
        "through.",
    .group = Group::kSharing,
    .effect = Effect::kWrites,
    .handler = sentinel_pass,
    .operands = {{"NAME"}},
    .flags = {needed({"--every", "DURATION", "at most once in this time", Value::kDuration})},
    .examples = {{"git txn sentinel nightly --every 1d",
                  "in front of && make nightly: at most once a day"}},
    .outputs = {{kSentinelPassedJson}},
    .subcommands = {
        {.name = "sentinel list",
         .summary = "list which intervals run, and when each is over",
         .handler = sentinel_list,
         .examples = {{"git txn sentinel list", "which intervals run, and when each is over"}},
         .outputs = {{kSentinelJson, "", Lines::kMany}}},
        {.name = "sentinel reset",
         .summary = "let the next one through at once",
         .effect = Effect::kWrites,
         .handler = sentinel_reset,
         .operands = {{"NAME", Value::kText, 1, 1, "the name of one", "sentinel list"}},
         .examples = {{"git txn sentinel reset nightly", "the next one passes at once"}},
         .outputs = {{kSentinelResetJson}}}}};

}  // namespace

std::vector<CommandSpec> lease_commands() {
  return {kLeaseCommand, kSentinelCommand};
}

}  // namespace gittxn::cli

// lease and sentinel.
#include <fmt/format.h>

#include "api/work.h"
#include "base/duration.h"
#include "base/json_value.h"
#include "cli/session.h"
#include "cli/verb_flags.h"

namespace gittxn::cli {
namespace {

Json line_json(const api::LeaseLine& line) {
  Json subjects = Json::array();
  for (const std::string& subject : line.subjects) subjects.push_back(encode_path(subject));
  return {{"id", line.id},
          {"subjects", std::move(subjects)},
          {"sharing", line.sharing},
          {"force", line.force},
          {"owner", encode_path(line.owner)},
          {"txn", line.txn.empty() ? Json() : Json(line.txn)},
          {"attached", line.attached},
          {"state", line.state},
          {"left_ms", line.left_ms},
          {"fence", line.fence == 0 ? Json() : Json(line.fence)}};
}

std::string line_text(const api::LeaseLine& line) {
  std::string subjects;
  for (const std::string& subject : line.subjects) {
    subjects += (subjects.empty() ? "" : ", ") + clean(subject);
  }
  std::string state = line.state;
  if (state == "held") {
    state = fmt::format("held, {} left, fence {}", format_duration(line.left_ms), line.fence);
  }
  return fmt::format("{}  {}  {}, {}  {}  {}\n", clean(line.id), subjects, line.sharing, line.force,
                     clean(line.owner), state);
}

int tell(Session& session, const api::LeaseLine& line, std::string_view verb) {
  if (session.json()) {
    session.out->json(line_json(line));
  } else if (session.quiet()) {
    session.out->text(clean(line.id) + "\n");
  } else {
    session.out->text(fmt::format("{} {}", verb, line_text(line)));
  }
  return kExitDone;
}

Status check_pair(const Session& session, const char* one, const char* other) {
  if (!session.args.has(one) || !session.args.has(other)) return {};
  return fail(Code::kUsage, fmt::format("{} and {} exclude each other", one, other),
              fmt::format("leave out {}, or {}", one, other));
}

Result<int> acquire(Session& session, const std::vector<std::string>& subjects) {
  if (subjects.empty()) {
    return fail(Code::kUsage, "git txn lease acquire needs a SUBJECT",
                "name a path, a glob, or symbol:ID");
  }
  TRY(check_pair(session, "--shared", "--exclusive"));
  TRY(check_pair(session, "--mandatory", "--advisory"));
  api::LeaseRequest request;
  request.subjects = subjects;
  request.shared = session.args.has("--shared");
  request.mandatory = session.args.has("--mandatory");
  request.ttl_ms = session.args.duration_ms("--ttl").value_or(request.ttl_ms);
  const bool command = !session.args.rest.empty();
  request.wait_ms = session.args.duration_ms("--wait").value_or(command ? -1 : 0);
  TRY(check_pair(session, "--owner", "--for"));
  request.owner = session.flag("--owner").value_or("");
  request.txn = session.flag("--for").value_or("");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::Progress progress = session.reporter->progress();
  if (!command) {
    const api::LeaseLine line = TRY(api::acquire_lease(kernel, request, progress));
    session.reporter->finish();
    return tell(session, line, "acquired");
  }
  const int status = TRY(api::run_under_lease(kernel, request, session.args.rest, progress));
  session.reporter->finish();
  if (session.json()) session.out->json({{"command_exit", status}});
  return status;
}

Result<int> list_leases(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const auto lines = TRY(api::list_leases(kernel));
  if (lines.empty() && !session.json() && !session.quiet()) session.out->text("no leases\n");
  for (const api::LeaseLine& line : lines) {
    if (session.json()) {
      session.out->json(line_json(line));
    } else {
      session.out->text(line_text(line));
    }
  }
  return kExitDone;
}

Result<int> change(Session& session, const std::string& verb, const std::string& id) {
  const std::string owner = session.flag("--owner").value_or("");
  std::optional<Seq> fence;
  if (session.args.has("--fence")) fence = session.args.number("--fence", 0);
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (verb == "renew") {
    const auto ttl_ms = session.args.duration_ms("--ttl");
    return tell(session, TRY(api::renew_lease(kernel, id, owner, ttl_ms, fence)), "renewed");
  }
  if (verb == "transfer") {
    const auto to = session.flag("--to");
    if (!to)
      return fail(Code::kUsage, "git txn lease transfer needs --to OWNER",
                  "git txn lease transfer ID --to OWNER");
    return tell(session, TRY(api::transfer_lease(kernel, id, owner, *to, fence)), "transferred");
  }
  TRY(api::release_lease(kernel, id, owner, fence));
  if (session.json()) {
    session.out->json({{"id", encode_path(id)}, {"state", "released"}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("released {}\n", clean(id)));
  }
  return kExitDone;
}

Result<int> list_sentinels(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const auto lines = TRY(api::list_sentinels(kernel));
  if (lines.empty() && !session.json() && !session.quiet()) session.out->text("no intervals run\n");
  for (const api::SentinelLine& line : lines) {
    if (session.json()) {
      session.out->json({{"name", encode_path(line.name)},
                         {"every_ms", line.every_ms},
                         {"left_ms", line.left_ms}});
    } else {
      session.out->text(fmt::format("{}  every {}, the next in {}\n", clean(line.name),
                                    format_duration(line.every_ms), format_duration(line.left_ms)));
    }
  }
  return kExitDone;
}

// What was typed instead of one of the three forms.
std::unexpected<Error> not_a_sentinel(const std::vector<std::string>& words, bool every) {
  const std::string usage = "git txn sentinel NAME --every 10m, or list, or reset NAME";
  const std::string& verb = words[0];
  if ((verb == "list" || verb == "reset") && every) {
    return fail(Code::kUsage, fmt::format("git txn sentinel {} does not take --every", verb),
                fmt::format("'{}' is no name of a sentinel: {}", verb, usage));
  }
  if (verb == "list") return fail(Code::kUsage, "git txn sentinel list takes no name", usage);
  if (verb == "reset") {
    return fail(Code::kUsage, "git txn sentinel reset needs the name of one", usage);
  }
  if (words.size() > 1) {
    return fail(Code::kUsage,
                fmt::format("git txn sentinel takes one name, and '{}' is another", words[1]),
                usage);
  }
  return fail(Code::kUsage, "git txn sentinel needs --every beside the name", usage);
}

}  // namespace

Result<int> lease_command(Session& session) {
  const std::string& verb = session.args.operands.at(0);
  const std::vector<std::string> words(session.args.operands.begin() + 1,
                                       session.args.operands.end());
  constexpr VerbFlag kFlags[] = {
      {"--shared", "acquire"},    {"--exclusive", "acquire"},
      {"--mandatory", "acquire"}, {"--advisory", "acquire"},
      {"--ttl", "acquire renew"}, {"--wait", "acquire"},
      {"--for", "acquire"},       {"--owner", "acquire release renew transfer"},
      {"--to", "transfer"},       {"--fence", "release renew transfer"}};
  TRY(check_verb_flags(session.args, verb, kFlags));
  if (verb != "acquire" && !session.args.rest.empty()) {
    return fail(Code::kUsage, fmt::format("git txn lease {} runs no command", verb),
                "git txn lease acquire SUBJECT -- COMMAND runs one under a lease");
  }
  if (verb == "acquire") return acquire(session, words);
  if (verb == "list") {
    if (words.empty()) return list_leases(session);
    return fail(Code::kUsage, "git txn lease list takes no name", "it shows all there are");
  }
  if (words.size() == 1) return change(session, verb, words[0]);
  return fail(Code::kUsage, fmt::format("git txn lease {} needs the ID of one lease", verb),
              "git txn lease list has them");
}

Result<int> sentinel_command(Session& session) {
  const std::vector<std::string>& words = session.args.operands;
  const auto every_ms = session.args.duration_ms("--every");
  if (words[0] == "list" && words.size() == 1 && !every_ms) return list_sentinels(session);
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (words[0] == "reset" && words.size() == 2 && !every_ms) {
    TRY(api::reset_sentinel(kernel, words[1]));
    if (!session.quiet() && !session.json()) {
      session.out->text(fmt::format("the next {} passes\n", clean(words[1])));
    }
    if (session.json()) session.out->json({{"name", encode_path(words[1])}, {"left_ms", 0}});
    return kExitDone;
  }
  if (words.size() != 1 || !every_ms || words[0] == "list" || words[0] == "reset") {
    return not_a_sentinel(words, every_ms.has_value());
  }
  const api::SentinelResult result = TRY(api::pass_sentinel(kernel, words[0], *every_ms));
  if (session.json()) {
    session.out->json(
        {{"name", encode_path(words[0])}, {"passed", result.passed}, {"left_ms", result.left_ms}});
  } else if (!session.quiet()) {
    session.out->text(fmt::format("{}: the next {} in {}\n", result.passed ? "passed" : "throttled",
                                  clean(words[0]), format_duration(result.left_ms)));
  }
  return result.passed ? kExitDone : kExitNo;
}

}  // namespace gittxn::cli

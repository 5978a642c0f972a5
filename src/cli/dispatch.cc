// From a parsed command to its handler.
#include <fmt/format.h>

#include <unistd.h>
#include <algorithm>
#include <cerrno>

#include "api/kernel.h"
#include "api/work.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

std::string inside_hint(std::string_view command) {
  if (command == "commit") return "your change lands by itself when the command has ended";
  if (command == "trust") return "saying yes to commands is for the person who owns the repository";
  return "what you change here lands with the transaction; do this outside of it";
}

// Whatever came of the command: what it appended is given out before it exits. A failure of this is
// told, and is none of the command.
void deliver(Session& session, std::optional<api::Kernel>& kernel) {
  const auto onto = session.flag("--onto");
  const api::Progress progress = session.reporter->progress();
  const Status given = kernel ? api::deliver_events(*kernel, onto, progress)
                              : api::deliver_events(session.host, onto, progress);
  if (!given)
    session.reporter->note("events were not given to their handlers: " + given.error().message);
}

Result<int> call(const Handler& handler, Session& session, std::optional<api::Kernel>& kernel) {
  if (const auto* alone = std::get_if<Result<int> (*)(Session&)>(&handler)) {
    return (*alone)(session);
  }
  kernel.emplace(TRY(api::Kernel::open(session.host)));
  return std::get<Result<int> (*)(Session&, api::Kernel&)>(handler)(session, *kernel);
}

}  // namespace

void Printer::text(std::string_view bytes) {
  while (!bytes.empty() && !gone_) {
    ssize_t n = write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      gone_ = true;
      if (errno != EPIPE) failure_ = fail_errno(errno, "writing the result").error();
      return;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::string json_line(const FieldList& object) {
  return dump_json(json_of(object)) + "\n";
}

int Session::show(const FieldList& object, std::string_view text) const {
  reporter->finish();
  if (json()) {
    out->json(object);
  } else {
    out->text(text);
  }
  return kExitDone;
}

int Session::done(const FieldList& object, std::string_view text) const {
  return show(object, quiet() ? std::string_view() : text);
}

int Session::made(const FieldList& object, std::string_view id, std::string_view text) const {
  return show(object, quiet() ? clean(id) + "\n" : std::string(text));
}

std::string variable(const Environment& env, const std::string& name) {
  const auto found = env.find(name);
  return found == env.end() ? std::string() : found->second;
}

int exit_status(Code code) {
  using enum Code;
  const auto is_of = [code](std::initializer_list<Code> codes) {
    return std::ranges::find(codes, code) != codes.end();
  };
  if (is_of({kUsage, kUnsupported, kRefused, kNotFound, kExists})) return kExitUsage;
  return is_of({kBusy, kStale, kTimeout, kInterrupted}) ? kExitNo : kExitFault;
}

Status check_inside(const Session& session) {
  const std::string inside = variable(session.host.env, "GIT_TXN_ID");
  if (inside.empty()) return {};
  const CommandSpec& command = *session.args.command;
  if (session.args.effect() != Effect::kWrites) return {};
  return fail(
      Code::kRefused,
      fmt::format("git txn {} is refused inside a transaction (this is {})", command.name, inside),
      inside_hint(command.name));
}

Result<int> dispatch(Session& session) {
  // These two an agent starts by itself, some without the variable. They do nothing that is a
  // person's, and to look a transaction up is git at work in the person's checkout, which counts as
  // a read of everything.
  const CommandSpec& command = *session.args.command;
  if (command.name != "hook" && command.name != "mcp") api::restore_fence(session.host);
  TRY(check_inside(session));
  std::optional<api::Kernel> kernel;
  Result<int> status = call(command.handler, session, kernel);
  // Who only looks must not run anything; and what was refused, or broke, has nothing to give out.
  const bool ended = status || exit_status(status.error().code) == kExitNo;
  if (ended && session.args.effect() != Effect::kReads) deliver(session, kernel);
  return status;
}

}  // namespace gittxn::cli

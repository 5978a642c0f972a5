// recover, verify, state, gc, doctor, version, and what is for our own tools.
#include <fmt/format.h>

#include "api/enforces.h"
#include "api/version.h"
#include "base/failpoint.h"
#include "base/fs.h"
#include "base/json_value.h"
#include "base/subprocess.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

constexpr std::size_t kDescriptionShown = 60;

Status write_pages(const std::string& dir) {
  TRY(make_dirs(dir, 0755));
  for (const auto& [name, text] : man_pages(GIT_TXN_VERSION)) {
    TRY(write_file(join_path(dir, name), text, Sync::kNo, 0644));
  }
  return {};
}

Json enforces_json() {
  Json list = Json::array();
  for (const api::Enforced& one : api::enforces()) {
    list.push_back({{"what", one.what},
                    {"enforced", one.enforced},
                    {"mechanism", one.mechanism},
                    {"since", one.since},
                    {"answers", one.answers}});
  }
  return list;
}

Result<int> man_command(Session& session) {
  if (auto dir = session.flag("--dir")) {
    TRY(write_pages(*dir));
    return kExitDone;
  }
  const auto& operands = session.args.operands;
  std::string page = operands.size() > 1 ? "git-txn-" + operands[1] + ".1" : "git-txn.1";
  for (const auto& [name, text] : man_pages(GIT_TXN_VERSION)) {
    if (name != page) continue;
    session.out->text(text);
    return kExitDone;
  }
  return fail(Code::kUsage, fmt::format("there is no manual page {}", page));
}

// True when a command takes a transaction in this state; "" takes any.
bool takes(std::string_view command, const api::StatusReport::Line& line) {
  const TxnState state = line.txn.state;
  if (command == "resume") return state == TxnState::kAborted || !is_final(state);
  if (command == "stop") return line.process != 0;
  if (command == "exec") return state == TxnState::kOpen;
  if (command == "commit" || command == "abort" || command == "open") return !is_final(state);
  return true;
}

// What may stand where a transaction is asked for.
Result<std::vector<Completion::Word>> transactions_for(Session& session,
                                                       const std::string& command) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  std::vector<Completion::Word> words;
  for (const auto& line : TRY(kernel.status(api::StatusScope::kAll)).lines) {
    if (!takes(command, line)) continue;
    const std::string what = line.txn.name.empty() ? quote_argv(line.txn.command) : line.txn.name;
    words.push_back({clean(line.txn.id.str()), fmt::format("{}  {}", state_name(line.txn.state),
                                                           cut(clean(what), kDescriptionShown))});
  }
  return words;
}

Result<int> ids_command(Session& session) {
  const auto& operands = session.args.operands;
  const std::string command = operands.size() > 1 ? operands[1] : "";
  for (const auto& word : TRY(transactions_for(session, command))) {
    session.out->text(word.text + "\n");
  }
  return kExitDone;
}

Result<std::vector<Completion::Word>> branches_here(Session& session) {
  gittxn::Command list;
  list.argv = {"git", "for-each-ref", "--format=%(refname:short)", "refs/heads"};
  list.cwd = session.host.cwd;
  list.env = session.host.env;
  const gittxn::Output output = TRY(gittxn::run(list));
  std::vector<Completion::Word> words;
  for (std::string_view rest = output.out; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    words.push_back({clean(rest.substr(0, end)), ""});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

std::string_view kind_word(Completion::Kind kind) {
  switch (kind) {
    case Completion::Kind::kFiles:
      return "files";
    case Completion::Kind::kFolders:
      return "folders";
    case Completion::Kind::kCommand:
      return "command";
    case Completion::Kind::kWords:
    case Completion::Kind::kTransactions:
    case Completion::Kind::kBranches:
      break;
  }
  return "words";
}

Result<int> complete_command(Session& session) {
  Completion completion = completion_of(session.args.rest);
  std::vector<Completion::Word> found;
  if (completion.kind == Completion::Kind::kTransactions) {
    found = TRY(transactions_for(session, completion.command));
  } else if (completion.kind == Completion::Kind::kBranches) {
    found = TRY(branches_here(session));
  }
  for (Completion::Word& word : found) {
    if (word.text.starts_with(completion.typed)) completion.words.push_back(std::move(word));
  }
  std::string out = std::string(kind_word(completion.kind)) + "\n";
  for (const Completion::Word& word : completion.words) {
    out += word.text + (word.says.empty() ? "" : "\t" + word.says) + "\n";
  }
  session.out->text(out);
  return kExitDone;
}

}  // namespace

Result<int> recover_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  std::vector<std::string> done = TRY(kernel.recover(session.reporter->progress()));
  session.reporter->finish();
  if (session.json()) {
    session.out->json({{"done", texts_json(done)}});
    return kExitDone;
  }
  for (const std::string& line : done) session.out->text(clean(line) + "\n");
  if (done.empty() && !session.quiet()) session.out->text("nothing to recover\n");
  return kExitDone;
}

Result<int> verify_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Kernel::Verification found = TRY(kernel.verify(session.args.has("--replay")));
  int status = found.problems.empty() ? kExitDone : kExitNo;
  if (session.json()) {
    session.out->json(verification_json(found));
    return status;
  }
  for (const std::string& problem : found.problems) {
    session.out->text(session.style.paint(Colour::kRed, "wrong") + "  " + clean(problem) + "\n");
  }
  if (session.quiet()) return status;
  for (const std::string& note : found.notes) session.out->text("note   " + clean(note) + "\n");
  session.out->text(
      found.problems.empty()
          ? fmt::format("{} hold\n", counted(found.events, "event"))
          : fmt::format("{} in {}\n",
                        counted(static_cast<std::int64_t>(found.problems.size()), "problem"),
                        counted(found.events, "event")));
  return status;
}

Result<int> state_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  if (!session.args.has("--at")) {
    return fail(Code::kUsage, "git txn state needs --at SEQ",
                "git txn log --json and git txn verify show the numbers of events");
  }
  Json state = TRY(kernel.state_at(session.args.number("--at", 0)));
  session.out->text(session.json()
                        ? dump_json(state) + "\n"
                        : state.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return kExitDone;
}

Result<int> gc_command(Session& session) {
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  api::Progress progress = session.reporter->progress();
  api::GcReport report = TRY(kernel.gc(session.args.has("--force"), progress));
  session.reporter->clear();
  if (session.json()) {
    session.out->json(gc_json(report));
    return kExitDone;
  }
  if (session.quiet()) return kExitDone;
  session.out->text(gc_lines(report));
  return kExitDone;
}

Result<int> doctor_command(Session& session) {
  std::vector<api::DoctorLine> lines = TRY(api::Kernel::doctor(session.host));
  int status = kExitDone;
  for (const api::DoctorLine& line : lines) {
    if (!line.ok) status = kExitNo;
  }
  if (session.json()) {
    session.out->json(doctor_json(lines));
    return status;
  }
  for (const api::DoctorLine& line : lines) {
    if (session.quiet() && line.ok) continue;
    session.out->text(fmt::format("{}  {} {}\n",
                                  line.ok ? session.style.paint(Colour::kGreen, "ok   ")
                                          : session.style.paint(Colour::kRed, "wrong"),
                                  padded(clean(line.subject), 18), clean(line.detail)));
  }
  return status;
}

Result<int> version_command(Session& session) {
  const Parsed& args = session.args;
  if (args.has("--enforces")) {
    if (session.json()) {
      session.out->json(enforces_json());
    } else {
      session.out->text(api::enforces_page());
    }
    return kExitDone;
  }
  if (session.json()) {
    Json json = args.has("--cli") ? stability_json() : Json::object();
    json["version"] = GIT_TXN_VERSION;
    json["schema"] = api::schema_version();
    json["events"] = api::event_types();
    session.out->json(json);
    return kExitDone;
  }
  bool chosen = args.has("--cli") || args.has("--schema") || args.has("--events");
  if (!chosen || !session.quiet()) session.out->text(fmt::format("git-txn {}\n", GIT_TXN_VERSION));
  if (args.has("--schema")) session.out->text(fmt::format("schema {}\n", api::schema_version()));
  if (args.has("--events")) {
    for (const std::string& type : api::event_types())
      session.out->text(fmt::format("event {} 1\n", type));
  }
  if (args.has("--cli")) session.out->text(stability_table());
  return kExitDone;
}

Result<int> internal_command(Session& session) {
  const std::string& action = session.args.operands.at(0);
  if (action == "failpoints") {
    for (const std::string& name : Failpoint::names()) session.out->text(name + "\n");
    return kExitDone;
  }
  if (action == "man") return man_command(session);
  if (action == "ids") return ids_command(session);
  if (action == "commands") {
    session.out->text(commands_page());
    return kExitDone;
  }
  if (action == "complete") return complete_command(session);
  const auto& operands = session.args.operands;
  const std::string script = completion_script(operands.size() < 2 ? "" : operands[1]);
  if (script.empty()) {
    return fail(Code::kUsage, "completion is there for bash, zsh and fish",
                "git txn internal completion bash");
  }
  session.out->text(script);
  return kExitDone;
}

}  // namespace gittxn::cli

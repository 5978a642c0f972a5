#include "txn/serve/instructions.h"

#include "base/fs.h"
#include "base/json.h"
#include "txn/attempt.h"

namespace gittxn::api {

namespace {
constexpr std::size_t kMaxText = 64u << 10;

// Also where a person has named another text: who does not know it takes a refusal for a fault.
constexpr std::string_view kConfinedText = R"(
You are confined: you may write in this worktree, in temporary directories ($TMPDIR), in the caches
of tools and in your own state. Everything else is read-only ("Read-only file system", "Permission
denied"), and you cannot signal processes outside. That is meant: do not look for a way around it.
When your task needs something outside to be changed, say so in your last message.
)";
}  // namespace

Result<std::string> instructions(State& state) {
  const auto named = TRY(state.repository.config().path("txn.instructions"));
  if (!named) return std::string(shipped_instructions());
  auto text = read_file(*named, kMaxText);
  if (!text) {
    return fail(Code::kUsage, "txn.instructions names '" + *named + "': " + text.error().message,
                "give it a text of at most 64 KiB, or: git config --unset txn.instructions");
  }
  return text;
}

Status leave_briefing(State& state, const Txn& txn, const std::string& confine) {
  const Attempt& attempt = txn.attempts.back();
  Json about{{"id", encode_path(txn.id.str())},
             {"name", encode_path(txn.name)},
             {"branch", encode_path(short_branch(txn.target))},
             {"base", attempt.base.str()},
             {"isolation", isolation_name(txn.isolation)}};
  if (!confine.empty()) about["confine"] = confine;
  const std::string dir = observed_dir(attempt);
  TRY(write_file(join_path(dir, kAboutFile), canonical_json(about) + "\n", Sync::kNo));
  std::string text = TRY(instructions(state));
  if (!confine.empty()) text += kConfinedText;
  return write_file(join_path(dir, kInstructionsFile), text, Sync::kNo);
}

}  // namespace gittxn::api

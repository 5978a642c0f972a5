#include "txn/serve/brief.h"

#include <fcntl.h>
#include <fmt/format.h>

#include "base/fields.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/if_there.h"
#include "model/workflow.h"

namespace gittxn::api {

static void fields(FieldIo& io, Brief::Change& change) {
  io.thing("change");
  io.text("subject", change.subject);
  io.text("changed_by", change.changed_by);
  io.text("diff", change.diff);
}
static void fields(FieldIo& io, Brief& brief) {
  constexpr int kVersion = 1;
  int version = kVersion;
  io.thing("brief");
  io.integer("v", version);
  io.integer("number", brief.number);
  io.oid("head", brief.head);
  io.text("branch", brief.branch);
  io.list("changes", brief.changes);
  if (version != kVersion) io.wrong("v", "a brief of another version");
}

namespace {

constexpr std::size_t kMaxBriefFile = 4u << 20;

std::string json_path(const std::string& observed) {
  return join_path(observed, "brief.json");
}
std::string text_path(const std::string& observed) {
  return join_path(observed, "brief.md");
}

// A workflow changes for those who work in it by being cancelled alone.
bool is_of_workflow(const Brief::Change& change) {
  const auto parsed = parse_kernel_subject(change.subject);
  return parsed && parsed->kind == KernelSubject::Kind::kWorkflow;
}

std::string cancelled_text(const Brief::Change& change) {
  return fmt::format(
      "git-txn: the workflow that you work in was cancelled ({}, by {}). Nothing of it lands any "
      "more, whatever you do in this worktree; what you did is kept.\n"
      "What to do: stop now and say so.\n",
      change.subject, change.changed_by);
}

}  // namespace

std::string brief_text(const Brief& brief) {
  std::string cancelled;
  for (const Brief::Change& change : brief.changes) {
    if (is_of_workflow(change)) cancelled = cancelled_text(change);
  }
  if (!cancelled.empty() && brief.changes.size() == 1) return cancelled.substr(0, kMaxBriefText);
  std::string text = cancelled;
  text += fmt::format(
      "git-txn: what you read has changed on {0} since (now at {1}). Your change will be refused "
      "as "
      "long as it depends on the old state. The files in your worktree are still as you read "
      "them.\n"
      "What to do: if your work depends on this, stop now and say so. When you have ended, {0} is "
      "merged into this worktree and you are asked again in this conversation, where that can be; "
      "otherwise the command is run again on the new {0}. Before that, nothing you do here makes "
      "it "
      "land. If your work does not depend on this, go on. "
      "To look at a file as it is now: git fetch txn-target, then git show txn-target/{0}:PATH\n",
      brief.branch, brief.head.str().substr(0, 7));
  for (const Brief::Change& change : brief.changes) {
    if (is_of_workflow(change)) continue;
    const std::string by = change.changed_by.empty() ? "" : ", changed by " + change.changed_by;
    text += fmt::format("- {}{}\n", change.subject.empty() ? "." : change.subject, by);
    if (text.size() > kMaxBriefText / 2) {
      text += "- and more\n";
      break;
    }
  }
  for (const Brief::Change& change : brief.changes) {
    if (change.diff.empty()) continue;
    if (text.size() + change.diff.size() + 1 > kMaxBriefText) {
      text += fmt::format("\n(the difference of {} is not shown here)\n", change.subject);
      break;
    }
    text += "\n" + change.diff;
  }
  if (text.size() > kMaxBriefText) text.resize(kMaxBriefText);
  return text;
}

Status write_brief(const std::string& observed, const Brief& brief) {
  TRY(write_file(text_path(observed), brief_text(brief), Sync::kNo));
  return write_file(json_path(observed), canonical_text(field_list(brief)) + "\n", Sync::kNo);
}

Result<std::optional<Brief>> read_brief(const std::string& observed) {
  const auto text = TRY(if_there(read_file(json_path(observed), kMaxBriefFile)));
  if (!text) return std::nullopt;
  Brief brief;
  TRY_IN("the brief", read_text(*text, "brief", field_list(brief)));
  return brief;
}

Status remove_brief(const std::string& observed) {
  TRY(remove_file(json_path(observed)));
  return remove_file(text_path(observed));
}

Result<bool> first_telling(const std::string& observed, const Brief& brief,
                           const std::string& listener) {
  const std::string mark = join_path(
      observed, fmt::format("told.{}.{}", brief.number, sha256(listener).str().substr(0, 16)));
  const auto made = open_fd(mark, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (made) return true;
  if (made.error().code == Code::kExists) return false;
  return std::unexpected(made.error());
}

}  // namespace gittxn::api

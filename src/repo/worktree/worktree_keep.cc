// Keeping what was taken: one commit under refs/txn that reaches the work and everything the agent
// committed, stashed or left detached. On disk if we die: objects that nobody names, or all of it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/failpoint.h"
#include "repo/worktree.h"

namespace gittxn::repo {
namespace {

FAILPOINT(fp_before_ref, "keep.before_ref");
FAILPOINT(fp_after_ref, "keep.after_ref");

// Names travel in a header line: what would end it, or its e-mail, is left out, as git does.
std::string raw_identity(const Identity& who, std::int64_t wall_ms) {
  auto clean = [](std::string text) {
    std::erase_if(text, [](char c) { return c == '<' || c == '>' || c == '\n' || c == '\0'; });
    return text;
  };
  return fmt::format("{} <{}> {} +0000", clean(who.name), clean(who.email), wall_ms / 1000);
}

}  // namespace

Result<Oid> keep(Repository& repository, const TxnId& txn, int attempt, const Taken& taken,
                 const std::string& message, const Identity& who, std::int64_t wall_ms,
                 const std::vector<Oid>& durable) {
  const RefName ref(fmt::format("refs/txn/{}/{}", txn.str(), attempt));
  Oid before;
  auto present = repository.refs().read(ref);
  if (present) {
    before = *std::move(present);
  } else if (present.error().code != Code::kNotFound) {
    return std::unexpected(std::move(present).error().in("keeping " + txn.str()));
  }
  NewCommit commit;
  commit.tree = taken.tree;
  commit.parents = {taken.base};
  for (const Oid& tip : taken.tips) {
    if (tip != taken.base) commit.parents.push_back(tip);
  }
  commit.committer = raw_identity(who, wall_ms);
  commit.author = taken.author.value_or(commit.committer);
  commit.message = message;
  if (!before.empty()) {
    const CommitInfo last = TRY(repository.objects().commit(before));
    const bool same_parents =
        last.parents.size() >= commit.parents.size() &&
        std::equal(commit.parents.begin(), commit.parents.end(), last.parents.begin());
    if (same_parents && last.tree == commit.tree && last.message == message) {
      TRY(repository.objects().make_durable(before, durable));
      return before;
    }
    // The agent's tips may include what was kept before.
    if (std::find(commit.parents.begin(), commit.parents.end(), before) == commit.parents.end()) {
      commit.parents.push_back(before);
    }
  }
  const Oid kept = TRY(repository.objects().write_commit(commit));
  RefUpdate update;
  update.ref = ref;
  update.expected = before;
  update.desired = kept;
  const Objects& objects = repository.objects();
  std::optional<RefDraft> draft;
  if (durable.empty()) {
    TRY_IN("making the work durable", objects.make_durable(kept, durable));
  } else {
    draft.emplace(TRY_IN("keeping " + txn.str(), repository.refs().draft(update)));
    const Unsynced work = TRY_IN("making the work durable", objects.unsynced(kept, durable));
    TRY_IN("making the work durable", objects.sync(work, {draft->path()}));
    update.draft = &*draft;
  }
  TRY(fp_before_ref.hit());
  TRY_IN("keeping " + txn.str(), repository.refs().update_held(update));
  TRY(fp_after_ref.hit());
  return kept;
}

}  // namespace gittxn::repo

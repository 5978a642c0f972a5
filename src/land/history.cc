#include "land/history.h"

#include "land/message.h"

namespace gittxn::land {

namespace {

Result<Landed> landed_at(const Context& context, const Oid& oid) {
  const repo::Objects& objects = context.repository->objects();
  const repo::CommitInfo commit = TRY(objects.commit(oid));
  Landed landed;
  landed.commit = oid;
  landed.who = who_of(commit.author);
  landed.txn = TRY(landed_by(context, commit));
  Oid parent_tree;
  if (!commit.parents.empty()) parent_tree = TRY(objects.tree_of(commit.parents.front()));
  landed.changes = TRY(objects.diff(parent_tree, commit.tree));
  return landed;
}

}  // namespace

std::string who_of(const std::string& raw) {
  const std::size_t end = raw.find('>');
  return end == std::string::npos ? raw : raw.substr(0, end + 1);
}

Result<TxnId> landed_by(const Context& context, const repo::CommitInfo& commit) {
  const std::string id = trailer_of(commit.message, "Txn-Id");
  if (id.empty()) return TxnId();
  const std::optional<Txn> txn = TRY(context.store->txn(TxnId(id)));
  if (!txn || txn->landed_commit != commit.oid) return TxnId();
  return txn->id;
}

Result<std::vector<Landed>> history_between(const Context& context,
                                            const std::vector<SnapshotDiff>& diffs,
                                            const Oid& head) {
  const repo::Objects& objects = context.repository->objects();
  std::vector<Landed> history;
  std::vector<Oid> path;
  for (const SnapshotDiff& diff : diffs) {
    auto found = TRY(objects.first_parent_path(diff.snapshot, head));
    if (found) {
      if (found->size() > path.size()) path = *std::move(found);
      continue;
    }
    Landed rewrite;
    rewrite.commit = head;
    rewrite.who = who_of(TRY(objects.commit(head)).author);
    rewrite.changes = diff.changes;
    history.push_back(std::move(rewrite));
  }
  if (path.size() > kMaxHistory) path.erase(path.begin(), path.end() - kMaxHistory);
  for (const Oid& oid : path) history.push_back(TRY(landed_at(context, oid)));
  return history;
}

}  // namespace gittxn::land

// What of a branch is durable here, and making more of it so.
#include "base/fs.h"
#include "base/hash.h"
#include "base/if_there.h"
#include "land/land.h"
#include "store/events.h"

namespace gittxn::land {

namespace {

constexpr std::size_t kMaxSyncNote = 64;

std::string note_path(const Context& context, const RefName& branch) {
  return context.repository->txn_dir() + "/durable/" + sha256(branch.str()).str().substr(0, 32);
}

// A note that is not whole says nothing.
Result<std::vector<Oid>> noted_head(const Context& context, const RefName& branch) {
  const auto text = TRY(if_there(read_file(note_path(context, branch), kMaxSyncNote)));
  if (!text) return std::vector<Oid>{};
  const std::string id = text->substr(0, 40);
  const bool whole = text->size() == 41 && repo::is_oid(id);
  if (!whole || !TRY(context.repository->objects().contains(Oid(id)))) return std::vector<Oid>{};
  return std::vector<Oid>{Oid(id)};
}

}  // namespace

Result<std::vector<Oid>> durable_heads(const Context& context, const RefName& branch) {
  if (context.hub) return noted_head(context, branch);
  const auto state = TRY(context.store->branch(branch));
  if (!state || state->durable_head.empty()) return std::vector<Oid>{};
  return std::vector<Oid>{state->durable_head};
}

Status make_head_durable(const Context& context, const RefName& branch, const Oid& head) {
  const std::vector<Oid> durable = TRY(durable_heads(context, branch));
  if (!durable.empty() && durable.front() == head) return {};
  TRY_IN("making the head durable", context.repository->objects().make_durable(head, durable));
  if (!context.hub) {
    TRY(context.store->append({store::events::durable_head(branch, head)}));
    return {};
  }
  const std::string note = note_path(context, branch);
  TRY(make_dirs(parent_dir(note)));
  return write_file(note, head.str() + "\n", Sync::kYes);
}

}  // namespace gittxn::land

#include "land/policies.h"

#include <fmt/format.h>

#include "gates/policy_file.h"

namespace gittxn::land {

namespace {
constexpr std::size_t kMaxPolicyBytes = 1u << 20;
}  // namespace

Result<Policy> Policies::at(repo::Repository& repository, const Oid& commitish) {
  const repo::Objects& objects = repository.objects();
  const Oid tree = TRY(objects.tree_of(commitish));
  const TreeEntry entry = TRY(objects.entry_at(tree, gates::kPolicyPath));
  if (entry.present() && entry.mode != FileMode::kFile && entry.mode != FileMode::kExecutable) {
    return fail(Code::kUsage, fmt::format("{} is not a file", gates::kPolicyPath),
                "make it a plain file");
  }
  const Oid blob = entry.present() ? entry.oid : Oid();
  if (const auto known = known_.find(blob); known != known_.end()) return known->second;
  const std::string text = entry.present() ? TRY(objects.blob(blob, kMaxPolicyBytes)) : "";
  ++read_;
  return known_[blob] = TRY(gates::parse_policy(text));  // its errors name the file
}

}  // namespace gittxn::land

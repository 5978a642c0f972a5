// The recovery table, for the lander itself too: what a landing that stopped in the middle becomes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "land/land.h"
#include "repo/checkout.h"

namespace gittxn::land {

struct Resolution {
  enum class How { kLanded, kLost } how = How::kLost;
  TxnId txn;
  std::string found, done;  // of the table, in words
  std::vector<std::string> left_to_person = {};
};
Resolution resolved_as(Resolution::How how, const store::PreparedLanding& landing,
                       std::string found);
// kLander: it has told the hook reference-transaction itself how it ended. `refused`: that hook
// said no, in its words.
enum class ResolveAs { kRecovery, kLander };
struct ResolveHow {
  ResolveAs as = ResolveAs::kRecovery;
  std::string refused = {};
};
// The caller holds the landing lock of the branch. Never moves a ref. Idempotent; safe to be killed
// in.
Result<Resolution> resolve(const Context& context, const store::PreparedLanding& landing,
                           const ResolveHow& how = {});

// The branch's value; nullopt when it does not exist. A damaged ref or a missing commit is a clear
// stop.
Result<std::optional<Oid>> head_of(const Context& context, const RefName& branch);

// Whether a branch at `head` has the commit; "" has none.
Result<bool> has(const Context& context, const Oid& head, const Oid& commit);

// What LandingPrepared recorded of the checkouts.
Result<std::vector<repo::CheckoutMove>> recorded_moves(const store::PreparedLanding& landing);

}  // namespace gittxn::land

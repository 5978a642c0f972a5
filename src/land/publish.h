// Steps 1 to 6: making a certified candidate the head of the branch, atomically in the log, the ref
// and the person's checkout.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "land/candidate.h"
#include "land/judge/leases.h"
#include "land/land.h"
#include "land/turn.h"
#include "repo/checkout.h"

namespace gittxn::land {

// What ends the wait of who could not read the branch, or resolve what is in its way; nullopt: it
// is no reason to wait.
std::optional<Wait> wait_over(const Error& error);

struct Published {
  enum class How {
    kLanded,
    kMoved,
    kWait,
    kRefused            // by the hook reference-transaction
  } how = How::kMoved;  // kMoved: the head, or a ref that was read, is another one now
  Wait wait;
  std::vector<std::string> left_to_person;
  std::string refused = {};  // in the hook's words
};

struct PublishOptions {
  std::int64_t lock_ms = 5000;  // for index.lock and ref.lock, which others hold while they work
  enum class Leases { kAsk, kTooLate } leases = Leases::kAsk;  // kTooLate: the remote has it
  const TouchedSymbols* symbols = nullptr;                     // as far as was looked into
  std::vector<NewEvent> evidence;  // of gates: in the log before the landing is prepared
};

// The checkouts that move with the branch; empty when it is checked out nowhere.
Result<std::vector<repo::CheckoutMove>> checkout_moves(const Context& context,
                                                       const RefName& branch,
                                                       const Candidate& candidate);
// Why they cannot move now; nullopt: they can.
Result<std::optional<Wait>> blocked(const Context& context, const RefName& branch,
                                    const std::vector<repo::CheckoutMove>& moves);

// The caller holds the turn. `candidate.oid` is final: signed, and seen by every gate by its tree
// and parent. Takes the landing lock. kOutcomeUnknown: a sync failed past the point of no return.
Result<Published> publish(const Context& context, const Work& work, const Candidate& candidate,
                          Turn& turn, const PublishOptions& options);

}  // namespace gittxn::land

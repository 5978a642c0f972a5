#include "api/version.h"

#include <algorithm>

#include "model/event.h"
#include "store/store.h"

namespace gittxn::api {

int schema_version() {
  return store::kSchemaVersion;
}

std::vector<std::string> event_types() {
  using namespace event_type;
  std::vector<std::string> types;
  for (std::string_view type : {kTxnBegun,
                                kAttemptStarted,
                                kCommandStarted,
                                kCommandEnded,
                                kTaken,
                                kExtended,
                                kTold,
                                kChild,
                                kPrepared,
                                kRepairing,
                                kWaiting,
                                kConflicted,
                                kRejected,
                                kQuarantined,
                                kAborted,
                                kNothing,
                                kReopened,
                                kOwnerLost,
                                kWorktreeRemoved,
                                kLandingPrepared,
                                kLandingLost,
                                kTransactionLanded,
                                kOutsideMove,
                                kDurableHead,
                                kCheckoutPending,
                                kGateEvaluated,
                                kTrusted,
                                kTicketTaken,
                                kTicketDone,
                                kSlotReserved,
                                kSummaryAdded}) {
    types.emplace_back(type);
  }
  std::sort(types.begin(), types.end());
  return types;
}

}  // namespace gittxn::api

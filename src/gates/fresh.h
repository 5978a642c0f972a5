// Audits of what was carried: of the certificates by which a change has landed, one in `fresh` is
// run all the same. Where one fails it is run three times more on what landed, and where it passed
// before: one that passes now and then is flaky, and one that fails here and passes there was
// carried wrongly, because it looked at something that was not seen (store/gate_marks.h).
#pragma once

#include <string>
#include <vector>

#include "gates/gate.h"

namespace gittxn::gates {

// Audits a candidate that has landed with these reports. Returns notes for a person; each
// disagreement is an event before this returns. A gate that somebody runs meanwhile is left out.
// Called from one thread; if we die, nothing is audited.
Result<std::vector<std::string>> audit_carried(const GateContext& context, const Policy& policy,
                                               const Candidate& landed,
                                               const std::vector<GateReport>& reports);

}  // namespace gittxn::gates

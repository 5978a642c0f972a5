// The `read_set` block: what an agent says, in its last message, that its change depends on. The
// format is docs/formats/read-set.md. A hint: it is compared with what was seen and never replaces
// it.
#pragma once

#include <string_view>

#include "agents/observation.h"

namespace gittxn::agents {

// Emits the entries of every read_set block of a message, with source kDeclared and `base` for the
// rest. A line that is not understood is counted in tally.damaged. Returns the number of blocks.
std::size_t observe_read_set(const Observation& base, std::string_view message, const Sink& sink,
                             Tally& tally);

}  // namespace gittxn::agents

// Rules about a transaction's questions that hold whatever they are answered. Private to this
// module.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/read.h"

namespace gittxn::certify {

// True if the same run was made again later, and passed: at the end that is what the transaction
// knows. False for null.
bool asked_again_later(const Question* earlier, const std::vector<Question>& questions);

// The look of a run of the tests at a file of the transaction's own that the head has changed as
// well, so that what lands is a merge which the run has not seen; nullopt: there is none. `merged`
// is sorted.
std::optional<Read> look_at_a_merge(const Question& run, const std::vector<std::string>& merged);

}  // namespace gittxn::certify

// Reads whose answer lies in contents, judged on real trees: searches (search/) and parts of files.
// certify/ is given this and knows neither.
#pragma once

#include "certify/certify.h"
#include "repo/objects.h"

namespace gittxn::land {

// `head_tree` is what the differences lead to. `objects` must outlive it. At exact levels lines
// that stand elsewhere now are others: whoever saw them may have seen their numbers. Fails closed:
// what cannot be read, or was recorded by a version that asks other questions, does not hold.
certify::JudgeContents judge_contents(const repo::Objects& objects, Oid head_tree, Isolation level);

}  // namespace gittxn::land

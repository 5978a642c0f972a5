// The holders of locks right now, for people. Read from /proc/locks and the lock files' own text,
// so that looking never takes a lock somebody waits for; nothing else may depend on it.
#pragma once

#include <string>
#include <vector>

#include "land/land.h"

namespace gittxn::api {

// "turn on main: t-7k2m (pid 4711)", one line a lock held, then the queue behind it.
Result<std::vector<std::string>> lock_holders(const land::Context& context);

}  // namespace gittxn::api

// Making several files durable in one go: first all bytes, then all names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"

namespace gittxn {

// fsync of every path, all at the same time, in no particular order: nothing may refer to them
// before this returns. The error of the first path (as listed) that failed; the others were tried
// all the same.
Status fsync_all(const std::vector<std::string>& paths);
// A new file of just this name, which is not synced, for what gets the name that counts by link(2)
// or rename(2). What an error or a kill leaves of it is the caller's to remove.
Status write_draft(const std::string& path, std::string_view bytes, Sync sync, mode_t mode = 0600);

}  // namespace gittxn

// Named points where a test can kill the program or make a step fail, compiled in always (a load
// and a compare when off). Armed once at start by the program's main from GIT_TXN_FAILPOINT:
//
//   land.after_ref_update           SIGKILL ourselves the first time the point is reached
//   land.after_ref_update=2         the second time
//   land.before_sync=error          the point reports an error instead
//   land.before_sync=stop           SIGSTOP ourselves
//   api.run.taken>land.after_turn   the second as it says, from where the first was reached
//
// `git-txn internal failpoints` lists every name; tests enumerate that list and fail on a stale
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gittxn {

class Failpoint {
 public:
  explicit Failpoint(const char* name);  // registers; only through the macro, at namespace scope
  Status hit() {
    if (!armed_) return {};
    return fire();
  }
  static Status arm(std::string_view spec);  // kUsage for an unknown name or action
  static std::vector<std::string> names();   // sorted

 private:
  Status fire();
  const char* name_;
  bool armed_ = false;
  int countdown_ = 1;
  enum class Action { kKill, kError, kStop } action_ = Action::kKill;
};

}  // namespace gittxn

// At namespace scope of a .cc file: FAILPOINT(fp_after_ref, "land.after_ref_update");
// in a function: TRY(fp_after_ref.hit());
#define FAILPOINT(variable, name) static ::gittxn::Failpoint variable(name)

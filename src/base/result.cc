#include "base/result.h"

#include <cerrno>
#include <cstring>

namespace gittxn {

Error Error::in(std::string_view context) && {
  where = where.empty() ? std::string(context) : std::string(context) + ": " + where;
  return std::move(*this);
}

std::unexpected<Error> fail_errno(int errnum, std::string what) {
  Code code = errnum == ENOENT ? Code::kNotFound : errnum == EEXIST ? Code::kExists : Code::kFault;
  std::string hint;
  if (errnum == ENOSPC || errnum == EDQUOT) hint = "free some disk space and try again";
  if (errnum == EROFS) hint = "the file system is read-only; remount it writable and try again";
  if (errnum == EACCES || errnum == EPERM) hint = "check the owner and permissions of that path";
  return fail(code, std::move(what) + ": " + std::strerror(errnum), std::move(hint));
}

std::string_view code_name(Code code) {
  switch (code) {
    case Code::kFault:
      return "fault";
    case Code::kUsage:
      return "usage";
    case Code::kNotFound:
      return "not-found";
    case Code::kExists:
      return "exists";
    case Code::kStale:
      return "stale";
    case Code::kBusy:
      return "busy";
    case Code::kCorrupt:
      return "corrupt";
    case Code::kNewer:
      return "newer";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kRefused:
      return "refused";
    case Code::kTimeout:
      return "timeout";
    case Code::kInterrupted:
      return "interrupted";
    case Code::kNeedsGit:
      return "needs-git";
    case Code::kOutcomeUnknown:
      return "outcome-unknown";
  }
  return "unknown";
}

}  // namespace gittxn

#include "base/result.h"

#include <cerrno>
#include <cstring>
#include <iterator>

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
  constexpr std::string_view kNames[] = {
      // in the order of Code
      "fault",   "usage",       "not-found", "exists",         "stale",
      "busy",    "corrupt",     "newer",     "unsupported",    "refused",
      "timeout", "interrupted", "needs-git", "outcome-unknown"};
  const auto at = static_cast<std::size_t>(code);
  return at < std::size(kNames) ? kNames[at] : "unknown";
}

}  // namespace gittxn

// Errors as values. A function that can fail returns Result<T>; context is added on the way up; a
// person's mistake carries a hint that says what to do next. A conflict is not an error: it is a
// value of the verdict types in model/. A Code exists only because some caller reacts to it.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace gittxn {

enum class Code {
  kFault,           // the environment or the program is at fault; exit 2
  kUsage,           // the caller asked for something that makes no sense; exit 3
  kNotFound,        // the thing named does not exist
  kExists,          // the thing to create is there already
  kStale,           // a compare-and-swap lost; read again and decide again
  kBusy,            // a lock was not had within its deadline
  kCorrupt,         // stored data contradicts itself; nothing was changed
  kNewer,           // data written by a newer version; nothing was touched
  kUnsupported,     // refused by name; exit 3
  kRefused,         // policy or trust says no; exit 3
  kTimeout,         // a deadline passed
  kInterrupted,     // a person or signal stopped it
  kNeedsGit,        // libgit2 cannot read this; ask git's own program
  kOutcomeUnknown,  // may or may not have happened (a sync failed after the write): recover first
};

struct Error {
  Code code = Code::kFault;
  std::string message;  // the thing and the reason, one sentence, no full stop needed
  std::string hint;     // what to do next; may be empty
  std::string where;    // outermost context first, "landing t-1: writing ref"

  // The same error seen from one level up.
  Error in(std::string_view context) &&;
  Error with_hint(std::string h) && {
    hint = std::move(h);
    return std::move(*this);
  }
};

template <typename T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(Code code, std::string message, std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(hint), {}});
}
// An error about a failed system call: "open 'x': No such file or directory". ENOENT becomes
// kNotFound, EEXIST kExists, everything else kFault; ENOSPC, EROFS and EACCES carry a hint.
std::unexpected<Error> fail_errno(int errnum, std::string what);

std::string_view code_name(Code code);

}  // namespace gittxn

// TRY(expr): the value of a Result, or return its error from the enclosing function.
// TRY_IN(context, expr): the same with context added. One may stand within another.
#define TRY(expr) TRY_AS_(TRY_NAME_(__COUNTER__), expr, )
#define TRY_IN(context, expr) TRY_AS_(TRY_NAME_(__COUNTER__), expr, .in(context))
#define TRY_NAME_(number) TRY_JOIN_(try_result_, number)
#define TRY_JOIN_(name, number) name##number
// NOLINTBEGIN(bugprone-macro-parentheses): a name to declare, and a call to append
#define TRY_AS_(result, expr, in_context)                                      \
  __extension__({                                                              \
    auto&& result = (expr);                                                    \
    if (!result) return std::unexpected(std::move(result).error() in_context); \
    *std::move(result);                                                        \
  })
// NOLINTEND(bugprone-macro-parentheses)

#include "capture/record_kinds.h"

#include <cerrno>

namespace gittxn::capture {

bool unknown_result(const Record& record) {
  return record.assumed && !record.predicted;
}

bool failed(const Record& record) {
  return record.result < 0 && !unknown_result(record);
}

Outcome outcome_of(const Record& record) {
  if (unknown_result(record)) return Outcome::kUnknown;
  if (record.result >= 0) return Outcome::kDone;
  switch (-record.result) {
    case ENOENT:
    case ENOTDIR:
      return Outcome::kNothingThere;
    case EEXIST:
    case EISDIR:
    case ENOTEMPTY:
      return Outcome::kSomethingThere;
    default:
      return Outcome::kOther;
  }
}

bool has_second_path(Op op) {
  return op == Op::kRename || op == Op::kLink;
}

bool keeps_last_link(const Record& record) {
  switch (record.op) {
    case Op::kReadlink:
    case Op::kMkdir:
    case Op::kUnlink:
    case Op::kRmdir:
    case Op::kRename:
    case Op::kSymlink:
    case Op::kWasLink:
      return true;
    default:
      return record.nofollow;
  }
}

bool only_looks(Op op) {
  return op == Op::kOpenRead || op == Op::kStat || op == Op::kAccess || op == Op::kReadlink ||
         op == Op::kList || op == Op::kOther;
}

bool content_open(const Record& record) {
  return record.op == Op::kOpenRead || record.op == Op::kOpenReadWrite;
}

}  // namespace gittxn::capture

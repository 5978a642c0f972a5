#include "model/verdict.h"

namespace gittxn {

std::string_view excuse_name(Excuse::Why why) {
  switch (why) {
    case Excuse::Why::kLayout:
      return "layout";
    case Excuse::Why::kMerged:
      return "merged";
    case Excuse::Why::kHistory:
      return "history";
  }
  return "unknown";
}

}  // namespace gittxn

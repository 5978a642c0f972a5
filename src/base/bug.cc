#include "base/bug.h"

#ifdef GIT_TXN_BUGS
#include <string>

namespace gittxn {
namespace {
std::string& armed() {
  static std::string name;
  return name;
}
}  // namespace

bool injected_bug(std::string_view name) {
  return armed() == name;
}
void arm_bug(std::string_view name) {
  armed() = name;
}

}  // namespace gittxn
#endif

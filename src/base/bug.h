// Bugs injected on purpose, to prove that the tests would notice (the manner of FoundationDB's bug
// injector). Compiled in only with -DGIT_TXN_BUGS (the asan preset); in a release every
// INJECTED_BUG("...") is the constant false. One is armed by the program from GIT_TXN_BUG=name.
// tests/negative/bugs lists each name with the test that must fail when it is armed.
#pragma once

#include <string_view>

namespace gittxn {

#ifdef GIT_TXN_BUGS
bool injected_bug(std::string_view name);
void arm_bug(std::string_view name);  // before threads start
#define INJECTED_BUG(name) (::gittxn::injected_bug(name))
#else
inline void arm_bug(std::string_view) {}
#define INJECTED_BUG(name) false
#endif

}  // namespace gittxn

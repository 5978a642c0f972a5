#include "gates/units/presets.h"

#include <string>
#include <utility>
#include <vector>

namespace gittxn::gates {
namespace {

using Words = std::vector<std::string>;

GateSpec files(Words globs, Words run) {
  GateSpec gate;
  gate.command = std::move(run);
  gate.units = UnitsSpec{.names = std::move(globs)};
  return gate;
}

GateSpec listed(std::string list, std::vector<Words> prepare, Words caches, Words run) {
  GateSpec gate;
  gate.command = std::move(run);
  gate.units = UnitsSpec{.list = {"sh", "-c", std::move(list)},
                         .prepare = std::move(prepare),
                         .caches = std::move(caches)};
  return gate;
}

GateSpec blind_to(Words rules, GateSpec gate) {
  gate.blind = std::move(rules);
  return gate;
}

std::vector<GatePreset> make_presets() {
  return {
      // It writes no cache of its own, and finds its configuration at the top.
      {"pytest",
       files({"**/test_*.py", "**/*_test.py"},
             {"python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "{unit}"})},
      {"unittest", files({"**/test*.py"}, {"python3", "-m", "unittest", "-q", "{unit}"})},
      {"node-test",
       files({"**/*.test.js", "**/*.test.mjs", "**/*.test.cjs"}, {"node", "--test", "{unit}"})},
      // Compiled packages go into the cache, of which a unit sees a copy. A package that does not
      // compile is a failure of its unit, and not of all.
      // The go command asks for the state of each file in the directories of packages.
      {"go", blind_to({"stat:**"},
                      listed("go list ./...", {{"sh", "-c", "go test -run '^$' ./... || true"}},
                             {"~/.cache/go-build"}, {"go", "test", "-count=1", "{unit}"}))},
      {"ctest", listed("ctest --test-dir build -N | sed -n 's/^ *Test *#[0-9]*: //p'",
                       {{"cmake", "-S", ".", "-B", "build"}, {"cmake", "--build", "build"}}, {},
                       {"ctest", "--test-dir", "build", "--output-on-failure", "--no-tests=error",
                        "-R", "^{unit}$"})},
  };
}

}  // namespace

std::span<const GatePreset> gate_presets() {
  static const std::vector<GatePreset> presets = make_presets();
  return presets;
}

}  // namespace gittxn::gates

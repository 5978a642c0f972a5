#include "gates/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/fs.h"
#include "base/json.h"
#include "base/text.h"

namespace gittxn::gates {
namespace {

constexpr std::size_t kMostSearched = 50;  // test files that are looked into for unittest

class Suggester {
 public:
  Suggester(const std::vector<std::string>& files, const TextOf& text_of)
      : files_(files), text_of_(text_of) {}

  Result<std::vector<SuggestedGate>> gates() {
    TRY(go());
    TRY(ctest());
    TRY(node());
    TRY(python());
    if (has("Cargo.toml")) add({.run = "cargo test", .why = "Cargo.toml"});
    if (gates_.empty()) TRY(make());
    return std::move(gates_);
  }

 private:
  bool has(const std::string& path) const { return std::ranges::binary_search(files_, path); }
  Result<bool> says(const std::string& path, std::initializer_list<std::string_view> words) const {
    if (!has(path)) return false;
    const std::string text = TRY(text_of_(path));
    return std::ranges::any_of(words, [&](std::string_view word) { return text.contains(word); });
  }
  // The first is "tests", the others say what they are.
  void add(SuggestedGate gate) {
    gate.name = gates_.empty() ? "tests" : "tests-" + (gate.preset.empty() ? "more" : gate.preset);
    gates_.push_back(std::move(gate));
  }

  Status go() {
    const bool tested = std::ranges::any_of(
        files_, [](const std::string& path) { return path.ends_with("_test.go"); });
    if (has("go.mod") && tested) add({.preset = "go", .why = "go.mod"});
    return {};
  }
  Status ctest() {
    const bool tested = TRY(says("CMakeLists.txt", {"enable_testing", "include(CTest)"}));
    if (tested) add({.preset = "ctest", .why = "CMakeLists.txt"});
    return {};
  }
  Status node() {
    if (TRY(says("package.json", {"node --test"}))) {
      add({.preset = "node-test", .why = "package.json"});
    } else if (TRY(says("package.json", {"\"test\""}))) {
      add({.run = "npm test", .why = "package.json"});
    }
    return {};
  }
  Status python() {
    constexpr std::array<std::pair<const char*, std::string_view>, 4> kConfigured = {
        {{"pytest.ini", ""},
         {"pyproject.toml", "[tool.pytest"},
         {"setup.cfg", "[tool:pytest]"},
         {"tox.ini", "pytest"}}};
    std::vector<std::string> tests;
    for (const std::string& path : files_) {
      const std::string name = base_name(path);
      const bool is_test =
          name.ends_with(".py") && (name.starts_with("test_") || name.ends_with("_test.py"));
      if (is_test) tests.push_back(path);
      if (name == "conftest.py") return pytest(path);
    }
    if (tests.empty()) return {};
    for (const auto& [path, word] : kConfigured) {
      if (TRY(says(path, {word}))) return pytest(path);
    }
    if (tests.size() > kMostSearched) tests.resize(kMostSearched);
    for (const std::string& path : tests) {
      if (TRY(says(path, {"import pytest", "from pytest"}))) return pytest(path);
    }
    for (const std::string& path : tests) {
      if (!TRY(says(path, {"unittest"}))) continue;
      add({.preset = "unittest", .why = path});
      return {};
    }
    return pytest(tests.front());
  }
  // Packages below src/ are imported from an installation, or through PYTHONPATH.
  Status pytest(const std::string& why) {
    const bool below_src = std::ranges::any_of(files_, [](const std::string& path) {
      return path.starts_with("src/") && path.ends_with("/__init__.py") &&
             std::ranges::count(path, '/') == 2;
    });
    const char* run = below_src ? R"(["env", "PYTHONPATH=src", "python3", "-m", "pytest", "-q", )"
                                  R"("-p", "no:cacheprovider", "--rootdir=.", "{unit}"])"
                                : "";
    add({.preset = "pytest", .run = run, .why = why});
    return {};
  }
  Status make() {
    for (const char* file : {"Makefile", "makefile", "GNUmakefile"}) {
      if (!has(file)) continue;
      const std::string text = TRY(text_of_(file));
      for (const std::string_view target : {"test", "check"}) {
        const bool there = std::ranges::any_of(lines_of(text), [&](std::string_view line) {
          return line.starts_with(target) && line.substr(target.size()).starts_with(':');
        });
        if (!there) continue;
        add({.run = fmt::format("make {}", target), .why = file});
        return {};
      }
    }
    return {};
  }

  const std::vector<std::string>& files_;
  const TextOf& text_of_;
  std::vector<SuggestedGate> gates_;
};

}  // namespace

Result<std::vector<SuggestedGate>> suggested_gates(const std::vector<std::string>& files,
                                                   const TextOf& text_of) {
  return Suggester(files, text_of).gates();
}

std::string suggested_policy(const std::vector<SuggestedGate>& gates) {
  if (gates.empty()) {
    return "# No tests were found that git-txn knows how to run. A gate is written as:\n"
           "# [[gate]]\n# name = \"tests\"\n# run = \"./run-the-tests\"\n";
  }
  std::string text;
  for (const SuggestedGate& gate : gates) {
    // Quoted, as a name of a file may have a line end in it.
    text += fmt::format("{}# Because of {}.\n[[gate]]\nname = \"{}\"\n", text.empty() ? "" : "\n",
                        canonical_json(Json(encode_path(gate.why))), gate.name);
    if (gate.preset.empty()) {
      text += fmt::format("run = \"{}\"\n", gate.run);
    } else {
      text += fmt::format("preset = \"{}\"\n", gate.preset);
      if (!gate.run.empty()) text += fmt::format("run = {}\n", gate.run);
    }
  }
  return text;
}

}  // namespace gittxn::gates

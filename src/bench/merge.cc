#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/fs.h"
#include "bench/measures.h"
#include "bench/world.h"

namespace gittxn::bench {
namespace {

// The look of a file in a language.
struct Shape {
  const char* ending;
  const char* head;
  const char* function;  // {0} its number, {1} what is in it
};
constexpr Shape kC = {
    ".c", "#include <stdio.h>\n",
    "\nint work_{0}(int first, const char *second)\n{{\n  if (first > {1} && second) {{\n"
    "    printf(\"%s %d\\n\", second, first);\n    return first + {1};\n  }}\n  return "
    "{1};\n}}\n"};
constexpr Shape kCpp = {
    ".cc", "#include <string>\n",
    "\nint work_{0}(int first, const std::string& second) {{\n  if (first > {1}) {{\n"
    "    const auto size = second.size();\n    return static_cast<int>(size) + {1};\n  }}\n"
    "  return first;\n}}\n"};
constexpr Shape kGo = {
    ".go", "package work\n",
    "\nfunc work{0}(first int, second string) int {{\n\tif first > {1} {{\n"
    "\t\tsize := len(second)\n\t\treturn size + {1}\n\t}}\n\treturn first\n}}\n"};
constexpr Shape kPython = {
    ".py", "import os\n",
    "\n\ndef work_{0}(first, second):\n    if first > {1}:\n        size = len(second)\n"
    "        return size + {1}\n    return first\n"};
constexpr Shape kJavaScript = {
    ".js", "import {{ log }} from './log.js';\n",
    "\nexport function work{0}(first, second = {{}}) {{\n  let total = {1};\n"
    "  for (const [name, value] of Object.entries(second)) {{\n"
    "    if (name.startsWith(first.name)) total += log(value, (x) => x + {1});\n  }}\n"
    "  return total > 0 ? total : null;\n}}\n"};
constexpr Shape kMinified = {
    ".js", "", "function a{0}(b,c){{var d={1};for(var e in c)d+=b[e];return d>0?c:null}}"};

// The change of a side: `edits` functions apart from those of the other side, each with
// `value` in it; then one function added where the other side adds another one, which is a conflict
// of lines; then a line that the other side changes, too.
enum class Together { kApart, kBothAdd, kBothChange };
struct SideOf {
  int first = -1;  // of its functions in each part of the text; -1: it is the base
  int value = 0, added = 0;
};
constexpr SideOf kBaseSide{}, kLeftSide{1, 1'700'000, 1'000'000},
    kRightSide{3, 1'800'000, 1'000'001};

std::string function_of(const Shape& shape, int number, int value) {
  return fmt::format(fmt::runtime(shape.function), number, value);
}

std::string made(const Shape& shape, int functions, int edits, Together together, SideOf side) {
  const int part = functions / edits;
  const int adds = functions / 2 / part * part + 6, both = functions / 4 / part * part + 6;
  std::string text = fmt::format(fmt::runtime(shape.head));
  for (int i = 0; i < functions; ++i) {
    const bool in_both = together == Together::kBothChange && i == both;
    const bool is_edited = side.first >= 0 && (i % part == side.first || in_both);
    text += function_of(shape, i, is_edited ? side.value : i);
    const bool is_behind = together != Together::kApart && i == adds && side.first >= 0;
    if (is_behind) text += function_of(shape, side.added, side.value);
  }
  return text;
}

struct Merge {
  const char* name;
  Shape shape;
  std::size_t bytes;
  int edits;  // of each side
  Together together;
};
constexpr std::size_t kOrdinary = 20'000, kLargeC = 360'000, kLarge = 1'000'000;
constexpr Merge kMerges[] = {
    {"ordinary lines", kC, kOrdinary, 4, Together::kApart},
    {"ordinary structure", kC, kOrdinary, 4, Together::kBothAdd},
    {"ordinary conflict", kC, kOrdinary, 4, Together::kBothChange},
    {"ordinary lines", kCpp, kOrdinary, 4, Together::kApart},
    {"ordinary structure", kCpp, kOrdinary, 4, Together::kBothAdd},
    {"ordinary lines", kGo, kOrdinary, 4, Together::kApart},
    {"ordinary structure", kGo, kOrdinary, 4, Together::kBothAdd},
    {"ordinary lines", kPython, kOrdinary, 4, Together::kApart},
    {"ordinary structure", kPython, kOrdinary, 4, Together::kBothAdd},
    {"ordinary lines", kJavaScript, kOrdinary, 4, Together::kApart},
    {"ordinary structure", kJavaScript, kOrdinary, 4, Together::kBothAdd},
    {"large structure", kC, kLargeC, 20, Together::kBothAdd},
    {"large conflict", kC, kLargeC, 20, Together::kBothChange},
    {"large structure", kJavaScript, kLarge, 20, Together::kBothAdd},
    {"large conflict", kJavaScript, kLarge, 20, Together::kBothChange},
    {"minified", kMinified, kLarge, 20, Together::kBothChange},
};

// `git merge-file` and `git txn merge-driver`, as whole processes, one after the other.
Status measure_one(const Merge& merge, const Asked& asked) {
  constexpr int kTimes = 9;
  const int count = static_cast<int>(merge.bytes / function_of(merge.shape, 1000, 1000).size());
  const auto file = [&](const char* name) { return std::string(name) + merge.shape.ending; };
  const auto write = [&](const char* name, SideOf side) -> Result<std::string> {
    std::string text = made(merge.shape, count, merge.edits, merge.together, side);
    TRY(write_file(join_path(asked.dir, file(name)), text, Sync::kNo));
    return text;
  };
  const std::string base = TRY(write("base", kBaseSide));
  const std::string left = TRY(write("left", kLeftSide));
  TRY(write("right", kRightSide));
  const auto run_here = [&](const std::vector<std::string>& argv) -> Status {
    const Command command{.argv = argv, .cwd = asked.dir, .env = asked.env, .timeout_ms = 60'000};
    const Output output = TRY(run(command));
    // The exit status of git is the number of conflicts.
    const int most = merge.together == Together::kBothChange || argv[0] == "git" ? 127 : 0;
    if (!output.exit.timed_out && output.exit.status <= most) return {};
    return fail(Code::kFault, fmt::format("{}: {}", quote_argv(argv), output.err));
  };
  const std::string names[] = {file("base"), file("left"), file("right")};
  Measured git, txn;
  for (int round = 0; round < kTimes; ++round) {
    TRY(git.time(
        [&] { return run_here({"git", "merge-file", "-p", names[1], names[0], names[2]}); },
        Of::kChildren));
    TRY(txn.time(
        [&] {
          return run_here({"git-txn", "merge-driver", names[0], names[1], names[2],
                           "work" + std::string(merge.shape.ending)});
        },
        Of::kChildren));
    TRY(write_file(join_path(asked.dir, names[1]), left, Sync::kNo));  // the result was there
  }
  fmt::print("merge {:<18} {:<4} bytes={} lines={} git_ms={:.1f} ours_ms={:.1f}\n", merge.name,
             merge.shape.ending, base.size(), std::ranges::count(base, '\n'), git.median(),
             txn.median());
  return {};
}

}  // namespace

Status measure_merge(const Asked& asked) {
  TRY(make_dirs(asked.dir));
  for (const Merge& merge : kMerges) TRY(measure_one(merge, asked));
  return {};
}

}  // namespace gittxn::bench

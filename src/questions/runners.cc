// Finds the runner that a vector starts, also through one that starts others by name: python -m,
// npx.
#include "questions/runners.h"

#include <algorithm>

namespace gittxn::questions {
namespace {

constexpr std::string_view kTargets = "test check lint build typecheck all";
constexpr std::string_view kNodeTools = "jest vitest mocha tsc eslint";

bool is_python(std::string_view name) {
  if (!name.starts_with("python")) return false;
  return name.find_first_not_of("0123456789.", std::string_view("python").size()) ==
         std::string_view::npos;
}

// "python3 -m pytest ...". Behind the module all words are its own.
Classified ask_python(std::string_view name, Words words) {
  std::size_t at = 0;
  for (; at < words.size() && words[at] != "-m"; ++at) {
    const bool value = words[at] == "-W" || words[at] == "-X";
    if (!value && !among("-B -u -b -bb -E -s -I -P", words[at])) break;
    if (value) ++at;
  }
  if (at + 1 >= words.size() || words[at] != "-m" ||
      !among("pytest unittest mypy ruff", words[at + 1]))
    return no_question(std::string(name) + " that runs no known module is not on the list");
  const std::string& module = words[at + 1];
  const Program* const program = find_program(script_runners(), module);
  return ask(*program, module, words.subspan(at + 2));
}

constexpr Program kPackageManager = {
    .names = "npm pnpm yarn",
    .options = {"s|silent if-present w|workspace= ws workspaces prefix= C|dir|cwd= r|recursive "
                "F|filter="},
    .refused = {{kAnother, "h|help v|version json"}, {kExecutes, "script-shell="}},
    .dashes = Dashes::kSingle,
    .next = NextWord::kWithoutDash};

// "npm test", "npm run lint". Tests may be named behind it; other words could make anything of a
// script.
Classified ask_script(std::string_view manager, Words words) {
  const std::string name(manager);
  const Arguments arguments = TRY(split_words(kPackageManager, name, words));
  std::vector<std::string> rest = arguments.operands;
  const bool run = !rest.empty() && (rest[0] == "run" || rest[0] == "run-script");
  if (run) rest.erase(rest.begin());
  if (rest.empty()) return no_question(name + " without a script is not on the list");
  std::string script = rest.front();
  rest.erase(rest.begin());
  if (script == "t" && !run && manager != "yarn") script = "test";
  const bool by_itself = script == "test" || manager != "npm";
  if (script == "all" || !is_known_target(script) || (!run && !by_itself))
    return no_question(name + " with the script " + script + " is not on the list");
  rest.insert(rest.end(), arguments.after_dashes.begin(), arguments.after_dashes.end());
  const bool plain =
      std::ranges::none_of(rest, [](const std::string& w) { return w.starts_with('-'); });
  if (!rest.empty() && (script != "test" || !plain))
    return no_question(name + " with words for its script is not on the list");
  return Question{
      .kind = Kind::kRunner, .name = name + " run " + script, .tests = is_test_target(script)};
}

// "npx jest", "pnpm exec tsc".
Classified ask_node_tool(std::string_view starter, Words words) {
  std::size_t at = 0;
  while (at < words.size() && (words[at] == "--no-install" || words[at] == "--no")) ++at;
  if (at == words.size() || !among(kNodeTools, words[at]))
    return no_question(std::string(starter) + " of anything but a known runner is not on the list");
  return ask(*find_program(script_runners(), words[at]), words[at], words.subspan(at + 1));
}

Classified ask_runner(std::string_view name, Words words) {
  if (is_python(name)) return ask_python(name, words);
  if (name == "npx") return ask_node_tool(name, words);
  if (among("npm pnpm yarn", name)) {
    if (!words.empty() && words[0] == "exec" && name != "npm")
      return ask_node_tool(name, words.subspan(1));
    return ask_script(name, words);
  }
  if (const Program* const program = find_program(script_runners(), name); program != nullptr)
    return ask(*program, std::string(name), words);
  if (among("go cargo dotnet", name)) {
    // "cargo +nightly test"
    if (name == "cargo" && !words.empty() && words[0].starts_with('+')) words = words.subspan(1);
    if (words.empty()) return no_question(std::string(name) + " without a command asks nothing");
    const std::string row = std::string(name) + ":" + words[0];
    const Program* const program = find_program(build_runners(), row);
    if (program == nullptr)
      return no_question(std::string(name) + " " + words[0] + " is not on the list");
    return ask(*program, std::string(name) + " " + words[0], words.subspan(1));
  }
  const Program* const build = name.contains(':') ? nullptr : find_program(build_runners(), name);
  if (build != nullptr) return ask(*build, std::string(name), words);
  constexpr std::string_view kComputes = "awk gawk mawk nawk perl ruby";
  if (among(kComputes, name))
    return no_question(std::string(name) + " can run programs and write files");
  return no_question("the program " + std::string(name) + " is not on the list");
}

}  // namespace

bool is_known_target(std::string_view name) {
  return among(kTargets, name);
}

bool is_test_target(std::string_view name) {
  return name == "test" || name == "check";
}

Classified classify_runner(std::string_view name, Words words) {
  Question question = TRY(ask_runner(name, words));
  question.kind = Kind::kRunner;
  return question;
}

}  // namespace gittxn::questions

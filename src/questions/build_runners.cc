// Builds: make, ninja, cmake and ctest, Go, Cargo, Maven, Gradle and .NET. Rows of programs that
// have commands are named by both words.
#include <algorithm>

#include "base/text.h"
#include "questions/runners.h"

namespace gittxn::questions {
namespace {

Asked<void> check_targets(const std::vector<std::string>& words, Question& question) {
  for (const std::string& word : words) {
    if (!is_known_target(word))
      return no_question(question.name + " of the target " + word + " is not on the list");
    question.tests = question.tests || is_test_target(word);
    question.builds_tests = question.tests;
    question.name += " " + word;
  }
  return {};
}

// "-j 4": the number may stand in the next word.
std::vector<std::string> without_jobs(const Arguments& arguments) {
  std::vector<std::string> words = arguments.all();
  const auto alone = [](const Given& one) { return one.name == "j" && one.value.empty(); };
  if (!std::ranges::any_of(arguments.options, alone)) return words;
  std::erase_if(words, [](const std::string& word) {
    return !word.empty() && word.find_first_not_of("0123456789") == std::string::npos;
  });
  return words;
}

// NAME=VALUE is a part of the question; these make another program or another question of make.
Asked<void> check_make(const Arguments& arguments, Question& question) {
  constexpr std::string_view kOwn = "MAKEFLAGS GNUMAKEFLAGS MAKEFILES SHELL .SHELLFLAGS MAKE";
  std::vector<std::string> targets;
  for (const std::string& word : without_jobs(arguments)) {
    const std::size_t equals = word.find('=');
    const bool variable = equals != 0 && equals != std::string::npos;
    if (!variable) {
      targets.push_back(word);
      continue;
    }
    std::string name = word.substr(0, equals);
    while (!name.empty() && std::string_view(":+?!").contains(name.back())) name.pop_back();
    if (among(kOwn, name))
      return no_question("make with the variable " + name + " is not on the list");
  }
  return check_targets(targets, question);
}

Asked<void> check_ninja(const Arguments& arguments, Question& question) {
  return check_targets(arguments.all(), question);
}

Asked<void> check_cmake(const Arguments& arguments, Question& question) {
  if (!arguments.has("build")) return no_question("cmake without --build writes files");
  const std::vector<std::string> words = without_jobs(arguments);
  if (words.size() > arguments.after_dashes.size())
    return no_question("cmake with the operand " + words[0] + " is not on the list");
  for (const std::string& word : arguments.after_dashes) {
    const bool jobs = word.starts_with("-j") || word.starts_with("-k");
    if (!jobs || word.find_first_not_of("0123456789", 2) != std::string::npos)
      return no_question("cmake with " + word + " behind -- is not on the list");
  }
  std::vector<std::string> targets;
  for (const Given& option : arguments.options) {
    if (option.name == "t") targets.push_back(option.value);
  }
  question.name = "cmake --build";
  return check_targets(targets, question);
}

Asked<void> no_operands(const Arguments& arguments, Question& question) {
  if (without_jobs(arguments).empty()) return {};
  return no_question(question.name + " with an operand is not on the list");
}

// Its output goes below the directory where it runs, or nowhere.
Asked<void> check_go(const Arguments& arguments, Question& question) {
  for (const auto& [name, value] : arguments.options) {
    if (name != "o" || value == "/dev/null") continue;
    if (value.empty() || value.starts_with('/') || value.contains(".."))
      return no_question(question.name + " with -o " + value + " writes outside of where it runs");
  }
  return {};
}

// Words for the tests themselves.
Asked<void> check_cargo_test(const Arguments& arguments, Question& /*question*/) {
  constexpr std::string_view kAllowed =
      "--nocapture --no-capture --show-output --exact --ignored --include-ignored -q --quiet "
      "--test";
  const std::vector<std::string>& words = arguments.after_dashes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool value = word == "--test-threads" || word == "--skip";
    if (value && i + 1 < words.size() && !words[i + 1].starts_with('-')) {
      ++i;
      continue;
    }
    const bool attached = word.starts_with("--test-threads=") || word.starts_with("--skip=");
    if (word.starts_with('-') && !attached && !among(kAllowed, word))
      return no_question("cargo test with " + word + " behind -- is not on the list");
  }
  return {};
}

// Levels of lints, for clippy.
Asked<void> check_cargo(const Arguments& arguments, Question& question) {
  if (!arguments.operands.empty())
    return no_question(question.name + " with an operand is not on the list");
  const std::vector<std::string>& words = arguments.after_dashes;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool level =
        among("-D -W -A -F", words[i]) && i + 1 < words.size() && !words[i + 1].starts_with('-');
    const bool attached = words[i].size() > 2 && among("-D -W -A -F", words[i].substr(0, 2));
    if (!level && !attached)
      return no_question(question.name + " with " + words[i] + " behind -- is not on the list");
    if (level) ++i;
  }
  return {};
}

Asked<void> check_goals(const Arguments& arguments, Question& question) {
  constexpr std::string_view kGoals = "test verify compile test-compile validate";
  const std::vector<std::string> words = arguments.all();
  for (const std::string& word : words) {
    if (!among(kGoals, word)) return no_question("mvn " + word + " is not on the list");
    question.tests = question.tests || word == "test" || word == "verify";
    question.name += " " + word;
  }
  if (words.empty()) return no_question("mvn without a goal asks nothing");
  for (const Given& option : arguments.options) {
    constexpr std::string_view kProperties =
        "test it.test skipTests skipITs maven.test.skip failIfNoTests style.color groups "
        "surefire.failIfNoSpecifiedTests";
    if (option.name == "D" && !among(kProperties, option.value.substr(0, option.value.find('='))))
      return no_question("mvn with -D" + option.value + " is not on the list");
  }
  return {};
}

// ":app:test"
Asked<void> check_gradle(const Arguments& arguments, Question& question) {
  const std::vector<std::string> words = arguments.all();
  if (words.empty()) return no_question("gradle without a task asks nothing");
  for (const std::string& word : words) {
    const std::string task = word.substr(word.rfind(':') + 1);
    if (!among("test build check compileJava compileTestJava classes testClasses", task))
      return no_question("gradle " + word + " is not on the list");
    question.tests = question.tests || task != "classes";
    question.name += " " + word;
  }
  return {};
}

constexpr std::string_view kLoad = "waits until the machine is idle";
constexpr std::string_view kGo =
    "v race msan asan p= tags= mod=readonly,vendor,mod trimpath ldflags= gcflags= a "
    "buildvcs=true,false,auto C=";
constexpr Refused kGoExecutes = {kExecutes, "exec= toolexec= vettool="};
constexpr Refused kGoWrites = {kWrites,
                               "coverprofile= cpuprofile= memprofile= blockprofile= "
                               "mutexprofile= trace= outputdir= work pkgdir= c"};
constexpr Refused kGoAnother = {kAnother,
                                "cover covermode= coverpkg= n x json list= bench= "
                                "benchtime= benchmem fuzz= fuzztime= h help args"};
constexpr Refused kGoUnread = {kUnread, "overlay= modfile= pgo="};
constexpr std::string_view kCargo =
    "r|release all workspace p|package= exclude= lib bins bin= tests test= examples example= "
    "all-targets F|features= all-features no-default-features locked frozen offline q|quiet "
    "v|verbose no-fail-fast j|jobs= keep-going target= profile= manifest-path= "
    "color=auto,always,never doc message-format=human,short";
constexpr Refused kCargoSets = {"sets any option", "config= Z="};
constexpr Refused kCargoWrites = {
    kWrites, "target-dir= timings=? fix out-dir= artifact-dir= allow-dirty allow-staged"};
constexpr Refused kCargoAnother = {
    kAnother,
    "no-run build-plan unit-graph future-incompat-report h|help V|version bench= benches "
    "no-deps list"};

constexpr Program kBuilds[] = {
    {.names = "make gmake",
     .options = {"j|jobs=? k|keep-going s|silent|quiet B|always-make no-print-directory "
                 "w|print-directory C|directory= f|file|makefile= O|output-sync=? l|load-average=? "
                 "r|no-builtin-rules R|no-builtin-variables S|no-keep-going|stop "
                 "warn-undefined-variables I|include-dir= m b"},
     .refused = {{kAnother,
                  "n|just-print|dry-run|recon q|question p|print-data-base h|help v|version "
                  "d debug=? trace i|ignore-errors t|touch"},
                 {"sets any rule", "E|eval= e|environment-overrides"},
                 {kClock, "o|old-file|assume-old= W|what-if|new-file|assume-new="}},
     .check = check_make},
    {.names = "ninja ninja-build samu",
     .options = {"C= f= j= k= l= v|verbose quiet"},
     .refused = {{kAnother, "n t= d= w= h|help version"}},
     .next = NextWord::kWithoutDash,
     .check = check_ninja},
    {.names = "cmake",
     .options = {"build= j|parallel=? t|target= config= v|verbose clean-first preset="},
     .refused = {{kWrites, "B= S= D= G= install= P= fresh"},
                 {kExecutes, "E"},
                 {kAnother, "N help version"}},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash,
     .check = check_cmake},
    {.names = "ctest",
     .options = {"test-dir= output-on-failure j|parallel=? R|tests-regex= E|exclude-regex= "
                 "L|label-regex= LE|label-exclude= V|verbose VV|extra-verbose Q|quiet progress "
                 "stop-on-failure timeout= C|build-config= no-tests=error,ignore repeat= "
                 "I|tests-information= U|union preset= no-label-summary "
                 "no-subproject-summary"},
     .refused = {{kAnother,
                  "N show-only=? print-labels output-junit= H help version O|output-log="},
                 {kCached, "rerun-failed F"},
                 {kRandom, "schedule-random"},
                 {kLoad, "test-load="},
                 {kWrites, "D= T= M= S= SP= A= build-and-test overwrite= test-output-size-passed="},
                 {kExecutes, "build-run-dir= launch"}},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash,
     .check = no_operands,
     .tests = true},
    {.names = "go:build",
     .options = {kGo, "o="},
     .refused = {kGoExecutes, kGoWrites, kGoAnother, kGoUnread},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash,
     .check = check_go},
    {.names = "go:test",
     .options = {kGo,
                 "short failfast run= skip= count= timeout= parallel= cpu= shuffle=off vet= "
                 "fullpath"},
     .refused = {kGoExecutes, kGoWrites, kGoAnother, kGoUnread, {kWrites, "o= shuffle="}},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash,
     .tests = true},
    {.names = "go:vet",
     .options = {kGo, "copylocks printf unusedresult shadow"},
     .refused = {kGoExecutes, {kAnother, "n x json c= h help"}, kGoUnread, {kWrites, "fix diff"}},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash},
    {.names = "cargo:test cargo:t",
     .options = {kCargo},
     .refused = {kCargoSets, kCargoWrites, kCargoAnother},
     .next = NextWord::kWithoutDash,
     .check = check_cargo_test,
     .tests = true},
    {.names = "cargo:build cargo:b cargo:check cargo:c cargo:clippy",
     .options = {kCargo},
     .refused = {kCargoSets, kCargoWrites, kCargoAnother},
     .next = NextWord::kWithoutDash,
     .check = check_cargo},
    {.names = "mvn mvnw",
     .options = {"q|quiet B|batch-mode o|offline e|errors pl|projects= am|also-make "
                 "amd|also-make-dependents T|threads= D|define= f|file= P|activate-profiles= "
                 "N|non-recursive fae|fail-at-end ff|fail-fast ntp|no-transfer-progress "
                 "nsu|no-snapshot-updates"},
     .refused = {{kAnother, "fn|fail-never h|help v|version V|show-version X|debug"},
                 {"reaches the network", "U|update-snapshots"},
                 {kWrites, "l|log-file="}},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash,
     .check = check_goals},
    {.names = "gradle gradlew",
     .options = {"q|quiet w|warn i|info no-daemon offline S|full-stacktrace s|stacktrace "
                 "console=plain,auto,rich,verbose continue parallel no-parallel rerun-tasks "
                 "tests= x|exclude-task= build-cache no-build-cache max-workers= "
                 "p|project-dir= configuration-cache no-configuration-cache"},
     .refused = {{kAnother, "m|dry-run profile scan h|help v|version d|debug"},
                 {kWaits, "t|continuous"},
                 {"sets any option", "D|system-prop= P|project-prop= I|init-script= b|build-file="},
                 {kWrites,
                  "write-locks M|write-verification-metadata= g|gradle-user-home= "
                  "project-cache-dir= update-locks="}},
     .next = NextWord::kWithoutDash,
     .check = check_gradle},
    {.names = "dotnet:build",
     .options = {"no-restore c|configuration= v|verbosity=q,quiet,m,minimal,n,normal "
                 "f|framework= nologo r|runtime= no-incremental tl=?"},
     .refused = {{kWrites, "o|output= artifacts-path= bl=?"}, {kAnother, "h|help"}},
     .next = NextWord::kWithoutDash},
    {.names = "dotnet:test",
     .options = {"no-restore no-build c|configuration= v|verbosity=q,quiet,m,minimal,n,normal "
                 "filter= f|framework= nologo r|runtime="},
     .refused = {{kWrites, "o|output= artifacts-path= results-directory= diag= bl=?"},
                 {kAnother,
                  "t|list-tests collect= l|logger= blame blame-hang h|help "
                  "s|settings="}},
     .next = NextWord::kWithoutDash,
     .tests = true},
};

}  // namespace

std::span<const Program> build_runners() {
  return kBuilds;
}

}  // namespace gittxn::questions

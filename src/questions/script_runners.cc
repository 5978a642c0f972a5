// Test runners and linters of Python and JavaScript.
#include <algorithm>

#include "questions/runners.h"

namespace gittxn::questions {
namespace {

constexpr int kNoTestsCollected = 5;  // of pytest, and of unittest from Python 3.12 on

Asked<void> no_response_files(const Arguments& arguments, Question& question) {
  const std::vector<std::string> words = arguments.all();
  if (std::ranges::any_of(words, [](const std::string& word) { return word.starts_with('@'); }))
    return no_question(question.name + " with @FILE " + std::string(kUnread));
  return {};
}

// "-p no:NAME" takes a plugin away; another one may make any other question of it.
Asked<void> check_pytest(const Arguments& arguments, Question& question) {
  for (const Given& option : arguments.options) {
    if (option.name == "p" && !option.value.starts_with("no:"))
      return no_question("pytest with the plugin " + option.value + " is not on the list");
  }
  return no_response_files(arguments, question);
}

Asked<void> check_node(const Arguments& arguments, Question& /*question*/) {
  if (arguments.has("test")) return {};
  return no_question("node without --test runs a program");
}

Asked<void> check_vitest(const Arguments& arguments, Question& /*question*/) {
  const std::vector<std::string>& words = arguments.operands;
  const bool by_word = !words.empty() && words.front() == "run";
  const bool other =
      !words.empty() && among("watch dev bench related list init typecheck", words[0]);
  if ((by_word || arguments.has("run")) && !other) return {};
  return no_question("vitest without run " + std::string(kWaits));
}

Asked<void> check_ruff(const Arguments& arguments, Question& /*question*/) {
  if (!arguments.operands.empty() && arguments.operands.front() == "check") return {};
  return no_question("ruff without check is not on the list");
}

constexpr Program kScripts[] = {
    {.names = "pytest py.test",
     .options = {"q|quiet v|verbose x|exitfirst s l|showlocals k= m= n|numprocesses= "
                 "tb=auto,long,short,line,native,no maxfail= r= no-header no-summary "
                 "color=yes,no,auto p= capture=fd,sys,no,tee-sys "
                 "import-mode=prepend,append,importlib ",
                 "W|pythonwarnings= rootdir= c= strict strict-markers strict-config "
                 "disable-warnings disable-pytest-warnings timeout= ignore= ignore-glob= "
                 "deselect= runxfail doctest-modules no-cov noconftest confcutdir= "
                 "full-trace show-capture=no,stdout,stderr,log,all dist= verbosity= pyargs"},
     .refused = {{kAnother,
                  "co|collect-only collectonly cov=? cov-report= cov-config= cov-branch "
                  "cov-append cov-fail-under= junitxml|junit-xml= durations= durations-min= "
                  "fixtures funcargs markers setup-plan setup-only setup-show help h version V "
                  "html= report-log= result-log= pastebin= trace-config debug=? cache-show=?"},
                 {kCached,
                  "lf|last-failed ff|failed-first nf|new-first sw|stepwise "
                  "sw-skip|stepwise-skip lfnf|last-failed-no-failures= cache-clear"},
                 {kWaits, "pdb trace f|looponfail"},
                 {kWrites, "basetemp= snapshot-update log-file= inline-snapshot="},
                 {"sets any option", "o|override-ini="}},
     .next = NextWord::kWithoutDash,
     .check = check_pytest,
     .tests = true,
     .none_ran = kNoTestsCollected},
    {.names = "unittest",
     .options = {"v|verbose q|quiet f|failfast b|buffer c|catch locals k= "
                 "s|start-directory= p|pattern= t|top-level-directory="},
     .refused = {{kAnother, "h|help durations="}},
     .next = NextWord::kWithoutDash,
     .tests = true,
     .none_ran = kNoTestsCollected},
    {.names = "node",
     .options = {"test test-only test-name-pattern= test-skip-pattern= "
                 "test-reporter=spec,tap,dot test-concurrency= test-timeout= "
                 "test-force-exit test-isolation=process,none import= r|require= "
                 "loader|experimental-loader= C|conditions= no-warnings enable-source-maps "
                 "experimental-strip-types experimental-vm-modules "
                 "experimental-test-module-mocks env-file= max-old-space-size= "
                 "unhandled-rejections=strict,throw,warn"},
     .refused = {{kAnother,
                  "experimental-test-coverage test-coverage-include= e|eval= p|print=? "
                  "i|interactive c|check h|help v|version cpu-prof prof heap-prof"},
                 {kWaits, "watch watch-path= inspect=? inspect-brk=?"},
                 {kWrites, "test-reporter-destination= test-update-snapshots"},
                 {kRandom, "test-randomize test-shard="}},
     .dashes = Dashes::kSingle,
     .next = NextWord::kWithoutDash,
     .check = check_node,
     .tests = true},
    {.names = "jest",
     .options = {"t|testNamePattern= i|runInBand ci silent verbose b|bail=? w|maxWorkers= "
                 "no-cache c|config= testPathPattern= testPathPatterns= passWithNoTests "
                 "forceExit detectOpenHandles colors color no-color rootDir= runTestsByPath "
                 "noStackTrace env= selectProjects= testTimeout= no-coverage "
                 "testPathIgnorePatterns= roots= workerIdleMemoryLimit="},
     .refused =
         {{kAnother,
           "coverage|collectCoverage collectCoverageFrom= coverageReporters= "
           "coverageDirectory= listTests showConfig json h|help v|version debug logHeapUsage "
           "reporters="},
          {kWrites, "u|updateSnapshot outputFile= init clearCache"},
          {kWaits, "watch watchAll"},
          {kCached,
           "o|onlyChanged changedSince= lastCommit f|onlyFailures findRelatedTests "
           "changedFilesWithAncestor"},
          {kRandom, "randomize seed= shard="}},
     .next = NextWord::kWithoutDash,
     .check = no_response_files,
     .tests = true},
    {.names = "vitest",
     .options = {"run t|testNamePattern= reporter=default,verbose,dot,basic,tap,tap-flat "
                 "silent bail= pool=threads,forks,vmThreads,vmForks color no-color c|config= "
                 "r|root= dir= environment= passWithNoTests globals maxWorkers= minWorkers= "
                 "no-file-parallelism project= testTimeout= retry= no-coverage no-watch"},
     .refused = {{kAnother, "coverage ui outputFile= h|help v|version"},
                 {kWrites, "u|update"},
                 {kWaits, "w|watch inspect=? inspect-brk=?"},
                 {kCached, "changed=?"},
                 {kRandom, "shard= sequence="}},
     .next = NextWord::kWithoutDash,
     .check = check_vitest,
     .tests = true},
    {.names = "mocha _mocha",
     .options = {"g|grep= f|fgrep= i|invert r|require= R|reporter=spec,dot,min,tap,list,progress "
                 "t|timeout= s|slow= b|bail exit recursive u|ui= spec= extension= c|color C "
                 "no-color j|jobs= p|parallel config= package= ignore= file= check-leaks "
                 "forbid-only forbid-pending retries= no-diff full-trace import= "
                 "fail-zero pass-on-failing-test-suite allow-uncaught async-only"},
     .refused = {{kAnother,
                  "dry-run list-interfaces list-reporters O|reporter-option= h|help V|version"},
                 {kWaits, "w|watch watch-files= inspect=? inspect-brk=?"}},
     .next = NextWord::kWithoutDash,
     .tests = true},
    {.names = "tsc",
     .options = {"noEmit p|project= b|build pretty skipLibCheck strict noImplicitAny "
                 "esModuleInterop allowJs checkJs jsx= t|target= m|module= moduleResolution= "
                 "resolveJsonModule isolatedModules"},
     .refused = {{kAnother,
                  "showConfig listFiles listFilesOnly listEmittedFiles explainFiles "
                  "traceResolution diagnostics extendedDiagnostics h|help v|version all "
                  "d|dry"},
                 {kWrites,
                  "init outDir= outFile= declarationDir= generateTrace= generateCpuProfile= "
                  "tsBuildInfoFile= clean"},
                 {kWaits, "w|watch"}},
     .dashes = Dashes::kWords,
     .next = NextWord::kWithoutDash,
     .check = no_response_files},
    {.names = "eslint",
     .options = {"ext= max-warnings= quiet c|config= no-eslintrc no-config-lookup color no-color "
                 "rule= report-unused-disable-directives no-inline-config ignore-path= "
                 "ignore-pattern= no-ignore no-error-on-unmatched-pattern parser= "
                 "parser-options= plugin= global= env= resolve-plugins-relative-to= "
                 "f|format=stylish,compact,unix,visualstudio pass-on-no-patterns "
                 "no-warn-ignored exit-on-fatal-error"},
     .refused = {{kWrites,
                  "fix fix-dry-run fix-type= o|output-file= init "
                  "suppress-all prune-suppressions"},
                 {kAnother, "print-config= env-info h|help v|version debug inspect-config stats"},
                 {kCached, "cache cache-location= cache-file= cache-strategy="},
                 {kUnread, "stdin stdin-filename= rulesdir="}},
     .next = NextWord::kWithoutDash},
    {.names = "ruff",
     .options = {"select= ignore= extend-select= extend-ignore= per-file-ignores= config= isolated "
                 "n|no-cache no-fix q|quiet s|silent exclude= extend-exclude= force-exclude "
                 "line-length= target-version= preview no-preview respect-gitignore "
                 "no-respect-gitignore no-unsafe-fixes no-show-fixes exit-non-zero-on-fix "
                 "output-format=full,concise,grouped,text"},
     .refused = {{kWrites, "fix fix-only unsafe-fixes add-noqa o|output-file= cache-dir="},
                 {kAnother,
                  "diff show-files show-settings statistics e|exit-zero show-fixes v|verbose "
                  "h|help V|version stdin-filename="},
                 {kWaits, "w|watch"}},
     .next = NextWord::kWithoutDash,
     .check = check_ruff},
    {.names = "mypy",
     .options = {"p|package= m|module= strict ignore-missing-imports config-file= "
                 "no-incremental no-error-summary pretty show-error-codes hide-error-codes "
                 "show-column-numbers show-error-context show-error-end python-version= "
                 "platform= explicit-package-bases namespace-packages exclude= ",
                 "follow-imports=normal,silent,skip,error check-untyped-defs "
                 "disallow-untyped-defs disallow-any-generics disallow-incomplete-defs "
                 "warn-return-any warn-unused-ignores warn-redundant-casts warn-unreachable "
                 "no-implicit-optional strict-optional no-color-output v|verbose "
                 "no-namespace-packages cache-dir=/dev/null enable-error-code= "
                 "disable-error-code= allow-untyped-defs"},
     .refused = {{kWrites, "install-types non-interactive cache-dir= junit-xml="},
                 {kAnother,
                  "html-report= txt-report= xml-report= any-exprs-report= linecount-report= "
                  "lineprecision-report= linecoverage-report= cobertura-xml-report= stats "
                  "dump-type-stats inferstats h|help V|version c|command= timing-stats="},
                 {kWaits, "pdb"}},
     .next = NextWord::kWithoutDash,
     .check = no_response_files},
};

}  // namespace

std::span<const Program> script_runners() {
  return kScripts;
}

}  // namespace gittxn::questions

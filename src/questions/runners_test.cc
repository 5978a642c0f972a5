// Runners of tests, builds and linters.
#include <gtest/gtest.h>

#include "questions/question.h"
#include "questions/testing/ask.h"

namespace gittxn::questions {
namespace {

using testing::expect_none;
using testing::expect_runner;
using testing::said_of;
using testing::words_of;

constexpr testing::NoneRow kNoRunnersOfScripts[] = {
    {"pytest --collect-only", "--collect-only asks another question"},
    {"pytest --co", "--co asks another question"},
    {"pytest --collect", "not on the list"},
    {"pytest --cov", "--cov asks another question"},
    {"pytest --cov=src", "--cov asks another question"},
    {"pytest --junitxml=x", "another question"},
    {"pytest --durations=3", "another question"},
    {"pytest --help", "another question"},
    {"pytest --lf", "--lf depends on an earlier run"},
    {"pytest --ff", "an earlier run"},
    {"pytest --pdb", "waits"},
    {"pytest -p xdist", "the plugin xdist is not on the list"},
    {"pytest -o addopts=--co", "sets any option"},
    {"pytest -k --co", "begins with a dash"},
    {"pytest @args", "from a file"},
    {"python3 -m pytest --co", "pytest with the option --co"},
    {"python3 -m http.server", "no known module"},
    {"python3 test.py", "no known module"},
    {"python3 -c x -m pytest", "no known module"},
    {"pythonx -m pytest", "program pythonx"},
    {"node a.js", "without --test"},
    {"node --test --watch", "waits"},
    {"node --test --experimental-test-coverage", "another question"},
    {"node --test --test-reporter-destination=x", "writes files"},
    {"node --test --test-update-snapshots", "writes files"},
    {"node -e x --test", "another question"},
    {"jest --coverage", "another question"},
    {"jest -u", "-u writes files"},
    {"jest --watch", "waits"},
    {"jest --listTests", "another question"},
    {"jest -t --coverage", "begins with a dash"},
    {"jest -o", "an earlier run"},
    {"vitest", "without run waits"},
    {"vitest watch --run", "without run waits"},
    {"vitest run -u", "writes files"},
    {"vitest run --coverage", "another question"},
    {"mocha --watch", "waits"},
    {"mocha --dry-run", "another question"},
    {"tsc --watch", "waits"},
    {"tsc --outDir x", "writes files"},
    {"tsc --listFiles", "another question"},
    {"tsc @x", "from a file"},
    {"eslint --fix .", "--fix writes files"},
    {"eslint --cache .", "an earlier run"},
    {"eslint -f ./mine.js .", "'./mine.js'"},
    {"eslint --print-config a", "another question"},
    {"ruff format", "without check"},
    {"ruff check --fix", "writes files"},
    {"ruff check --exit-zero", "another question"},
    {"ruff check --watch", "waits"},
    {"mypy --install-types src", "writes files"},
    {"mypy --html-report x src", "another question"},
    {"npx cowsay", "anything but a known runner"},
    {"npx -y jest", "anything but a known runner"},
    {"npx jest --coverage", "another question"}};

TEST(Runners, OfScripts) {
  expect_runner({"pytest",
                 "pytest -xvs -k 'a or b' tests/test_a.py::test_b",
                 "py.test -q --tb=short",
                 "python3 -m pytest -q",
                 "python -B -W error -m pytest -n 4 -p no:cacheprovider",
                 "python3.11 -m unittest discover -s tests -p '*_t.py'",
                 "python3 -m mypy src",
                 "node --test",
                 "node --test --test-reporter=tap --import tsx a.test.ts",
                 "jest -t name --ci",
                 "jest --runInBand src",
                 "vitest run",
                 "vitest --run src",
                 "mocha --recursive -R dot",
                 "tsc --noEmit -p .",
                 "tsc -b",
                 "tsc",
                 "eslint . --ext .ts,.js --max-warnings 0",
                 "ruff check --select E,F src",
                 "mypy --strict src",
                 "npx tsc --noEmit",
                 "npx --no-install jest",
                 "pnpm exec vitest run",
                 "yarn exec eslint src"});
  expect_none(kNoRunnersOfScripts);
}

constexpr testing::NoneRow kNoRunnersOfPackages[] = {
    {"npm install", "script install"},
    {"npm lint", "script lint"},
    {"npm run dev", "script dev"},
    {"npm run all", "script all"},
    {"npm run", "without a script"},
    {"npm", "without a script"},
    {"npm test -- --coverage", "words for its script"},
    {"npm test -- -u", "words for its script"},
    {"npm run build -- x", "words for its script"},
    {"npm test --script-shell=x", "runs other programs"},
    {"yarn t", "script t"},
    {"pnpm exec cowsay", "known runner"}};

TEST(Runners, OfPackages) {
  expect_runner({"npm test", "npm t", "npm run lint", "npm run-script build --silent",
                 "npm test -- tests/a.js", "npm run test -w pkg", "pnpm -r test", "pnpm lint",
                 "yarn test", "yarn build", "yarn run typecheck"});
  expect_none(kNoRunnersOfPackages);
  EXPECT_EQ(said_of("npm t"), "runner: npm run test");
}

constexpr testing::NoneRow kNoRunnersOfBuilds[] = {
    {"make -n", "-n asks another question"},
    {"make -p", "another question"},
    {"make -q", "another question"},
    {"make -s print-VERSION", "target print-VERSION"},
    {"make install", "target install"},
    {"make -i test", "another question"},
    {"make --eval=x", "sets any rule"},
    {"make MAKEFLAGS=-n", "variable MAKEFLAGS"},
    {"make SHELL:=x test", "variable SHELL"},
    {"make -k 8", "target 8"},
    {"make =x", "target =x"},
    {"make -W a test", "depends on the time"},
    {"make --touch", "another question"},
    {"ninja -n", "another question"},
    {"ninja -t clean", "another question"},
    {"ninja clean", "target clean"},
    {"ninja -C -t", "begins with a dash"},
    {"cmake -B build", "writes files"},
    {"cmake .", "without --build"},
    {"cmake -E touch x", "runs other programs"},
    {"cmake --build b --target install", "target install"},
    {"cmake --build b -- -n", "behind --"},
    {"ctest -N", "-N asks another question"},
    {"ctest x", "with an operand"},
    {"ctest --show-only", "another question"},
    {"ctest -S x", "writes files"},
    {"ctest -D Nightly", "writes files"},
    {"ctest --test-load 1", "waits until the machine is idle"},
    {"ctest --rerun-failed", "an earlier run"},
    {"go test -exec x", "runs other programs"},
    {"go test --exec=x", "runs other programs"},
    {"go build -toolexec=x", "runs other programs"},
    {"go vet -vettool=x", "runs other programs"},
    {"go build -o /usr/bin/x", "outside of where it runs"},
    {"go build -o ../x", "outside of where it runs"},
    {"go build -overlay x", "from a file"},
    {"go test -cover", "another question"},
    {"go test -coverprofile=x", "writes files"},
    {"go test -bench .", "another question"},
    {"go test -json", "another question"},
    {"go test -c", "writes files"},
    {"go test -list .", "another question"},
    {"go test -o x", "writes files"},
    {"go run .", "go run is not on the list"},
    {"go", "asks nothing"},
    {"cargo run", "cargo run is not on the list"},
    {"cargo --config x test", "cargo --config is not on the list"},
    {"cargo test --config x", "sets any option"},
    {"cargo test -Z x", "sets any option"},
    {"cargo build --target-dir x", "writes files"},
    {"cargo build --timings", "writes files"},
    {"cargo clippy --fix", "writes files"},
    {"cargo test --no-run", "another question"},
    {"cargo test -- --list", "--list behind --"},
    {"cargo clippy -- --help", "--help behind --"},
    {"cargo build x", "with an operand"},
    {"mvn clean", "mvn clean"},
    {"mvn deploy", "mvn deploy"},
    {"mvn", "asks nothing"},
    {"mvn -fn test", "-fn asks another question"},
    {"mvn test -Dmaven.test.failure.ignore=true", "-Dmaven.test.failure.ignore"},
    {"gradle publish", "gradle publish"},
    {"gradle test --dry-run", "another question"},
    {"gradle -Pa=b test", "sets any option"},
    {"gradle test -t", "waits"},
    {"dotnet run", "dotnet run"},
    {"dotnet test --collect x", "another question"},
    {"dotnet test -l trx", "another question"},
    {"dotnet build -o x", "writes files"}};

TEST(Runners, OfBuilds) {
  expect_runner({"make",
                 "make -j8 -k test",
                 "make -j 8",
                 "make -C sub CC=clang check",
                 "make -j all",
                 "make -f Other.mk lint",
                 "ninja",
                 "ninja -C build -j4 test",
                 "ninja -Cbuild",
                 "cmake --build build",
                 "cmake --build build --target test -j 4 --config Debug",
                 "cmake --build build -- -j4",
                 "ctest",
                 "ctest --test-dir build -R x -j 4",
                 "ctest --output-on-failure -LE slow -VV",
                 "go test ./...",
                 "go test -run TestX -count=1 -race -v ./a",
                 "go build ./...",
                 "go build -o bin/x .",
                 "go build -o /dev/null ./...",
                 "go vet ./...",
                 "cargo test",
                 "cargo +nightly test --release -p x name -- --nocapture --test-threads=1",
                 "cargo build --all-targets",
                 "cargo check --workspace",
                 "cargo c",
                 "cargo clippy -- -D warnings",
                 "mvn -q test",
                 "mvn -B -pl a -am verify -Dtest=X",
                 "mvn -T4 compile",
                 "gradle test",
                 "./gradlew --no-daemon :app:test --tests X",
                 "gradle build check",
                 "dotnet test --no-restore --filter X",
                 "dotnet build a.sln"});
  expect_none(kNoRunnersOfBuilds);
}

TEST(Runners, SayWhenTestsHaveToRun) {
  const auto of = [](const char* line) { return *classify(words_of(line)); };
  EXPECT_TRUE(of("pytest").tests);
  EXPECT_EQ(of("pytest").none_ran, 5);
  EXPECT_EQ(of("python3 -m pytest").none_ran, 5);
  EXPECT_TRUE(of("npm test").tests);
  EXPECT_FALSE(of("npm test").none_ran);
  EXPECT_FALSE(of("npm run lint").tests);
  EXPECT_TRUE(of("make check").tests);
  EXPECT_FALSE(of("make").tests);
  EXPECT_TRUE(of("make check").builds_tests);
  EXPECT_TRUE(of("ninja test").builds_tests);
  EXPECT_FALSE(of("make").builds_tests);
  for (const char* runner : {"cargo test", "go test ./...", "npm test", "pytest"})
    EXPECT_FALSE(of(runner).builds_tests) << runner;
  EXPECT_TRUE(of("cmake --build b --target test").tests);
  EXPECT_TRUE(of("go test ./...").tests);
  EXPECT_FALSE(of("go vet ./...").tests);
  EXPECT_FALSE(of("tsc").tests);
  EXPECT_FALSE(of("mvn compile").tests);
  EXPECT_TRUE(of("mvn verify").tests);
  EXPECT_TRUE(of("gradle build").tests);
  EXPECT_EQ(of("make check").name, "make check");
  EXPECT_EQ(of("/usr/bin/cmake --build b").name, "cmake --build");
}

}  // namespace
}  // namespace gittxn::questions

#include "repo/git.h"

#include <gtest/gtest.h>

#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

TEST(GitEnvironment, DropsEveryVariableThatGitCallsLocal) {
  const ScratchRepo repo;
  Environment caller = {{"PATH", "/bin"},
                        {"GIT_AUTHOR_NAME", "A"},
                        {"GIT_SSH", "ssh"},
                        {"GIT_CONFIG_GLOBAL", "/x"},
                        {"GIT_CONFIG_KEY_0", "a.b"},
                        {"GIT_CONFIG_VALUE_0", "c"}};
  std::string names = repo.git({"rev-parse", "--local-env-vars"}) + "\n";
  int count = 0;
  for (std::size_t end = names.find('\n'); end != names.npos; end = names.find('\n')) {
    caller[names.substr(0, end)] = "poison";
    names.erase(0, end + 1);
    ++count;
  }
  ASSERT_GT(count, 10);
  const Environment env = git_environment(caller);
  for (const auto& [name, value] : env) EXPECT_NE(value, "poison") << name;
  EXPECT_EQ(env.at("GIT_AUTHOR_NAME"), "A");
  EXPECT_EQ(env.at("GIT_SSH"), "ssh");
  EXPECT_EQ(env.at("GIT_CONFIG_GLOBAL"), "/x");
  EXPECT_EQ(env.at("LC_ALL"), "C");
  EXPECT_EQ(env.at("GIT_TERMINAL_PROMPT"), "0");
  EXPECT_EQ(env.at("GIT_OPTIONAL_LOCKS"), "0");
  EXPECT_FALSE(env.contains("GIT_CONFIG_KEY_0"));
  EXPECT_EQ(caller_config(caller).at("GIT_CONFIG_COUNT"), "poison");
  EXPECT_EQ(caller_config(caller).size(), 4u);
}

TEST(GitRun, ReturnsExitStatusAsValueAndQuotesGitInErrors) {
  const ScratchRepo repo;
  const Git git = repo.runner();
  const Output output =
      must(git.run({"rev-parse", "--verify", "-q", "nothing"}, {.dir = repo.path()}));
  EXPECT_EQ(output.exit.status, 1);
  const auto failed = git.must({"cat-file", "-e", "nothing"}, {.dir = repo.path()});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("Not a valid object name nothing"), std::string::npos)
      << failed.error().message;
}

TEST(GitRun, PassesTheAdviceOnWithWhatTheSystemSays) {
  const ScratchRepo repo;
  const auto says = [&](const std::string& words) {
    const auto failed = repo.runner().must(
        {"-c", "alias.x=!echo 'fatal: unable to write: " + words + "' >&2; exit 128; #", "x"},
        {.dir = repo.path()});
    return failed ? Error{} : failed.error();
  };
  const Error full = says("No space left on device");
  EXPECT_TRUE(full.message.ends_with("fatal: unable to write: No space left on device"))
      << full.message;
  EXPECT_EQ(full.hint, "free some disk space and try again");
  EXPECT_EQ(says("Permission denied").hint, "");
}

TEST(GitRun, RunsNoHookUnlessAsked) {
  const ScratchRepo repo;
  const Oid commit = repo.commit("one");
  repo.write(".git/hooks/reference-transaction",
             "#!/bin/sh\ntouch '" + repo.git_dir() + "/hook-ran'\n", 0755);
  const Git git = repo.runner();
  must(git.must({"update-ref", "refs/heads/a", commit.str()}, {.dir = repo.path()}));
  EXPECT_FALSE(must(exists(repo.git_dir() + "/hook-ran")));
  must(git.must({"update-ref", "refs/heads/b", commit.str()},
                {.dir = repo.path(), .hooks = Hooks::kOn}));
  EXPECT_TRUE(must(exists(repo.git_dir() + "/hook-ran")));
}

TEST(GitRun, TellsWhenGitIsNotInstalled) {
  const auto run = Git(Environment{{"PATH", "/nonexistent"}}).run({"version"}, {});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Code::kNotFound);
  EXPECT_NE(run.error().hint.find("install git"), std::string::npos);
}

}  // namespace
}  // namespace gittxn::repo

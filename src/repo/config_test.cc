#include "repo/config.h"

#include <gtest/gtest.h>

#include <fcntl.h>

#include <functional>

#include "base/clock.h"
#include "base/fs.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

class Configured : public ::testing::Test {
 protected:
  // With the person's own files, which other tests do without.
  Configured() { repo.env().erase("GIT_CONFIG_GLOBAL"); }
  Config config() const {
    return Config(repo.runner(), {.dir = repo.path(), .extra = {{"GIT_DIR", repo.git_dir()}}});
  }
  // git's own answer to the same question.
  std::string git_says(const std::string& type, const std::string& key) const {
    Output output =
        must(repo.runner().run({"config", "-z", type, "--get", key}, {.dir = repo.path()}));
    if (!output.exit.success()) return output.exit.status == 1 ? "unset" : "refused";
    output.out.pop_back();
    return std::move(output.out);
  }
  // Until another change of a file would show in its time stamp.
  static void settle(Config& config) {
    SystemClock clock;
    for (int i = 0; i < 100; ++i) {
      const auto asked = config.times_asked();
      must(config.get("any.thing"));
      if (config.times_asked() == asked) return;
      clock.sleep_ms(10);
    }
    FAIL() << "asks git every time";
  }
  ScratchRepo repo;
};

TEST_F(Configured, SaysWhatGitSays) {
  must(write_file(
      repo.git_dir() + "/config",
      "[Core]\n\trepositoryformatversion = 0\n\tbare = false\n"
      "[a]\n\tvalueless\n\tempty =\n\tyes = YeS\n\toff = off\n\tnumber = 17\n\tzero = 0\n"
      "\tword = perhaps\n\ttwice = first\n\tTwice = second\n\thome = ~/x\n"
      "\troot = ~root/x\n\tplain = x~y\n\tlines = \"one\\ntwo\"\n"
      "[a \"Sub.Section\"]\n\tkey = in it\n",
      Sync::kNo));
  Config config = this->config();
  for (const char* key :
       {"a.valueless", "a.empty", "a.yes", "a.off", "a.number", "a.zero", "a.word", "a.twice",
        "A.TWICE", "a.home", "a.root", "a.plain", "a.lines", "a.Sub.Section.key",
        "a.sub.section.key", "A.Sub.Section.KEY", "a.none"}) {
    EXPECT_EQ(must(config.get(key)).value_or("unset"), git_says("--no-type", key)) << key;
    const auto flag = config.flag(key);
    const std::string said = !flag ? "refused" : !*flag ? "unset" : **flag ? "true" : "false";
    EXPECT_EQ(said, git_says("--type=bool", key)) << key;
    if (std::string_view(key) == "a.valueless") continue;  // no path for git
    EXPECT_EQ(must(config.path(key)).value_or("unset"), git_says("--type=path", key)) << key;
  }
}

TEST_F(Configured, NumbersAreWholeAndWithinTheirBounds) {
  Config config = this->config();
  EXPECT_EQ(must(config.number("a.jobs", 1, 8)), std::nullopt);
  for (const auto& [text, number] : std::map<std::string, int>{{"1", 1},
                                                               {"8", 8},
                                                               {"0", 0},
                                                               {"9", 0},
                                                               {"", 0},
                                                               {"2k", 0},
                                                               {"-1", 0},
                                                               {"99999999999", 0}}) {
    repo.git({"config", "a.jobs", text});
    const auto read = config.number("a.jobs", 1, 8);
    EXPECT_EQ(read ? read->value_or(-1) : 0, number) << text;
  }
}

TEST_F(Configured, NamesWhatBeginsAlikeAndWhereAttributesAre) {
  repo.git({"config", "filter.b.smudge", "cat"});
  repo.git({"config", "filter.a.clean", "tr a b"});
  repo.git({"config", "filtered.c", "no"});
  Config config = this->config();
  std::string all;
  for (const ConfigEntry& entry : must(config.below("filter."))) all += entry.key + ";";
  EXPECT_EQ(all, "filter.a.clean;filter.b.smudge;");
  EXPECT_TRUE(must(config.attributes_file()).ends_with("/git/attributes"));
  repo.git({"config", "core.attributesFile", "/etc/mine"});
  EXPECT_EQ(must(config.attributes_file()), "/etc/mine");
}

TEST_F(Configured, AsksOnceWhileNothingChanges) {
  repo.git({"config", "a.key", "one"});
  Config config = this->config();
  settle(config);
  const auto asked = config.times_asked();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(must(config.get("a.key")), "one");
  EXPECT_EQ(config.times_asked(), asked);
}

TEST_F(Configured, SeesEveryWayItCanChange) {
  const std::string home = repo.runner().env().at("HOME");
  const std::string included = repo.root() + "/included";
  repo.git({"config", "include.path", included});
  repo.git({"config", "includeIf.onbranch:other.path", included + "-there"});
  must(write_file(included + "-there", "[a]\n\tbranch = other\n", Sync::kNo));
  repo.commit("one");
  repo.git({"branch", "other"});
  Config config = this->config();
  const auto changes = [&](const char* key, const std::function<void()>& change) {
    settle(config);
    const auto before = must(config.get(key));
    change();
    EXPECT_NE(must(config.get(key)), before) << key;
    EXPECT_EQ(must(config.get(key)).value_or("unset"), git_says("--no-type", key));
  };
  changes("a.own", [&] { repo.git({"config", "a.own", "1"}); });
  // In place, of the same length.
  changes("a.own", [&] {
    std::string text = must(read_file(repo.git_dir() + "/config"));
    text.replace(text.find("own = 1"), 7, "own = 2");
    const UniqueFd fd = must(open_fd(repo.git_dir() + "/config", O_WRONLY));
    must(write_all(fd.get(), text));
  });
  changes("a.home",
          [&] { must(write_file(home + "/.gitconfig", "[a]\n\thome = 1\n", Sync::kNo)); });
  changes("a.xdg", [&] {
    must(make_dirs(home + "/.config/git"));
    must(write_file(home + "/.config/git/config", "[a]\n\txdg = 1\n", Sync::kNo));
  });
  changes("a.in", [&] { must(write_file(included, "[a]\n\tin = 1\n", Sync::kNo)); });
  changes("a.in", [&] { must(remove_file(included)); });
  changes("a.branch", [&] { repo.git({"symbolic-ref", "HEAD", "refs/heads/other"}); });
  repo.git({"config", "extensions.worktreeConfig", "true"});
  changes("a.here", [&] { repo.git({"config", "--worktree", "a.here", "1"}); });
}

TEST_F(Configured, ABrokenFileIsAnErrorUntilItIsMended) {
  Config config = this->config();
  const std::string good = must(read_file(repo.git_dir() + "/config"));
  must(write_file(repo.git_dir() + "/config", good + "[broken\n", Sync::kNo));
  EXPECT_FALSE(config.get("core.bare"));
  must(write_file(repo.git_dir() + "/config", good, Sync::kNo));
  EXPECT_EQ(must(config.flag("core.bare")), false);
}

}  // namespace
}  // namespace gittxn::repo

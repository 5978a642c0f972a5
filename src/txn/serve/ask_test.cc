#include "txn/serve/ask.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/testing/temp_dir.h"

namespace gittxn::api {
namespace {

using ::testing::HasSubstr;

class AskTest : public ::testing::Test {
 protected:
  // A process that answers the first ask that comes: with what was asked, or that it failed; of a
  // write with `written`.
  pid_t answering(const std::string& failure, const std::string& written = "") {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::alarm(60);
    auto waiting = waiting_asks(dir_.path());
    while (waiting && waiting->empty()) waiting = waiting_asks(dir_.path());
    if (!waiting) ::_exit(1);
    const Ask& asked = waiting->front().asked;
    Result<std::string> result =
        (asked.verb == Ask::Verb::kJoin ? "join " : "worktree ") + asked.name;
    if (!asked.argv.empty()) result = "compensate " + std::to_string(asked.argv.size());
    if (asked.verb == Ask::Verb::kWrite) result = written;
    if (!failure.empty()) result = fail(Code::kRefused, failure);
    ::_exit(answer(waiting->front(), result) ? 0 : 2);
  }
  static void ended_well(pid_t pid) {
    int status = 1;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  gittxn::testing::TempDir dir_;
};

TEST_F(AskTest, AnAnswerReachesWhoeverAsked) {
  const pid_t run = answering("");
  const auto path = ask(dir_.path(), {Ask::Verb::kWorktree, "agent-\xff"}, 60'000);
  ended_well(run);
  ASSERT_TRUE(path);
  EXPECT_EQ(*path, "worktree agent-\xff");
  EXPECT_TRUE(list_dir(dir_.path())->empty());
}

TEST_F(AskTest, ACompensationIsAskedWithItsWords) {
  const pid_t run = answering("");
  const Ask asked{Ask::Verb::kCompensate, "", {"sh", "-c", std::string(60'000, '\n')}};
  const auto number = ask(dir_.path(), asked, 60'000);
  ended_well(run);
  ASSERT_TRUE(number) << number.error().message;
  EXPECT_EQ(*number, "compensate 3");
  EXPECT_EQ(ask(dir_.path(), {Ask::Verb::kCompensate, "x"}, 0).error().code, Code::kUsage);
  EXPECT_EQ(ask(dir_.path(), {Ask::Verb::kJoin, "x", {"true"}}, 0).error().code, Code::kUsage);
}

TEST_F(AskTest, SoDoesAFailure) {
  const pid_t run = answering("there are too many");
  const auto path = ask(dir_.path(), {Ask::Verb::kJoin, "../agent"}, 60'000);
  ended_well(run);
  ASSERT_FALSE(path);
  EXPECT_THAT(path.error().message, HasSubstr("there are too many"));
}

TEST_F(AskTest, NobodyThereIsATimeout) {
  EXPECT_EQ(ask(dir_.path(), {Ask::Verb::kJoin, "a"}, 0).error().code, Code::kTimeout);
  EXPECT_TRUE(list_dir(dir_.path())->empty());
  EXPECT_EQ(ask(dir_.path(), {Ask::Verb::kJoin, ""}, 0).error().code, Code::kUsage);
  EXPECT_EQ(ask(dir_.path(), {Ask::Verb::kJoin, std::string(300, 'x')}, 0).error().code,
            Code::kUsage);
}

TEST_F(AskTest, WhatMakesNoSenseIsDropped) {
  ASSERT_TRUE(write_file(dir_.path() + "/ask.1.json", "{", Sync::kNo));
  ASSERT_TRUE(
      write_file(dir_.path() + "/ask.2.json", "{\"verb\":\"run\",\"name\":\"x\"}", Sync::kNo));
  ASSERT_TRUE(write_file(dir_.path() + "/ask.3.json", std::string(1 << 20, ' '), Sync::kNo));
  ASSERT_TRUE(write_file(dir_.path() + "/ask.3.fifo", "a file", Sync::kNo));
  EXPECT_TRUE(waiting_asks(dir_.path())->empty());
  EXPECT_EQ(*read_file(dir_.path() + "/ask.3.fifo"), "a file");
  EXPECT_FALSE(exists(dir_.path() + "/ask.1.json").value());
}

TEST_F(AskTest, WhatIsSaidIsToldOnceAndInOrder) {
  EXPECT_EQ(said(dir_.path()).value(), "");
  ASSERT_TRUE(say(dir_.path(), 2, "second\n"));
  ASSERT_TRUE(say(dir_.path(), 1, "first\n"));
  EXPECT_EQ(said(dir_.path()).value(), "first\nsecond\n");
  EXPECT_EQ(said(dir_.path()).value(), "");
  ASSERT_TRUE(say(dir_.path(), 3, "third\n"));
  EXPECT_EQ(said(dir_.path()).value(), "third\n");
}

TEST_F(AskTest, OfAWriteThereIsMoreToTellThanAPipeTakes) {
  const std::string long_text(7000, 'x');
  const auto back = [&](const WriteAnswer& answer) {
    return written_answer(dir_.path(), answer_of_write(dir_.path(), "src/../a b", answer).value());
  };
  EXPECT_EQ(back({})->text, "");
  EXPECT_EQ(back({false, long_text})->text, long_text);
  EXPECT_FALSE(back({false, "x"})->deny);
  EXPECT_TRUE(back({true, "x"})->deny);
  EXPECT_EQ(back({true, std::string(100'000, 'x')})->text.size(), kMaxSaid);
  for (const char* bad : {"tell", "tell ../x", "deny /etc/passwd", "yes 00", "tell 0f/.."}) {
    EXPECT_FALSE(written_answer(dir_.path(), bad)) << bad;
  }
}

TEST_F(AskTest, AWriteIsTheFirstOneOnce) {
  const auto asks = [&](const std::string& path, const WriteAnswer& answer) {
    const pid_t run = answering("", answer_of_write(dir_.path(), path, answer).value());
    const auto told = ask_before_write(dir_.path(), path);
    ended_well(run);
    return told;
  };
  EXPECT_EQ(asks("src/a", {false, "x"})->text, "x");
  EXPECT_EQ(ask_before_write(dir_.path(), "src/a")->text, "") << "nobody is asked again";
  EXPECT_TRUE(asks("src/b", {true, "y"})->deny);
  EXPECT_TRUE(asks("src/b", {true, "y"})->deny) << "what is denied is asked for each time";
}

TEST_F(AskTest, ChildrenAreKnownByAnyName) {
  EXPECT_FALSE(is_child(dir_.path(), "agent-/../x").value());
  ASSERT_TRUE(mark_child(dir_.path(), "agent-/../x"));
  EXPECT_TRUE(is_child(dir_.path(), "agent-/../x").value());
  EXPECT_FALSE(is_child(dir_.path(), "agent-y").value());
}

}  // namespace
}  // namespace gittxn::api

// The digest of an environment: equal where a program is given the same, by every back end.
#include "capture/trace/decode/environments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "base/bug.h"
#include "capture/trace/testing/traced.h"

namespace gittxn::capture {
namespace {

using testing::make_spec;
using testing::TempDir;
using testing::Traced;

Record describe(Environments* environments, const std::vector<std::string>& words,
                const std::string& program = "/bin/true") {
  std::string bytes;
  for (const std::string& word : words) bytes.append(word).push_back('\0');
  Record exec{.op = Op::kExec, .path = program};
  environments->describe(bytes, &exec);
  return exec;
}

std::string digest(const std::vector<std::string>& words) {
  Environments environments;
  return describe(&environments, words).env_digest;
}

TEST(Environments, HaveOneDigestInAnyOrder) {
  EXPECT_EQ(digest({"A=1", "B=2", "C"}), digest({"C", "B=2", "A=1"}));
  EXPECT_EQ(digest({}).size(), 64u);
  EXPECT_EQ(digest({}), digest({}));
}

TEST(Environments, WhatTheLastProgramWasGivenIsTakenForNoOther) {
  const auto right = [] {
    Environments one;
    const std::string first = digest({"A=1", "TERM=x"});
    const std::vector<std::string> settings = {"TERM=x"};
    for (const char* program : {"/bin/make", "/bin/make", "/bin/grep", "/bin/grep", "/bin/make"}) {
      const Record exec = describe(&one, {"A=1", "TERM=x"}, program);
      const bool searches = exec.path == "/bin/grep";
      if (exec.env_digest != first || exec.env_known != searches) return false;
      if (exec.env != (searches ? settings : std::vector<std::string>{})) return false;
    }
    return describe(&one, {"A=1"}, "/bin/make").env_digest == digest({"A=1"}) &&
           describe(&one, {}, "/bin/make").env_digest == digest({}) && digest({"A=1"}) != first;
  };
  EXPECT_TRUE(right());
#ifdef GIT_TXN_BUGS
  arm_bug("trace.digest_of_the_last");
  EXPECT_FALSE(right()) << "the bug is noticed above";
  arm_bug("");
#endif
}

TEST(Environments, EachVariableCounts) {
  const std::set<std::string> digests = {
      digest({}),
      digest({"A=1"}),
      digest({"A=2"}),
      digest({"B=1"}),
      digest({"A"}),
      digest({"A="}),
      digest({""}),
      digest({"A=1", "B=2"}),
      digest({"A=1B=2"}),
      digest({"A=1\nB=2"}),
      digest({"A=1", "A=2"}),
      digest({"A=2", "A=1"}),
      digest({"PATH=/bin"}),
      digest({"PATH=/sbin"}),
      digest({"LD_PRELOAD=/lib/x.so"}),
      digest({"TMP=x"}),
      digest({"OLDPWDS=x"}),
      digest({"GIT_TX=x"}),
  };
  EXPECT_EQ(digests.size(), 18u);
#ifdef GIT_TXN_BUGS
  arm_bug("trace.digest_without_path");
  EXPECT_EQ(digest({"PATH=/bin"}), digest({})) << "the bug is noticed above";
  arm_bug("");
#endif
}

TEST(Environments, WhatDiffersByItselfDoesNot) {
  const std::string plain = digest({"A=1"});
  for (const char* word : {"_=/bin/true", "SHLVL=3", "PWD=/w/1/tree", "OLDPWD=/", "TMPDIR=/tmp/1",
                           "GIT_TXN_ID=1", "GIT_TXN_OBSERVED=/w/1/observed",
                           "LD_PRELOAD=/w/1/trace.0.not-libasan.so", "LD_PRELOAD="}) {
    EXPECT_EQ(digest({word, "A=1"}), plain) << word;
  }
  EXPECT_EQ(digest({"LD_PRELOAD=/lib/x.so:/w/1/trace.0.not-libasan.so"}),
            digest({"LD_PRELOAD=/lib/x.so"}));
}

// The environments of the last few programs are compared, and not hashed again.
TEST(Environments, NoneIsTakenForAnotherThatWasSeen) {
  Environments environments;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 10; ++i) {
      const std::string word = "A=" + std::to_string(i);
      EXPECT_EQ(describe(&environments, {word}).env_digest, digest({word}));
      EXPECT_EQ(describe(&environments, {word, "_=x"}).env_digest, digest({word}));
    }
  }
}

TEST(Environments, OnlyWhatSearchesOrPrintsHasItsSettings) {
  Environments environments;
  const std::vector<std::string> words = {"LC_ALL=C", "A_KEY=secret"};
  const Record program = describe(&environments, words, "/bin/make");
  EXPECT_FALSE(program.env_known);
  EXPECT_TRUE(program.env.empty());
  for (const char* other : {"/bin/grep", "/bin/cat"}) {
    const Record one = describe(&environments, words, other);
    EXPECT_TRUE(one.env_known);
    EXPECT_EQ(one.env, std::vector<std::string>{"LC_ALL=C"});
    EXPECT_EQ(one.env_digest, program.env_digest);
  }
  std::vector<std::string> many(kMaxSettings + 1, "LC_ALL=C");
  EXPECT_FALSE(describe(&environments, many, "/bin/grep").env_known);
  EXPECT_FALSE(
      describe(&environments, {"LC_ALL=" + std::string(kMaxSetting, 'x')}, "/bin/grep").env_known);
}

TEST(Environments, HaveTheSameDigestUnderEveryBackEnd) {
  const TempDir dir;
  std::set<std::string> plain;
  std::set<std::string> changed;
  for (const Backend backend :
       {Backend::kBpf, Backend::kHybrid, Backend::kNotify, Backend::kPtrace}) {
    if (!testing::why_unusable(backend).empty()) continue;
    const Traced traced = testing::run_shell(
        dir, backend, "/bin/true; cd /; /bin/true; A_KEY=secret /bin/true; /nowhere/true; exit 0");
    ASSERT_TRUE(traced.result);
    int seen = 0;
    for (const Record& record : traced.records) {
      if (record.op != Op::kExec || record.path != "/bin/true") continue;
      (++seen < 3 ? plain : changed).insert(record.env_digest);
    }
    EXPECT_EQ(seen, 3) << backend_name(backend);
  }
  EXPECT_EQ(plain.size(), 1u);
  EXPECT_EQ(changed.size(), 1u);
  EXPECT_NE(plain, changed);
  EXPECT_FALSE(plain.contains(""));
}

}  // namespace
}  // namespace gittxn::capture

// A story of processes that may be questions, and whose looks the reads of it then are. For tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture/testing/story.h"

namespace gittxn::capture::testing {

class Asks : public ::testing::Test {
 public:
  static constexpr int kChild = 200, kGrandchild = 300;
  std::unique_ptr<Story> story = std::make_unique<Story>();

  void anew() { story = std::make_unique<Story>(); }

  // A process of the agent that runs this, with nothing as its input.
  Record& runs(std::vector<std::string> argv, int pid = kChild, int parent = Story::kAgent) {
    story->fork(pid, parent);
    Record& exec = story->exec(std::move(argv), pid);
    exec.path2 = story->tree();
    exec.env_digest = std::string(64, 'e');
    exec.env_known = true;
    exec.given.resize(kGiven012);
    for (Given& given : exec.given) given.kind = Given::Kind::kNull;
    return exec;
  }
  Record& looks(const std::string& path, int pid = kChild) {
    return story->add(Op::kOpenRead, path, 0, pid);
  }
  Record& exits(int status = 0, int pid = kChild) {
    return story->add(Op::kExit, "/", status, pid);
  }
  // A run of tests that looks at this and opens a test.
  void tests_look_at(const std::string& path) {
    runs({"pytest", "-q"});
    looks("test_it.py");
    looks(path);
  }
  // "1 content a.txt": hard reads with the numbers of their questions, 0 for none.
  std::vector<std::string> reads() {
    told = story->told();
    std::vector<std::string> lines;
    for (const Read& read : told.reads) {
      if (read.strength != Strength::kHard || read.kind != ReadKind::kContent) continue;
      lines.push_back(std::to_string(read.question) + " " + read.subject);
    }
    return lines;
  }
  ReadSet told;
};

}  // namespace gittxn::capture::testing

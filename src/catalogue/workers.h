// Looks into files on several threads, each with objects of its own, and hands what it found to
// one. Internal to catalogue/.
//
// Bounded: kInFlight bytes of text are looked into at once (a larger file alone), and a few hundred
// answers wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "catalogue/catalogue.h"

namespace gittxn::catalogue {

struct LookJob {
  std::string hint;
  TreeEntry entry;
};

struct Looked {
  std::size_t job = 0;
  NameSet names;
  std::string encoded;
  std::uint64_t bytes = 0;
};

class Workers {
 public:
  Workers(const std::string& git_dir, const repo::Git& git, const semantic::Budget& budget,
          const std::vector<LookJob>& jobs);
  ~Workers();  // whatever has not begun is left

  void start(std::size_t threads);
  // The next answer; nothing when it took longer than `wait_ms`. Call once for each job at least.
  std::optional<Result<Looked>> next(std::int64_t wait_ms);

 private:
  void work();
  Result<Looked> look(const repo::Objects& objects, std::size_t job);
  void enter(std::size_t bytes);
  void leave(std::size_t bytes);
  void answer(Result<Looked> looked);

  const std::string& git_dir_;
  const repo::Git& git_;
  const semantic::Budget& budget_;
  const std::vector<LookJob>& jobs_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0;
  std::size_t in_flight_ = 0;
  bool ending_ = false;
  std::deque<Result<Looked>> answers_;
  std::vector<std::jthread> threads_;
};

}  // namespace gittxn::catalogue

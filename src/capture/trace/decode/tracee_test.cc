// Looking into another process: strings and argument vectors of every length, at the edge of its
// memory.
#include "capture/trace/decode/tracee.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/random.h"

namespace gittxn::capture {
namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::uint64_t address_of(const std::vector<const char*>& vector) {
  return address_of(static_cast<const void*>(vector.data()));
}

Peek peek_argv(pid_t tid, std::uint64_t address, std::vector<std::string>* out) {
  Start start;
  const Peek peek = peek_start(tid, address, 0, &start);
  *out = std::move(start.arguments);
  return peek;
}

// A process with the same memory as ours at the time of the fork.
class Copy {
 public:
  Copy() : pid_(::fork()) {
    if (pid_ != 0) return;
    ::pause();
    ::_exit(0);
  }
  ~Copy() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// Two pages of which only the first can be read.
char* last_page() {
  void* pages = ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(pages, MAP_FAILED);
  EXPECT_EQ(::mprotect(static_cast<char*>(pages) + 4096, 4096, PROT_NONE), 0);
  return static_cast<char*>(pages);
}

TEST(Tracee, StringsUpToTheEdgeOfMemory) {
  char* page = last_page();
  std::memset(page, 'x', 4096);
  std::memcpy(page + 4096 - 6, "right", 6);
  const std::string longer(10'000, 'y');
  const Copy copy;
  std::string text;
  EXPECT_EQ(peek_string(copy.pid(), address_of(page + 4090), 4096, &text), Peek::kOk);
  EXPECT_EQ(text, "right");
  EXPECT_EQ(peek_string(copy.pid(), address_of(page), 4096, &text), Peek::kOk);
  EXPECT_EQ(text.size(), 4095u);
  EXPECT_EQ(peek_string(copy.pid(), address_of(page + 4096), 4096, &text), Peek::kFault);
  EXPECT_EQ(peek_string(copy.pid(), 0, 4096, &text), Peek::kFault);
  EXPECT_EQ(peek_string(copy.pid(), address_of(longer.data()), 4096, &text), Peek::kLong);
  EXPECT_EQ(text, longer.substr(0, 4096));
  EXPECT_EQ(peek_string(copy.pid(), address_of(longer.data()), 20'000, &text), Peek::kOk);
  EXPECT_EQ(text, longer);
  ::munmap(page, 8192);
}

TEST(Tracee, ArgumentVectorsOfAnySize) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (const std::size_t words : {0u, 1u, 5u, 127u, 128u, 129u, 256u, 700u}) {
    // One behind the other, as in a new program, or each where the allocator put it.
    for (const bool together : {true, false}) {
      std::vector<std::string> argv;
      std::string piece;
      for (std::size_t i = 0; i < words; ++i) {
        const std::uint64_t size = random.below(30) == 0 ? random.below(9000) : random.below(200);
        argv.emplace_back(size, static_cast<char>('a' + i % 26));
        piece += argv.back() + '\0';
      }
      std::vector<const char*> pointers;
      const char* at = piece.data();
      for (const std::string& word : argv) {
        pointers.push_back(together ? at : word.c_str());
        at += word.size() + 1;
      }
      pointers.push_back(nullptr);
      const Copy copy;
      std::vector<std::string> seen;
      ASSERT_EQ(peek_argv(copy.pid(), address_of(pointers), &seen), Peek::kOk);
      EXPECT_TRUE(seen == argv) << words << (together ? " together" : "");
    }
  }
}

// Each in its own lot of places: two vectors are read as one.
TEST(Tracee, ArgumentsAndEnvironmentOfAnySize) {
  const std::uint64_t seed = Random().next();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::string> pool(64);
    for (std::string& word : pool) {
      word.assign(random.below(8) == 0 ? random.below(9000) : random.below(300), 'x');
      if (random.below(4) == 0) word.clear();
    }
    std::vector<std::string> words[2];
    std::vector<const char*> pointers[2];
    for (int i : {0, 1}) {
      for (std::uint64_t n = random.below(2) == 0 ? random.below(8) : random.below(400); n > 0;
           --n) {
        const std::string& word = pool[random.below(pool.size())];
        words[i].push_back(word);
        pointers[i].push_back(word.c_str());
      }
      pointers[i].push_back(nullptr);
    }
    const Copy copy;
    Start start;
    ASSERT_EQ(peek_start(copy.pid(), address_of(pointers[0]), address_of(pointers[1]), &start),
              Peek::kOk);
    EXPECT_TRUE(start.arguments == words[0]);
    std::string environment;
    for (const std::string& word : words[1]) environment += word + '\0';
    EXPECT_TRUE(start.environment_known && start.environment == environment);
  }
}

TEST(Tracee, OneVectorThatIsNotThereLeavesTheOther) {
  char* page = last_page();
  const std::vector<const char*> good = {"good", "words", nullptr};
  const std::vector<const char*> bad = {"good", page + 4096, nullptr};
  const std::vector<std::string> words = {"good", "words"};
  const Copy copy;
  for (const std::uint64_t missing :
       {address_of(page + 4096), address_of(page + 4093), address_of(bad)}) {
    Start start;
    EXPECT_EQ(peek_start(copy.pid(), address_of(good), missing, &start), Peek::kOk);
    EXPECT_EQ(start.arguments, words);
    EXPECT_FALSE(start.environment_known);
    EXPECT_EQ(peek_start(copy.pid(), missing, address_of(good), &start), Peek::kFault);
    EXPECT_TRUE(start.environment_known);
    EXPECT_EQ(start.environment, std::string("good\0words\0", 11));
  }
  ::munmap(page, 8192);
}

TEST(Tracee, AVectorThatIsTooLongIsCutBetweenWords) {
  const std::string word(100'000, 'x');
  std::vector<const char*> pointers(kMaxArguments / (word.size() + 1), word.c_str());
  const std::size_t fit = pointers.size();
  const std::string rest(kMaxArguments - fit * (word.size() + 1) - 1, 'y');
  const auto peek = [&pointers](std::vector<std::string>* out) {
    const Copy copy;
    return peek_argv(copy.pid(), address_of(pointers), out);
  };
  std::vector<std::string> seen;
  pointers.push_back(rest.c_str());
  pointers.push_back(nullptr);
  EXPECT_EQ(peek(&seen), Peek::kOk) << "it just fits";
  EXPECT_EQ(seen.size(), fit + 1);
  pointers.back() = "";
  pointers.push_back(nullptr);
  EXPECT_EQ(peek(&seen), Peek::kLong);
  EXPECT_EQ(seen.size(), fit + 1) << "what fits is there";
  pointers.assign(kMaxWords + 1, "");
  pointers.back() = nullptr;
  EXPECT_EQ(peek(&seen), Peek::kOk);
  pointers.back() = "";
  pointers.push_back(nullptr);
  EXPECT_EQ(peek(&seen), Peek::kLong);
  EXPECT_EQ(seen.size(), kMaxWords);
}

TEST(Tracee, AVectorAtTheEdgeOfMemory) {
  char* page = last_page();
  std::memcpy(page + 4096 - 24 - 5, "word", 5);
  const char* pointers[] = {page + 4096 - 24 - 5, page + 4096 - 24 - 5, nullptr};
  std::memcpy(page + 4096 - 24, static_cast<const void*>(pointers), sizeof pointers);
  const char* bad[] = {"good", page + 4096, nullptr};
  const Copy copy;
  std::vector<std::string> seen;
  EXPECT_EQ(peek_argv(copy.pid(), address_of(page + 4096 - 24), &seen), Peek::kOk);
  EXPECT_EQ(seen, (std::vector<std::string>{"word", "word"}));
  EXPECT_EQ(peek_argv(copy.pid(), address_of(static_cast<const void*>(bad)), &seen), Peek::kFault);
  EXPECT_EQ(peek_argv(copy.pid(), 0, &seen), Peek::kOk);
  EXPECT_TRUE(seen.empty());
  ::munmap(page, 8192);
}

TEST(Tracee, AProcessThatIsGone) {
  pid_t gone = 0;
  {
    const Copy copy;
    gone = copy.pid();
  }
  std::string text;
  EXPECT_EQ(peek_string(gone, 4096, 100, &text), Peek::kGone);
  EXPECT_NE(proc_path(gone, "cwd", &text), Peek::kOk);
}

TEST(Tracee, TheFamilyOfAProcess) {
  Family family(::getppid());
  std::vector<Record> news;
  const Copy copy;
  EXPECT_EQ(family.of(copy.pid(), &news).process, copy.pid());
  ASSERT_EQ(news.size(), 2u) << "we, then our child";
  EXPECT_EQ(news[0].pid, ::getpid());
  EXPECT_EQ(news[0].parent, 0) << "below the monitor";
  EXPECT_EQ(news[1].pid, copy.pid());
  EXPECT_EQ(news[1].parent, ::getpid());
  news.clear();
  family.of(copy.pid(), &news);
  EXPECT_TRUE(news.empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // it is not believed any more
  EXPECT_EQ(family.of(copy.pid(), &news).parent, ::getpid());
  EXPECT_TRUE(news.empty()) << "asked for again, it is still the same process";
}

TEST(Tracee, AThreadIsOfItsProcess) {
  Family family(::getppid());
  std::vector<Record> news;
  pid_t tid = 0;
  std::thread([&] {
    tid = ::gettid();
    EXPECT_EQ(family.of(tid, &news).process, ::getpid());
  }).join();
  EXPECT_NE(tid, ::getpid());
  ASSERT_EQ(news.size(), 1u);
  EXPECT_EQ(news[0].pid, ::getpid());
}

}  // namespace
}  // namespace gittxn::capture

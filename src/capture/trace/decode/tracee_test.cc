// Looking into another process: strings and argument vectors of every length, at the edge of its
// memory.
#include "capture/trace/decode/tracee.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "base/random.h"

namespace gittxn::capture {
namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
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
  for (const std::size_t words : {0u, 1u, 5u, 63u, 64u, 65u, 128u, 255u, 256u, 300u}) {
    std::vector<std::string> argv;
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint64_t size = random.below(10) == 0 ? random.below(9000) : random.below(300);
      argv.emplace_back(size, static_cast<char>('a' + i % 26));
    }
    std::vector<const char*> pointers;
    for (const std::string& word : argv) pointers.push_back(word.c_str());
    pointers.push_back(nullptr);
    const Copy copy;
    std::vector<std::string> seen;
    ASSERT_EQ(peek_argv(copy.pid(), address_of(static_cast<const void*>(pointers.data())), &seen),
              Peek::kOk);
    ASSERT_EQ(seen.size(), std::min<std::size_t>(words, 256));
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], argv[i].substr(0, 4096));
  }
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
}

}  // namespace
}  // namespace gittxn::capture

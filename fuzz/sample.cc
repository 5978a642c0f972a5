// The fuzzers without a fuzzing engine, for every test run: inputs are the seeds and mutations of
// them, in an order that the printed SEED replays. Guided campaigns are `./dev fuzz`.
//
//   fuzz-NAME SEEDS-DIR FAILED-INPUT SECONDS SEED
//
// The input of each run stands in the file FAILED-INPUT while it runs, through a shared mapping, so
// that it is there whatever the run dies of.
#include <fmt/format.h>
#include <sys/mman.h>

#include <charconv>
#include <cstring>
#include <vector>

#include "base/clock.h"
#include "base/fs.h"
#include "base/random.h"
#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using gittxn::Random;

constexpr std::size_t kMaxInput = 64 << 10;
constexpr std::size_t kMaxPool = 4096;
constexpr std::size_t kHeader = sizeof(std::uint64_t);  // the size of the input, before it

// What the formats are made of, so that mutations find more than the first syntax error.
constexpr std::string_view kPieces[] = {
    "{",    "}",    "[",          "]",      ":",           ",",      "\"",   "\\u0000",
    "\\",   "null", "true",       "-1",     "1e999",       "\n",     "\r\n", "\xff",
    "\xc3", "../",  "/",          "//",     "{\"a\":",     "[[[[[[", "0",    "18446744073709551616",
    " ",    "#",    "\\ud800",    "\"\":",  "tool_use_id", "path",   "type", "session_id",
    "\0",   "=",    "[[gate]]\n", "id\":0", "%",           "%zz"};

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::uint64_t seed)
      : pool_(std::move(seeds)), dice_(seed) {}

  std::string next() {
    std::string input = pool_[dice_.below(pool_.size())];
    for (std::uint64_t steps = dice_.below(6); steps > 0; --steps) change(&input);
    if (input.size() > kMaxInput) input.resize(kMaxInput);
    // Without coverage to guide it, a small random walk: some mutants are mutated further.
    if (pool_.size() < kMaxPool && dice_.below(64) == 0) pool_.push_back(input);
    return input;
  }

 private:
  void change(std::string* input) {
    const std::size_t at = dice_.below(input->size() + 1);
    const std::size_t length = dice_.below(std::min<std::size_t>(input->size() - at, 32) + 1);
    switch (dice_.below(7)) {
      case 0:
        input->erase(at, length);
        break;
      case 1:
        input->resize(at);
        break;
      case 2:
        input->insert(at, kPieces[dice_.below(std::size(kPieces))]);
        break;
      case 3:
        input->insert(at, input->substr(at, length));
        break;
      case 4:
        input->insert(at, 1, static_cast<char>(dice_.below(256)));
        break;
      case 5:
        if (at < input->size()) (*input)[at] = static_cast<char>(dice_.below(256));
        break;
      default: {  // a piece of another input
        const std::string& other = pool_[dice_.below(pool_.size())];
        input->insert(at, other.substr(dice_.below(other.size() + 1), dice_.below(256)));
      }
    }
  }

  std::vector<std::string> pool_;
  Random dice_;
};

std::vector<std::string> read_seeds(const std::string& directory) {
  std::vector<std::string> seeds{""};
  auto names = gittxn::list_dir(directory);
  CHECK(names);
  for (const auto& entry : *names) {
    auto text = gittxn::read_file(gittxn::join_path(directory, entry.name));
    CHECK(text);
    seeds.push_back(*std::move(text));
  }
  return seeds;
}

char* map_input_file(const std::string& path) {
  CHECK(gittxn::write_file(path, std::string(kHeader + kMaxInput, '\0'), gittxn::Sync::kNo));
  FILE* file = std::fopen(path.c_str(), "r+");
  CHECK(file != nullptr);
  void* map =
      ::mmap(nullptr, kHeader + kMaxInput, PROT_READ | PROT_WRITE, MAP_SHARED, ::fileno(file), 0);
  CHECK(map != MAP_FAILED);
  std::fclose(file);
  return static_cast<char*>(map);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  CHECK(std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc());
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(argc == 5);
  const std::int64_t budget_ns = static_cast<std::int64_t>(number(argv[3])) * 1'000'000'000;
  Mutator mutator(read_seeds(argv[1]), number(argv[4]));
  char* kept = map_input_file(argv[2]);
  gittxn::SystemClock clock;
  const std::int64_t began = clock.monotonic_ns();
  std::uint64_t runs = 0;
  for (; runs < 100 || clock.monotonic_ns() - began < budget_ns; ++runs) {
    const std::string input = mutator.next();
    const std::uint64_t size = input.size();
    std::memcpy(kept, &size, kHeader);
    std::memcpy(kept + kHeader, input.data(), input.size());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  }
  fmt::print("{} runs\n", runs);
  return 0;
}

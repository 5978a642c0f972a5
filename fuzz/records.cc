// The record file of a trace: an agent with the same user id can write to it.
#include <unistd.h>

#include "base/fs.h"
#include "capture/trace/trace.h"
#include "fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn;
  static const std::string path = "/tmp/git-txn-fuzz-records." + std::to_string(::getpid());
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CHECK(write_file(path, bytes, Sync::kNo));
  std::uint64_t seen = 0;
  const auto summary = capture::read_records(path, [&](const capture::Record&) { ++seen; });
  if (summary) CHECK(summary->records == seen);
  return 0;
}

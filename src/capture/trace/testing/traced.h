// A run under the trace with its records read back, for tests. Each has a directory of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::capture::testing {

class TempDir {
 public:
  TempDir() {
    std::string name = "/tmp/trace-test-XXXXXX";
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TempDir() {
    // What a test could not remove must not pass unseen.
    EXPECT_TRUE(remove_tree(path_).has_value()) << path_;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string operator/(std::string_view name) const { return join_path(path_, name); }

 private:
  std::string path_;
};

// Why a back end that not every machine has cannot be tested here; empty: it can.
inline std::string why_unusable(Backend backend) {
  if (backend != Backend::kBpf) return {};
  static const std::vector<Capability> kFound = probe_backends();
  for (const Capability& capability : kFound) {
    if (capability.backend == backend && !capability.usable) return "bpf: " + capability.detail;
  }
  return {};
}

// In a fixture's SetUp.
#define SKIP_UNUSABLE(backend)                                                        \
  if (const auto why = gittxn::capture::testing::why_unusable(backend); !why.empty()) \
  GTEST_SKIP() << why

struct Traced {
  Result<TraceResult> result = fail(Code::kFault, "not run");
  RecordSummary summary;
  std::vector<Record> records;

  // The first record of this operation on this path; null when there is none.
  const Record* find(Op op, std::string_view path) const {
    for (const Record& record : records) {
      if (record.op == op && record.path == path) return &record;
    }
    return nullptr;
  }
  std::size_t count(Op op) const {
    std::size_t n = 0;
    for (const Record& record : records) n += record.op == op ? 1 : 0;
    return n;
  }
};

inline TraceSpec make_spec(const TempDir& dir, std::vector<std::string> argv) {
  static int runs = 0;
  TraceSpec spec;
  spec.argv = std::move(argv);
  spec.cwd = dir.path();
  spec.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LC_ALL", "C"}, {"HOME", dir.path()}};
  spec.record_file =
      "/tmp/trace-test-" + std::to_string(::getpid()) + "-" + std::to_string(++runs) + ".rec";
  return spec;
}

inline Traced read_back(Result<TraceResult> result, const std::string& record_file) {
  Traced traced;
  traced.result = std::move(result);
  const auto summary = read_records(
      record_file, [&traced](const Record& record) { traced.records.push_back(record); });
  if (summary) traced.summary = *summary;
  ::unlink(record_file.c_str());
  return traced;
}

inline Traced run(const TraceSpec& spec) {
  return read_back(run_traced(spec), spec.record_file);
}

inline Traced run_shell(const TempDir& dir, Backend backend, const std::string& script) {
  TraceSpec spec = make_spec(dir, {"/bin/sh", "-c", script});
  spec.backend = backend;
  return run(spec);
}

}  // namespace gittxn::capture::testing

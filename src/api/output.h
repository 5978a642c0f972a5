// Output of a detached run, kept in this clone beside the store for `logs` and `attach`:
//
//   <txn directory>/output/ID/N        its bytes, of both streams in their order: N full parts
//                                      before it. Only the newest parts are there.
//   <txn directory>/output/ID/process  locked by the supervisor for as long as it lives
//   <txn directory>/output/ID/end      how the run ended, written once
//
// One process writes, any number read meanwhile. Nothing is synced and nothing is decided by it. A
// crash leaves parts without an end, which readers tell from a run that goes on by the lock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/kernel.h"
#include "base/fs.h"

namespace gittxn::api {

// The most that is kept is `part_bytes` times `parts`.
struct OutputBound {
  std::uint64_t part_bytes = 1u << 20;
  std::uint64_t parts = 16;
};

class OutputWriter {
 public:
  // In an empty folder, of mode 0700. Says that this process writes there, until let_go().
  static Result<OutputWriter> open(std::string folder, OutputBound bound = {});
  // Removes the oldest part for each that begins. After an error what was to be written is lost,
  // and nothing more is taken.
  Status append(std::string_view bytes);
  // The run has ended; what comes is of processes that it left running.
  void let_go();

 private:
  Status begin_part();

  std::string folder_;
  OutputBound bound_;
  std::uint64_t at_ = 0;
  UniqueFd process_, part_;
};

// Bytes that come after `cut` ones that are gone.
struct OutputPiece {
  std::uint64_t cut = 0;
  std::string bytes;  // "": no more until now
};
class OutputReader {
 public:
  explicit OutputReader(std::string folder, OutputBound bound = {})
      : folder_(std::move(folder)), bound_(bound) {}
  Result<OutputPiece> next();
  // Goes to where the last `lines` lines begin, of the last 64 KiB.
  Status go_to_last(std::size_t lines);

 private:
  Result<std::string> read_at(std::uint64_t at) const;
  // The numbers of the oldest part and of the one after the newest; equal: there is none.
  Result<std::pair<std::uint64_t, std::uint64_t>> parts() const;

  std::string folder_;
  OutputBound bound_;
  std::uint64_t at_ = 0;
};

// The end of a detached run: its exit status, and the line that it printed with --json, "" where it
// was killed; and why the end of what it printed is not kept, "" where it is.
struct RunEnd {
  int exit = 0;
  std::string result;
  std::string lost = {};
};
Status write_run_end(const std::string& folder, const RunEnd& end);
Result<std::optional<RunEnd>> run_end(const std::string& folder);  // nullopt: not yet, or never
bool is_written(const std::string& folder);                        // by a live supervisor

// The empty folder for a run that begins.
Result<std::string> make_output_folder(State& state, const TxnId& id);
struct KeptOutput {
  Txn txn;
  std::string folder;
};
// kRefused: the transaction is another clone's. kUsage: no output of it is kept; the hint says
// where else to look.
Result<KeptOutput> find_output(State& state, const std::string& id_or_name);

}  // namespace gittxn::api

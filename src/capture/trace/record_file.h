// The record file: what the monitor writes while a command runs and interpret reads afterwards.
//
//   header   "GTXNTRC" 0x01 (the last byte is the version)
//   frame    length (4 bytes, little-endian), checksum of the payload (4), payload
//   payload  type byte 'R' (a record), 'T' (a time: wall clock in ms; holds for the records until
//   the
//            next), or 'E' (the end: count of records, reason why they are not all)
//
// A file is whole only with its end mark, and nothing follows that. Numbers in payloads are LEB128,
// texts are preceded by their length. Nothing is synced: after a power cut a short file has no end
// mark, and what has no end mark is an unknown read set.
//
// Repeated reads: a process that asks the same thing again and gets the same answer, with no write
// by anyone and no exec in between, is recorded once; opening a file, twice, the second time marked
// as perhaps many. A direct-mapped table of 64-bit hashes finds them; a write changes the hashes'
// salt instead of clearing the table.
//
// Any thread may call the writer. If we die between any two frames the file has no end mark.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

class RecordWriter {
 public:
  // Borrowed; both must stay until finish(). Without a clock there are no times.
  explicit RecordWriter(int fd, const Clock* clock = nullptr);
  // Gives it its seq, and the time it is added unless it has one; drops repeated reads.
  void add(Record record);
  void lose(std::string reason);  // the first reason stays
  void show();                    // what was added so far can be read in the file from now on
  void finish();                  // writes the end mark; what is added later is dropped
  std::string lost() const;

 private:
  bool repeated(Record& record);
  void mark_time(const Record& record);
  void frame(std::string_view payload);
  void flush();
  void keep_reason(std::string reason);

  static constexpr std::size_t kSlots = 1u << 14;
  mutable std::mutex mutex_;
  int fd_;
  const Clock* clock_;
  std::int64_t marked_ms_ = 0;
  bool finished_ = false;
  bool broken_ = false;
  std::uint64_t count_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t salt_ = 1;
  std::string buffer_;
  std::string payload_;
  std::string lost_;
  std::array<std::uint64_t, kSlots> seen_{};
};

// Small building blocks, shared with the monitor's report to its caller.
void put_number(std::string* out, std::uint64_t value);
void put_text(std::string* out, std::string_view text);
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t number();
  std::string text();
  unsigned char byte();
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace gittxn::capture

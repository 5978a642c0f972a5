// The record file: what the monitor writes while a command runs and interpret reads afterwards.
//
//   header   "GTXNTRC" 0x04 (the last byte is the version; version 3, which has no 'L', is read
//            too, and others are not)
//   frame    length (4 bytes, little-endian), checksum of the payload (4), payload
//   payload  type byte 'R' (a record), 'L' (one of a plain look), 'T' (a time: wall clock in ms;
//            holds for the records until the next), or 'E' (the end: count of records, reason why
//            they are not all)
//
// A file is whole only with its end mark, and nothing follows that. Numbers in payloads are LEB128,
// texts are preceded by their length. A plain look (is_plain_look) has no lists, and each of its
// texts is stored as the number of bytes that it shares with the same text of the plain look before
// it, and the rest. Most records of a long file are plain looks, and a reader that needs only the
// others skips them. Nothing is synced: after a power cut a short file has no end mark, and what
// has no end mark is an unknown read set.
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
#include <type_traits>
#include <vector>

#include "base/clock.h"
#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::capture {

class RecordWriter {
 public:
  // Borrowed; both must stay until finish(). Without a clock there are no times.
  explicit RecordWriter(int fd, const Clock* clock = nullptr);
  // Gives it its seq, and the time it is added unless it has one; drops repeated reads. It is not
  // changed otherwise, wherever it came from.
  void add(Record&& record);
  void add(const Record& record) { add(Record(record)); }
  void lose(std::string reason);  // the first reason stays
  void show();                    // what was added so far can be read in the file from now on
  void finish();                  // writes the end mark; what is added later is dropped
  std::string lost() const;

 private:
  bool repeated(Record& record);
  void mark_time(const Record& record);
  std::size_t begin_frame(char type);
  void end_frame(std::size_t begin);
  void flush();
  void pack(Record& record);
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
  std::string last_path_, last_path2_;  // the texts of the last plain look
  std::string lost_;
  std::array<std::uint64_t, kSlots> seen_{};
};

// Values one behind the other, for the file and for the monitor's report to its caller: numbers as
// LEB128, those with a sign zigzag; texts preceded by their length, lists by their count; texts
// that are mostly another one by what they share with that.
class Packer {
 public:
  explicit Packer(std::string* out) : out_(out) {}
  template <typename... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  // Puts a text behind what it shares with `last`, which becomes the text.
  void text_after(std::string& last, const std::string& text) {
    const auto differs = std::mismatch(last.begin(), last.end(), text.begin(), text.end());
    const auto shared = static_cast<std::size_t>(differs.second - text.begin());
    number(shared);
    number(text.size() - shared);
    out_->append(text, shared);
    last.resize(shared);
    last.append(text, shared);
  }
  template <typename... Bool>
  void bits(Bool... bits) {
    unsigned all = 0;
    unsigned at = 0;
    ((all |= unsigned{bits} << at++), ...);
    byte(all);
  }
  template <typename T>
  void byte(T value) {
    out_->push_back(static_cast<char>(value));
  }

 private:
  void number(std::uint64_t value);
  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, std::string>) {
      number(value.size());
      out_->append(value);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      number(value.size());
      for (const std::string& text : value) put(text);
    } else if constexpr (std::is_signed_v<T>) {
      const std::int64_t wide = value;
      number(static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63));
    } else {
      number(static_cast<std::uint64_t>(value));
    }
  }
  std::string* out_;
};

// The same, taken out again. Once something is not there nothing is good any more.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  template <typename... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  // Returns the text, which `last` becomes.
  const std::string& text_after(std::string& last) {
    const std::uint64_t shared = number();
    const std::uint64_t rest = number();
    if (shared > last.size() || rest > static_cast<std::uint64_t>(end_ - at_)) {
      spoil();
      return last;
    }
    last.resize(shared);
    last.append(at_, rest);
    at_ += rest;
    return last;
  }
  template <typename... Bool>
  void bits(Bool&... bits) {
    unsigned all = 0;
    byte(all);
    ((bits = (all & 1u) != 0, all >>= 1), ...);
  }
  template <typename T>
  void byte(T& value) {
    if (at_ == end_) return fail(value);
    value = static_cast<T>(static_cast<unsigned char>(*at_++));
  }
  bool good() const { return good_; }
  bool at_end() const { return at_ == end_; }

 private:
  [[gnu::always_inline]] std::uint64_t number() {
    if (at_ == end_ || static_cast<unsigned char>(*at_) >= 0x80) return long_number();
    return static_cast<unsigned char>(*at_++);
  }
  std::uint64_t long_number();
  void spoil() {
    good_ = false;
    at_ = end_;
  }
  template <typename T>
  void fail(T& value) {
    spoil();
    value = T{};
  }
  template <typename T>
  void get(T& value) {
    const std::uint64_t got = number();
    if constexpr (std::is_same_v<T, std::string>) {
      if (got > static_cast<std::uint64_t>(end_ - at_)) return spoil();
      value.assign(at_, got);
      at_ += got;
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      if (got > kMaxWords) return spoil();
      for (std::uint64_t i = 0; good_ && i < got; ++i) get(value.emplace_back());
    } else if constexpr (std::is_signed_v<T>) {
      value =
          static_cast<T>(static_cast<std::int64_t>(got >> 1) ^ -static_cast<std::int64_t>(got & 1));
    } else {
      value = static_cast<T>(got);
    }
  }
  const char* at_;
  const char* end_;
  bool good_ = true;
};

}  // namespace gittxn::capture

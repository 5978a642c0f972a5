// Numbers, texts and digests as bytes, and back: what codec.h and footprints.h are made of. A
// Writer and a Reader have the same face, so that each thing says its fields once: what the one
// puts, the other takes in the same order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace gittxn::catalogue {

inline constexpr std::size_t kHexOid = 40;
inline constexpr std::size_t kHexDigest = 64;
inline constexpr std::uint64_t kMost = 1ull << 32;  // of places in a file

class Writer {
 public:
  const std::string& bytes() const { return out_; }
  // Each once, in the order of its first use.
  const std::vector<std::string_view>& names() const { return names_; }

  void number(std::uint64_t value, std::uint64_t below = 0);  // seven bits a byte, the lowest first
  // `to` by how far it is from `from`, which is not behind it.
  void distance(std::uint64_t from, std::uint64_t to, std::uint64_t /*below*/) {
    number(to - from);
  }
  void count(int value) { number(static_cast<std::uint64_t>(value) + 1); }
  template <typename T>
  void flag(T value) {
    number(value ? 1 : 0);
  }
  template <typename T>
  void one_of(T value, T /*last*/) {
    number(static_cast<std::uint64_t>(value));
  }
  void text(std::string_view value);
  void name(std::string_view value);  // its place in names()
  // Lower-case hex digits as half as many bytes; an empty one as nothing but its length.
  template <typename Id>
  void hex(const Id& id, std::size_t /*digits*/) {
    put_hex(id.str());
  }
  void hashes(const std::vector<std::uint32_t>& values);  // sorted, each once
  template <typename T>
  void again(const T& /*value*/, const T& /*the_one_before*/) {}
  template <typename T, typename Each>
  void list(const std::vector<T>& values, const Each& each) {
    number(values.size());
    for (const T& value : values) each(*this, value);
  }
  template <typename T, typename Each>
  void shared_list(const std::shared_ptr<const std::vector<T>>& values, const Each& each) {
    list(*values, each);
  }

 private:
  void put_hex(std::string_view hex);

  std::string out_;
  std::vector<std::string_view> names_;
  std::unordered_map<std::string_view, std::size_t> places_;  // in names_
};

// A name of a list, in a Writer and in a Reader.
inline constexpr auto kName = [](auto& io, auto& name) { io.name(name); };

std::unexpected<Error> damaged();  // kCorrupt

// After the first thing that does not fit every answer is empty and ok() false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  std::uint64_t take_number(std::uint64_t below);
  std::size_t take_count() { return take_number(rest_.size() + 1); }  // of things of a byte or more
  std::string_view take_text();
  void take_names();  // what the writer's names() were

  template <typename T>
  void number(T& value, std::uint64_t below) {
    value = static_cast<T>(take_number(below));
  }
  template <typename T>
  void distance(std::uint64_t from, T& to, std::uint64_t below) {
    to = static_cast<T>(from + take_number(below));
  }
  void count(int& value) { value = static_cast<int>(take_number(1u << 30)) - 1; }
  template <typename T>
  void flag(T& value) {
    value = static_cast<T>(take_number(2));
  }
  template <typename T>
  void one_of(T& value, T last) {
    value = static_cast<T>(take_number(static_cast<std::uint64_t>(last) + 1));
  }
  void text(std::string& value) { value = take_text(); }
  void name(std::string& value);
  template <typename Id>
  void hex(Id& id, std::size_t digits) {
    id = Id(take_hex(digits));
  }
  void hashes(std::vector<std::uint32_t>& values);
  template <typename T>
  void again(T& value, const T& the_one_before) {
    value = the_one_before;
  }
  template <typename T, typename Each>
  void list(std::vector<T>& values, const Each& each) {
    for (std::size_t n = take_count(); n > 0 && ok_; --n) each(*this, values.emplace_back());
  }
  template <typename T, typename Each>
  void shared_list(std::shared_ptr<const std::vector<T>>& values, const Each& each) {
    std::vector<T> taken;
    list(taken, each);
    values = std::make_shared<const std::vector<T>>(std::move(taken));
  }

 private:
  std::string take_hex(std::size_t digits);
  std::uint64_t refuse();

  std::string_view rest_;
  std::vector<std::string_view> names_;
  bool ok_ = true;
};

}  // namespace gittxn::catalogue

// Lines of a stream in bounded memory: a line longer than the limit is dropped and counted, and its
// bytes are never held. Pure but for feed_file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gittxn::agents {

class LineSplitter {
 public:
  using OnLine = std::function<void(std::string_view line)>;  // without its end, never empty
  LineSplitter(std::size_t max_line, OnLine on_line);

  void feed(std::string_view bytes);
  void finish();  // a last line without an end is a line; it may be torn
  std::uint64_t too_long() const { return too_long_; }

 private:
  void line(std::string_view text);

  std::size_t max_line_;
  OnLine on_line_;
  std::string held_;  // the beginning of a line, at most max_line_ bytes
  bool dropping_ = false;
  std::uint64_t too_long_ = 0;
};

// Hands out the bytes of a regular file in chunks, as long as `feed` says true. kNotFound,
// kUnsupported for anything that is not a regular file (a pipe would block), kFault. Follows links:
// the caller decides which file is right.
Status feed_file(const std::string& path, const std::function<bool(std::string_view)>& feed);

}  // namespace gittxn::agents

// One structured log, to a sink given by the program (stderr by default off). Never carries
// secrets: callers log names and digests, not contents.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace gittxn {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

using LogField = std::pair<std::string_view, std::string>;

class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view message,
                                  const std::initializer_list<LogField>& fields)>;
  Log() = default;  // drops everything
  explicit Log(Sink sink) : sink_(std::move(sink)) {}
  void write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields = {}) const {
    if (sink_) sink_(level, message, fields);
  }
  void debug(std::string_view m, std::initializer_list<LogField> f = {}) const {
    write(LogLevel::kDebug, m, f);
  }
  void info(std::string_view m, std::initializer_list<LogField> f = {}) const {
    write(LogLevel::kInfo, m, f);
  }
  void warn(std::string_view m, std::initializer_list<LogField> f = {}) const {
    write(LogLevel::kWarn, m, f);
  }

 private:
  Sink sink_;
};

}  // namespace gittxn

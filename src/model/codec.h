// Strict reading of JSON objects for the codecs of model/ and store/.
//
// A Fields object walks one JSON object, remembers the first thing that is wrong and which keys
// were asked for; done() returns that first error, or names a key nobody asked for. So a codec is
// one line a field and one check at the end, and neither a wrong type nor an unknown key is passed
// over. Everything wrong is kCorrupt: "read: field 'kind': unknown value 'glance'".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn {

// Byte strings and their JSON form (base/json.h, encode_path), one by one.
Json texts_to_json(const std::vector<std::string>& texts);

class Fields {
 public:
  Fields(const Json& json, std::string_view what);

  // True when the key is there and not null; an absent key is not an error.
  bool has(const char* key);
  // Demands the key; false when it is null.
  bool given(const char* key);

  // Each of these demands the key and leaves `out` alone when something is wrong.
  void text(const char* key, std::string& out);  // any bytes, as encode_path wrote them
  void texts(const char* key, std::vector<std::string>& out);
  void integer(const char* key, std::int64_t& out);
  void integer(const char* key, int& out);
  void boolean(const char* key, bool& out);
  void oid(const char* key, Oid& out);  // "" or 40 lower-case hex digits
  template <typename Tag>
  void name(const char* key, Name<Tag>& out) {
    std::string value;
    text(key, value);
    out = Name<Tag>(std::move(value));
  }
  template <typename T>
  void choice(const char* key, T& out, Result<T> (*from_name)(std::string_view)) {
    std::string value;
    text(key, value);
    if (error_) return;
    Result<T> parsed = from_name(value);
    if (parsed) {
      out = *parsed;
    } else {
      wrong(key, "unknown value '" + value + "'");
    }
  }
  template <typename T>
  void value(const char* key, T& out, Result<T> (*from_json)(const Json&)) {
    each_of(key, Shape::kOne, [&](const Json& json) { return keep(out, from_json(json)); });
  }
  template <typename T>
  void list(const char* key, std::vector<T>& out, Result<T> (*from_json)(const Json&)) {
    out.clear();
    each_of(key, Shape::kArray, [&](const Json& json) {
      T element;
      Status status = keep(element, from_json(json));
      if (status) out.push_back(std::move(element));
      return status;
    });
  }
  void json(const char* key, Json& out);  // any value, uninterpreted

  // Something is wrong with this key for a reason of the caller's.
  void wrong(const char* key, std::string_view reason);
  Status done();

 private:
  enum class Shape { kOne, kArray };
  template <typename T>
  static Status keep(T& out, Result<T> parsed) {
    if (!parsed) return std::unexpected(std::move(parsed).error());
    out = *std::move(parsed);
    return {};
  }
  const Json* find(const char* key);
  void each_of(const char* key, Shape shape, const std::function<Status(const Json&)>& visit);

  const Json& json_;
  std::string what_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Error> error_;
};

// Calls `visit` for each line of JSON lines; the last line ends with a newline too.
Status each_json_line(std::string_view lines, std::string_view what,
                      const std::function<Status(const Json&)>& visit);

}  // namespace gittxn

// One list of fields for each type: `void fields(FieldIo& io, T& value)`, beside the type, names
// every field once, in order, with its kind. Whoever is `io` makes of it what is wanted: the JSON
// of a value, a value of its JSON, the JSON Schema or the line of a document
// (base/testing/field_schema.inc). So none of them can differ from another.
//
//   void fields(FieldIo& io, Identity& identity) {
//     io.thing("identity");
//     io.text("name", identity.name);
//     io.text("email", identity.email);
//   }
//
// Reading is strict: a field that lacks, has another type, is out of its bounds or is not in the
// list is kCorrupt: "read: field 'kind': unknown value 'glance'". A list runs for every use, so it
// decides nothing by the value but what maybe() and or_null() say.
//
// A list of what is only written (cli/, the outputs of --json) may name values that are constant or
// computed: `void lease_fields(FieldIo& io, const LeaseLine& line)`. Its documents are made of a
// value that says nothing, T{}.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn {

// The name of a field, and what documents say of it beyond that. An element of an array has no key.
struct Field {
  Field(const char* its_key, const char* its_about = "", const char* its_pattern = "")
      : key(its_key), about(its_about), pattern(its_pattern) {}
  const char* key;
  const char* about;
  const char* pattern;  // of a text, for its schema; what reads it checks that itself
};

// A reader refuses what is out of bounds, but for what the state decides about: there they say what
// the documents say, and the rule of the type refuses the rest (kStale, mostly).
struct Bounds {
  enum class By { kReader, kRule };
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  By by = By::kReader;
};
inline constexpr Bounds kNotNegative{.least = 0, .by = Bounds::By::kRule};
inline constexpr Bounds kPositive{.least = 1, .by = Bounds::By::kRule};

class FieldIo;
using FieldList = std::function<void(FieldIo&)>;
// To write, a list only looks at the value.
template <typename T>
void fields_of(FieldIo& io, const T& value) {
  fields(io, const_cast<T&>(value));
}
template <typename T>
FieldList field_list(const T& value) {
  return [&value](FieldIo& io) { fields_of(io, value); };
}

class FieldIo {
 public:
  FieldIo() = default;
  FieldIo(const FieldIo&) = delete;
  FieldIo& operator=(const FieldIo&) = delete;
  virtual ~FieldIo() = default;

  // What this is a list of, in messages and as the name of its schema.
  virtual void thing(std::string_view /*name*/) {}

  void text(const Field& field, std::string& value) { on_text(field, value); }  // any bytes
  void text(const Field& field, std::string_view value) {
    std::string written(value);
    on_text(field, written);
  }
  // Several of them, and several numbers that are not below 0.
  void each_text(std::initializer_list<std::pair<Field, std::string_view>> all) {
    for (const auto& [field, value] : all) text(field, value);
  }
  void each_count(std::initializer_list<std::pair<Field, std::int64_t>> all) {
    for (const auto& [field, value] : all) integer(field, value, kNotNegative);
  }
  // Text that is UTF-8 already and is written as it is, percent signs too.
  virtual void prose(const Field& field, std::string_view value) { text(field, value); }
  template <typename All>
  void texts(const Field& field, All&& values) {
    list_of(field, values, [](FieldIo& io, auto& one) { io.text("", one); });
  }
  void integer(const Field& field, std::int64_t& value, Bounds bounds = {}) {
    on_integer(field, value, bounds);
  }
  void integer(const Field& field, int& value, Bounds bounds = {});
  template <std::integral Number>
  void integer(const Field& field, const Number& value, Bounds bounds = {}) {
    auto written = static_cast<std::int64_t>(value);
    on_integer(field, written, bounds);
  }
  virtual void share(const Field& /*field*/, double /*value*/) {}  // from 0 to 1; only written
  void boolean(const Field& field, bool& value) { on_boolean(field, value); }
  void boolean(const Field& field, const bool& value) {
    bool written = value;
    on_boolean(field, written);
  }
  virtual void yes(const Field& field) { boolean(field, true); }  // that is always true
  void oid(const Field& field, Oid& value);                       // "" or 40 lower-case hex digits
  template <typename Tag>
  void name(const Field& field, Name<Tag>& value) {
    std::string text_of = value.str();
    on_text(field, text_of);
    if (text_of != value.str()) value = Name<Tag>(std::move(text_of));
  }
  // One of the names of a table (model/names.h).
  template <typename E, std::size_t N>
  void choice(const Field& field, E& value,
              const std::array<std::pair<E, std::string_view>, N>& table) {
    std::array<std::string_view, N> words{};
    std::size_t at = N;
    for (std::size_t i = 0; i < N; ++i) {
      words[i] = table[i].second;
      if (table[i].first == value) at = i;
    }
    at = on_word(field, words, at);
    if (at < N && table[at].first != value) value = table[at].first;
  }
  // One that is only written: of the names that `name_of` gives to the values from 0 on, before the
  // first that is "unknown".
  template <typename E>
  void choice(const Field& field, E value, std::string_view (*name_of)(E)) {
    std::vector<std::string_view> words;
    for (int i = 0; name_of(static_cast<E>(i)) != "unknown"; ++i) {
      const std::string_view one = name_of(static_cast<E>(i));
      if (std::ranges::find(words, one) == words.end()) words.push_back(one);
    }
    word(field, name_of(value), words);
  }
  // A text that is one of these.
  template <std::size_t N>
  void word(const Field& field, std::string& value, const std::array<std::string_view, N>& words) {
    std::size_t at = 0;
    while (at < N && words[at] != value) ++at;
    at = on_word(field, words, at);
    if (at < N && words[at] != value) value = words[at];
  }
  void word(const Field& field, std::string_view value, std::span<const std::string_view> words) {
    const auto at = std::ranges::find(words, value) - words.begin();
    on_word(field, words, static_cast<std::size_t>(at));
  }
  void word(const Field& field, std::string_view value,
            std::initializer_list<std::string_view> words) {
    word(field, value, std::span(words.begin(), words.size()));
  }
  // Something with a list of its own, and an array of such.
  template <typename T>
  void value(const Field& field, T& one) {
    on_object(field, field_list(one));
  }
  void group(const Field& field, const FieldList& list) { on_object(field, list); }
  template <typename All>
  void list(const Field& field, All& values, Bounds count = kNotNegative) {
    list_of(field, values, fields_of<typename All::value_type>, count);
  }
  // An array whose elements `each` describes. What is constant or made here is only written.
  template <typename All, typename Each>
  void list_of(const Field& field, All&& values, Each each, Bounds count = kNotNegative) {
    Items items{.count = values.size(), .bounds = count, .resize = {}, .each = {}};
    items.resize = [](std::size_t /*size*/) {};
    if constexpr (std::is_same_v<All, std::remove_cvref_t<All>&>) {
      items.resize = [&values](std::size_t size) {
        values.clear();
        values.resize(size);
      };
    }
    items.each = [&values, &each](FieldIo& io, std::size_t i) {
      if (i < values.size()) return each(io, values[i]);
      typename std::remove_cvref_t<All>::value_type nothing{};
      each(io, nothing);
    };
    on_items(field, items);
  }
  // One of these lists, the others of which are described too. Only written.
  virtual void either(std::size_t which, std::initializer_list<FieldList> lists) {
    lists.begin()[which](*this);
  }
  // Of anything.
  void array(const Field& field, Json& value) { on_any(field, value, Any::kArray); }
  void object(const Field& field, Json& value) { on_any(field, value, Any::kObject); }

  // A field that is there only when it is not empty: `if (io.maybe("why", v)) io.text("why", v);`.
  // Of several keys the others are there when the first is.
  template <typename T>
  bool maybe(std::initializer_list<const char*> keys, const T& value) {
    return on_maybe(keys, value == T{} ? There::kNo : There::kYes);
  }
  template <typename T>
  bool maybe(const char* key, const T& value) {
    return on_maybe({key}, value == T{} ? There::kNo : There::kYes);
  }
  template <typename T>
  bool maybe(const char* key, std::optional<T>& value) {
    if (!on_maybe({key}, value ? There::kYes : There::kNo))
      value.reset();
    else if (!value)
      value.emplace();
    return value.has_value();
  }
  // A field that older programs did not write.
  bool newer(const char* key) { return on_maybe({key}, There::kYes); }
  // A field that is null when there is nothing.
  template <typename T>
  bool or_null(const char* key, std::optional<T>& value) {
    if (!on_null(key, value ? There::kYes : There::kNo))
      value.reset();
    else if (!value)
      value.emplace();
    return value.has_value();
  }

  template <typename T>
  bool or_null(const char* key, const T& value) {
    return on_null(key, value == T{} ? There::kNo : There::kYes);
  }
  // The next three are only written.
  void text_or_null(const Field& field, std::string_view value) {
    if (or_null(field.key, value)) text(field, value);
  }
  void oid_or_null(const Field& field, Oid value) {
    if (or_null(field.key, std::as_const(value))) oid(field, value);
  }
  // null also for what is below its bounds.
  void integer_or_null(const Field& field, std::optional<std::int64_t> value, Bounds bounds = {}) {
    const bool there = value && *value >= bounds.least;
    if (on_null(field.key, there ? There::kYes : There::kNo)) {
      integer(field, value.value_or(0), bounds);
    }
  }

  // Something is wrong with a field that was read, for a reason of the list's. Only reading looks.
  virtual void wrong(const Field& /*field*/, std::string_view /*reason*/) {}
  // Here a field of another list has only these values, is empty, or is never there; what reads it
  // checks that.
  virtual void only(const char* /*key*/, std::span<const std::string_view> /*words*/) {}
  virtual void empty(const char* /*key*/) {}
  virtual void never(const char* /*key*/) {}

 protected:
  enum class There { kNo, kYes };  // what is written
  enum class Any { kArray, kObject };
  struct Items {
    std::size_t count = 0;
    Bounds bounds;
    std::function<void(std::size_t)> resize;
    std::function<void(FieldIo&, std::size_t)> each;
  };
  virtual void on_text(const Field& field, std::string& value) = 0;
  virtual void on_oid(const Field& field, std::string& value) = 0;
  virtual void on_integer(const Field& field, std::int64_t& value, Bounds bounds) = 0;
  virtual void on_boolean(const Field& field, bool& value) = 0;
  // The place of the word; its number when there is none.
  virtual std::size_t on_word(const Field& field, std::span<const std::string_view> words,
                              std::size_t at) = 0;
  virtual void on_object(const Field& field, const FieldList& list) = 0;
  virtual void on_items(const Field& field, const Items& items) = 0;
  virtual void on_any(const Field& field, Json& value, Any kind) = 0;
  virtual bool on_maybe(std::span<const char* const> keys, There there) = 0;
  virtual bool on_null(const char* key, There there) = 0;

 private:
  bool on_maybe(std::initializer_list<const char*> keys, There there) {
    return on_maybe(std::span(keys.begin(), keys.size()), there);
  }
};

Json json_of(const FieldList& list);                // what the list says of its value
std::string canonical_text(const FieldList& list);  // canonical_json of that
// Into the value of the list, from an object that has its fields and no other. The first thing that
// is wrong is the error. `what`: in messages; "" as the list calls itself.
Status read_json(const Json& json, std::string_view what, const FieldList& list);
Status read_text(std::string_view text, std::string_view what, const FieldList& list);

// The JSON of a value of a type that has a list, and the value of such.
template <typename T>
auto to_json(const T& value) {
  return json_of(field_list(value));
}
template <typename T>
Result<T> read_fields(const Json& json, std::string_view what = "") {
  T value{};
  TRY(read_json(json, what, field_list(value)));
  return value;
}

}  // namespace gittxn

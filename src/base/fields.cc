#include "base/fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace gittxn {
namespace {

bool is_object_id(std::string_view text) {
  constexpr std::size_t kDigits = 40;
  return text.empty() || (text.size() == kDigits &&
                          text.find_first_not_of("0123456789abcdef") == std::string_view::npos);
}

// Makes the JSON of what a list names, in the value that it is given.
class FieldWriter final : public FieldIo {
 public:
  explicit FieldWriter(Json& out) : out_(out) {
    if (!out_.is_object()) out_ = Json::object();
  }

  void prose(const Field& field, std::string_view value) override { at(field) = value; }
  void share(const Field& field, double value) override { at(field) = value; }

 private:
  // Of an element it is the whole.
  Json& at(const Field& field) { return *field.key == '\0' ? out_ : out_[field.key]; }

  void on_text(const Field& field, std::string& value) override { at(field) = encode_path(value); }
  void on_oid(const Field& field, std::string& value) override { at(field) = value; }
  void on_integer(const Field& field, std::int64_t& value, Bounds /*bounds*/) override {
    at(field) = value;
  }
  void on_boolean(const Field& field, bool& value) override { at(field) = value; }
  std::size_t on_word(const Field& field, std::span<const std::string_view> words,
                      std::size_t place) override {
    at(field) = place < words.size() ? words[place] : std::string_view("unknown");
    return place;
  }
  void on_object(const Field& field, const FieldList& list) override {
    FieldWriter io(at(field));
    list(io);
  }
  void on_items(const Field& field, const Items& items) override {
    Json array = Json::array();
    for (std::size_t i = 0; i < items.count; ++i) {
      FieldWriter io(array.emplace_back());
      items.each(io, i);
    }
    at(field) = std::move(array);
  }
  void on_any(const Field& field, Json& value, Any /*kind*/) override { at(field) = value; }
  bool on_maybe(std::span<const char* const> /*keys*/, There there) override {
    return there == There::kYes;
  }
  bool on_null(const char* key, There there) override {
    if (there == There::kNo) at(key) = nullptr;
    return there == There::kYes;
  }

  Json& out_;
};

// Reads one JSON object: remembers the first thing that is wrong and which keys were asked for.
class FieldReader final : public FieldIo {
 public:
  explicit FieldReader(const Json& json, std::string_view what = "") : json_(json) {
    if (!what.empty()) thing(what);
  }

  // The first error, or a key that nobody asked for.
  Status done() {
    if (!error_) {
      // What was asked for need not be there, so that the two are of one size says nothing.
      for (const auto& [key, value] : json_.items()) {
        if (std::ranges::find(asked_, key) != asked_.end()) continue;
        wrong(key.c_str(), "unknown field");
        break;
      }
    }
    if (error_) return std::unexpected(*error_);
    return {};
  }

  void thing(std::string_view name) override {
    if (!what_.empty()) return;
    what_ = name;
    if (!json_.is_object()) fail_with(what_ + ": not a JSON object");
  }

  void wrong(const Field& field, std::string_view reason) override {
    std::string message = what_.empty() ? std::string() : what_ + ": ";
    if (*field.key != '\0') message += fmt::format("field '{}': ", field.key);
    fail_with(message.append(reason));
  }

 private:
  void on_text(const Field& field, std::string& value) override {
    const Json* found = find(field);
    if (found == nullptr) return;
    if (!found->is_string()) return wrong(field, "not a string");
    value = decode_path(found->text());
  }

  void on_oid(const Field& field, std::string& value) override {
    std::string text_of;
    on_text(field, text_of);
    if (error_) return;
    if (!is_object_id(text_of)) return wrong(field, "not an object id");
    value = std::move(text_of);
  }

  void on_integer(const Field& field, std::int64_t& value, Bounds bounds) override {
    const Json* found = find(field);
    if (found == nullptr) return;
    if (!found->is_integer()) return wrong(field, "not a whole number");
    const bool too_large = std::holds_alternative<std::uint64_t>(found->variant());
    const std::int64_t number = too_large ? 0 : found->get<std::int64_t>();
    const bool judged = bounds.by == Bounds::By::kReader;
    if (too_large || (judged && (number < bounds.least || number > bounds.most))) {
      return wrong(field, "out of range");
    }
    value = number;
  }

  void on_boolean(const Field& field, bool& value) override {
    const Json* found = find(field);
    if (found == nullptr) return;
    if (!found->is_boolean()) return wrong(field, "not true or false");
    value = found->get<bool>();
  }

  std::size_t on_word(const Field& field, std::span<const std::string_view> words,
                      std::size_t at) override {
    std::string text_of;
    on_text(field, text_of);
    if (error_) return at;
    const auto found = std::ranges::find(words, text_of);
    if (found == words.end()) wrong(field, "unknown value '" + text_of + "'");
    return static_cast<std::size_t>(found - words.begin());
  }

  void on_object(const Field& field, const FieldList& list) override {
    const Json* found = find(field);
    if (found == nullptr) return;
    FieldReader io(*found);
    list(io);
    if (const Status status = io.done(); !status) wrong(field, status.error().message);
  }

  void on_items(const Field& field, const Items& items) override {
    items.resize(0);
    const Json* found = find(field);
    if (found == nullptr) return;
    if (!found->is_array()) return wrong(field, "not an array");
    if (std::cmp_less(found->size(), items.bounds.least)) return wrong(field, "too few elements");
    if (std::cmp_greater(found->size(), items.bounds.most)) {
      return wrong(field, "too many elements");
    }
    items.resize(found->size());
    for (std::size_t i = 0; i < found->size(); ++i) {
      FieldReader io((*found)[i]);
      items.each(io, i);
      const Status status = io.done();
      if (!status) return wrong(field, fmt::format("element {}: {}", i, status.error().message));
    }
  }

  void on_any(const Field& field, Json& value, Any kind) override {
    const Json* found = find(field);
    if (found == nullptr) return;
    const bool fits = kind == Any::kArray ? found->is_array() : found->is_object();
    if (!fits) return wrong(field, kind == Any::kArray ? "not an array" : "not an object");
    value = *found;
  }

  // An absent key, or null, is no error.
  bool on_maybe(std::span<const char* const> keys, There /*there*/) override {
    const char* key = keys.front();
    asked_.emplace_back(key);
    if (error_) return false;
    return !json_[key].is_null();
  }

  bool on_null(const char* key, There /*there*/) override {
    const Json* value = find(key);
    return value != nullptr && !value->is_null();
  }

  const Json* find(const Field& field) {
    if (*field.key == '\0') return error_ ? nullptr : &json_;
    asked_.emplace_back(field.key);
    if (error_) return nullptr;
    const Json* found = json_.find(field.key);
    if (found == nullptr) wrong(field, "missing");
    return found;
  }

  void fail_with(std::string message) {
    if (!error_) error_ = Error{Code::kCorrupt, std::move(message), {}, {}};
  }

  const Json& json_;
  std::string what_;
  std::vector<std::string_view> asked_;
  std::optional<Error> error_;
};

}  // namespace

void FieldIo::integer(const Field& field, int& value, Bounds bounds) {
  constexpr std::int64_t kLeast = std::numeric_limits<int>::min();
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  std::int64_t wide = value;
  on_integer(field, wide, bounds);
  if (wide < kLeast || wide > kMost) return wrong(field, "out of range");
  if (wide != value) value = static_cast<int>(wide);
}

void FieldIo::oid(const Field& field, Oid& value) {
  std::string text_of = value.str();
  on_oid(field, text_of);
  if (text_of != value.str()) value = Oid(std::move(text_of));
}

Json json_of(const FieldList& list) {
  Json out;
  FieldWriter io(out);
  list(io);
  return out;
}

std::string canonical_text(const FieldList& list) {
  return canonical_json(json_of(list));
}

Status read_json(const Json& json, std::string_view what, const FieldList& list) {
  FieldReader io(json, what);
  list(io);
  return io.done();
}

Status read_text(std::string_view text, std::string_view what, const FieldList& list) {
  return read_json(TRY(parse_json(text)), what, list);
}

}  // namespace gittxn

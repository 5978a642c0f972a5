#include "store/testing/field_schema.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace gittxn::store::testing {
namespace {

using Schema = nlohmann::ordered_json;

// The kind of a field as the schema says it; or null, where the list says so.
Schema or_null_too(Schema schema) {
  if (schema.contains("type")) {
    schema["type"] = {schema["type"], "null"};
    return schema;
  }
  Schema either;
  either["anyOf"] = {std::move(schema), {{"type", "null"}}};
  return either;
}

class SchemaMaker final : public FieldIo {
 public:
  explicit SchemaMaker(Schema& definitions) : definitions_(definitions) {}

  void add_to(Schema& schema) const {
    schema["type"] = "object";
    schema["properties"] = properties_;
    schema["required"] = required_;
    schema["additionalProperties"] = false;
  }
  // Of a value in another one: itself, or a reference to what has a name.
  Schema schema() const {
    if (!element_.is_null()) return element_;
    Schema object;
    add_to(object);
    if (name_.empty()) return object;
    definitions_[name_] = std::move(object);
    return {{"$ref", "#/$defs/" + name_}};
  }

  void thing(std::string_view name) override {
    name_ = name;
    std::ranges::replace(name_, ' ', '_');
  }
  void only(const char* key, std::span<const std::string_view> words) override {
    properties_[key] = {{"enum", Schema(words)}};
  }
  void empty(const char* key) override { properties_[key] = {{"type", "array"}, {"maxItems", 0}}; }
  void never(const char* key) override { properties_.erase(key); }

 private:
  void put(const Field& field, Schema schema) {
    if (*field.key == '\0') {
      element_ = std::move(schema);
      return;
    }
    const std::string key = field.key;
    if (std::exchange(null_, "") == key) schema = or_null_too(std::move(schema));
    if (*field.pattern != '\0') schema["pattern"] = field.pattern;
    properties_[key] = std::move(schema);
    if (std::ranges::find(optional_, key) == optional_.end()) required_.push_back(key);
  }
  void on_text(const Field& field, std::string& /*value*/) override {
    put(field, {{"type", "string"}});
  }
  void on_oid(const Field& field, std::string& /*value*/) override {
    put(field, {{"type", "string"}, {"pattern", "^([0-9a-f]{40})?$"}});
  }
  void on_integer(const Field& field, std::int64_t& /*value*/, Bounds bounds) override {
    Schema schema{{"type", "integer"}};
    if (bounds.least != Bounds{}.least) schema["minimum"] = bounds.least;
    if (bounds.most != Bounds{}.most) schema["maximum"] = bounds.most;
    put(field, std::move(schema));
  }
  void on_boolean(const Field& field, bool& /*value*/) override {
    put(field, {{"type", "boolean"}});
  }
  std::size_t on_word(const Field& field, std::span<const std::string_view> words,
                      std::size_t at) override {
    put(field, {{"enum", Schema(words)}});
    return at;
  }
  void on_object(const Field& field, const FieldList& list) override {
    SchemaMaker io(definitions_);
    list(io);
    put(field, io.schema());
  }
  void on_items(const Field& field, const Items& items) override {
    SchemaMaker io(definitions_);
    items.resize(1);
    items.each(io, 0);
    items.resize(0);
    Schema schema{{"type", "array"}, {"items", io.schema()}};
    if (items.bounds.least > 0) schema["minItems"] = items.bounds.least;
    if (items.bounds.most != Bounds{}.most) schema["maxItems"] = items.bounds.most;
    put(field, std::move(schema));
  }
  void on_any(const Field& field, Json& /*value*/, Any kind) override {
    put(field, {{"type", kind == Any::kArray ? "array" : "object"}});
  }
  bool on_maybe(std::span<const char* const> keys, There /*there*/) override {
    optional_.insert(optional_.end(), keys.begin(), keys.end());
    return true;
  }
  bool on_null(const char* key, There /*there*/) override {
    null_ = key;
    return true;
  }

  Schema& definitions_;
  std::string name_;
  Schema element_;
  Schema properties_ = Schema::object();
  Schema required_ = Schema::array();
  std::vector<std::string> optional_;
  std::string null_;
};

// The names of the fields in order, with what the list says of each beside them.
class LineMaker final : public FieldIo {
 public:
  struct Named {
    std::string name;  // with its question mark
    std::string about;
  };
  const std::vector<Named>& fields_named() const { return named_; }
  std::string names() const {
    std::string out;
    for (const Named& one : named_) out += (out.empty() ? "{" : ", ") + one.name;
    return out.empty() ? "" : out + "}";
  }

 private:
  void put(const Field& field, std::string about) {
    if (*field.key == '\0') return;
    const bool optional = std::ranges::find(optional_, field.key) != optional_.end();
    if (*field.about != '\0') about = field.about;
    named_.push_back({std::string(field.key) + (optional ? "?" : ""), std::move(about)});
  }
  void on_text(const Field& field, std::string& /*value*/) override { put(field, ""); }
  void on_oid(const Field& field, std::string& /*value*/) override { put(field, ""); }
  void on_integer(const Field& field, std::int64_t& /*value*/, Bounds /*bounds*/) override {
    put(field, "");
  }
  void on_boolean(const Field& field, bool& /*value*/) override { put(field, ""); }
  std::size_t on_word(const Field& field, std::span<const std::string_view> words,
                      std::size_t at) override {
    std::string about;
    for (const std::string_view word : words) {
      about.append(about.empty() ? "`" : ", `").append(word).append("`");
    }
    put(field, about);
    return at;
  }
  void on_object(const Field& field, const FieldList& list) override {
    LineMaker io;
    list(io);
    put(field, "`" + io.names() + "`");
  }
  void on_items(const Field& field, const Items& items) override {
    LineMaker io;
    items.resize(1);
    items.each(io, 0);
    items.resize(0);
    put(field, io.named_.empty() ? "" : "of `" + io.names() + "`");
  }
  void on_any(const Field& field, Json& /*value*/, Any /*kind*/) override { put(field, ""); }
  bool on_maybe(std::span<const char* const> keys, There /*there*/) override {
    optional_.insert(optional_.end(), keys.begin(), keys.end());
    return true;
  }
  bool on_null(const char* /*key*/, There /*there*/) override { return true; }

  std::vector<Named> named_;
  std::vector<std::string_view> optional_;
};

}  // namespace

std::string schema_file(const SchemaTitle& title, const FieldList& list) {
  Schema definitions = Schema::object();
  SchemaMaker io(definitions);
  list(io);
  Schema schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"$id", title.id},
                {"title", title.title},
                {"description", title.description}};
  io.add_to(schema);
  if (!definitions.empty()) schema["$defs"] = std::move(definitions);
  return schema.dump(2) + "\n";
}

std::string field_line(const FieldList& list) {
  LineMaker io;
  list(io);
  std::string out;
  for (const LineMaker::Named& one : io.fields_named()) {
    if (!out.empty()) out += ", ";
    out += "`" + one.name + "`";
    if (!one.about.empty()) out += " (" + one.about + ")";
  }
  return out;
}

std::string field_names(const FieldList& list) {
  LineMaker io;
  list(io);
  return io.names();
}

}  // namespace gittxn::store::testing

#include "store/testing/json_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "base/json.h"

namespace gittxn::store::testing {
namespace {

class JsonSchema {
 public:
  explicit JsonSchema(const Json& root) : root_(root) {}
  std::string problem(const Json& value) const { return judge(root_, value, ""); }

 private:
  static bool is_type(const std::string& type, const Json& value) {
    if (type == "integer") return value.is_integer();
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    return type == "null" && value.is_null();
  }

  static bool has_type(const Json& types, const Json& value) {
    if (types.is_string()) return is_type(types.text(), value);
    return std::any_of(types.begin(), types.end(),
                       [&](const Json& type) { return is_type(type.text(), value); });
  }

  std::string judge(const Json& schema, const Json& value, const std::string& at) const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string found = apply(schema, keyword, rule, value, at);
      if (!found.empty()) return found;
    }
    return {};
  }

  std::string apply(const Json& schema, const std::string& keyword, const Json& rule,
                    const Json& value, const std::string& at) const {
    static constexpr std::string_view kAnnotations[] = {"$schema", "$id", "$defs", "title",
                                                        "description"};
    if (std::ranges::find(kAnnotations, keyword) != std::end(kAnnotations)) return {};
    const auto wrong = [&](const std::string& why) { return fmt::format("{}: {}", at, why); };
    if (keyword == "type") return has_type(rule, value) ? "" : wrong("is not " + dump_json(rule));
    if (keyword == "enum") {
      return std::find(rule.begin(), rule.end(), value) != rule.end() ? ""
                                                                      : wrong("is not one of them");
    }
    if (keyword == "minimum") {
      return !value.is_number() || value.get<double>() >= rule.get<double>()
                 ? ""
                 : wrong("is too small");
    }
    if (keyword == "maximum") {
      return !value.is_number() || value.get<double>() <= rule.get<double>()
                 ? ""
                 : wrong("is too large");
    }
    if (keyword == "maxItems") {
      return !value.is_array() || value.size() <= rule.get<std::uint64_t>() ? ""
                                                                            : wrong("has too many");
    }
    if (keyword == "minItems") {
      return !value.is_array() || value.size() >= rule.get<std::uint64_t>() ? ""
                                                                            : wrong("has too few");
    }
    if (keyword == "pattern") {
      if (!value.is_string()) return {};
      const std::regex pattern(rule.text());
      return std::regex_search(value.text(), pattern) ? "" : wrong("has another form");
    }
    if (keyword == "$ref") return judge(referred(rule.text()), value, at);
    if (keyword == "anyOf") {
      const bool any = std::any_of(rule.begin(), rule.end(),
                                   [&](const Json& one) { return judge(one, value, at).empty(); });
      return any ? "" : wrong("is none of them");
    }
    if (keyword == "items") return judge_items(rule, value, at);
    return of_object(schema, keyword, rule, value, at);
  }

  std::string of_object(const Json& schema, const std::string& keyword, const Json& rule,
                        const Json& value, const std::string& at) const {
    if (keyword != "required" && keyword != "properties" && keyword != "additionalProperties") {
      return fmt::format("{}: this checker does not know '{}'", at, keyword);
    }
    if (!value.is_object()) return {};
    if (keyword == "required") {
      for (const Json& key : rule) {
        if (!value.contains(key.text())) return at + "/" + key.text() + " lacks";
      }
      return {};
    }
    for (const auto& [key, member] : value.items()) {
      const bool known = schema["properties"].contains(key);
      if (keyword == "additionalProperties" && !known) return at + "/" + key + " is one too many";
      if (keyword != "properties" || !known) continue;
      std::string found = judge(rule[key], member, at + "/" + key);
      if (!found.empty()) return found;
    }
    return {};
  }

  std::string judge_items(const Json& rule, const Json& value, const std::string& at) const {
    if (!value.is_array()) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string found = judge(rule, value[i], fmt::format("{}/{}", at, i));
      if (!found.empty()) return found;
    }
    return {};
  }

  const Json& referred(const std::string& reference) const {
    return root_.at("$defs").at(reference.substr(std::string_view("#/$defs/").size()));
  }

  const Json& root_;
};

}  // namespace

std::string schema_problem(const Json& schema, const Json& value) {
  return JsonSchema(schema).problem(value);
}

}  // namespace gittxn::store::testing

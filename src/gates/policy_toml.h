// Common parts of the readers of .gittxn.toml: values of a document as strict, bounded C++ ones.
// Every error is kUsage and names the line and column. Internal to gates/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/policy.h"

// toml++ is slow to compile; whoever calls these includes it.
namespace toml {
inline namespace v3 {
class array;
class node;
class table;
struct source_region;
}  // namespace v3
}  // namespace toml

namespace gittxn::gates {

namespace policy_toml {

inline constexpr std::size_t kMaxList = 256;
inline constexpr std::size_t kMaxGates = 64;
// What is wrong with a text, as the rest of a sentence (policy_rules.h).
using Problem = std::optional<std::string> (*)(std::string_view);

std::unexpected<Error> bad(const toml::source_region& at, std::string message,
                           std::string hint = {});
// Every key of a table must be one of `known`: a misspelt rule that is silently ignored is no rule.
Status only_known(const toml::table& table, std::string_view where,
                  std::initializer_list<std::string_view> known);
Result<std::string> text_of(const toml::node& node, std::string_view what);
Result<const toml::array*> list_of(const toml::node& node, std::string_view what);
// `hint`: of a text that `problem` finds something in.
Result<std::vector<std::string>> texts_of(const toml::node& node, std::string_view what,
                                          Problem problem = nullptr, std::string_view hint = {});
// "gate 'a b' is not a name"
Status check_name(const toml::source_region& at, std::string_view what, std::string_view name,
                  Problem problem);
// "make test" runs under sh; ["make", "test"] runs as it is.
Result<std::vector<std::string>> command_of(const toml::node& node, std::string_view what);
std::vector<std::string> sorted_once(std::vector<std::string> texts);
Result<std::vector<std::string>> env_of(const toml::node& node);
Result<std::int64_t> timeout_of(const toml::node& node, std::string_view key = "timeout");
struct Range {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
Result<int> number_of(const toml::node& node, std::string_view what, Range range);
Result<bool> flag_of(const toml::node& node, std::string_view what);
// [[name]]: an array whose every member is a table.
Result<std::vector<const toml::table*>> tables_of(const toml::node& node, std::string_view name);
// [name] with no other keys than these.
Result<const toml::table*> section_of(const toml::node& node, std::string_view name,
                                      std::initializer_list<std::string_view> known);
// Sections by their names, at most so many; `form`: how one is written, `what`: what they are.
struct Named {
  std::string_view form, what;
  std::size_t most;
};
Result<const toml::table*> named_tables(const toml::node& node, const Named& named);
// A table that must have the first of its keys; `hint`: how that one is written.
Result<const toml::table*> table_with(const toml::source_region& at, const toml::node& node,
                                      std::string_view where, std::string_view hint,
                                      std::initializer_list<std::string_view> known);

}  // namespace policy_toml

// [[gate]]: policy_gates.cc.
Status read_gates(const toml::node& node, Policy& policy);
// [[quarantine]], likewise; `policy` has its gates.
Status read_quarantine(const toml::node& node, Policy& policy);
// [workflow.NAME]: policy_workflows.cc.
Status read_workflows(const toml::node& node, Policy& policy);

}  // namespace gittxn::gates

// Common parts of the readers of .gittxn.toml: values of a document as strict, bounded C++ ones.
// Every error is kUsage and names the line and column. Internal to gates/.
#pragma once

#include <cstdint>
#include <initializer_list>
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

std::unexpected<Error> bad(const toml::source_region& at, std::string message,
                           std::string hint = {});
// Every key of a table must be one of `known`: a misspelt rule that is silently ignored is no rule.
Status only_known(const toml::table& table, std::string_view where,
                  std::initializer_list<std::string_view> known);
Result<std::string> text_of(const toml::node& node, std::string_view what);
Result<const toml::array*> list_of(const toml::node& node, std::string_view what);
Result<std::vector<std::string>> texts_of(const toml::node& node, std::string_view what);
// "make test" runs under sh; ["make", "test"] runs as it is.
Result<std::vector<std::string>> command_of(const toml::node& node, std::string_view what);
Result<std::vector<std::string>> env_of(const toml::node& node);
Result<std::int64_t> timeout_of(const toml::node& node);
// [[name]]: an array whose every member is a table.
Result<std::vector<const toml::table*>> tables_of(const toml::node& node, std::string_view name);

}  // namespace policy_toml

// [limits]: policy_limits.cc.
Status read_limits(const toml::node& node, Policy& policy);
// [proposals]: policy_proposals.cc.
Status read_proposals(const toml::node& node, Policy& policy);
// [workflow.NAME]: policy_workflows.cc.
Status read_workflows(const toml::node& node, Policy& policy);

}  // namespace gittxn::gates

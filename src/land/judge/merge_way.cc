// The way a file that both sides changed may be merged: what the repository says of it with the
// attribute `merge` (gitattributes(5)), as it stands on the branch.
//
//   unspecified, set, text     by symbols, the default
//   a driver that is this one  the same
//   union                      by lines, both sides' lines one after the other, as git does
//   unset, binary              not at all
//   a driver of its own        not at all: it is a program, and no part of what was certified
//
// A driver without a command is the default, and `merge.default` is what unspecified means.
#include <fmt/format.h>

#include "land/judge/symbols.h"
#include "repo/attributes.h"

namespace gittxn::land {
namespace {

using Kind = MergeWay::Kind;

constexpr std::string_view kOwnDriver[] = {"git txn merge-driver ", "git-txn merge-driver "};

Result<MergeWay> way_of(repo::Config& config, std::string value) {
  if (value == "unspecified") value = TRY(config.get("merge.default")).value_or("set");
  if (value == "set" || value == "text") return MergeWay{};
  if (value == "union") return MergeWay{Kind::kUnion, ""};
  if (value == "unset" || value == "binary") {
    return MergeWay{Kind::kNever, ".gitattributes says that it is not to be merged"};
  }
  const auto command = TRY(config.get(fmt::format("merge.{}.driver", value)));
  if (!command || command->empty()) return MergeWay{};
  for (const std::string_view own : kOwnDriver) {
    if (command->starts_with(own)) return MergeWay{};
  }
  return MergeWay{
      Kind::kNever,
      fmt::format("it has a merge driver of its own, '{}', which is not run here", value)};
}

}  // namespace

Result<std::vector<MergeWay>> merge_ways(const Context& context, const Oid& head,
                                         const std::vector<std::string>& paths) {
  std::vector<MergeWay> ways;
  for (auto& values :
       TRY(repo::attributes_of(*context.repository, head, {"merge"}, paths, *context.random))) {
    ways.push_back(TRY(way_of(context.repository->config(), std::move(values.front()))));
  }
  return ways;
}

}  // namespace gittxn::land

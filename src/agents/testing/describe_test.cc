// The helpers of describe.h; in a test file so that they are no part of the library.
#include "agents/testing/describe.h"

#include <gtest/gtest.h>

#include "base/fs.h"
#include "base/json.h"

namespace gittxn::agents::testing {

namespace {

std::string short_path(std::string path) {
  const std::string root = "/srv/dev/repo/";
  while (path.find(root) != path.npos) path.erase(path.find(root), root.size());
  return path;
}

bool usual(const std::string& key, const Json& value) {
  static const Json values = {{"first", 1},      {"count", 0},           {"via", "tool"},
                              {"exit_code", -1}, {"files_known", false}, {"background", false}};
  if (values.contains(key)) return values[key] == value;
  if (value.is_string()) return value.text().empty();
  return value.is_array() && value.empty();
}

}  // namespace

std::string describe(const Observation& observation) {
  const Json json = to_json(observation);
  std::string line = observation.agent.empty() ? "" : "[" + observation.agent.substr(0, 4) + "] ";
  line += json["kind"].text();
  if (std::holds_alternative<OtherTool>(observation.detail)) line += " " + observation.tool;
  for (const std::string key :
       {"query", "phase",  "pattern", "path",      "root",        "files",      "how",   "first",
        "count", "via",    "text",    "exit_code", "files_known", "background", "url",   "model",
        "input", "output", "id",      "type",      "worktree",    "reason",     "parent"}) {
    if (!json.contains(key) || usual(key, json[key])) continue;
    const Json& value = json[key];
    const bool named = !value.is_string() || key == "via" || key == "parent" || key == "root";
    line += " " + (named ? key + "=" : "");
    line += short_path(value.is_string() ? value.text() : dump_json(value));
  }
  if (observation.outcome != Outcome::kDone) {
    line += " " + std::string(outcome_name(observation.outcome));
  }
  if (observation.source == ReadSource::kDeclared) line += " declared";
  return line;
}

std::vector<std::string> describe(const std::vector<Observation>& observations) {
  std::vector<std::string> lines;
  lines.reserve(observations.size());
  for (const Observation& observation : observations) lines.push_back(describe(observation));
  return lines;
}

std::string fixture(std::string_view name) {
  auto bytes = read_file(join_path(join_path(parent_dir(__FILE__), "fixtures"), name));
  EXPECT_TRUE(bytes) << name;
  return bytes ? *std::move(bytes) : "";
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

}  // namespace gittxn::agents::testing

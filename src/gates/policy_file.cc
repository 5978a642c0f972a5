#include "gates/policy_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/duration.h"
#include "gates/generated.h"
#include "gates/policy_rules.h"
#include "gates/policy_toml.h"

namespace gittxn::gates {
namespace policy_toml {

constexpr std::int64_t kMaxTimeoutMs = 24LL * 3'600'000;

std::unexpected<Error> bad(const toml::source_region& at, std::string message, std::string hint) {
  return fail(Code::kUsage,
              fmt::format("{}:{}:{}: {}", kPolicyPath, at.begin.line, at.begin.column, message),
              std::move(hint));
}

Status only_known(const toml::table& table, std::string_view where,
                  std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    return bad(key.source(), fmt::format("unknown key '{}' in {}", key.str(), where),
               fmt::format("known keys are {}", fmt::join(known, ", ")));
  }
  return {};
}

Result<std::string> text_of(const toml::node& node, std::string_view what) {
  const auto* value = node.as_string();
  if (!value) return bad(node.source(), fmt::format("{} must be a string", what));
  if (value->get().find('\0') != std::string::npos) {
    return bad(node.source(), fmt::format("{} contains a NUL character", what));
  }
  return value->get();
}

Result<const toml::array*> list_of(const toml::node& node, std::string_view what) {
  const auto* list = node.as_array();
  if (!list) return bad(node.source(), fmt::format("{} must be an array", what));
  if (list->size() > kMaxList) {
    return bad(node.source(), fmt::format("{} has more than {} entries", what, kMaxList));
  }
  return list;
}

Result<std::vector<std::string>> texts_of(const toml::node& node, std::string_view what,
                                          Problem problem, std::string_view hint) {
  std::vector<std::string> out;
  for (const auto& item : *TRY(list_of(node, what))) {
    out.push_back(TRY(text_of(item, fmt::format("each entry of {}", what))));
    if (auto why = problem == nullptr ? std::nullopt : problem(out.back())) {
      return bad(item.source(), fmt::format("'{}' in {} {}", out.back(), what, *why),
                 std::string(hint));
    }
  }
  return out;
}

Status check_name(const toml::source_region& at, std::string_view what, std::string_view name,
                  Problem problem) {
  const auto why = problem(name);
  if (!why) return {};
  return bad(at, fmt::format("{} '{}' {}", what, name, *why),
             "use letters, digits, '.', '_' and '-', at most 64 of them");
}

Result<std::vector<std::string>> command_of(const toml::node& node, std::string_view what) {
  if (node.is_string()) {
    std::string line = TRY(text_of(node, what));
    if (line.find_first_not_of(" \t\n") == std::string::npos) {
      return bad(node.source(), fmt::format("{} is empty", what));
    }
    return std::vector<std::string>{"sh", "-c", std::move(line)};
  }
  if (!node.is_array()) {
    return bad(node.source(), fmt::format("{} must be a string or an array of strings", what));
  }
  std::vector<std::string> argv = TRY(texts_of(node, what));
  if (argv.empty() || argv[0].empty()) {
    return bad(node.source(), fmt::format("{} names no program", what));
  }
  return argv;
}

Result<bool> flag_of(const toml::node& node, std::string_view what) {
  if (const auto value = node.value_exact<bool>()) return *value;
  return bad(node.source(), fmt::format("{} must be true or false", what));
}

Result<std::vector<std::string>> paths_of(const toml::node& node, std::string_view what) {
  auto paths =
      TRY(texts_of(node, what, path_problem,
                   "write a path inside the repository, such as \".env\" or \"node_modules\""));
  for (std::string& path : paths) {
    while (path.ends_with('/')) path.pop_back();
  }
  return paths;
}

std::vector<std::string> sorted_once(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  texts.erase(std::ranges::unique(texts).begin(), texts.end());
  return texts;
}

Result<std::vector<std::string>> env_of(const toml::node& node) {
  return sorted_once(TRY(texts_of(node, "env", env_name_problem,
                                  "write the name of an environment variable, such as \"CI\"")));
}

Result<std::int64_t> timeout_of(const toml::node& node, std::string_view key) {
  auto ms = parse_duration_ms(TRY(text_of(node, key)));
  if (!ms) {
    return bad(node.source(), fmt::format("{}: {}", key, ms.error().message), ms.error().hint);
  }
  if (*ms <= 0 || *ms > kMaxTimeoutMs) {
    return bad(node.source(), fmt::format("{} must be more than 0 and at most 24h", key));
  }
  return *ms;
}

Result<std::vector<const toml::table*>> tables_of(const toml::node& node, std::string_view name) {
  std::vector<const toml::table*> out;
  const auto* list = node.as_array();
  if (!list) return bad(node.source(), fmt::format("write [[{0}]] with two brackets", name));
  for (const auto& item : *list) {
    const auto* table = item.as_table();
    if (!table) return bad(item.source(), fmt::format("each [[{}]] must be a table", name));
    out.push_back(table);
  }
  return out;
}

Result<const toml::table*> section_of(const toml::node& node, std::string_view name,
                                      std::initializer_list<std::string_view> known) {
  const auto* table = node.as_table();
  if (!table) return bad(node.source(), fmt::format("write [{}] as a table", name));
  TRY(only_known(*table, fmt::format("[{}]", name), known));
  return table;
}

Result<const toml::table*> named_tables(const toml::node& node, const Named& named) {
  const auto* tables = node.as_table();
  if (!tables) return bad(node.source(), fmt::format("write [{}]", named.form));
  if (tables->size() <= named.most) return tables;
  return bad(node.source(), fmt::format("more than {} {}", named.most, named.what));
}

Result<const toml::table*> table_with(const toml::source_region& at, const toml::node& node,
                                      std::string_view where, std::string_view hint,
                                      std::initializer_list<std::string_view> known) {
  const auto* table = node.as_table();
  if (!table || !table->contains(*known.begin())) {
    return bad(at, fmt::format("{} needs {}", where, *known.begin()), std::string(hint));
  }
  TRY(only_known(*table, where, known));
  return table;
}

Result<int> number_of(const toml::node& node, std::string_view what, Range range) {
  const auto value = node.value_exact<std::int64_t>();
  if (value && *value >= range.least && *value <= range.most) return static_cast<int>(*value);
  return bad(node.source(),
             fmt::format("{} must be a number from {} to {}", what, range.least, range.most));
}

}  // namespace policy_toml

namespace {

using namespace policy_toml;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kMaxBytes = 1u << 20;
constexpr std::size_t kMaxGlobs = 1024;  // of all generated files

// [[question]]: whose status is the answer.
Status read_questions(const toml::node& node, Policy& policy) {
  for (const auto* table : TRY(tables_of(node, "question"))) {
    TRY(only_known(*table, "[[question]]", {"match", "answer"}));
    const auto* match = table->get("match");
    const auto* answer = table->get("answer");
    if (match == nullptr || answer == nullptr) {
      return bad(table->source(), "a question needs both match and answer",
                 "write match = \"./check\" and answer = \"status\"");
    }
    if (TRY(text_of(*answer, "answer")) != "status") {
      return bad(answer->source(), "answer must be \"status\"");
    }
    policy.questions.push_back({TRY(command_of(*match, "match"))});
    if (policy.questions.size() > kMaxList) {
      return bad(table->source(), fmt::format("more than {} questions", kMaxList));
    }
  }
  return {};
}

Result<std::pair<int, int>> ports_of(const toml::node& node) {
  const auto* list = node.as_array();
  auto number = [&](std::size_t i) { return list->get(i)->value_exact<std::int64_t>(); };
  if (!list || list->size() != 2 || !number(0) || !number(1)) {
    return bad(node.source(), "ports must be two numbers", "write ports = [3000, 3999]");
  }
  std::int64_t first = *number(0), last = *number(1);
  if (first < 1024 || last > 65535 || first > last) {
    return bad(node.source(), "ports must lie between 1024 and 65535, the lower one first");
  }
  return std::pair<int, int>(static_cast<int>(first), static_cast<int>(last));
}

Status read_worktree(const toml::node& node, Policy& policy) {
  const auto* table = TRY(section_of(node, "worktree", {"copy", "share", "run", "ports"}));
  if (const auto* copy = table->get("copy")) policy.worktree.copy = TRY(paths_of(*copy, "copy"));
  if (const auto* share = table->get("share"))
    policy.worktree.share = TRY(paths_of(*share, "share"));
  if (const auto* run = table->get("run")) {
    for (const auto& item : *TRY(list_of(*run, "run"))) {
      policy.worktree.run.push_back(TRY(command_of(item, "each entry of run")));
    }
  }
  if (const auto* ports = table->get("ports")) policy.worktree.ports = TRY(ports_of(*ports));
  return {};
}

Result<Isolation> level_of(const toml::node& node, std::string_view what) {
  std::string text = TRY(text_of(node, what));
  auto level = isolation_from_name(text);
  if (!level) {
    return bad(node.source(), fmt::format("{}: unknown isolation level '{}'", what, text),
               "the levels are read-committed, snapshot, semantic, serializable and strict");
  }
  return *level;
}

Status read_rules(const toml::node& node, Policy& policy) {
  for (const auto* table : TRY(tables_of(node, "rule"))) {
    TRY(only_known(*table, "[[rule]]", {"path", "isolation"}));
    const auto* path = table->get("path");
    const auto* level = table->get("isolation");
    if (!path || !level) {
      return bad(table->source(), "a [[rule]] needs path and isolation",
                 "write path = \"src/auth/\" and isolation = \"strict\"");
    }
    PathRule rule;
    rule.prefix = TRY(text_of(*path, "path"));
    // The empty path is the whole repository.
    if (auto why = rule.prefix.empty() ? std::nullopt : path_problem(rule.prefix)) {
      return bad(path->source(), fmt::format("path '{}' {}", rule.prefix, *why));
    }
    rule.isolation = TRY(level_of(*level, "isolation"));
    policy.rules.push_back(std::move(rule));
    if (policy.rules.size() > kMaxList) {
      return bad(table->source(), fmt::format("more than {} rules", kMaxList));
    }
  }
  return {};
}

// Directories whose names were read by whoever was shown them.
Status read_listings(const toml::node& node, Policy& policy) {
  const Problem problem = [](std::string_view path) {
    return path.empty() ? std::nullopt : path_problem(path);
  };
  policy.listings = sorted_once(TRY(texts_of(
      node, "listings", problem, "write the path of a directory, such as \"migrations/\"")));
  return {};
}

// Rules by which a landing may mend; none in an empty list.
Status read_mend(const toml::node& node, Policy& policy) {
  const Problem problem = [](std::string_view rule) -> std::optional<std::string> {
    if (rule == "rename" || rule == "rerere") return std::nullopt;
    return "is nothing that can be mended";
  };
  const auto rules = TRY(texts_of(node, "mend", problem, "write \"rename\" or \"rerere\""));
  policy.mend.rename = std::ranges::find(rules, "rename") != rules.end();
  policy.mend.rerere = std::ranges::find(rules, "rerere") != rules.end();
  return {};
}

// One of these words.
template <typename Value>
Result<Value> word_of(const toml::node& node, std::string_view key,
                      std::initializer_list<std::pair<std::string_view, Value>> words) {
  const std::string text = TRY(text_of(node, key));
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    known.push_back(fmt::format("\"{}\"", word));
  }
  return bad(node.source(), fmt::format("{} '{}' is not known", key, text),
             fmt::format("write {}", fmt::join(known, " or ")));
}

Status read_queue(const toml::node& node, Policy& policy) {
  const auto* table = TRY(section_of(node, "queue", {"patience"}));
  const auto* patience = table->get("patience");
  if (patience == nullptr) return {};
  const std::string text = TRY(text_of(*patience, "patience"));
  const auto ms = parse_duration_ms(text);
  if (!ms || *ms > kMaxTimeoutMs) {
    return bad(patience->source(), fmt::format("patience '{}' is not a duration", text),
               "write \"10m\", at most \"24h\", or \"0s\" for none");
  }
  policy.patience_ms = *ms;
  return {};
}

Status read_isolation(const toml::node& node, Policy& policy) {
  const auto* table = TRY(section_of(node, "isolation", {"default"}));
  if (const auto* level = table->get("default")) {
    policy.default_isolation = TRY(level_of(*level, "default"));
  }
  return {};
}

Result<GeneratedFile> generated_of(const toml::key& key, const toml::node& node) {
  GeneratedFile file;
  file.artifact = std::string(key.str());
  const std::string where = fmt::format("[generated.\"{}\"]", file.artifact);
  if (auto why = path_problem(file.artifact)) {
    return bad(key.source(), fmt::format("'{}' in [generated] {}", file.artifact, *why),
               "write the path of a file, or of a directory with a slash behind it");
  }
  const auto* table =
      TRY(table_with(key.source(), node, where, "write from = [\"src/routes/**\"]", {"from"}));
  const toml::node& from = *table->get("from");
  file.from =
      sorted_once(TRY(texts_of(from, "from", glob_problem,
                               "write a path inside the repository, such as \"src/routes/**\"")));
  if (file.from.empty()) return bad(from.source(), fmt::format("{} is made from nothing", where));
  return file;
}

// [generated."path"]: what it is made from.
Status read_generated(const toml::node& node, Policy& policy) {
  const auto* tables =
      TRY(named_tables(node, {"generated.\"path of the file\"", "generated files", kMaxList}));
  std::size_t globs = 0;
  for (const auto& [key, value] : *tables) {
    policy.generated.push_back(TRY(generated_of(key, value)));
    globs += policy.generated.back().from.size();
    if (globs > kMaxGlobs) return bad(key.source(), fmt::format("more than {} globs", kMaxGlobs));
  }
  std::ranges::sort(policy.generated, {}, &GeneratedFile::artifact);
  if (auto why = generated_problem(policy)) return bad(node.source(), *why);
  return {};
}

Result<HandlerSpec> handler_of(const toml::key& key, const toml::node& node) {
  HandlerSpec handler;
  handler.type = std::string(key.str());
  const std::string where = fmt::format("[on.\"{}\"]", handler.type);
  if (auto why = handled_type_problem(handler.type)) {
    return bad(key.source(), fmt::format("'{}' in [on] {}", handler.type, *why),
               "git txn version --events lists the types");
  }
  const auto* table = TRY(table_with(key.source(), node, where, "write run = \"./tell-me\"",
                                     {"run", "timeout", "name"}));
  handler.command = TRY(command_of(*table->get("run"), "run"));
  if (const auto* limit = table->get("timeout")) handler.timeout_ms = TRY(timeout_of(*limit));
  handler.name = handler.type;
  if (const auto* name = table->get("name")) handler.name = TRY(text_of(*name, "name"));
  TRY(check_name(key.source(), "handler name", handler.name, gate_name_problem));
  return handler;
}

// [on."type"]: what is run when it happens.
Status read_handlers(const toml::node& node, Policy& policy) {
  const auto* tables =
      TRY(named_tables(node, {"on.\"transaction.landed\"", "handlers", kMaxGates}));
  for (const auto& [key, value] : *tables) {
    HandlerSpec handler = TRY(handler_of(key, value));
    for (const HandlerSpec& other : policy.handlers) {
      if (other.name != handler.name) continue;
      return bad(key.source(), fmt::format("handler '{}' is defined twice", handler.name));
    }
    policy.handlers.push_back(std::move(handler));
  }
  std::ranges::sort(policy.handlers, {}, &HandlerSpec::name);
  return {};
}

// [limits]: how many transactions there may be at a time.
Status read_limits(const toml::node& node, Policy& policy) {
  constexpr Range kAtOnce{1, 100'000}, kDepth{0, 16};
  const auto* table = TRY(section_of(node, "limits", {"concurrent", "per_owner", "depth"}));
  Limits& limits = policy.limits;
  for (auto& [key, limit] :
       {std::pair("concurrent", &limits.concurrent), std::pair("per_owner", &limits.per_owner)}) {
    if (const auto* at = table->get(key)) *limit = TRY(number_of(*at, key, kAtOnce));
  }
  if (const auto* at = table->get("depth")) limits.depth = TRY(number_of(*at, "depth", kDepth));
  return {};
}

// Thousandths of a number from 0 to 1 that has no more than three digits behind the point.
Result<int> thousandths_of(const toml::node& node, std::string_view what) {
  constexpr int kThousand = 1000;
  constexpr double kNoise = 1e-6;  // 0.29 * 1000 is 290 and a little less
  const auto value = node.value<double>();
  const double scaled = value && node.is_number() ? *value * kThousand : -1;
  const double whole = std::round(scaled);
  if (scaled >= 0 && scaled <= kThousand && std::abs(scaled - whole) < kNoise) {
    return static_cast<int>(whole);
  }
  return bad(node.source(),
             fmt::format(
                 "{} must be a number from 0 to 1, of at most three digits behind the point", what),
             fmt::format("write {} = 0.8", what));
}

// [proposals]: what may become of a proposal by its score, and what counts as the same.
Status read_proposals(const toml::node& node, Policy& policy) {
  const auto* table =
      TRY(section_of(node, "proposals", {"start", "person", "log", "same_text", "same_embedding"}));
  ProposalRules& rules = policy.proposals;
  for (auto& [key, rule] : {std::pair("start", &rules.start), std::pair("person", &rules.person),
                            std::pair("log", &rules.log), std::pair("same_text", &rules.same_text),
                            std::pair("same_embedding", &rules.same_embedding)}) {
    const toml::node* at = table->get(key);
    if (at == nullptr) continue;
    const bool never = rule == &rules.start && at->value_exact<std::string>() == "never";
    *rule = never ? ProposalRules::kNever : TRY(thousandths_of(*at, key));
  }
  if (rules.log > rules.person || rules.person > rules.start) {
    return bad(table->source(),
               "start, person and log are not in order: what may start by itself has the highest "
               "score, what is discarded the lowest",
               "the defaults are start = 0.8, person = 0.5 and log = 0.3");
  }
  if (rules.same_text == 0 || rules.same_embedding == 0) {
    return bad(table->source(), "with same_text or same_embedding 0 every proposal is the same");
  }
  return {};
}

Result<Policy> read_policy(const toml::table& root) {
  TRY(only_known(root, "the file",
                 {"gate", "worktree", "rule", "isolation", "generated", "workflow", "limits", "on",
                  "proposals", "question", "listings", "quarantine", "mend", "queue", "rejudge",
                  "first_write"}));
  Policy policy;
  if (const auto* node = root.get("gate")) TRY(read_gates(*node, policy));
  if (const auto* node = root.get("worktree")) TRY(read_worktree(*node, policy));
  if (const auto* node = root.get("rule")) TRY(read_rules(*node, policy));
  if (const auto* node = root.get("isolation")) TRY(read_isolation(*node, policy));
  if (const auto* node = root.get("generated")) TRY(read_generated(*node, policy));
  if (const auto* node = root.get("limits")) TRY(read_limits(*node, policy));
  if (const auto* node = root.get("workflow")) TRY(read_workflows(*node, policy));
  if (const auto* node = root.get("on")) TRY(read_handlers(*node, policy));
  if (const auto* node = root.get("proposals")) TRY(read_proposals(*node, policy));
  if (const auto* node = root.get("question")) TRY(read_questions(*node, policy));
  if (const auto* node = root.get("listings")) TRY(read_listings(*node, policy));
  if (const auto* node = root.get("quarantine")) TRY(read_quarantine(*node, policy));
  if (const auto* node = root.get("mend")) TRY(read_mend(*node, policy));
  if (const auto* node = root.get("queue")) TRY(read_queue(*node, policy));
  if (const auto* node = root.get("rejudge")) {
    policy.rejudge = TRY(word_of<bool>(*node, "rejudge", {{"allow", true}, {"deny", false}}));
  }
  if (const auto* node = root.get("first_write")) {
    using enum FirstWrite;
    policy.first_write = TRY(word_of<FirstWrite>(
        *node, "first_write", {{"advise", kAdvise}, {"deny", kDeny}, {"ignore", kIgnore}}));
  }
  seal_policy(policy);
  return policy;
}

}  // namespace

Result<Policy> parse_policy(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return fail(Code::kUsage, fmt::format("{} is larger than 1 MiB", kPolicyPath),
                "a policy names commands; put their text into scripts of the repository");
  }
  try {
    return read_policy(toml::parse(text));
  } catch (const toml::parse_error& e) {
    return bad(e.source(), fmt::format("not valid TOML: {}", e.description()),
               "docs/formats/policy.md shows every key");
  } catch (const std::exception& e) {
    return fail(Code::kFault, fmt::format("reading {}: {}", kPolicyPath, e.what()));
  }
}

}  // namespace gittxn::gates

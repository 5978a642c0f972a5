// summary add, show, list, check, remove.
#include <fmt/format.h>

#include <functional>

#include "api/kernel.h"
#include "api/work.h"
#include "base/fs.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

bool is_inside(const Session& session) {
  return !variable(session.host.env, "GIT_TXN_OBSERVED").empty();
}

void summary_fields(FieldIo& io, const api::SummaryLine& line) {
  const Summary& one = line.summary;
  io.each_text({{"name", one.name}, {"digest", line.digest.str()}});
  io.integer("bytes", one.bytes, kNotNegative);
  io.each_text({{"made_by", one.made_by}, {"time", line.time}});
  io.integer("sources", one.sources.size(), kNotNegative);
}

void judged_summary_fields(FieldIo& io, const api::SummaryLine& line) {
  summary_fields(io, line);
  io.boolean("holds", !line.stale);
  if (!io.or_null("stale", line.stale.has_value())) return;
  io.group("stale", [&](FieldIo& stale) {
    const auto found = line.stale ? *line.stale : land::StaleSource();
    stale.each_text(
        {{"source", found.source.subject}, {"digest", found.source.digest}, {"now", found.now}});
  });
}

constexpr Printed<api::SummaryLine> kSummaryJson{
    "summary", "A summary, and whether what it was made from still is so. One a line.",
    judged_summary_fields};

constexpr Printed<api::ShownSummary> kSummaryTextJson{
    "summary-text",
    "A summary, whether what it was made from still is so, and its text: null when it is stale and "
    "was not asked for with --stale.",
    [](FieldIo& io, const api::ShownSummary& shown) {
      judged_summary_fields(io, shown.line);
      if (io.or_null("text", shown.text)) io.text("text", shown.text.value_or(""));
    }};

// The line of one that was stored, or the name of one that will be.
using Added = std::variant<api::SummaryLine, std::string>;
constexpr Printed<Added> kSummaryAddedJson{
    "summary-added", "A summary that was stored; inside a transaction, that it will be.",
    [](FieldIo& io, const Added& added) {
      io.either(added.index(), {[&](FieldIo& stored) {
                                  const auto* line = std::get_if<api::SummaryLine>(&added);
                                  summary_fields(stored, line ? *line : api::SummaryLine());
                                },
                                [&](FieldIo& asked) {
                                  const auto* name = std::get_if<std::string>(&added);
                                  asked.text("name", name ? *name : std::string());
                                  asked.yes("pending");
                                }});
    }};

constexpr Printed<std::string> kSummaryRemovedJson{"summary-removed", "A summary that was removed.",
                                                   removed_fields};

std::string summary_text(const api::SummaryLine& line) {
  std::string state = "holds";
  if (line.stale) {
    const std::string& source = line.stale->source.subject;
    state = fmt::format("stale: {} changed", source.empty() ? "." : clean(source));
  }
  const Summary& one = line.summary;
  return fmt::format("{}  {}, {}, by {}  {}\n", clean(one.name),
                     counted(one.sources.size(), "source"), counted(one.bytes, "byte"),
                     clean(one.made_by), state);
}

Result<int> summary_add(Session& session) {
  const std::vector<std::string>& words = session.args.operands;
  api::SummaryRequest request;
  request.name = words[0];
  auto text = read_file(join_path(session.host.cwd, words[1]), kMaxSummaryBytes);
  if (!text) {
    return fail(Code::kUsage, fmt::format("'{}': {}", words[1], text.error().message),
                "name a file with the summary, of at most 1 MiB");
  }
  request.text = *std::move(text);
  request.paths.assign(words.begin() + 2, words.end());
  request.reads_of = session.flag("--reads-of");
  request.onto = session.flag("--onto");
  if (is_inside(session)) {
    TRY(api::request_summary(session.host, request));
    return session.done(kSummaryAddedJson(request.name),
                        "it is stored when this transaction has landed\n");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const api::SummaryLine line = TRY(api::add_summary(kernel, request));
  return session.done(kSummaryAddedJson(line),
                      fmt::format("stored '{}', made from {}\n", clean(line.summary.name),
                                  counted(line.summary.sources.size(), "source")));
}

Result<int> summary_show(Session& session, api::Kernel& kernel) {
  const std::string& name = session.args.operands[0];
  using enum api::IfStale;
  const auto if_stale = session.args.has("--stale") ? kShow : kRefuse;
  const auto shown = TRY(api::summary(kernel, name, session.flag("--onto"), if_stale));
  const std::string stale = shown.line.stale ? shown.line.stale->source.subject : "";
  const std::string source = stale.empty() ? "something" : "'" + clean(stale) + "'";
  if (!shown.text && !session.json()) {
    return fail(
        Code::kStale,
        fmt::format("the summary '{}' is stale: {} changed since it was made", name, source),
        is_inside(session)
            ? "look at what it was made from; --stale shows it, and nothing vouches for it"
            : "store it again with git txn summary add; --stale shows it all the same");
  }
  const std::string warning =
      !shown.line.stale ? "" : fmt::format("[stale: {} changed since this was made]\n", source);
  session.show(kSummaryTextJson(shown), warning + shown.text.value_or(""));
  return shown.text ? kExitDone : kExitNo;
}

Result<int> summary_remove(Session& session, api::Kernel& kernel) {
  const std::string& name = session.args.operands[0];
  TRY(api::remove_summary(kernel, name));
  return session.done(kSummaryRemovedJson(name), fmt::format("removed '{}'\n", clean(name)));
}

enum class Only { kAll, kStale };
template <Only kOnly>
Result<int> list_summaries(Session& session) {
  if (is_inside(session)) {
    // Judging looks at everything they were made from, and would be a read of all of it.
    return fail(Code::kRefused, "summaries are judged outside of transactions",
                "git txn summary show NAME shows one, and whether it holds is judged at the end");
  }
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  auto lines = TRY(api::summaries(kernel, session.flag("--onto"), session.args.operands));
  if (kOnly == Only::kStale) std::erase_if(lines, [](const auto& line) { return !line.stale; });
  session.list(lines, kSummaryJson, summary_text);
  return kOnly == Only::kStale && !lines.empty() ? kExitNo : kExitDone;
}

constexpr FlagSpec kSummaryOnto{
    "--onto", "BRANCH",
    "the branch it is made from and judged on (default: the branch that is checked out)",
    Value::kBranch};
constexpr OperandSpec kSummaryName{"NAME",        Value::kText, 1, 1, "the name of a summary",
                                   "summary list"};

const CommandSpec kSummaryCommand{
    .name = "summary",
    .summary = "keep texts with what they were made from",
    .description =
        "add NAME FILE PATH... stores the text of FILE with the digests of the files and "
        "directories it was made from, as they are on the branch. Whoever shows it inside a "
        "transaction depends on all of them: the transaction does not land when one has changed. "
        "Inside a transaction add without PATH means all that the transaction reads and changes, "
        "and the summary is stored when it has landed.\n\nshow NAME prints the text while all that "
        "it was made from is as it was: on the branch, or inside a transaction in its snapshot. Of "
        "a stale one it says what changed and exits with 1; with --stale it prints it all the "
        "same, and that is no read that is certified. list names the summaries, check the stale "
        "ones; check exits with 1 when there are any. remove NAME forgets one; who was shown it "
        "still depends on its sources.",
    .group = Group::kAgents,
    .subcommands = {
        {.name = "summary add",
         .summary = "store a text with the digests of what it was made from",
         .effect = Effect::kWritesInside,
         .handler = summary_add,
         .operands = {{"NAME", Value::kText, 1, 1, "a name"},
                      {"FILE", Value::kFile, 1, 1, "a file with the text"},
                      {"PATH", Value::kFile, 0, 999}},
         .flags = {{"--reads-of", "ID", "it was made from all that this transaction read",
                    Value::kTxn},
                   kSummaryOnto},
         .examples = {{"git txn summary add 'overview of src' notes.md src README",
                       "made from src and README"}},
         .outputs = {{kSummaryAddedJson}}},
        {.name = "summary show",
         .summary = "print a summary, while it is not stale",
         .handler = summary_show,
         .operands = {kSummaryName},
         .flags = {{"--stale", "", "also one that is stale, with a line that says so"},
                   kSummaryOnto},
         .examples = {{"git txn summary show 'overview of src'",
                       "its text; a transaction that asks depends on src and README"}},
         .outputs = {{kSummaryTextJson}}},
        {.name = "summary list",
         .summary = "list the summaries, and whether each holds",
         .handler = list_summaries<Only::kAll>,
         .operands = {{"NAME", Value::kText, 0, 1000}},
         .flags = {kSummaryOnto},
         .examples = {{"git txn summary list", "each with what it was made from"}},
         .outputs = {{kSummaryJson, "", Lines::kMany}}},
        {.name = "summary check",
         .summary = "list the stale ones; exit 1 when there are any",
         .handler = list_summaries<Only::kStale>,
         .operands = {{"NAME", Value::kText, 0, 1000}},
         .flags = {kSummaryOnto},
         .examples = {{"git txn summary check",
                       "which ones are stale, and what changed; exit 1 when there are"}},
         .outputs = {{kSummaryJson, "", Lines::kMany}}},
        {.name = "summary remove",
         .summary = "forget a summary",
         .effect = Effect::kWritesInside,
         .handler = summary_remove,
         .operands = {kSummaryName},
         .flags = {kSummaryOnto},
         .examples = {{"git txn summary remove 'overview of src'",
                       "who was shown it still depends on its sources"}},
         .outputs = {{kSummaryRemovedJson}}}}};

}  // namespace

std::vector<CommandSpec> summary_commands() {
  return {kSummaryCommand};
}

}  // namespace gittxn::cli

// propose, promote; proposals list, show, dismiss, link.
#include <fmt/format.h>

#include <algorithm>

#include "api/work.h"
#include "base/fs.h"
#include "cli/command_areas.h"
#include "cli/json_out.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

using store::Proposal;
using store::score_text;
using store::Tier;

constexpr std::size_t kTextShown = 72;
constexpr int kStandardInput = 0;

double share_of(int score) {
  return static_cast<double>(score) / store::kMaxScore;
}

void proposal_fields(FieldIo& io, const Proposal& one) {
  io.text({"id", "", "^p-[0-9]+$"}, one.id);
  io.choice("state", one.state, store::proposal_state_name);
  io.text("text", one.text);
  io.share("score", share_of(one.score));
  io.text_or_null("source", one.source);
  io.text("actor", one.actor);
  io.text_or_null({"txn", "The transaction that it was proposed in."}, one.txn.str());
  io.text({"made", "When."}, one.made);
  io.integer({"repeats", "How often the same was refused."}, one.repeats, kNotNegative);
  io.share("best_score", share_of(one.best_score));
  io.text_or_null({"by", "Who said yes or no."}, one.by);
  if (io.or_null("yes", one.yes)) io.choice("yes", one.yes.value_or(store::Yes{}), store::yes_name);
  io.text_or_null("reason", one.reason);
  io.texts("became", one.became);
  io.text_or_null({"branch", "Whose policy judges it; null: made by an older program."},
                  one.branch.str());
  io.text_or_null({"again", "The promoted one that it says again."}, one.again);
}

void backlog_fields(FieldIo& io, const api::ProposalLine& line) {
  proposal_fields(io, line.proposal);
  io.choice("tier", line.tier, store::tier_name);
}

void repeat_fields(FieldIo& io, const store::Likeness& repeat) {
  io.text("id", repeat.id);
  io.choice("by", repeat.by, store::likeness_name);
  io.share("likeness", share_of(repeat.likeness));
}

bool is_kept(const store::ProposalAnswer& answer) {
  return !answer.repeat && answer.tier != Tier::kDiscard;
}

constexpr Printed<Proposal> kProposalChangedJson{
    "proposal-changed", "A proposal that was dismissed or linked.", proposal_fields};

constexpr Printed<api::ProposalLine> kProposalJson{
    "proposal", "Work that was proposed, and who may begin it by the policy of now.",
    backlog_fields};

constexpr Printed<api::ProposalReport> kProposalShownJson{
    "proposal-shown", "A proposal with what happened to it.",
    [](FieldIo& io, const api::ProposalReport& report) {
      backlog_fields(io, report.line);
      io.texts("history", report.history);
    }};

constexpr Printed<store::ProposalAnswer> kProposedJson{
    "proposed", "What became of proposing something.",
    [](FieldIo& io, const store::ProposalAnswer& answer) {
      io.boolean("kept", is_kept(answer));
      io.choice("tier", answer.tier, store::tier_name);
      if (io.or_null("repeat", answer.repeat.has_value())) {
        io.group({"repeat", "The one that says the same."}, [&](FieldIo& repeat) {
          repeat_fields(repeat, answer.repeat.value_or(store::Likeness{}));
        });
      }
      io.group("proposal", [&](FieldIo& one) { proposal_fields(one, answer.proposal); });
    }};

constexpr Printed<store::PromoteAnswer> kPromotedJson{
    "promoted", "Whether a proposal was promoted.",
    [](FieldIo& io, const store::PromoteAnswer& answer) {
      io.boolean("promoted", answer.promoted);
      io.choice("tier", answer.tier, store::tier_name);
      io.group("proposal", [&](FieldIo& one) { proposal_fields(one, answer.proposal); });
    }};

struct TierWords {
  std::string_view in_list, needs;
};
constexpr TierWords kTierWords[] = {
    // in the order of Tier
    {"discarded",
     "was discarded: git txn promote {} --override --reason TEXT begins it all the same"},
    {"logged", "is only kept: git txn promote {} --override --reason TEXT begins it"},
    {"needs a person", "needs a person: git txn promote {} --approve"},
    {"may start", "may start by itself: git txn promote {}"}};
const TierWords& words_of(Tier tier) {
  return kTierWords[static_cast<std::size_t>(tier)];
}

// What was discarded stays so, whatever the policy says by now.
std::string what_it_needs(const Proposal& one, Tier tier) {
  const bool discarded = one.state == Proposal::State::kDiscarded;
  return fmt::format(fmt::runtime(words_of(discarded ? Tier::kDiscard : tier).needs), one.id);
}

std::string state_words(const Proposal& one, Tier tier) {
  return std::string(one.state == Proposal::State::kOpen ? words_of(tier).in_list
                                                         : proposal_state_name(one.state));
}

std::string short_text(const Proposal& one) {
  return cut(clean(one.text), kTextShown);
}

std::string backlog_text(const api::ProposalLine& line) {
  const Proposal& one = line.proposal;
  return fmt::format("{}  {}  {}  {}{}\n", padded(one.id, 6), padded(score_text(one.score), 5),
                     padded(state_words(one, line.tier), 14), short_text(one),
                     one.repeats == 0 ? "" : fmt::format("  (+{})", one.repeats));
}

Result<int> proposals_list(Session& session, api::Kernel& kernel) {
  std::vector<api::ProposalLine> lines = TRY(list_proposals(kernel));
  std::size_t hidden = 0;
  if (!session.args.has("--all")) {
    hidden = std::erase_if(lines, [](const api::ProposalLine& line) {
      return line.proposal.state != Proposal::State::kOpen;
    });
    std::ranges::stable_sort(lines, std::ranges::greater(),
                             [](const api::ProposalLine& line) { return line.proposal.score; });
  }
  const std::string none = hidden == 0
                               ? "nothing is proposed; begin with: git txn propose TEXT --score S\n"
                               : fmt::format(
                                     "nothing waits; git txn proposals --all lists the {} that {} "
                                     "promoted, dismissed or discarded\n",
                                     hidden, hidden == 1 ? "was" : "were");
  return session.list(lines, kProposalJson, backlog_text, none);
}

std::string show_text(const api::ProposalReport& report, const Style& style) {
  const Proposal& one = report.line.proposal;
  std::string out = fmt::format("{} {}  {}\n", style.paint(Colour::kBold, one.id),
                                score_text(one.score), state_words(one, report.line.tier));
  out += "  " + clean(one.text) + "\n";
  const auto say = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) out += fmt::format("  {} {}\n", padded(name, 8), clean(text));
  };
  say("by", one.actor);
  say("source", one.source);
  say("inside", one.txn.str());
  say("branch", one.branch.str());
  say("as was", one.again);
  if (one.repeats > 0) {
    say("again", fmt::format("{}, at best with {}", counted(one.repeats, "time"),
                             score_text(one.best_score)));
  }
  for (const std::string& became : one.became) say("became", became);
  for (const std::string& line : report.history) out += "  " + clean(line) + "\n";
  if (one.state == Proposal::State::kOpen) {
    out += fmt::format("it {}\n", what_it_needs(one, report.line.tier));
  }
  return out;
}

Result<int> proposals_show(Session& session, api::Kernel& kernel) {
  const api::ProposalReport report = TRY(show_proposal(kernel, session.id()));
  return session.show(kProposalShownJson(report), show_text(report, session.style));
}

Result<int> proposals_dismiss(Session& session, api::Kernel& kernel) {
  store::DismissRequest request;
  request.id = session.id();
  request.reason = session.text_of("--reason");
  request.actor = session.text_of("--actor");
  const Proposal one = TRY(dismiss_proposal(kernel, request));
  return session.done(kProposalChangedJson(one),
                      fmt::format("{} is dismissed: {}\n", one.id, short_text(one)));
}

Result<int> proposals_link(Session& session, api::Kernel& kernel) {
  const std::string& became = session.args.operands[1];
  const Proposal one = TRY(link_proposal(kernel, session.id(), became, session.text_of("--actor")));
  return session.done(kProposalChangedJson(one),
                      fmt::format("{} became {}\n", one.id, clean(became)));
}

Result<std::optional<std::string>> embedding_of(const Session& session) {
  const auto file = session.flag("--embedding");
  if (!file) return std::optional<std::string>();
  auto text = *file == "-"
                  ? read_fd(kStandardInput, store::kMaxEmbeddingBytes)
                  : read_file(join_path(session.host.cwd, *file), store::kMaxEmbeddingBytes);
  if (text) return std::optional<std::string>(*std::move(text));
  return fail(Code::kUsage, fmt::format("--embedding '{}': {}", clean(*file), text.error().message),
              "name a file with a JSON array of numbers, of at most 256 KiB");
}

Result<int> propose_command(Session& session) {
  store::ProposalRequest request;
  request.text = session.args.operands.at(0);
  const auto embedding = TRY(embedding_of(session));
  request.source = session.text_of("--source");
  request.actor = session.text_of("--actor");
  request.again = session.args.has("--again");
  request.key = session.text_of("--key");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  request.score = TRY(store::parse_score(session.text_of("--score")));
  if (embedding) request.embedding = TRY(store::parse_embedding(*embedding));
  const store::ProposalAnswer answer = TRY(api::propose(kernel, request, session.flag("--onto")));
  const Proposal& one = answer.proposal;
  if (!answer.repeat) {
    session.made(kProposedJson(answer), one.id,
                 fmt::format("{} ({}) {}\n", one.id, score_text(one.score),
                             what_it_needs(one, answer.tier)));
    return is_kept(answer) ? kExitDone : kExitNo;
  }
  const std::string_view by = likeness_name(answer.repeat->by);
  std::string text = fmt::format("not proposed: {} ({}) says the same ({} {}): {}\n", one.id,
                                 proposal_state_name(one.state), by,
                                 score_text(answer.repeat->likeness), short_text(one));
  if (one.state == Proposal::State::kPromoted) {
    text += "where it came back since: git txn propose --again\n";
  }
  session.show(kProposedJson(answer), text);
  return kExitNo;
}

Result<int> promote_command(Session& session) {
  store::PromoteRequest request;
  request.id = session.args.operands.at(0);
  const bool approve = session.args.has("--approve");
  const bool override_it = session.args.has("--override");
  if (approve && override_it) {
    return fail(Code::kUsage, "--override says yes already", "leave --approve out");
  }
  if (approve) request.yes = store::Yes::kPerson;
  if (override_it) request.yes = store::Yes::kOverride;
  request.reason = session.text_of("--reason");
  request.became = session.text_of("--became");
  request.actor = session.text_of("--actor");
  api::Kernel kernel = TRY(api::Kernel::open(session.host));
  const store::PromoteAnswer answer = TRY(promote_proposal(kernel, request));
  const Proposal& one = answer.proposal;
  const FieldList json = kPromotedJson(answer);
  if (answer.promoted) {
    return session.done(json, fmt::format("{} is promoted: {}\n", one.id, short_text(one)));
  }
  session.show(json, fmt::format("not promoted: {} ({}) {}\n", one.id, score_text(one.score),
                                 what_it_needs(one, answer.tier)));
  return kExitNo;
}

constexpr OperandSpec kProposalId{"PROPOSAL", Value::kText,           1,
                                  1,          "the id of a proposal", "proposals"};

const CommandSpec kProposeCommand{
    .name = "propose",
    .summary = "propose work for the backlog, with how sure you are of it",
    .description =
        "The score decides who may begin it: from 0.8 on anybody, from 0.5 on a person, from 0.3 "
        "on it is only kept, and below that it is discarded, which is on record. [proposals] of "
        ".gittxn.toml has other boundaries.\n\nWhat says the same as a proposal that is there "
        "already is refused and linked to that one (exit 1), whatever became of it; --again "
        "proposes anew what was promoted. Further digits of a score are cut off, not rounded.",
    .group = Group::kBacklog,
    .effect = Effect::kWritesInside,
    .handler = propose_command,
    .operands = {{"TEXT"}},
    .flags = {{"--key", "KEY", "when it was proposed under this key before, give that one back"},
              needed({"--score", "S", "how sure you are that it is worth doing, from 0 to 1"}),
              {"--embedding", "FILE",
               "what a model makes of the text, to find others that mean the same: a JSON array of "
               "numbers; - is standard input",
               Value::kFile},
              {"--source", "NAME", "where it is from: a scanner, a URL, an agent"},
              {"--again", "", "although the same was promoted once: it came back"},
              kActor,
              {"--onto", "BRANCH",
               "the branch that it is of, whose policy says what its score allows (default: the "
               "one checked out, or the transaction's, where no other can be named)",
               Value::kBranch}},
    .examples = {{"git txn propose 'parse() leaks when the file is empty' --score 0.85",
                  "anybody may begin this"},
                 {"git txn propose 'split the config module' --score 0.6 --source review-bot",
                  "this waits for a person"}},
    .outputs = {{kProposedJson}}};

const CommandSpec kPromoteCommand{
    .name = "promote",
    .summary = "take a proposal from the backlog, where its score allows it",
    .description =
        "Without an option it asks for what may start by itself, so a script may call it for every "
        "proposal: what it may not begin it cannot (exit 1), and that is on record. A yes of a "
        "person is --approve; git-txn takes your word for who you are, except that nothing inside "
        "of a transaction, a handler or a gate is a person. --override begins anything for a "
        "reason.\n\nPromoting starts nothing by itself: [on.\"proposal.promoted\"] of .gittxn.toml "
        "runs a command.",
    .group = Group::kBacklog,
    .effect = Effect::kWritesInside,
    .handler = promote_command,
    .operands = {kProposalId},
    .flags = {{"--approve", "", "a person says yes to it"},
              {"--override", "", "a person says yes whatever its score; needs --reason"},
              {"--reason", "TEXT", "of an override: why; for the record"},
              {"--became", "NAME",
               "what it leads to: txn:ID, workflow:ID, or any other name, such as a URL"},
              kActor},
    .examples = {{"git txn promote p-12",
                  "begin what may start by itself (exit 1 when it may not)"},
                 {"git txn promote p-14 --approve --became workflow:w-auth", "a person says yes"},
                 {"git txn promote p-9 --override --reason 'a customer asked for it'",
                  "whatever its score; who and why is on record"}},
    .outputs = {{kPromotedJson}}};

const CommandSpec kProposalsCommand{
    .name = "proposals",
    .summary = "list the backlog of proposals, and dismiss them",
    .description =
        "list shows what is open, by score, with who may begin it by the policy that its branch "
        "has now. show tells everything about one; link notes what came of one that was promoted. "
        "dismiss says no, for a reason; it is refused inside of a transaction, a handler or a "
        "gate.",
    .group = Group::kBacklog,
    .subcommands =
        {{.name = "proposals list",
          .summary = "list what is open, by score, with who may begin it",
          .handler = proposals_list,
          .flags = {{"--all", "", "those that were promoted, dismissed or discarded too"}},
          .examples = {{"git txn proposals", "what waits, the surest first"}},
          .outputs = {{kProposalJson, "", Lines::kMany}}},
         {.name = "proposals show",
          .summary = "show all of one, and what happened to it",
          .handler = proposals_show,
          .operands = {{"ID", Value::kText, 1, 1, "the id of a proposal", "proposals"}},
          .examples = {{"git txn proposals show p-12", "all of it, and what happened to it"}},
          .outputs = {{kProposalShownJson}}},
         {.name = "proposals dismiss",
          .summary = "say no to one, for a reason",
          .effect = Effect::kWritesInside,
          .handler = proposals_dismiss,
          .operands = {{"ID", Value::kText, 1, 1, "the id of a proposal", "proposals"}},
          .flags = {{"--reason", "TEXT", "why; for the record"}, kActor},
          .examples = {{"git txn proposals dismiss p-12 --reason 'works as designed'",
                        "no; the same is refused from now on"}},
          .outputs = {{kProposalChangedJson}}},
         {.name = "proposals link",
          .summary = "note what came of one that was promoted",
          .effect = Effect::kWritesInside,
          .handler = proposals_link,
          .operands = {{"ID", Value::kText, 1, 1, "the id of a proposal", "proposals"},
                       {"NAME", Value::kText, 1, 1,
                        "the NAME of what it became, such as txn:ID, workflow:ID or a URL"}},
          .flags = {kActor},
          .examples = {{"git txn proposals link p-14 txn:t-7k2m",
                        "what came of one that was promoted"}},
          .outputs = {{kProposalChangedJson}}}},
    .otherwise = "list"};

}  // namespace

std::vector<CommandSpec> proposal_commands() {
  return {kProposeCommand, kPromoteCommand, kProposalsCommand};
}

}  // namespace gittxn::cli

// The table of proposals, and what events do to it: see proposals.h. Deciding is in
// proposal_moves.cc.
#include "store/work/proposals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/bug.h"
#include "base/hash.h"
#include "base/json.h"
#include "model/names.h"
#include "store/area.h"
#include "store/rows.h"

namespace gittxn {

static void fields(FieldIo& io, ProposalRules& rules) {
  constexpr Bounds kBound{.least = 0, .most = ProposalRules::kNever};
  io.thing("bounds");
  io.integer("start", rules.start, kBound);
  io.integer("person", rules.person, kBound);
  io.integer("log", rules.log, kBound);
  if (rules.log > rules.person || rules.person > rules.start) {
    io.wrong("log", "the bounds are not in order");
  }
}

}  // namespace gittxn

namespace gittxn::store {
namespace {

using State = Proposal::State;

constexpr NameTable<Tier, 4> kTierNames{{{Tier::kDiscard, "discard"},
                                         {Tier::kLog, "log"},
                                         {Tier::kPerson, "person"},
                                         {Tier::kStart, "start"}}};
constexpr NameTable<Yes, 3> kYesNames{
    {{Yes::kItself, "itself"}, {Yes::kPerson, "person"}, {Yes::kOverride, "override"}}};
constexpr NameTable<State, 4> kStateNames{{{State::kOpen, "open"},
                                           {State::kPromoted, "promoted"},
                                           {State::kDismissed, "dismissed"},
                                           {State::kDiscarded, "discarded"}}};
constexpr NameTable<Likeness::By, 2> kByNames{
    {{Likeness::By::kText, "text"}, {Likeness::By::kEmbedding, "embedding"}}};

constexpr Bounds kScores{.least = 0, .most = kMaxScore};

void proposal_text(FieldIo& io, const Field& field, std::string& text) {
  io.text(field, text);
  if (text.size() > kMaxProposal) io.wrong(field, "longer than 4096 bytes");
}

}  // namespace

// What older programs did not say is not there when there is nothing to say, so that the rows of
// their events stay the same bytes.
static void fields(FieldIo& io, Proposal& proposal) {
  io.thing("proposal");
  io.text("id", proposal.id);
  io.choice("state", proposal.state, kStateNames);
  io.text("text", proposal.text);
  io.integer("score", proposal.score);
  io.text("source", proposal.source);
  io.text("actor", proposal.actor);
  io.name("txn", proposal.txn);
  io.text("made", proposal.made);
  io.integer("repeats", proposal.repeats);
  io.integer("best_score", proposal.best_score);
  io.text("by", proposal.by);
  if (io.or_null("yes", proposal.yes)) io.choice("yes", *proposal.yes, kYesNames);
  io.text("reason", proposal.reason);
  io.texts("became", proposal.became);
  if (io.maybe("branch", proposal.branch)) io.name("branch", proposal.branch);
  if (io.maybe("again", proposal.again)) io.text("again", proposal.again);
}

static void fields(FieldIo& io, DismissRequest& request) {
  proposal_text(io, {"reason", "not empty"}, request.reason);
  proposal_text(io, "actor", request.actor);
}

static void fields(FieldIo& io, LinkRequest& request) {
  proposal_text(io, {"became", "`txn:ID`, `workflow:ID` or any name"}, request.became);
  proposal_text(io, "actor", request.actor);
  io.name("txn", request.txn);
}

namespace events {
static void fields(FieldIo& io, Promotion& promotion) {
  io.value("bounds", promotion.rules);
  io.choice({"yes", "`itself`: nobody needed to say it; `person`, `override`"}, promotion.yes,
            kYesNames);
  proposal_text(io, {"reason", "of an override, not empty"}, promotion.reason);
  proposal_text(io, {"became", "\"\" not known"}, promotion.became);
  proposal_text(io, "actor", promotion.actor);
  io.name({"txn", "\"\" unless `itself`"}, promotion.txn);
}
}  // namespace events

namespace {

struct ProposalMade {
  ProposalRequest request;
  ProposalRules rules;
  std::string again;
};
void fields(FieldIo& io, ProposalMade& made) {
  ProposalRequest& request = made.request;
  constexpr Bounds kComponent{.least = -kMaxComponent, .most = kMaxComponent};
  constexpr Bounds kDimensions{.least = 0, .most = kMaxDimensions};
  const auto component = [=](FieldIo& each, int& one) { each.integer("", one, kComponent); };
  proposal_text(io, {"text", "at most 4096 bytes"}, request.text);
  io.integer({"score", "thousandths"}, request.score, kScores);
  io.list_of({"embedding",
              "integers up to ±32767, the largest component scaled to that; none: it has none"},
             request.embedding, component, kDimensions);
  proposal_text(io, "source", request.source);
  proposal_text(io, "actor", request.actor);
  io.name({"txn", "inside of which, \"\" none"}, request.txn);
  io.value({"bounds",
            "`start`, `person`, `log`: the boundaries that held, thousandths; `start` "
            "1001: never"},
           made.rules);
  if (io.maybe("branch", request.branch)) {
    io.name({"branch", "whose policy judges it; events of older programs do not have it"},
            request.branch);
  }
  if (io.maybe("again", made.again)) {
    proposal_text(
        io, {"again", "the promoted one that it says again; only there when it does", "^p-[0-9]+$"},
        made.again);
  }
}

struct ProposalRepeated {
  Likeness likeness;
  ProposalRequest request;
};
void fields(FieldIo& io, ProposalRepeated& repeated) {
  ProposalRequest& request = repeated.request;
  io.choice("by", repeated.likeness.by, kByNames);
  io.integer({"likeness", "thousandths"}, repeated.likeness.likeness, kScores);
  io.integer("score", request.score, kScores);
  proposal_text(io, "text", request.text);
  proposal_text(io, "source", request.source);
  proposal_text(io, "actor", request.actor);
  io.name("txn", request.txn);
}

// "p-12" is the row 12; 0: nothing is called that.
Seq number_of(std::string_view id) {
  Seq number = 0;
  if (!id.starts_with("p-") || id.size() > 20) return 0;
  for (const char c : id.substr(2)) {
    if (c < '0' || c > '9') return 0;
    number = number * 10 + (c - '0');
  }
  return id == fmt::format("p-{}", number) ? number : 0;
}

Result<std::optional<Proposal>> load_proposal(const db::Database& database, std::string_view id) {
  return database.first(body_of<Proposal>(), "SELECT body FROM proposals WHERE number = ?",
                        number_of(id));
}

Result<Proposal> known_proposal(const db::Database& database, const Event& event) {
  std::optional<Proposal> proposal = TRY(load_proposal(database, event.subject));
  if (!proposal) return stale(event, "there is no such proposal");
  return *std::move(proposal);
}

Status save_proposal(db::Database& database, const Proposal& proposal) {
  return database.run("UPDATE proposals SET state = ?, body = ? WHERE number = ?",
                      proposal_state_name(proposal.state), canonical_text(field_list(proposal)),
                      number_of(proposal.id));
}

Status made(db::Database& database, const Event& event, const ProposalMade& made) {
  const ProposalRequest& asked = made.request;
  Proposal proposal;
  proposal.text = asked.text;
  proposal.score = asked.score;
  proposal.source = asked.source;
  proposal.actor = asked.actor;
  proposal.txn = asked.txn;
  proposal.branch = asked.branch;
  proposal.again = made.again;
  proposal.id = event.subject;
  proposal.made = event.time;
  proposal.best_score = proposal.score;
  const bool discarded = tier_of(proposal.score, made.rules) == Tier::kDiscard;
  proposal.state = discarded ? State::kDiscarded : State::kOpen;
  if (number_of(proposal.id) != event.seq) return stale(event, "that is not its number");
  if (proposal.text.empty()) return fail(Code::kCorrupt, event.type + ": it says nothing");
  return insert_row(database, "proposals", "number, state, body, embedding", event.seq,
                    proposal_state_name(proposal.state), canonical_text(field_list(proposal)),
                    fmt::format("{}", fmt::join(asked.embedding, " ")));
}

Status repeated(db::Database& database, const Event& event, const ProposalRepeated& again) {
  Proposal proposal = TRY(known_proposal(database, event));
  ++proposal.repeats;
  proposal.best_score = std::max(proposal.best_score, again.request.score);
  return save_proposal(database, proposal);
}

Status refused(db::Database& database, const Event& event, const events::Promotion&) {
  TRY(known_proposal(database, event));
  return {};
}

Status promoted(db::Database& database, const Event& event, const events::Promotion& promotion) {
  Proposal proposal = TRY(known_proposal(database, event));
  const bool overrides = promotion.yes == Yes::kOverride;
  if (overrides && promotion.reason.empty()) {
    return fail(Code::kCorrupt, event.type + ": it gives no reason");
  }
  if (promotion.yes != Yes::kItself && !promotion.txn.empty()) {
    return stale(event, "a transaction is not a person");
  }
  if (proposal.state == State::kPromoted) return stale(event, "it was promoted");
  if (proposal.state != State::kOpen && !overrides) {
    return stale(event, fmt::format("it was {}", proposal_state_name(proposal.state)));
  }
  const Tier tier = tier_of(proposal.score, promotion.rules);
  if (!may_start(tier, promotion.yes)) {
    return stale(event, fmt::format("a score of {} does not allow it", score_text(proposal.score)));
  }
  proposal.state = State::kPromoted;
  proposal.by = promotion.actor;
  proposal.yes = promotion.yes;
  proposal.reason = promotion.reason;
  if (!promotion.became.empty()) proposal.became.push_back(promotion.became);
  return save_proposal(database, proposal);
}

Status dismissed(db::Database& database, const Event& event, const DismissRequest& told) {
  if (told.reason.empty()) return fail(Code::kCorrupt, event.type + ": it gives no reason");
  Proposal proposal = TRY(known_proposal(database, event));
  if (proposal.state != State::kOpen) {
    return stale(event, fmt::format("it was {}", proposal_state_name(proposal.state)));
  }
  proposal.state = State::kDismissed;
  proposal.by = told.actor;
  proposal.reason = told.reason;
  return save_proposal(database, proposal);
}

Status linked(db::Database& database, const Event& event, const LinkRequest& told) {
  if (told.became.empty()) return fail(Code::kCorrupt, event.type + ": it names nothing");
  Proposal proposal = TRY(known_proposal(database, event));
  if (proposal.state != State::kPromoted) return stale(event, "it was not promoted");
  proposal.became.push_back(told.became);
  return save_proposal(database, proposal);
}

std::string told_score(const Json& payload) {
  const Json& score = payload["score"];
  return score.is_integer() ? score_text(score.get<int>()) : "?";
}
std::string tell_made(const Json& payload) {
  return fmt::format("proposed with {}{}", told_score(payload),
                     filled_in("{again?, as * was:}: {text}", payload));
}
std::string tell_repeated(const Json& payload) {
  return fmt::format("proposed again with {}, by {}", told_score(payload),
                     filled_in("{actor}{:text}", payload));
}

constexpr std::string_view kProposalSql = R"sql(
CREATE TABLE proposals (
  number    INTEGER PRIMARY KEY,
  state     TEXT    NOT NULL,
  body      TEXT    NOT NULL,
  embedding TEXT    NOT NULL
) STRICT;
)sql";

constexpr ProjectionTable kProposalTables[] = {{"proposals", "number"}};

constexpr const char* kOfProposal = "the proposal, `p-SEQ`";
constexpr EventRule kProposalRules[] = {
    {event_type::kProposalMade,
     {"Work that somebody proposes. Score and boundaries are in thousandths, an embedding "
      "is scaled to its largest component.",
      kOfProposal, "its number is its own `seq`",
      "open, or discarded when its score is below `log`"},
     accepts<made>,
     tell_made},
    {event_type::kProposalRepeated,
     {"Somebody proposed what says the same, which was refused. Likeness is in "
      "thousandths.",
      kOfProposal, "there is that proposal; each such once"},
     accepts<repeated>,
     tell_repeated},
    {event_type::kProposalRefused,
     {"A promotion that the boundaries do not allow.", kOfProposal,
      "there is that proposal; each such once"},
     accepts<refused>,
     "promotion by {actor} refused: outside its tier"},
    {event_type::kProposalPromoted,
     {"Somebody began what was proposed.", kOfProposal,
      "its score allows it by these `bounds`, or `override`; open, or with `override` "
      "anything but promoted",
      "promoted"},
     accepts<promoted>,
     "promoted by {actor} ({yes}){:reason}"},
    {event_type::kProposalDismissed,
     {"A person said no.", kOfProposal, "open", "dismissed"},
     accepts<dismissed>,
     "dismissed by {actor}{:reason}"},
    {event_type::kProposalLinked,
     {"What came of a proposal that was promoted.", kOfProposal, "promoted"},
     accepts<linked>,
     "became {became}"},
};

}  // namespace

const Area kProposals{kProposalSql, kProposalTables, kProposalRules};

std::string_view tier_name(Tier tier) {
  return name_in(kTierNames, tier);
}
std::string_view yes_name(Yes yes) {
  return name_in(kYesNames, yes);
}
std::string_view proposal_state_name(State state) {
  return name_in(kStateNames, state);
}
std::string_view likeness_name(Likeness::By by) {
  return name_in(kByNames, by);
}

Tier tier_of(int score, const ProposalRules& rules) {
  if (score >= rules.start) return Tier::kStart;
  if (score >= rules.person) return Tier::kPerson;
  return score >= rules.log ? Tier::kLog : Tier::kDiscard;
}

bool may_start(Tier tier, Yes yes) {
  if (INJECTED_BUG("proposal.no_tiers")) return true;
  if (yes == Yes::kOverride) return true;
  return tier == Tier::kStart || (tier == Tier::kPerson && yes == Yes::kPerson);
}

Result<std::optional<Proposal>> proposal(const View& view, std::string_view id) {
  return load_proposal(view.tables(), id);
}

Result<std::vector<Proposal>> proposals(const View& view) {
  return view.tables().all(body_of<Proposal>(), "SELECT body FROM proposals ORDER BY number DESC");
}

namespace events {

NewEvent proposal_made(const std::string& id, const ProposalRequest& request,
                       const ProposalRules& rules, const std::string& again) {
  return event_with(event_type::kProposalMade, id, ProposalMade{request, rules, again},
                    request.key.empty() ? "" : "proposal:key:" + encode_path(request.key));
}

// The same words from the same place are one repeat, so that a loop does not fill the log.
NewEvent proposal_repeated(const Likeness& likeness, const ProposalRequest& request) {
  NewEvent event =
      event_with(event_type::kProposalRepeated, likeness.id, ProposalRepeated{likeness, request});
  event.dedup_key =
      fmt::format("proposal:{}:repeated:{}", likeness.id, sha256(event.payload).str());
  return event;
}

NewEvent proposal_refused(const Promotion& asked) {
  NewEvent event = event_with(event_type::kProposalRefused, asked.id, asked);
  event.dedup_key = fmt::format("proposal:{}:refused:{}", asked.id, sha256(event.payload).str());
  return event;
}

NewEvent proposal_promoted(const Promotion& promotion) {
  return event_with(event_type::kProposalPromoted, promotion.id, promotion);
}

NewEvent proposal_dismissed(const DismissRequest& request) {
  return event_with(event_type::kProposalDismissed, request.id, request);
}

NewEvent proposal_linked(const LinkRequest& request) {
  return event_with(event_type::kProposalLinked, request.id, request);
}

}  // namespace events
}  // namespace gittxn::store

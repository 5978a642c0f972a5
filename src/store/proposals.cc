// The table of proposals, and what events do to it: see proposals.h. Deciding is in
// proposal_moves.cc.
#include "store/proposals.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/bug.h"
#include "base/hash.h"
#include "base/json_value.h"
#include "model/codec.h"
#include "model/names.h"
#include "store/area.h"

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

Result<Yes> yes_of(std::string_view name) {
  return value_in(kYesNames, "yes", name);
}
Result<State> proposal_state_of(std::string_view name) {
  return value_in(kStateNames, "state", name);
}
Result<Likeness::By> by_of(std::string_view name) {
  return value_in(kByNames, "likeness", name);
}

Result<ProposalRules> bounds_from_json(const Json& json) {
  Fields fields(json, "bounds");
  ProposalRules rules;
  fields.integer("start", rules.start);
  fields.integer("person", rules.person);
  fields.integer("log", rules.log);
  TRY(fields.done());
  const bool ordered = 0 <= rules.log && rules.log <= rules.person && rules.person <= rules.start &&
                       rules.start <= ProposalRules::kNever;
  if (!ordered) return fail(Code::kCorrupt, "bounds: they are not in order");
  return rules;
}

Json bounds_to_json(const ProposalRules& rules) {
  return Json{{"start", rules.start}, {"person", rules.person}, {"log", rules.log}};
}

Result<int> component_from_json(const Json& json) {
  const bool fits = json.is_number_integer() && json >= -kMaxComponent && json <= kMaxComponent;
  if (!fits) return fail(Code::kCorrupt, "a component of an embedding is out of bounds");
  return json.get<int>();
}

void score_of(Fields& fields, int& score) {
  fields.integer("score", score);
  if (score < 0 || score > kMaxScore) fields.wrong("score", "out of bounds");
}

void text_of(Fields& fields, const char* key, std::string& text) {
  fields.text(key, text);
  if (text.size() > kMaxProposal) fields.wrong(key, "longer than 4096 bytes");
}

// What older programs did not say is not there when there is nothing to say, so that the rows of
// their events stay the same bytes.
Json proposal_to_json(const Proposal& proposal) {
  Json json{{"id", proposal.id},
            {"state", proposal_state_name(proposal.state)},
            {"text", encode_path(proposal.text)},
            {"score", proposal.score},
            {"source", encode_path(proposal.source)},
            {"actor", encode_path(proposal.actor)},
            {"txn", encode_path(proposal.txn.str())},
            {"made", proposal.made},
            {"repeats", proposal.repeats},
            {"best_score", proposal.best_score},
            {"by", encode_path(proposal.by)},
            {"yes", proposal.yes ? Json(yes_name(*proposal.yes)) : Json()},
            {"reason", encode_path(proposal.reason)},
            {"became", texts_to_json(proposal.became)}};
  if (!proposal.branch.empty()) json["branch"] = encode_path(proposal.branch.str());
  if (!proposal.again.empty()) json["again"] = proposal.again;
  return json;
}

Result<Proposal> proposal_from_json(const Json& json) {
  Fields fields(json, "proposal");
  Proposal proposal;
  fields.text("id", proposal.id);
  fields.choice("state", proposal.state, proposal_state_of);
  fields.text("text", proposal.text);
  fields.integer("score", proposal.score);
  fields.text("source", proposal.source);
  fields.text("actor", proposal.actor);
  fields.name("txn", proposal.txn);
  fields.text("made", proposal.made);
  fields.integer("repeats", proposal.repeats);
  fields.integer("best_score", proposal.best_score);
  fields.text("by", proposal.by);
  if (fields.given("yes")) fields.choice("yes", proposal.yes.emplace(), yes_of);
  fields.text("reason", proposal.reason);
  fields.texts("became", proposal.became);
  if (fields.has("branch")) fields.name("branch", proposal.branch);
  if (fields.has("again")) fields.text("again", proposal.again);
  TRY(fields.done());
  return proposal;
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
  db::Statement query = TRY(database.statement("SELECT body FROM proposals WHERE number = ?"));
  query.bind_all(number_of(id));
  const bool found = TRY(query.step());
  if (!found) return std::optional<Proposal>();
  const Json json = TRY(parse_json(query.text(0)));
  return std::optional<Proposal>(TRY(proposal_from_json(json)));
}

Result<Proposal> known_proposal(const db::Database& database, const Event& event) {
  std::optional<Proposal> proposal = TRY(load_proposal(database, event.subject));
  if (!proposal) return stale(event, "there is no such proposal");
  return *std::move(proposal);
}

Status save_proposal(db::Database& database, const Proposal& proposal) {
  db::Statement write =
      TRY(database.statement("UPDATE proposals SET state = ?, body = ? WHERE number = ?"));
  write.bind_all(proposal_state_name(proposal.state), canonical_json(proposal_to_json(proposal)),
                 number_of(proposal.id));
  return write.run();
}

Status made(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Proposal proposal;
  ProposalRules rules;
  Embedding embedding;
  text_of(fields, "text", proposal.text);
  score_of(fields, proposal.score);
  fields.list("embedding", embedding, component_from_json);
  text_of(fields, "source", proposal.source);
  text_of(fields, "actor", proposal.actor);
  fields.name("txn", proposal.txn);
  fields.value("bounds", rules, bounds_from_json);
  if (fields.has("branch")) fields.name("branch", proposal.branch);
  if (fields.has("again")) text_of(fields, "again", proposal.again);
  TRY(fields.done());
  proposal.id = event.subject;
  proposal.made = event.time;
  proposal.best_score = proposal.score;
  const bool discarded = tier_of(proposal.score, rules) == Tier::kDiscard;
  proposal.state = discarded ? State::kDiscarded : State::kOpen;
  if (number_of(proposal.id) != event.seq) return stale(event, "that is not its number");
  if (proposal.text.empty()) return fail(Code::kCorrupt, event.type + ": it says nothing");
  if (embedding.size() > kMaxDimensions) {
    return fail(Code::kCorrupt, event.type + ": its embedding is too long");
  }
  db::Statement insert = TRY(database.statement(
      "INSERT INTO proposals (number, state, body, embedding) VALUES (?, ?, ?, ?)"));
  insert.bind_all(event.seq, proposal_state_name(proposal.state),
                  canonical_json(proposal_to_json(proposal)),
                  fmt::format("{}", fmt::join(embedding, " ")));
  return insert.run();
}

Status repeated(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Likeness::By by = Likeness::By::kText;
  int likeness = 0;
  int score = 0;
  std::string text;
  fields.choice("by", by, by_of);
  fields.integer("likeness", likeness);
  score_of(fields, score);
  for (const char* key : {"text", "source", "actor", "txn"}) text_of(fields, key, text);
  TRY(fields.done());
  Proposal proposal = TRY(known_proposal(database, event));
  ++proposal.repeats;
  proposal.best_score = std::max(proposal.best_score, score);
  return save_proposal(database, proposal);
}

// What a promotion says, done or refused.
Result<events::Promotion> promotion_of(const Event& event, const Json& json) {
  Fields fields(json, event.type);
  events::Promotion promotion;
  promotion.id = event.subject;
  fields.value("bounds", promotion.rules, bounds_from_json);
  fields.choice("yes", promotion.yes, yes_of);
  text_of(fields, "reason", promotion.reason);
  text_of(fields, "became", promotion.became);
  text_of(fields, "actor", promotion.actor);
  fields.name("txn", promotion.txn);
  TRY(fields.done());
  return promotion;
}

Status refused(db::Database& database, const Event& event, const Json& json) {
  TRY(promotion_of(event, json));
  TRY(known_proposal(database, event));
  return {};
}

Status promoted(db::Database& database, const Event& event, const Json& json) {
  const events::Promotion promotion = TRY(promotion_of(event, json));
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

Status dismissed(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  Proposal proposal;
  std::string reason;
  std::string actor;
  text_of(fields, "reason", reason);
  text_of(fields, "actor", actor);
  TRY(fields.done());
  if (reason.empty()) return fail(Code::kCorrupt, event.type + ": it gives no reason");
  proposal = TRY(known_proposal(database, event));
  if (proposal.state != State::kOpen) {
    return stale(event, fmt::format("it was {}", proposal_state_name(proposal.state)));
  }
  proposal.state = State::kDismissed;
  proposal.by = actor;
  proposal.reason = reason;
  return save_proposal(database, proposal);
}

Status linked(db::Database& database, const Event& event, const Json& json) {
  Fields fields(json, event.type);
  std::string became;
  std::string actor;
  std::string txn;
  text_of(fields, "became", became);
  text_of(fields, "actor", actor);
  text_of(fields, "txn", txn);
  TRY(fields.done());
  if (became.empty()) return fail(Code::kCorrupt, event.type + ": it names nothing");
  Proposal proposal = TRY(known_proposal(database, event));
  if (proposal.state != State::kPromoted) return stale(event, "it was not promoted");
  proposal.became.push_back(became);
  return save_proposal(database, proposal);
}

using telling::after_colon;
using telling::text;

std::string told_score(const Json& p) {
  const auto found = p.find("score");
  const bool there = found != p.end() && found->is_number_integer();
  return there ? score_text(found->get<int>()) : "?";
}
std::string tell_made(const Json& p) {
  const std::string again = text(p, "again");
  return fmt::format("proposed with {}{}: {}", told_score(p),
                     again.empty() ? "" : ", as " + again + " was", text(p, "text"));
}
std::string tell_repeated(const Json& p) {
  return fmt::format("proposed again with {}, by {}{}", told_score(p), text(p, "actor"),
                     after_colon(text(p, "text")));
}
std::string tell_refused(const Json& p) {
  return fmt::format("promotion by {} refused: outside its tier", text(p, "actor"));
}
std::string tell_promoted(const Json& p) {
  return fmt::format("promoted by {} ({}){}", text(p, "actor"), text(p, "yes"),
                     after_colon(text(p, "reason")));
}
std::string tell_dismissed(const Json& p) {
  return fmt::format("dismissed by {}{}", text(p, "actor"), after_colon(text(p, "reason")));
}
std::string tell_linked(const Json& p) {
  return fmt::format("became {}", text(p, "became"));
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

constexpr EventRule kProposalRules[] = {
    {event_type::kProposalMade, made, tell_made},
    {event_type::kProposalRepeated, repeated, tell_repeated},
    {event_type::kProposalRefused, refused, tell_refused},
    {event_type::kProposalPromoted, promoted, tell_promoted},
    {event_type::kProposalDismissed, dismissed, tell_dismissed},
    {event_type::kProposalLinked, linked, tell_linked},
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
  db::Statement query =
      TRY(view.tables().statement("SELECT body FROM proposals ORDER BY number DESC"));
  std::vector<Proposal> all;
  while (TRY(query.step())) {
    const Json json = TRY(parse_json(query.text(0)));
    all.push_back(TRY(proposal_from_json(json)));
  }
  return all;
}

namespace events {
namespace {

Json promotion_to_json(const Promotion& promotion) {
  return Json{
      {"bounds", bounds_to_json(promotion.rules)}, {"yes", yes_name(promotion.yes)},
      {"reason", encode_path(promotion.reason)},   {"became", encode_path(promotion.became)},
      {"actor", encode_path(promotion.actor)},     {"txn", encode_path(promotion.txn.str())}};
}

}  // namespace

NewEvent proposal_made(const std::string& id, const ProposalRequest& request,
                       const ProposalRules& rules, const std::string& again) {
  Json json{{"text", encode_path(request.text)},    {"score", request.score},
            {"embedding", Json(request.embedding)}, {"source", encode_path(request.source)},
            {"actor", encode_path(request.actor)},  {"txn", encode_path(request.txn.str())},
            {"bounds", bounds_to_json(rules)}};
  if (!request.branch.empty()) json["branch"] = encode_path(request.branch.str());
  if (!again.empty()) json["again"] = again;
  return new_event(event_type::kProposalMade, id, json,
                   request.key.empty() ? "" : "proposal:key:" + encode_path(request.key));
}

// The same words from the same place are one repeat, so that a loop does not fill the log.
NewEvent proposal_repeated(const Likeness& likeness, const ProposalRequest& request) {
  Json json{{"by", likeness_name(likeness.by)},
            {"likeness", likeness.likeness},
            {"score", request.score},
            {"text", encode_path(request.text)},
            {"source", encode_path(request.source)},
            {"actor", encode_path(request.actor)},
            {"txn", encode_path(request.txn.str())}};
  const Digest digest = sha256(canonical_json(json));
  return new_event(event_type::kProposalRepeated, likeness.id, json,
                   fmt::format("proposal:{}:repeated:{}", likeness.id, digest.str()));
}

NewEvent proposal_refused(const Promotion& asked) {
  const Json json = promotion_to_json(asked);
  const Digest digest = sha256(canonical_json(json));
  return new_event(event_type::kProposalRefused, asked.id, json,
                   fmt::format("proposal:{}:refused:{}", asked.id, digest.str()));
}

NewEvent proposal_promoted(const Promotion& promotion) {
  return new_event(event_type::kProposalPromoted, promotion.id, promotion_to_json(promotion));
}

NewEvent proposal_dismissed(const DismissRequest& request) {
  return new_event(
      event_type::kProposalDismissed, request.id,
      Json{{"reason", encode_path(request.reason)}, {"actor", encode_path(request.actor)}});
}

NewEvent proposal_linked(const LinkRequest& request) {
  return new_event(event_type::kProposalLinked, request.id,
                   Json{{"became", encode_path(request.became)},
                        {"actor", encode_path(request.actor)},
                        {"txn", encode_path(request.txn.str())}});
}

}  // namespace events
}  // namespace gittxn::store

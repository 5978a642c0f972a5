// Deciding about proposals: each is one decision under the write lock, of which the policy that
// holds then, the other proposals and the score are part, so two at once see each other. What is
// found out before it is only what cannot change: how like two texts are.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/bug.h"
#include "base/json.h"
#include "db/database.h"
#include "model/workflow.h"
#include "store/work/proposals.h"
#include "store/work/workflows.h"

namespace gittxn::store {
namespace {

using State = Proposal::State;

constexpr int kScoreDigits = 3;
constexpr std::size_t kMaxScoreText = 32;

std::unexpected<Error> bad_score(std::string_view text, std::string_view why) {
  return fail(Code::kUsage, fmt::format("'{}' is no score: {}", text.substr(0, kMaxScoreText), why),
              "a score says how sure you are, from 0 to 1: such as 0.83");
}

Status check_length(std::string_view what, std::string_view text, std::size_t most) {
  if (text.size() <= most) return {};
  return fail(Code::kUsage, fmt::format("the {} is longer than {} bytes", what, most));
}

Status check_reason(std::string_view reason) {
  TRY(check_length("reason", reason, kMaxProposal));
  if (!reason.empty()) return {};
  return fail(Code::kUsage, "it needs a reason, for the record", "add --reason TEXT");
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// An actor is one line wherever it is printed; with line breaks in it an agent could write lines of
// its own between ours.
Status check_actor(std::string_view actor) {
  TRY(check_length("actor", actor, kMaxProposal));
  if (std::ranges::none_of(actor, is_control)) return {};
  return fail(Code::kUsage, "the actor has a line break or another control character in it",
              "write a name: --actor WHO");
}

// What somebody wrote, in a message of ours: on one line.
std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
    } else if (is_control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string show_it(const Proposal& proposal) {
  return "git txn proposals show " + proposal.id;
}
std::string override_it(const Proposal& proposal) {
  return fmt::format("git txn promote {} --override --reason TEXT", proposal.id);
}

std::unexpected<Error> was(const Proposal& proposal, std::string hint) {
  std::string text = fmt::format("{} was {}", proposal.id, proposal_state_name(proposal.state));
  if (!proposal.by.empty()) text += " by " + one_line(proposal.by);
  if (!proposal.reason.empty()) text += ": " + one_line(proposal.reason);
  return fail(Code::kStale, std::move(text), std::move(hint));
}

// What is not in this store cannot have come of it. Other names are not ours to look up.
Status check_became(const View& view, const std::string& became) {
  TRY(check_length("name of what it became", became, kMaxSource));
  const std::string_view name = std::string_view(became).substr(became.find(':') + 1);
  bool there = true;
  if (became.starts_with("txn:")) {
    there = TRY(view.txn(TxnId(std::string(name)))).has_value();
  } else if (became.starts_with("workflow:")) {
    there = TRY(workflow(view, WorkflowId(std::string(name)))).has_value();
  }
  if (there) return {};
  return fail(Code::kUsage, fmt::format("there is no {}", became),
              "write txn:ID or workflow:ID of this repository, or any other name, such as a URL");
}

// The column: numbers between blanks.
Embedding embedding_of_row(std::string_view text) {
  Embedding embedding;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int number = 0;
    at = std::from_chars(at, end, number).ptr;
    embedding.push_back(number);
    if (at < end) ++at;  // the blank
  }
  return embedding;
}

// All that are open, and the newest of the others: what was discarded keeps nothing off that is not
// to be discarded itself.
Result<db::Statement> compared_with(const View& view, Tier tier, std::string_view columns) {
  return view.tables().statement(
      fmt::format("SELECT {0} FROM proposals WHERE state = 'open' UNION ALL SELECT * FROM (SELECT "
                  "{0} FROM proposals WHERE state <> 'open'{1} ORDER BY number DESC LIMIT ?) AS "
                  "closed ORDER BY number",
                  columns, tier == Tier::kDiscard ? "" : " AND state <> 'discarded'"),
      kClosedCompared);
}

struct Same {
  std::optional<Likeness> repeat;    // what keeps it off
  std::optional<Likeness> promoted;  // what it says again
};

// How like a request the proposals are that it is compared with. Reading their texts takes long,
// and all other writers would wait; so it is done before the lock, and under it only for those that
// came since. Texts and embeddings never change.
class Comparison {
 public:
  explicit Comparison(const ProposalRequest& request)
      : request_(request), shingles_(shingles_of(request.text)) {}

  Status look(const View& view, const ProposalRules& rules);
  // Under the lock. The one that is most like it; the oldest of several.
  Result<Same> same_now(const View& view, const ProposalRules& rules);

 private:
  struct Likes {
    int text = 0;
    int embedding = 0;
  };
  Result<Likes> likes(std::string_view body, std::string_view embedding) const;
  // Of one that is not known yet.
  Result<Likes> read(const View& view, Seq number) const;

  const ProposalRequest& request_;
  Shingles shingles_;
  ProposalRules rules_;  // that `known_` is by
  std::map<Seq, Likes> known_;
};

Result<Comparison::Likes> Comparison::likes(std::string_view body,
                                            std::string_view embedding) const {
  const Json json = TRY(parse_json(body));
  const Json& text = json["text"];
  if (!text.is_string()) {
    return fail(Code::kCorrupt, "a proposal has no text");
  }
  Likes likes;
  const Shingles other = shingles_of(decode_path(text.text()));
  if (may_be_alike(shingles_, other, rules_.same_text)) {
    likes.text = text_likeness(shingles_, other);
  }
  if (!request_.embedding.empty()) {
    likes.embedding = embedding_likeness(request_.embedding, embedding_of_row(embedding));
  }
  return likes;
}

Result<Comparison::Likes> Comparison::read(const View& view, Seq number) const {
  db::Statement query = TRY(
      view.tables().statement("SELECT body, embedding FROM proposals WHERE number = ?", number));
  if (!TRY(query.step())) return fail(Code::kCorrupt, "a proposal has no row");
  return likes(query.text(0), query.text(1));
}

Status Comparison::look(const View& view, const ProposalRules& rules) {
  rules_ = rules;
  db::Statement query =
      TRY(compared_with(view, tier_of(request_.score, rules), "number, body, embedding"));
  while (TRY(query.step())) known_[query.integer(0)] = TRY(likes(query.text(1), query.text(2)));
  return {};
}

Result<Same> Comparison::same_now(const View& view, const ProposalRules& rules) {
  Same same;
  if (INJECTED_BUG("proposal.repeats_taken")) return same;
  if (rules != rules_) known_.clear();
  rules_ = rules;
  std::vector<std::pair<Seq, bool>> compared;  // which, and whether it was promoted
  {
    db::Statement query = TRY(compared_with(view, tier_of(request_.score, rules), "number, state"));
    while (TRY(query.step())) {
      const bool promoted = query.text(1) == proposal_state_name(State::kPromoted);
      compared.emplace_back(query.integer(0), promoted);
    }
  }
  for (const auto& [number, promoted] : compared) {
    const auto [at, unknown] = known_.try_emplace(number);
    if (unknown) at->second = TRY(read(view, number));
    std::optional<Likeness>& nearest = request_.again && promoted ? same.promoted : same.repeat;
    const auto near = [&](Likeness::By by, int likeness, int from) {
      if (likeness < from || (nearest && nearest->likeness >= likeness)) return;
      nearest = Likeness{by, fmt::format("p-{}", number), likeness};
    };
    near(Likeness::By::kText, at->second.text, rules.same_text);
    if (request_.embedding.empty()) continue;
    near(Likeness::By::kEmbedding, at->second.embedding, rules.same_embedding);
  }
  return same;
}

Status check_room(const View& view) {
  const std::int64_t open =
      TRY(view.tables().first(db::integer_of,
                              "SELECT count(*) FROM proposals WHERE state = 'open'"))
          .value_or(0);
  if (open < kMaxOpenProposals) return {};
  return fail(Code::kRefused, fmt::format("{} proposals are open, and no more may be", open),
              "promote or dismiss some first: git txn proposals lists them");
}

Status check_request(const ProposalRequest& request) {
  TRY(check_length("text of a proposal", request.text, kMaxProposal));
  TRY(check_length("source", request.source, kMaxSource));
  TRY(check_actor(request.actor));
  if (shingles_of(request.text).runs.empty()) {
    return fail(Code::kUsage, "the proposal says nothing", "git txn propose TEXT --score S");
  }
  if (request.score < 0 || request.score > kMaxScore) {
    return bad_score(std::to_string(request.score), "it is not from 0 to 1");
  }
  return {};
}

// Nobody else's yes is taken from inside of a transaction.
Status check_person(const PromoteRequest& request) {
  if (request.yes == Yes::kItself || request.txn.empty()) return {};
  return fail(
      Code::kRefused,
      fmt::format("a yes from inside of transaction {} is not a person's", request.txn.str()),
      "leave it to a person, outside of it: git txn promote " + request.id + " --approve");
}

}  // namespace

Result<Proposal> find_proposal(const View& view, const std::string& id) {
  std::optional<Proposal> found = TRY(proposal(view, id));
  if (found) return *std::move(found);
  return fail(Code::kNotFound, fmt::format("there is no proposal '{}'", id),
              "git txn proposals lists them");
}

Result<int> parse_score(std::string_view text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty()) return bad_score(text, "it is empty");
  if (text.size() > kMaxScoreText) return bad_score(text, "it is too long");
  const std::string_view whole = text.substr(0, text.find('.'));
  const bool dotted = whole.size() < text.size();
  const std::string_view rest = dotted ? text.substr(whole.size() + 1) : std::string_view();
  const bool digits = !whole.empty() && std::ranges::all_of(whole, is_digit) &&
                      std::ranges::all_of(rest, is_digit) && dotted == !rest.empty();
  if (!digits) return bad_score(text, "it is not a number, written with digits and one point");
  const bool nothing_behind = rest.find_first_not_of('0') == std::string_view::npos;
  const std::size_t first = std::min(whole.find_first_not_of('0'), whole.size());
  const std::string_view units = whole.substr(first);
  if (!units.empty() && (units != "1" || !nothing_behind)) {
    return bad_score(text, "it is not from 0 to 1");
  }
  std::string thousandths(rest.substr(0, kScoreDigits));
  thousandths.resize(kScoreDigits, '0');
  int score = units.empty() ? 0 : 1;
  for (const char c : thousandths) score = score * 10 + (c - '0');
  return score;
}

std::string score_text(int score) {
  std::string text = fmt::format("{}.{:03}", score / kMaxScore, score % kMaxScore);
  if (text.ends_with('0')) text.pop_back();
  return text;
}

namespace {

// The proposal made under a key; "" when there is none.
Result<std::string> proposed_under(const View& view, const std::string& key) {
  if (key.empty()) return std::string();
  const std::string dedup = "proposal:key:" + encode_path(key);
  const auto subject =
      TRY(view.tables().first(db::text_of,
                              "SELECT subject FROM events WHERE dedup_key = ? UNION ALL "
                              "SELECT subject FROM pruned_keys WHERE dedup_key = ?",
                              dedup, dedup));
  return decode_path(subject.value_or(""));
}

}  // namespace

Result<ProposalAnswer> propose(Store& store, const ProposalRequest& request,
                               const RulesNow& rules_now) {
  TRY(check_request(request));
  ProposalAnswer answer;
  std::string id;
  Comparison comparison(request);
  const ProposalRules rules_before = TRY(rules_now());
  TRY(comparison.look(store, rules_before));
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const ProposalRules rules = TRY(rules_now());
    answer.tier = tier_of(request.score, rules);
    id = TRY(proposed_under(view, request.key));
    if (!id.empty()) return std::vector<NewEvent>{};
    const Same same = TRY(comparison.same_now(view, rules));
    answer.repeat = same.repeat;
    if (answer.repeat) {
      id = answer.repeat->id;
      return std::vector<NewEvent>{events::proposal_repeated(*answer.repeat, request)};
    }
    if (answer.tier != Tier::kDiscard) TRY(check_room(view));
    id = fmt::format("p-{}", TRY(view.head()) + 1);
    const std::string again = same.promoted ? same.promoted->id : std::string();
    return std::vector<NewEvent>{events::proposal_made(id, request, rules, again)};
  };
  TRY(store.decide(decision));
  answer.proposal = TRY(find_proposal(store, id));
  return answer;
}

Result<PromoteAnswer> promote(Store& store, const PromoteRequest& request,
                              const RulesNow& rules_now) {
  TRY(check_person(request));
  if (request.yes == Yes::kOverride) TRY(check_reason(request.reason));
  if (request.yes != Yes::kOverride && !request.reason.empty()) {
    return fail(Code::kUsage, "only an override has a reason", "add --override");
  }
  TRY(check_actor(request.actor));
  PromoteAnswer answer;
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const Proposal now = TRY(find_proposal(view, request.id));
    if (now.state == State::kPromoted) return was(now, show_it(now));
    if (now.state == State::kDismissed && request.yes != Yes::kOverride) {
      return was(now, override_it(now));
    }
    TRY(check_became(view, request.became));
    const events::Promotion promotion{now.id,         TRY(rules_now()), request.yes, request.reason,
                                      request.became, request.actor,    request.txn};
    answer.tier = tier_of(now.score, promotion.rules);
    const bool kept = now.state == State::kOpen || request.yes == Yes::kOverride;
    answer.promoted = kept && may_start(answer.tier, request.yes);
    return std::vector<NewEvent>{answer.promoted ? events::proposal_promoted(promotion)
                                                 : events::proposal_refused(promotion)};
  };
  TRY(store.decide(decision));
  answer.proposal = TRY(find_proposal(store, request.id));
  return answer;
}

Result<Proposal> dismiss(Store& store, const DismissRequest& request) {
  TRY(check_reason(request.reason));
  TRY(check_actor(request.actor));
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const Proposal now = TRY(find_proposal(view, request.id));
    // Promoted or not wanted any more: either way there is nothing left to say no to.
    if (now.state != State::kOpen) return was(now, show_it(now));
    return std::vector<NewEvent>{events::proposal_dismissed(request)};
  };
  TRY(store.decide(decision));
  return find_proposal(store, request.id);
}

Result<Proposal> link(Store& store, const LinkRequest& request) {
  TRY(check_actor(request.actor));
  if (request.became.empty()) return fail(Code::kUsage, "what did it become?");
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const Proposal now = TRY(find_proposal(view, request.id));
    if (now.state == State::kOpen) {
      return fail(Code::kStale, fmt::format("{} was not promoted", now.id),
                  "git txn promote " + now.id);
    }
    if (now.state != State::kPromoted) return was(now, override_it(now));
    if (std::ranges::find(now.became, request.became) != now.became.end()) {
      return std::vector<NewEvent>{};
    }
    if (now.became.size() >= kMaxBecame) {
      return fail(Code::kRefused,
                  fmt::format("{} became {} things, and no more are kept", now.id, kMaxBecame),
                  show_it(now));
    }
    TRY(check_became(view, request.became));
    return std::vector<NewEvent>{events::proposal_linked(request)};
  };
  TRY(store.decide(decision));
  return find_proposal(store, request.id);
}

}  // namespace gittxn::store

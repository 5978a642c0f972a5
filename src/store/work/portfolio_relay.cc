#include "store/work/portfolio_relay.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "db/database.h"
#include "store/log/consumers.h"
#include "store/log/feed.h"
#include "store/log/pruning.h"

namespace gittxn::store {
namespace {

constexpr std::string_view kPrefix = "member/";
constexpr int kBatch = 500;

std::vector<std::string> types_to_tell() {
  const auto types = relayed_types();
  std::vector<std::string> all(types.begin(), types.end());
  std::ranges::sort(all);
  return all;
}

NewEvent registered_after(const std::string& name, Seq position) {
  Consumer reader;
  reader.name = consumer_of_member(name);
  reader.types = types_to_tell();
  reader.position = position;
  return events::consumer_registered(reader);
}

// The event after which it was registered; none: it is not.
Result<std::optional<Seq>> told_from(const View& source, const std::string& name) {
  return source.tables().first(db::integer_of, "SELECT start FROM consumers WHERE name = ?",
                               consumer_of_member(name));
}

}  // namespace

std::string consumer_of_member(std::string_view name) {
  return fmt::format("{}{}", kPrefix, name);
}

bool is_consumer_of_member(std::string_view name) {
  return name.starts_with(kPrefix);
}

Result<NewEvent> registers_member(const View& source, const std::string& name) {
  return registered_after(name, TRY(pruned_until(source)));
}

Result<Seq> first_to_tell(const View& source, const std::string& name) {
  std::optional<Consumer> reader = TRY(consumer(source, consumer_of_member(name)));
  if (!reader) {
    reader.emplace();
    reader->types = types_to_tell();
  }
  const Pending waiting = TRY(pending(source, *reader));
  return waiting.oldest;
}

Result<ToTell> to_tell(const Store& source, Seq after) {
  const EventFilter filter{types_to_tell(), {}};
  ToTell all;
  all.seen = std::max(after, TRY(pruned_until(source)));
  for (bool more = true; more;) {
    auto batch = read_batch(source, all.seen + 1, filter, kBatch);
    const Seq pruned = TRY(pruned_until(source));
    if (!batch && pruned > all.seen) {
      all.seen = pruned;  // meanwhile: somebody else has told those
      continue;
    }
    if (!batch) return std::unexpected(std::move(batch).error());
    for (Event& event : batch->events) all.events.push_back(std::move(event));
    all.seen = std::max(all.seen, batch->seen);
    more = !batch->at_end;
  }
  return all;
}

Result<ToTell> to_tell_anew(const Store& source, const Store& member) {
  const std::string uri = TRY(log_uri(source));
  const Seq common = TRY(told_and_there(member, source));
  ToTell all = TRY(to_tell(source, 0));
  auto begin =
      std::ranges::find_if(all.events, [&](const Event& event) { return event.seq > common; });
  // Where nothing has come of a subject whose last is taken back, the one before it is its last.
  for (const Relayed& lost : TRY(relayed(member))) {
    if (lost.source != uri || lost.seq <= common) continue;
    const auto of_it =
        std::find_if(all.events.rbegin(), all.events.rend(),
                     [&](const Event& event) { return event.subject == lost.subject; });
    if (of_it != all.events.rend()) begin = std::min(begin, std::prev(of_it.base()));
  }
  // One has to say that the others are taken back.
  if (begin == all.events.end() && begin != all.events.begin()) --begin;
  all.events.erase(all.events.begin(), begin);
  return all;
}

Result<Seq> pruned_to_tell(const View& source) {
  const Seq pruned = TRY(pruned_until(source));
  Seq last = 0;
  // What is on its way out is in one of the two. The keys of all that was ever pruned are many, and
  // known by themselves alone: those of what members are told begin like this.
  constexpr std::pair<std::string_view, std::string_view> kWhere[] = {
      {"events", ""}, {"pruned_keys", " AND dedup_key >= 'workflow:' AND dedup_key < 'workflow;'"}};
  for (const auto& [table, keys] : kWhere) {
    std::string sql =
        fmt::format("SELECT max(seq) FROM {} WHERE seq <= ?{} AND type IN (", table, keys);
    const std::vector<std::string> types = types_to_tell();
    for (std::size_t i = 0; i < types.size(); ++i) sql += i == 0 ? "?" : ", ?";
    db::Statement query = TRY(source.tables().statement(sql + ")"));
    query.bind_all(pruned);
    int parameter = 1;
    for (const std::string& type : types) query.bind(++parameter, type);
    const bool row = TRY(query.step());
    if (row && query.is_integer(0)) last = std::max(last, query.integer(0));
  }
  return last;
}

Result<bool> lacks_pruned(const View& source, const std::string& name, Seq last, Seq pruned) {
  if (last >= pruned) return false;
  const std::optional<Seq> from = TRY(told_from(source, name));
  // Of one that was never told and is not registered nobody knows; it may be new.
  return from ? *from < pruned : last > 0;
}

Status told_until(Store& source, const Member& member, Seq last, Seq seq, Relay how) {
  const std::string name = consumer_of_member(member.name);
  const auto there = [&](const View& view) -> Result<bool> {
    const std::vector<Member> all = TRY(members(view));
    const auto found = std::ranges::find(all, member.log, &Member::log);
    return found != all.end() && found->name == member.name;
  };
  const auto decision = [&](const View& view) -> Result<std::vector<NewEvent>> {
    const std::optional<Seq> from = TRY(told_from(view, member.name));
    const Seq pruned = TRY(pruned_until(view));
    const bool forget = how == Relay::kAnew && from.value_or(0) < pruned;
    const bool here = TRY(there(view));
    if (!here || (from && !forget)) return std::vector<NewEvent>{};
    const Seq position = last == 0 || forget ? pruned : last;
    return std::vector<NewEvent>{registered_after(member.name, position)};
  };
  const std::optional<Consumer> reader = TRY(consumer(source, name));
  if (!reader || how == Relay::kAnew) TRY(source.decide(decision));
  const bool here = TRY(there(source));
  if (!here) return {};  // removed meanwhile
  const Status moved = acknowledge(source, name, seq);
  if (moved || moved.error().code == Code::kStale) return {};  // somebody else has got further
  const std::optional<Consumer> still = TRY(consumer(source, name));
  return still ? moved : Status();
}

}  // namespace gittxn::store

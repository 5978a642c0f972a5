// Store's questions. Each is one indexed statement; its cost does not grow with the log.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/json_value.h"
#include "model/fields.h"
#include "store/rows.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

Result<Txn> txn_of(const db::Statement& row, int column) {
  const Json json = TRY_IN("a stored transaction", parse_json(row.text(column)));
  return read_fields<Txn>(json);
}

std::int64_t limited(int limit) {  // 0: all
  return limit > 0 ? limit : std::numeric_limits<std::int64_t>::max();
}

// The smallest text that is greater than every text starting with `prefix`: ids are ASCII.
std::string after_prefix(std::string prefix) {
  prefix.back() = static_cast<char>(prefix.back() + 1);
  return prefix;
}

std::string listing(const std::vector<Txn>& txns) {
  std::string out;
  for (std::size_t i = 0; i < txns.size() && i < 5; ++i) {
    out +=
        fmt::format("{}{} ({})", i == 0 ? "" : ", ", txns[i].id.str(), state_name(txns[i].state));
  }
  if (txns.size() > 5) out += fmt::format(" and {} more", txns.size() - 5);
  return out;
}

// One transaction out of several candidates: the only one, or the only one somebody still works on.
Result<TxnId> only(const std::string& asked, const std::vector<Txn>& candidates) {
  const Txn* open = nullptr;
  int open_count = 0;
  for (const Txn& txn : candidates) {
    if (is_final(txn.state)) continue;
    open = &txn;
    ++open_count;
  }
  if (candidates.size() == 1) return candidates.front().id;
  if (open_count == 1) return open->id;
  return fail(Code::kUsage, fmt::format("'{}' may be any of {}", asked, listing(candidates)),
              "give the whole id");
}

}  // namespace

Result<std::optional<Txn>> Store::txn(const TxnId& id) const {
  return load_txn(state_->database, id);
}

Result<std::optional<BranchState>> Store::branch(const RefName& name) const {
  return load_branch(state_->database, name);
}

Result<Seq> Store::head() const {
  const Progress progress = TRY(load_progress(state_->database));
  return progress.seq;
}

Result<std::vector<BranchState>> Store::branches() const {
  std::vector<BranchState> out;
  db::Statement query = TRY(state_->database.statement("SELECT name FROM branches ORDER BY name"));
  while (TRY(query.step())) {
    std::optional<BranchState> branch = TRY(load_branch(state_->database, RefName(query.text(0))));
    if (branch) out.push_back(*std::move(branch));
  }
  return out;
}

Result<std::vector<Txn>> Store::txns(const TxnFilter& filter) const {
  std::string sql = "SELECT body FROM txns";
  for (std::size_t i = 0; i < filter.states.size(); ++i) {
    sql += i == 0 ? " WHERE state IN (?" : ", ?";
  }
  if (!filter.states.empty()) sql += ")";
  sql += " ORDER BY begun_seq DESC LIMIT ?";
  db::Statement query = TRY(state_->database.statement(sql));
  int parameter = 0;
  for (const TxnState state : filter.states) query.bind(++parameter, state_name(state));
  query.bind(++parameter, limited(filter.limit));
  std::vector<Txn> out;
  while (TRY(query.step())) out.push_back(TRY(txn_of(query, 0)));
  return out;
}

Result<TxnId> Store::find_txn(const std::string& id_or_name) const {
  if (id_or_name.empty()) return fail(Code::kUsage, "no transaction was named");
  const std::optional<Txn> exact = TRY(txn(TxnId(id_or_name)));
  if (exact) return exact->id;
  std::vector<Txn> candidates;
  {
    db::Statement query = TRY(
        state_->database.statement("SELECT body FROM txns WHERE name = ? ORDER BY begun_seq DESC"));
    query.bind_all(encode_path(id_or_name));
    while (TRY(query.step())) candidates.push_back(TRY(txn_of(query, 0)));
  }
  if (!candidates.empty()) return only(id_or_name, candidates);
  const bool ascii = std::ranges::all_of(id_or_name, [](char c) { return c > 0x20 && c < 0x7f; });
  if (ascii) {
    db::Statement query = TRY(state_->database.statement(
        "SELECT body FROM txns WHERE id >= ? AND id < ? ORDER BY begun_seq DESC"));
    query.bind_all(id_or_name, after_prefix(id_or_name));
    while (TRY(query.step())) candidates.push_back(TRY(txn_of(query, 0)));
  }
  if (!candidates.empty()) return only(id_or_name, candidates);
  return fail(Code::kNotFound, fmt::format("there is no transaction '{}'", id_or_name),
              "'git txn status' lists them");
}

Result<std::vector<LandedRow>> Store::landed_since(const RefName& branch, Seq after) const {
  db::Statement query = TRY(state_->database.statement(
      "SELECT seq, txn, old_head, new_head, time, who FROM landed WHERE branch = ? AND seq > ? "
      "ORDER BY seq"));
  query.bind_all(branch.str(), after);
  std::vector<LandedRow> out;
  while (TRY(query.step())) {
    out.push_back(LandedRow{query.integer(0), branch, TxnId(query.text(1)), Oid(query.text(2)),
                            Oid(query.text(3)), query.text(4), decode_path(query.text(5))});
  }
  return out;
}

Result<std::vector<Certificate>> Store::certificates(const Oid& tree) const {
  db::Statement query =
      TRY(state_->database.statement("SELECT body FROM certificates WHERE tree = ? ORDER BY seq"));
  query.bind_all(tree.str());
  std::vector<Certificate> out;
  while (TRY(query.step())) {
    const Json json = TRY_IN("a stored certificate", parse_json(query.text(0)));
    out.push_back(TRY(read_fields<Certificate>(json)));
  }
  return out;
}

Result<bool> Store::is_trusted(const Digest& trust_hash) const {
  db::Statement query = TRY(state_->database.statement("SELECT 1 FROM trust WHERE hash = ?"));
  query.bind_all(trust_hash.str());
  return query.step();
}

Result<std::vector<Ticket>> Store::tickets(const RefName& branch) const {
  db::Statement query = TRY(state_->database.statement(
      "SELECT number, txn, priority, owner FROM tickets WHERE branch = ? ORDER BY number"));
  query.bind_all(branch.str());
  std::vector<Ticket> out;
  while (TRY(query.step())) {
    out.push_back(Ticket{query.integer(0), branch, TxnId(query.text(1)),
                         static_cast<int>(query.integer(2)), decode_path(query.text(3))});
  }
  return out;
}

Result<std::vector<Event>> Store::events(Seq from, int limit) const {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM events WHERE seq >= ? AND seq > (SELECT pruned FROM log) "
      "ORDER BY seq LIMIT ?",
      kEventColumns);
  db::Statement query = TRY(state_->database.statement(kSql));
  query.bind_all(from, limited(limit));
  std::vector<Event> out;
  while (TRY(query.step())) out.push_back(event_of(query));
  return out;
}

Result<std::vector<Event>> Store::events_of(const std::string& subject) const {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM events WHERE subject = ? AND seq > (SELECT pruned FROM log) "
      "ORDER BY seq",
      kEventColumns);
  db::Statement query = TRY(state_->database.statement(kSql));
  query.bind_all(subject);
  std::vector<Event> out;
  while (TRY(query.step())) out.push_back(event_of(query));
  return out;
}

}  // namespace gittxn::store

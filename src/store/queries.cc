// Store's questions. Each is one indexed statement; its cost does not grow with the log.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "model/fields.h"
#include "store/rows.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

Result<Txn> txn_of(const db::Statement& row) {
  return body_of<Txn>("a stored transaction")(row);
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
  std::vector<std::string> names;
  for (const Txn& txn : txns) {
    names.push_back(fmt::format("{} ({})", txn.id.str(), state_name(txn.state)));
  }
  return listed(names, 5);
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
  return TRY(load_progress(state_->database)).seq;
}

Result<std::vector<BranchState>> Store::branches() const {
  return state_->database.all(branch_of, fmt::format("{} ORDER BY name", kSelectBranch));
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
  while (TRY(query.step())) out.push_back(TRY(txn_of(query)));
  return out;
}

Result<TxnId> Store::find_txn(const std::string& id_or_name) const {
  if (id_or_name.empty()) return fail(Code::kUsage, "no transaction was named");
  const std::optional<Txn> exact = TRY(txn(TxnId(id_or_name)));
  if (exact) return exact->id;
  std::vector<Txn> candidates = TRY(
      state_->database.all(txn_of, "SELECT body FROM txns WHERE name = ? ORDER BY begun_seq DESC",
                           encode_path(id_or_name)));
  if (!candidates.empty()) return only(id_or_name, candidates);
  const bool ascii = std::ranges::all_of(id_or_name, [](char c) { return c > 0x20 && c < 0x7f; });
  if (ascii) {
    candidates = TRY(state_->database.all(
        txn_of, "SELECT body FROM txns WHERE id >= ? AND id < ? ORDER BY begun_seq DESC",
        id_or_name, after_prefix(id_or_name)));
  }
  if (!candidates.empty()) return only(id_or_name, candidates);
  return fail(Code::kNotFound, fmt::format("there is no transaction '{}'", id_or_name),
              "'git txn status' lists them");
}

Result<std::vector<LandedRow>> Store::landed_since(const RefName& branch, Seq after) const {
  const auto landed_of = [&](const db::Statement& row) {
    return LandedRow{row.integer(0),   branch,      TxnId(row.text(1)),      Oid(row.text(2)),
                     Oid(row.text(3)), row.text(4), decode_path(row.text(5))};
  };
  return state_->database.all(
      landed_of,
      "SELECT seq, txn, old_head, new_head, time, who FROM landed WHERE branch = ? AND seq > ? "
      "ORDER BY seq",
      branch, after);
}

Result<std::vector<Certificate>> Store::certificates(const Oid& tree) const {
  return state_->database.all(body_of<Certificate>("a stored certificate"),
                              "SELECT body FROM certificates WHERE tree = ? ORDER BY seq", tree);
}

Result<std::vector<Certificate>> Store::newest_certificates(std::size_t most) const {
  return state_->database.all(body_of<Certificate>("a stored certificate"),
                              "SELECT body FROM certificates ORDER BY seq DESC LIMIT ?",
                              static_cast<std::int64_t>(most));
}

Result<bool> Store::is_trusted(const Digest& trust_hash) const {
  return state_->database.has_row("SELECT 1 FROM trust WHERE hash = ?", trust_hash);
}

Result<std::vector<Ticket>> Store::tickets(const RefName& branch) const {
  const auto ticket_of = [&](const db::Statement& row) {
    return Ticket{row.integer(0), branch, TxnId(row.text(1)), static_cast<int>(row.integer(2)),
                  decode_path(row.text(3))};
  };
  return state_->database.all(
      ticket_of,
      "SELECT number, txn, priority, owner FROM tickets WHERE branch = ? ORDER BY number", branch);
}

Result<std::vector<Event>> Store::events(Seq from, int limit) const {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM events WHERE seq >= ? AND seq > (SELECT pruned FROM log) "
      "ORDER BY seq LIMIT ?",
      kEventColumns);
  return state_->database.all(event_of, kSql, from, limited(limit));
}

Result<std::vector<Event>> Store::events_of(const std::string& subject) const {
  static const std::string kSql = fmt::format(
      "SELECT {} FROM events WHERE subject = ? AND seq > (SELECT pruned FROM log) "
      "ORDER BY seq",
      kEventColumns);
  return state_->database.all(event_of, kSql, subject);
}

}  // namespace gittxn::store

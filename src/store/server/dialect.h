// What SQLite and PostgreSQL do each in their own way, for a store. Internal to store/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/database.h"

namespace gittxn::store {

inline constexpr int kApplicationId = 0x6774786e;  // "gtxn"

struct Version {
  std::int64_t application = 0;
  std::int64_t schema = 0;
};
// Both 0 where nobody has set any. kFault: the account may not look.
Result<Version> version_of(const db::Database& database);
Status set_version(db::Database& database, int version);

// All tables there are, sorted.
Result<std::vector<std::string>> tables_of(const db::Database& database);

// Makes it an error to change an event, or to delete one that the log has not begun after: against
// honest mistakes, not against people. Again is the same.
Status guard_log(db::Database& database);

// The triggers of that, and the indexes of the log, that are not there or are switched off.
Result<std::vector<std::string>> missing_log_parts(const db::Database& database);

// Before a migration: a whole copy of the store, which is one when it is given the store's name.
// SQLite's is the file `NAME.vN.bak`, durable; PostgreSQL's the schema `NAME_vN_bak`, in the
// caller's transaction.
Status keep_copy(db::Database& database, const std::string& name, std::int64_t version);

// Where the server tells, with their commit, that events have been appended. PostgreSQL alone.
std::string arrivals_channel(std::string_view schema);

// The server's wall clock, and in the same answer the version: each question is a round trip.
// PostgreSQL alone, of a store that is there.
struct ServerMoment {
  std::int64_t ms = 0;
  Version version;
};
Result<ServerMoment> server_moment(const db::Database& database);

}  // namespace gittxn::store

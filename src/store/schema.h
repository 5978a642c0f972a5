// The layout of kernel.db, and how an older one becomes the present one. Internal to store/.
//
// A migration speaks only of the tables that are not derived (events, clock). The projections are
// dropped, made anew as the present version has them and filled by replaying the log, so a
// migration cannot leave them wrong. All of it is one SQLite transaction, after a whole copy of the
// old one is durable beside it: a kill leaves the old store, or the new one, and perhaps a spare
// copy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "db/database.h"
#include "store/area.h"

namespace gittxn::store {

struct Migration {
  int from = 0;  // to from + 1
  std::string sql;
};

// What "present" means. Tests pass in a later plan to try migrations before there is one.
struct Plan {
  int version = 0;
  std::vector<Migration> migrations;
  std::string projections;  // more SQL for the projections of that version
};
const Plan& current_plan();

// The tables that are rebuilt from the log, in order.
const std::vector<ProjectionTable>& projection_tables();
Status create_projections(db::Database& database, const Plan& plan);

enum class Found { kFresh, kPresent, kOlder };
// What a database is, without changing it. kNewer; kCorrupt: not a store of ours. `path`: the file,
// or the name of the schema on a server.
Result<Found> inspect(const db::Database& database, const std::string& path, const Plan& plan);

// kCorrupt: a table that the present layout has is not there. More than it has may be.
Status check_tables(const db::Database& database, const std::string& path);

// Makes a fresh or older database the present one. Call with the writer's turn held; looks again
// first.
Status make_present(db::Database& database, const std::string& path, const Plan& plan);

}  // namespace gittxn::store

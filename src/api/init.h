// Joining a hub: a remote that many clones land on, with one store on a PostgreSQL server.
#pragma once

#include <string>

#include "txn/host.h"

namespace gittxn::api {

struct JoinRequest {
  std::string store;               // postgresql://..., without a password
  std::string hub;                 // a remote of this clone, by name
  std::string schema = "git_txn";  // on the server; one for each hub
  std::string clone;  // what this clone is called; "": the host's name and a few letters
};
struct JoinReport {
  std::string store, schema, hub, clone;
  std::string log;       // which was joined, as its events name it
  bool already = false;  // it was so before
};
// Makes the store where there is none, marks the hub as its (refs/txn/log), claims the clone's name
// in the log (txn/clone.h), and writes this clone's configuration last: a kill before leaves a
// clone that has joined nothing, and the same again goes on from there. kRefused: transactions of
// this repository alone are unfinished; the hub or the store belongs to another log; the name is
// another clone's. kUsage; kFault: no server, no hub.
Result<JoinReport> join_hub(State& state, const JoinRequest& request);

}  // namespace gittxn::api

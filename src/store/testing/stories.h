// Plausible events for tests, and random ones, possible and impossible.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "store/events.h"
#include "store/store.h"
#include "store/testing/temp_store.h"

namespace gittxn::store::testing {

inline const RefName kMain{"refs/heads/main"};
inline const TxnId kOne{"t-1"};

Oid oid(std::uint64_t n);  // made from a number
Txn new_txn(const std::string& id, const std::string& name = "fix auth");
Attempt new_attempt(int number, const Oid& base);
events::Taken new_taken(int attempt, const Oid& kept);
// Everything up to "asked to land".
std::vector<NewEvent> until_prepared(const std::string& id, const Oid& base, const Oid& kept);
PreparedLanding new_landing(const std::string& id, const Oid& from, const Oid& to);
NewEvent landing_event(const PreparedLanding& landing);
std::vector<Conflict> some_conflicts();
std::vector<Conflict> other_answers();  // of a question
Admission some_admission();
// A store with one transaction that has landed.
void fill_place(const TempStore& place);
// One event about six transactions and one branch, whether it may happen now or not.
NewEvent random_event(Store& store, Random& random);

}  // namespace gittxn::store::testing

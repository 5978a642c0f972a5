// The identity of this clone of a hub. Names may be copied (`cp -r` of a clone, or two people who
// think of the same one), and two clones of one name would take each other's work for their own. So
// each has an id that the log ties to its name (store/clones.h), and the configuration keeps, in
// one value, the name, the id and what the clone's folder is (its inode and when that was made): a
// copy has another folder.
//
// txn.cloneNote is written whole by git, before the name is claimed (without the name) and after it
// (with it); txn.clone follows. A kill between any two of these leaves a clone that every command
// but init refuses.
#pragma once

#include <string>

#include "txn/state.h"

namespace gittxn::api {

inline constexpr std::size_t kMaxHubName = 64;
bool is_clone_name(std::string_view name);

// kUsage: only a part of it is there.
Result<Membership> membership_of(repo::Repository& repository);
store::Location location_of(const repo::Repository& repository, const Membership& membership);

struct CloneNote {
  std::string name;   // "": not claimed yet
  std::string id;     // "": there is no note
  std::string place;  // of the folder in which it was written
};
Result<CloneNote> clone_note(State& state);
// What a folder is, wherever it is moved to on its file system; of a clone, its common git
// directory.
Result<std::string> place_of_folder(const std::string& folder);
Result<std::string> clone_place(const State& state);

// Makes the name this clone's, in the log and here. kRefused: it is another clone's.
Status claim_name(State& state, const std::string& name);

// Of a clone that has joined, before anything else. kRefused: it is a copy of the clone of its
// name, or has not finished joining.
Status check_clone(State& state);
std::unexpected<Error> is_a_copy(const State& state, const CloneNote& note);

// A local store at home in this repository (home.cc); it is open. Notes of what was done go to
// state.home_notes.
Status settle_home(State& state);

}  // namespace gittxn::api

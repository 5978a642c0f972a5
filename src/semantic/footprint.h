// A set of file changes, in symbols and names: what commute.h judges pairs by, and what `writes`
// and `diff --symbols` show.
//
// Reads are names. Every identifier in an edited symbol is a read of that name, found by walking
// tokens; queries only say more about a token and never hide one. Nothing is resolved to a
// definition: who judges compares names, so what is not known is taken to be the same.
//
// Pure; any thread. Time and memory grow with the size of the changed files, each bounded by
// Budget.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "semantic/names.h"
#include "semantic/symbol.h"

namespace gittxn::semantic {

// A file before and after; nothing where there was or is none. Both nothing is no change.
struct FileChange {
  std::string path;
  std::optional<std::string> before, after;
};

enum class Change : std::uint8_t {
  kAdded,
  kRemoved,
  kChanged,
  kMoved,  // itself the same, but on the other side of one of its neighbours
};
std::string_view change_name(Change change);

// What of a symbol changed.
struct Changed {
  std::array<std::uint8_t, kCapabilities> of = {};  // by Capability, 1 when it did
  bool contract_in_words = false;                   // of the contract only comments
  bool comments = false;                            // any comment
  bool has(Capability c) const { return of[static_cast<std::size_t>(c)] != 0; }
  bool code() const;    // more than comments
  bool strong() const;  // what others rely on: signature, visibility, build, contract in code
};

// The kind of receiver that a method in Go or Rust has now, where nothing else of its signature
// changed: then it is gone and there again.
enum class Receiver : std::uint8_t {
  kSame,     // as before, or it is no such method
  kAny,      // whatever it was called for before
  kPointer,  // in Go, something that has an address, and values of the type no more
};

struct Write {
  std::string symbol;     // id
  std::string container;  // id
  std::string path;
  std::string language;  // empty when unknown
  std::string kind;
  std::vector<std::string> defines;  // before and after together, sorted
  Change change = Change::kChanged;
  Changed what;  // all of it when it was added or removed
  // Of all that counts in it, comments too; empty for absent. Two writes of a symbol with the same
  // `after` are one decision that both sides took.
  Digest before, after;
  std::string renamed_from, renamed_to;  // of kAdded and kRemoved, the id it most likely had or has
  std::string with_type;  // of a member that is kRemoved, a type that has the same one, added
  std::vector<std::string> gone;   // names that it defined, and does no more
  std::vector<std::string> maybe;  // names that statements, or what is opaque, may define
  // Other methods that the interface in Go had, other constants of the enum in Java, Kotlin or PHP,
  // or other kinds of the sealed type in Kotlin.
  std::vector<std::string> beside;
  std::string of_type;             // the name of the type it is a member of
  std::vector<std::string> bases;  // of a member that is gone or new, what its type extends
  std::vector<std::string> gives;  // names in the type that it says a call of it, or it, has
  // Of what stands before its parts in its container when they are more or fewer than before, and
  // before those loose statements in it that are.
  Digest behind;
  bool opaque = false;
  bool never_parsed = false;  // it was opaque before, too
  bool member = false;        // of a type
  bool ordered = false;       // its place among its neighbours has a meaning
  bool runs = false;       // loose statements, or a value that is computed when the file is loaded
  bool overload = false;   // added where its container had one of that name
  bool feeds_all = false;  // an import that brings in names it does not say
  bool hidden = false;     // no code of another file, in Go of another folder, can name it
  bool needed = false;     // of a type: nothing is one that is made without it
  bool gives_other = false;   // of a function: what a call of it gives has another type
  bool signed_alike = false;  // its signature changed, and says the same to users
  bool takes_more = false;    // of a function: each call of what it was is one of it, too
  // The parameters that a function in Python had and has, where nothing else of its signature
  // changed; `asks` of one that is new, too (parameters.h).
  std::string asked, asks;
  bool takes_places = false;  // each call that gives all by its place is one of it, too
  bool kept = false;          // nothing changed but that it can be set no more
  int took = -1;              // of one that does: arguments that it took at most; -1: any number
  // Arguments that a call of the function had or has at least and at most; -1: not known.
  int least = -1, most = -1;
  Receiver receiver = Receiver::kSame;
  bool done = false;     // of a member that is kAdded: who has its type need not have it himself
  bool number = false;   // of a macro: it stands for a number, and did so before
  bool scoped = false;   // of a constant in C++: only the name of its enum leads to it
  bool linkage = false;  // of a macro: as before, its name says how others are linked, no more
  // Others rely on something of it that changed.
  bool strong() const { return what.strong() && !signed_alike; }
};

enum class UseState : std::uint8_t {
  kGained,  // in a statement that is new or changed
  kKept,    // in a statement of an edited symbol that is as it was
  kLost,    // the symbol used it and does so no more
};

struct Use {
  std::string name;
  std::string symbol;  // id of the symbol it stands in
  std::string path;
  std::string qualifier;  // the name before it: "a" of "a.b" and of "a::b"
  std::string declared;   // names.h
  std::string language;
  UseRole role = UseRole::kPlain;
  UseState state = UseState::kGained;
  int arity = -1;      // arguments of a call, or of those that it is handed to; -1: of none
  bool local = false;  // bound by a parameter or declaration around it, in the same symbol
  bool of_local = false, made = false, valued = false;  // names.h
  std::string named = {};                               // names.h
  bool set = false;                                     // names.h
  // A call that was there, whose value is what a member is asked of anew.
  bool given = false;
  // Not of the file's text: the name stands for another one, through modules that hand it on, and
  // `name` is what it is called in this file.
  std::string origin = {};
  // Not said by the file either: what it names there is a kind of this type, or gives one. Then
  // `qualifier` is what it names.
  bool kin = false;
};

// A name that means something at the top of a changed file, after the change.
struct Bound {
  std::string path, name;
  std::string module;    // as an import says it; empty: the file declares the name itself
  std::string original;  // as it is called there; empty: the module itself
  bool handed = false;   // whoever imports this file can have it
  auto operator<=>(const Bound&) const = default;
};
inline constexpr const char* kAnyName =
    "*";  // as the name of a Bound: an import does not say which
// The name of the default export of a script.
inline constexpr const char* kGivenByDefault = "default";
inline constexpr const char* kListForStar = "__all__";  // of Python: the names that `*` means

// Counts of the containers in a changed file, before and after, that have something of a name that
// is theirs; sorted by name. What an import brings in is somebody else's.
using Definitions = std::vector<std::pair<std::string, int>>;

struct Footprint {
  std::vector<std::string> paths;  // sorted; of files that were only laid out anew, too
  std::vector<Write> writes;       // sorted by symbol
  std::vector<Use> uses;           // sorted by name
  std::vector<Bound> bound;        // sorted
  // Paths of this side in C and C++, each with one of the other side's that it does not include.
  std::set<std::pair<std::string, std::string>> apart;
  // Paths of this side, each with the name of a member that a type has which the file means, and
  // which the other side left as it is; or with "module.name", which is so in C++, Go and Rust.
  std::set<std::pair<std::string, std::string>> elsewhere;
  // Symbols of this side in C++, each with one of the other side's that no plain name in it means,
  // and of members that are defined apart from their type, no name at all.
  std::set<std::pair<std::string, std::string>> strangers;
  // Includes of the other side's in C and C++ that are gone, each with a symbol of this side and a
  // name in it that nothing else brought to its file.
  std::set<std::tuple<std::string, std::string, std::string>> unfed;
  // One for each file. Several footprints share it, so it is not changed once it is made.
  std::vector<std::shared_ptr<const Definitions>> definitions;
  bool empty() const { return writes.empty(); }
  int definitions_of(std::string_view name) const;  // in all files
};

Footprint footprint_of_file(const FileChange& change, const Budget& budget);
// The first write of a symbol; nullptr when there is none.
const Write* write_in(const Footprint& side, std::string_view id);
// With its parts in order, and each use once.
Footprint settled(Footprint footprint);
// Of changes of different files.
Footprint together(const std::vector<const Footprint*>& files);
Footprint footprint_of(const std::vector<FileChange>& changes, const Budget& budget);

}  // namespace gittxn::semantic

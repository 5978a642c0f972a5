// The meaning of the writes of a footprint for names, and the files that a name reaches: the words
// that commute.cc judges in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/commute.h"
#include "semantic/footprint.h"

namespace gittxn::semantic {

// Languages that see each other's names as they are.
enum class Family : std::uint8_t { kUnknown, kC, kScript, kJvm, kData, kOther };
Family family_of(std::string_view language);

// How names of one language mean something in another: C's are linked with by all; data is reached
// by text and by members; a file that is not understood may be anything.
enum class Reach : std::uint8_t { kNone, kText, kMaybe, kFull };

Reach reach(const std::string& from, const std::string& to);

bool is_header(std::string_view path);
// A function that is called by the name of its type.
bool makes(std::string_view name);

// What happened to the definition of a name, the weakest first.
enum class Event : std::uint8_t {
  kWords,   // a comment that says what it does
  kMoved,   // its place, which has a meaning
  kMaybe,   // statements that may define it
  kBody,    // what it does or what its value is
  kShape,   // what one of a type has to have
  kAdded,   // there is one more
  kStrong,  // what users rely on, or it is gone
  kOpaque,  // anything
  kMacro,   // text that is put into users
};

struct Defined {
  std::string name;
  const Write* write = nullptr;
  Event event = Event::kBody;
};

// A name is here as often as there are writes that define it, or may.
std::vector<Defined> defined_by(const std::vector<const Write*>& writes);

// What a change of a name means for one use of it on the other side: the table behind the names of
// commute.h.
struct Judged {
  Verdict verdict = Verdict::kCommute;
  Rule rule = Rule::kDisjoint;
};

// Knowledge of whose name a use is. `others`: the changed files have something of the name that
// stays as it is. `sure`: it is the one that is defined.
struct Whose {
  bool others = false;
  bool sure = false;
};

Judged judge(const Defined& defined, const Use& use, Whose whose);

// A member of a class in C++ that more may use, and nothing else: classes of it may show less. A
// method of a script that may be given more: classes of it may take less.
bool shows_more(const Write& write);

// `own` is a new member of a type that extends the one which `base` is a member of, is called as it
// is, and cannot stand for it: `side` took it out, or others see it change. In Java both may be
// new, where they give different things.
bool overrides_otherwise(const Write& own, const Write& base, const Footprint& side);

// "uses 'total' in a.py/f()." and "expects the error 'KeyError' in a.py/f()."
std::string used(const Use& use);

// "renamed a.py/f(). to a.py/g()." and the like.
std::string did(const Write& write);

}  // namespace gittxn::semantic

// Things that code in Python and in scripts counts on beside the names that it reads: keys that
// stand there as strings, and ways in which a function ends.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/names.h"

namespace gittxn::semantic {

// The name of a use: what is read, or key_name() or outcome_name() of it.
std::string full_name(const NameRead& read);
// The name of a key in Python, which is no member: "[timeout]" of `config["timeout"]`.
std::string key_name(std::string_view key);
// The outcome of a function that gives nothing: `None`, `null`.
inline constexpr std::string_view kEndsInNothing = "null";
// The outcome of a function in a script that fails, whatever the error is.
inline constexpr std::string_view kFails = "!";
// The name of how a function may end: "load!KeyError".
std::string outcome_name(std::string_view function, std::string_view outcome);
// Such a name for people: "the key 'timeout'", "the error 'KeyError'"; of a key in a script, too.
std::string shown_given(std::string_view name);

// Adds what the token reads beside `read`, which the key of `{ timeout: 3 }` makes one of an
// object: a string the key of `config["timeout"]`, which in Python `config.get("timeout")` asks
// for, too; the function of a call in Python and scripts how it may end, where something is done
// about that: an error is caught, or nothing is looked for.
void more_reads(const Tree& tree, const Node& leaf, NameRead* read, std::vector<NameRead>* more);

// The outcome of an event, for outcome_name(): something listens to it.
inline constexpr std::string_view kHeard = "event";
// The event that a string is, and what has the method that is told it first: "added" and "cart" of
// `cart.emit('added', item)`; of `this` and what is no name nothing.
struct EventTold {
  std::string_view name, owner;
};
// The event where the method, or function, has one of these names; an empty one: it is none.
EventTold event_told(const Node& leaf, std::initializer_list<std::string_view> methods);

}  // namespace gittxn::semantic

#include "semantic/compare/events.h"

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

// Called without being named: by an operator, a loop, a text with something put in.
bool is_implicit(const Write& write, std::string_view name) {
  if (name.starts_with("operator")) return true;
  if (name.starts_with("__")) return name.ends_with("__") || write.language == "php";
  if (write.language == "csharp") {
    return is_any(name, {"ToString", "Equals", "GetHashCode", "GetEnumerator", "GetAwaiter",
                         "Deconstruct", "Dispose"});
  }
  if (write.language == "kotlin") return is_any(name, {"toString", "equals", "hashCode", "close"});
  return write.language == "ruby" &&
         is_any(name, {"method_missing", "respond_to_missing", "const_missing", "inherited",
                       "included", "extended", "prepended", "coerce", "each", "to_s", "to_str",
                       "to_a", "to_ary", "to_proc", "to_h", "to_hash", "call", "hash", "eql"});
}

Event event_of(const Write& write) {
  if (write.opaque) return Event::kOpaque;
  if (write.kind == "macro" && write.change != Change::kMoved) return Event::kMacro;
  switch (write.change) {
    case Change::kAdded:
      return write.overload ? Event::kStrong : Event::kAdded;
    case Change::kRemoved:
      return Event::kStrong;
    case Change::kMoved:
      return Event::kMoved;
    case Change::kChanged:
      break;
  }
  if (write.what.strong() || write.kind == "file") return Event::kStrong;
  return write.what.code() ? Event::kBody : Event::kWords;
}

bool tells(const Write& write) {
  if (write.change == Change::kMoved) return write.ordered;
  return write.change != Change::kChanged || write.what.code() || write.what.contract_in_words;
}

// What somebody who uses the type sees of it, without naming the member.
bool shapes_type(const Write& write) {
  const bool part = is_any(write.kind, {"field", "constant"});
  return write.member && part && (write.change != Change::kChanged || write.what.strong());
}

}  // namespace

Family family_of(std::string_view language) {
  if (language.empty()) return Family::kUnknown;
  if (is_any(language, {"c", "cpp"})) return Family::kC;
  if (is_any(language, {"javascript", "typescript", "tsx"})) return Family::kScript;
  if (is_any(language, {"java", "kotlin"})) return Family::kJvm;
  if (is_any(language, {"json", "yaml", "toml"})) return Family::kData;
  return Family::kOther;
}

Reach reach(const std::string& from, const std::string& to) {
  const Family a = family_of(from), b = family_of(to);
  if (a == Family::kUnknown || b == Family::kUnknown) return Reach::kMaybe;
  if (a == Family::kData || b == Family::kData) return Reach::kText;
  if (a == b && (a != Family::kOther || from == to)) return Reach::kFull;
  return a == Family::kC || b == Family::kC ? Reach::kMaybe : Reach::kNone;
}

bool is_header(std::string_view path) {
  return path.ends_with(".h") || path.ends_with(".hh") || path.ends_with(".hpp") ||
         path.ends_with(".hxx") || path.ends_with(".inl") || path.ends_with(".ipp");
}

bool is_function(const Write& write) {
  return is_any(write.kind, {"function", "prototype", "constructor"});
}

bool makes(std::string_view name) {
  return is_any(name, {"__init__", "__new__", "__call__", "__post_init__", "constructor",
                       "initialize", "__construct", "__invoke"});
}

std::vector<Defined> defined_by(const std::vector<const Write*>& writes) {
  std::vector<Defined> all;
  for (const Write* write : writes) {
    if (!tells(*write)) continue;
    const Event event = event_of(*write);
    for (const std::string& name : write->defines) {
      all.push_back({name, write, event});
      if (write->of_type.empty()) continue;
      if (makes(name)) {
        all.push_back({write->of_type, write, event});
      } else if (is_implicit(*write, name)) {
        all.push_back({write->of_type, write, Event::kMaybe});
      }
    }
    for (const std::string& name : write->maybe) {
      all.push_back({name, write, write->opaque ? Event::kOpaque : Event::kMaybe});
    }
    if (shapes_type(*write)) all.push_back({write->of_type, write, Event::kMaybe});
  }
  return all;
}

std::string did(const Write& write) {
  if (write.opaque) {
    const bool whole_file = write.symbol.ends_with('/');
    const std::string what = write.symbol.substr(0, write.symbol.size() - (whole_file ? 1 : 0));
    return "changed " + what +
           (write.language.empty() ? ", which has no structure" : ", which could not be parsed");
  }
  if (!write.renamed_to.empty()) {
    const bool beside = write.renamed_to.starts_with(write.container);
    return "changed " + write.symbol + " to " +
           write.renamed_to.substr(beside ? write.container.size() : 0);
  }
  if (write.change != Change::kChanged) {
    return std::string(change_name(write.change)) + " " + write.symbol;
  }
  std::string what;
  for (std::size_t i = 0; i < kCapabilities; ++i) {
    if (write.what.of[i] == 0) continue;
    what +=
        (what.empty() ? "" : " and ") + std::string(capability_name(static_cast<Capability>(i)));
  }
  if (what.empty()) what = "comments";
  return "changed the " + what + " of " + write.symbol;
}

}  // namespace gittxn::semantic

#include "semantic/compare/events.h"

#include <algorithm>

#include "semantic/compare/matched_beside.h"
#include "semantic/kinds.h"
#include "semantic/symbols/calls.h"
#include "semantic/symbols/more_reads.h"

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
  const bool words = write.change == Change::kChanged && !write.what.code();
  if (write.kind == "macro" && write.change != Change::kMoved && !words && !write.number) {
    return Event::kMacro;
  }
  if (write.change == Change::kAdded) return write.overload ? Event::kStrong : Event::kAdded;
  if (write.change == Change::kRemoved) return Event::kStrong;
  if (write.change == Change::kMoved) return Event::kMoved;
  if (write.strong() || write.kind == "file") return Event::kStrong;
  return write.what.code() ? Event::kBody : Event::kWords;
}

bool tells(const Write& write) {
  if (write.change == Change::kMoved) return write.ordered;
  // One more means nothing to who uses the others.
  if (is_any(write.kind, {"attribute", "given"}) && write.change == Change::kAdded) return false;
  return write.change != Change::kChanged || write.what.code() || write.what.contract_in_words;
}

// What somebody who uses the type sees of it, without naming the member.
bool shapes_type(const Write& write) {
  const bool part = write.needed || is_any(write.kind, {"field", "constant"});
  return write.member && part && (write.change != Change::kChanged || write.strong());
}

// An import feeds the file that it is in; others may import the name from there.
Judged by_import(const Defined& defined, const Use& use, Whose whose) {
  const Judged none = {Verdict::kCommute, Rule::kImport};
  if (use.role == UseRole::kText) return none;
  if (use.path != defined.write->path) {
    const bool is_used = use.state == UseState::kGained && whose.sure;
    if (is_used && defined.event >= Event::kStrong) return {Verdict::kBlock, Rule::kImport};
    const bool from = use.role == UseRole::kImport && use.state == UseState::kGained;
    return from && defined.event >= Event::kStrong ? Judged{Verdict::kValidate, Rule::kImport}
                                                   : none;
  }
  if (use.role == UseRole::kImport || defined.event < Event::kAdded) return none;
  const bool gained = use.state == UseState::kGained;
  const bool blocks = gained || defined.event >= Event::kStrong;
  // Behind a dot it is somebody else's name, most likely.
  const bool sure = blocks && use.role != UseRole::kMember;
  return {sure ? Verdict::kBlock : Verdict::kValidate, Rule::kImport};
}

// An implementation of a trait in Rust: "impl#[Cart][Priced]".
bool is_of_trait(std::string_view symbol) {
  const std::size_t impl = symbol.rfind("/impl#[");
  return impl != symbol.npos && symbol.substr(impl).contains("][");
}

// The use is one of what the function takes now, too.
bool takes_it(const Write& write, const Use& use) {
  const bool apart = write.takes_places || !write.asked.empty();
  if (apart && use.role == UseRole::kImport) return true;
  if (write.takes_places && use.arity >= 0 && use.named.empty()) return true;
  if (is_call_of_both(write, use)) return true;
  if (write.kept && !use.set) return true;
  if (!write.takes_more) return false;
  // `::Order` stands for what its constructor was.
  if (write.kind == "type" && write.language == "kotlin" && use.role == UseRole::kPlain)
    return false;
  // Rust takes a trait once, be it derived or said: in the head of an implementation.
  if (write.kind == "type" && is_of_trait(use.symbol) && use.symbol.ends_with(']')) return false;
  if (write.kind == "macro" && use.made) return false;
  // A union in TypeScript takes what it took, and gives more.
  if (write.kind == "type" && family_of(write.language) == Family::kScript) {
    return use.made || use.role == UseRole::kImport;
  }
  if (write.receiver == Receiver::kAny) return true;
  // No value in Go has the method, but what has an address.
  if (write.receiver == Receiver::kPointer) {
    return !use.qualifier.empty() && use.qualifier != write.of_type;
  }
  // A function in C, C++, Go, C# and Kotlin that is named and not called is kept as what it was.
  // The name of a constructor is its type's.
  const bool makes = is_any(write.language, {"cpp", "csharp"}) && write.defines.size() == 1 &&
                     write.defines[0] == write.of_type;
  const bool called = use.arity >= 0 || makes || !is_function(write.kind) ||
                      !is_any(write.language, {"c", "cpp", "go", "csharp", "kotlin"});
  // A call of more than it took means another function of that name, in C++.
  return called && (write.took < 0 || use.arity <= write.took);
}

bool is_made_by(const Write& write) {
  return write.kind == "constructor" && write.language == "java";
}

// The name of the type stands where no constructor of it is called: it is the type's alone.
bool makes_nothing(const Write& write, const Use& use) {
  return is_made_by(write) && use.role != UseRole::kSuper && use.arity < 0 && !use.made;
}

// The name of a type in C++ before that of its method, apart from a constructor of it.
bool is_method_beside(const Write& write, const Use& use) {
  const std::string scope = use.name + "::";
  const std::size_t at = use.symbol.rfind(scope);
  const bool alone =
      at != use.symbol.npos && at > 0 && !is_identifier(use.symbol.substr(at - 1, 1));
  return alone && write.language == "cpp" && write.symbol.contains(scope + use.name) &&
         use.state == UseState::kKept && use.arity < 0;
}

// A constant whose value the compiler needs there.
bool is_needed_value(const Write& write, const Use& use) {
  const bool constant = (write.language == "java" && write.kind == "field") ||
                        (write.language == "rust" && write.kind == "constant");
  return constant && use.valued && use.state == UseState::kGained;
}

// The call has another number of arguments than the function had or has, so that its compiler took
// it for one of another function. In Go one argument may be several that a call gives.
bool is_other_call(const Write& write, const Use& use) {
  if (write.least < 0 || use.arity < 0 || !is_function(write.kind)) return false;
  // The first constructor in Java is there instead of one that takes nothing.
  if (write.change == Change::kAdded && !write.overload && use.arity == 0 && is_made_by(write)) {
    return false;
  }
  if (use.language != write.language || (write.language == "go" && use.arity == 1)) return false;
  // A new member in C++ hides all others of its name from the code of types that have it.
  const bool hides = use.language == "cpp" && use.role != UseRole::kMember &&
                     write.change == Change::kAdded && !write.of_type.empty();
  if (hides) return false;
  // The first argument is what a method is called for, where it is called by the name of the type.
  const bool by_type = !write.of_type.empty() && is_any(write.language, {"go", "rust"});
  return use.arity < write.least || (write.most >= 0 && use.arity > write.most + (by_type ? 1 : 0));
}

Judged by_definition(const Defined& defined, const Use& use, Whose whose) {
  const bool added = defined.event == Event::kAdded;
  const bool fresh = added || defined.write->change == Change::kAdded;
  const Rule rule = fresh ? Rule::kNewDefinition : Rule::kDefinitionUse;
  if (use.state == UseState::kKept) return {Verdict::kValidate, rule};
  const Write& write = *defined.write;
  if (is_other_call(write, use)) return {Verdict::kValidate, rule};
  if (takes_it(write, use)) return {Verdict::kValidate, Rule::kBodyCaller};
  // Members of a namespace are gone or new by themselves, and other files may hold more of it.
  if (write.kind == "namespace" && write.language == "cpp") return {Verdict::kValidate, rule};
  // A name is linked once in C, so that the use means something else that was there.
  const bool linked = write.language == "c" && write.kind == "function" && !is_header(write.path);
  if (fresh && linked && use.path != write.path) return {Verdict::kValidate, rule};
  if (use.role != UseRole::kMember) return {Verdict::kBlock, rule};
  // Whose member it is cannot be told from the name when several have it; a new one that is no
  // overload is one of several.
  if (!whose.sure && (added || whose.others)) return {Verdict::kValidate, Rule::kAmbiguous};
  return {Verdict::kBlock, rule};
}

// A type in Go that has the method no more, or another one, is none of an interface that asks for
// it.
bool loses_interface(const Write& write) {
  if (write.language != "go" || !write.needed || write.member || write.of_type.empty())
    return false;
  if (write.receiver != Receiver::kSame || write.takes_more) return false;
  return write.change == Change::kRemoved || (write.change == Change::kChanged && write.strong());
}

bool is_first_constructor(const Write& write) {
  return write.change == Change::kAdded && !write.overload;
}

// A constructor in C++ that is given one of its type.
bool takes_its_own_type(const Write& write) {
  const std::string_view id = std::string_view(write.symbol).substr(write.container.size());
  const std::vector<std::string_view> words = words_of(id);
  return std::ranges::count(words, write.of_type) > 1;
}

// One more constant, or one more kind of a type, where an expression may have to have all.
bool is_one_of_all(const Write& write) {
  return write.change == Change::kAdded && has_all_matched(write.language) &&
         is_any(write.kind, {"constant", "type"});
}

// The use may make one of the type, or tell all its kinds apart, and the type now has to have
// something else.
Judged by_shape(const Defined& defined, const Use& use) {
  // One more constant, beside one in an expression that has to have all.
  if (is_one_of_all(*defined.write)) {
    return use.made ? Judged{Verdict::kBlock, Rule::kDefinitionUse} : Judged{};
  }
  // It may be made no more by the names of its fields, or as a copy.
  if (is_function(defined.write->kind) && defined.write->language == "cpp") {
    const bool ends = use.valued && (use.made ? is_first_constructor(*defined.write)
                                              : takes_its_own_type(*defined.write));
    return ends ? Judged{Verdict::kBlock, Rule::kDefinitionUse} : Judged{};
  }
  if (is_function(defined.write->kind) && defined.write->language == "rust") {
    return use.valued ? Judged{Verdict::kBlock, Rule::kDefinitionUse} : Judged{};
  }
  const bool in_java = defined.write->language == "java" && defined.write->kind == "field";
  if (in_java) {
    const bool makes_one = use.arity >= 0 || use.valued;
    return makes_one ? Judged{Verdict::kBlock, Rule::kDefinitionUse} : Judged{};
  }
  const bool called = use.arity >= 0 && defined.write->language == "python";
  if (loses_interface(*defined.write)) {
    const bool given = use.valued || use.declared == "&";
    return given ? Judged{Verdict::kBlock, Rule::kDefinitionUse} : Judged{};
  }
  const bool valued = defined.write->receiver == Receiver::kPointer;
  // A field in Go means nothing but to who gives the others by their places.
  if (defined.write->language == "go" && defined.write->kind == "field") {
    return use.arity >= 0 ? Judged{Verdict::kBlock, Rule::kDefinitionUse}
                          : Judged{Verdict::kValidate, Rule::kAmbiguous};
  }
  // Names of fields in C++ name those that were there.
  const bool made = use.made && !(use.valued && defined.write->language == "cpp");
  const bool meant = valued ? use.valued : made || called;
  if (meant && use.role != UseRole::kSuper) return {Verdict::kBlock, Rule::kDefinitionUse};
  return {Verdict::kValidate, Rule::kAmbiguous};
}

Judged by_use(const Defined& defined, const Use& use, Whose whose) {
  const bool gained = use.state == UseState::kGained;
  const Judged none = {Verdict::kCommute, Rule::kDisjoint};
  if (use.role == UseRole::kText) {
    return defined.event >= Event::kStrong ? Judged{Verdict::kValidate, Rule::kAmbiguous} : none;
  }
  if (makes_nothing(*defined.write, use)) return none;
  if (defined.event == Event::kBody && is_method_beside(*defined.write, use)) return none;
  switch (defined.event) {
    case Event::kMacro:
      // Nothing but the preprocessor can tell how something is linked.
      return {defined.write->linkage && !use.made ? Verdict::kValidate : Verdict::kBlock,
              Rule::kMacro};
    case Event::kOpaque:
      return {Verdict::kValidate, Rule::kOpaque};
    case Event::kStrong:
    case Event::kAdded:
      return by_definition(defined, use, whose);
    case Event::kBody:
      return {is_needed_value(*defined.write, use) ? Verdict::kBlock : Verdict::kValidate,
              Rule::kBodyCaller};
    case Event::kShape:
      return gained ? by_shape(defined, use) : none;
    case Event::kMaybe:
      return gained ? Judged{Verdict::kValidate, Rule::kAmbiguous} : none;
    case Event::kMoved:
      return gained ? Judged{Verdict::kValidate, Rule::kOrder} : none;
    case Event::kWords:
      return gained ? Judged{Verdict::kValidate, Rule::kBodyCaller} : none;
  }
  return none;
}

// Another file has the implementation, or the type that it names, now.
bool is_elsewhere_now(const Write& gone, const std::vector<const Write*>& writes) {
  const std::string_view own = std::string_view(gone.symbol).substr(gone.symbol.rfind("/impl#["));
  return std::ranges::any_of(writes, [&](const Write* write) {
    return write->change == Change::kAdded && write->after == gone.before &&
           write->symbol.ends_with(own);
  });
}

// A type in Rust has a trait no more, has it in other cases, or names another type in it: what uses
// the type may need that without naming it (`{}`, `?`, `+`, `for`). One that ends in its own way is
// taken apart no more.
bool changes_type(const Write& write, const std::vector<const Write*>& writes) {
  if (write.language != "rust" || !is_of_trait(write.symbol)) return false;
  if (!is_any(write.kind, {"impl", "type"})) return false;
  if (write.change == Change::kRemoved) return !is_elsewhere_now(write, writes);
  if (write.change == Change::kChanged) return write.kind == "type" || write.strong();
  return write.change == Change::kAdded && write.kind == "impl" &&
         write.symbol.substr(write.container.size()).contains("Drop");
}

// Its type is there without it, and extends none that has it now.
bool is_gone_for_good(const Write& member, const Footprint& side) {
  const Write* type = write_in(side, member.container);
  if (type != nullptr && type->change == Change::kRemoved) return false;
  return std::ranges::none_of(side.writes, [&](const Write& other) {
    return other.change == Change::kAdded && other.defines == member.defines &&
           std::ranges::find(member.bases, other.of_type) != member.bases.end();
  });
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
      const bool gone = std::ranges::binary_search(write->gone, name);
      all.push_back({name, write, gone ? std::max(event, Event::kStrong) : event});
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
    for (const std::string& other : write->beside) {
      if (is_one_of_all(*write)) all.push_back({other, write, Event::kShape});
    }
    // Values of the type have it no more, where they are given to an interface.
    if (write->receiver == Receiver::kPointer && write->change == Change::kRemoved) {
      all.push_back({write->of_type, write, Event::kShape});
    }
    if (loses_interface(*write)) all.push_back({write->of_type, write, Event::kShape});
    if (changes_type(*write, writes)) all.push_back({write->of_type, write, Event::kStrong});
    if (shapes_type(*write)) {
      all.push_back({write->of_type, write, write->needed ? Event::kShape : Event::kMaybe});
    }
  }
  return all;
}

Judged judge(const Defined& defined, const Use& use, Whose whose) {
  if (use.state == UseState::kLost) return {};
  const Write& write = *defined.write;
  const bool here = use.path == write.path;
  auto [verdict, rule] =
      write.kind == "import" ? by_import(defined, use, whose) : by_use(defined, use, whose);
  Reach reached = reach(write.language, use.language);
  const bool by_text = use.role == UseRole::kText || use.role == UseRole::kMember;
  if (reached == Reach::kNone || (reached == Reach::kText && !by_text && !here)) return {};
  // Proven to mean something else, unless the name is put in as text.
  if (use.local && defined.event != Event::kMacro) {
    if (!here) return {};
    reached = Reach::kMaybe;
  }
  if (verdict == Verdict::kBlock && reached != Reach::kFull) {
    return {Verdict::kValidate, Rule::kAmbiguous};
  }
  return {verdict, rule};
}

bool shows_more(const Write& write) {
  // Another method in a script ignores what it does not take.
  if (family_of(write.language) == Family::kScript && write.takes_more) {
    return is_function(write.kind);
  }
  return write.language == "cpp" && write.takes_more && write.member &&
         write.what.has(Capability::kVisibility) && !write.what.has(Capability::kSignature);
}

bool overrides_otherwise(const Write& own, const Write& base, const Footprint& side) {
  if (own.change != Change::kAdded || !own.member || base.hidden || base.of_type.empty()) {
    return false;
  }
  if (!is_function(own.kind) || !is_function(base.kind)) return false;
  if (std::ranges::find(own.bases, base.of_type) == own.bases.end()) return false;
  const auto called = [](const Write& write) {
    return std::string_view(write.symbol).substr(write.container.size());
  };
  if (called(own) != called(base) || std::ranges::any_of(own.defines, makes)) return false;
  if (base.change == Change::kAdded) return own.language == "java" && own.gives != base.gives;
  if (base.change == Change::kRemoved) return is_gone_for_good(base, side);
  return base.change == Change::kChanged && base.strong() && !base.takes_more;
}

std::string used(const Use& use) {
  const bool by_text = use.language == "python" || family_of(use.language) == Family::kScript;
  const bool outcome = by_text && use.name.contains('!');
  const bool key = use.language == "python" && use.name.starts_with('[');
  const std::string what = outcome || key ? shown_given(use.name) : "'" + use.name + "'";
  const std::string_view verb = use.state != UseState::kGained ? "edited a user of "
                                : outcome                      ? "expects "
                                                               : "uses ";
  return std::string(verb) + what + " in " + use.symbol;
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
  if (write.kind == "given" && write.defines.size() == 1) {
    const std::string owner = write.symbol.substr(0, write.symbol.rfind("`{"));
    const bool added = write.change == Change::kAdded;
    return std::string(change_name(write.change)) + " " + shown_given(write.defines[0]) +
           (added ? " to " : " from ") + owner;
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

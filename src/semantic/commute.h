// Whether two concurrent changes may both land without either author looking again.
//
//   COMMUTE   they are disjoint and neither changed what the other relies on
//   VALIDATE  they merge, but only checks of the result can tell: a level that settles nothing by
//             checks alone (strict) must treat it as BLOCK, and so must a branch without checks
//   BLOCK     one changed what the other relies on, or both decided one thing differently
//
// Symmetric: commute(a, b) and commute(b, a) have the same verdict. The worst finding decides. What
// is not known is never COMMUTE.
//
// Judges meaning only: whether the bytes merge is merge.h's to say, for every verdict.
//
// Pure; any thread; time grows with the sizes of both and the names they have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/footprint.h"

namespace gittxn::semantic {

enum class Verdict : std::uint8_t { kCommute, kValidate, kBlock };

enum class Rule : std::uint8_t {
  kDisjoint,        // nothing met
  kSameSymbol,      // both changed one symbol's body, or its comments
  kSignatureBody,   // name, signature, visibility or build of a symbol against any change of it
  kBothAdded,       // added by both, differently or at two places
  kRemovedChanged,  // removed by one, changed, moved or added to by the other
  kContainer,       // the head of a container against a change of something in it
  kOpaque,          // what could not be parsed against anything in it
  kDefinitionUse,   // definition of a name changed or gone against a new or changed use of it
  kNewDefinition,   // a new overload or shadowing definition against a use
  kAmbiguous,       // the same, of a member that several types have, or of a use that is no code
  kBodyCaller,      // body against a use in something edited
  kImplementers,    // a type's members against a new implementer of it
  kImport,          // an import against what it feeds
  kMacro,           // a macro against what it feeds
  kOrder,           // an order that has a meaning, changed by both
  kLoose,           // statements that run when the file is loaded, changed by both
};
std::string_view rule_name(Rule rule);  // "signature-body"

struct Finding {
  Verdict verdict = Verdict::kCommute;
  Rule rule = Rule::kDisjoint;
  std::string left, right;          // ids of what met, of `a` and of `b`
  std::string name;                 // the name they met by, when it was one
  std::string why;                  // a sentence for people: "one side ..., the other ..."
  std::string left_did, right_did;  // its two parts: "changed a/f()."
};

struct Commuted {
  Verdict verdict = Verdict::kCommute;
  std::vector<Finding> findings;  // worst first, bounded; empty exactly when they commute
  std::size_t more = 0;           // findings left out
};

// `left` and `right` in the findings are a's and b's.
Commuted commute(const Footprint& a, const Footprint& b);

}  // namespace gittxn::semantic

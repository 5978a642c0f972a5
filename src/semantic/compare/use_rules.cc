#include "semantic/compare/use_rules.h"

namespace gittxn::semantic {
namespace {

// An import feeds the file that it is in; others may import the name from there.
Judged by_import(const Defined& defined, const Use& use) {
  const Judged none = {Verdict::kCommute, Rule::kImport};
  if (use.role == UseRole::kText) return none;
  if (use.path != defined.write->path) {
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

Judged by_definition(const Defined& defined, const Use& use, int definitions) {
  const bool added = defined.event == Event::kAdded;
  const bool fresh = added || defined.write->change == Change::kAdded;
  const Rule rule = fresh ? Rule::kNewDefinition : Rule::kDefinitionUse;
  if (use.state == UseState::kKept) return {Verdict::kValidate, rule};
  if (use.role != UseRole::kMember) return {Verdict::kBlock, rule};
  // Whose member it is cannot be told from the name when several have it; a new one that is no
  // overload is one of several.
  if (added || definitions > 1) return {Verdict::kValidate, Rule::kAmbiguous};
  return {Verdict::kBlock, rule};
}

Judged by_use(const Defined& defined, const Use& use, int definitions) {
  const bool gained = use.state == UseState::kGained;
  const Judged none = {Verdict::kCommute, Rule::kDisjoint};
  if (use.role == UseRole::kText) {
    return defined.event >= Event::kStrong ? Judged{Verdict::kValidate, Rule::kAmbiguous} : none;
  }
  switch (defined.event) {
    case Event::kMacro:
      return {Verdict::kBlock, Rule::kMacro};
    case Event::kOpaque:
      return {Verdict::kValidate, Rule::kOpaque};
    case Event::kStrong:
    case Event::kAdded:
      return by_definition(defined, use, definitions);
    case Event::kBody:
      return {Verdict::kValidate, Rule::kBodyCaller};
    case Event::kMaybe:
      return gained ? Judged{Verdict::kValidate, Rule::kAmbiguous} : none;
    case Event::kMoved:
      return gained ? Judged{Verdict::kValidate, Rule::kOrder} : none;
    case Event::kWords:
      return gained ? Judged{Verdict::kValidate, Rule::kBodyCaller} : none;
  }
  return none;
}

}  // namespace

Judged judge(const Defined& defined, const Use& use, int definitions) {
  if (use.state == UseState::kLost) return {};
  const Write& write = *defined.write;
  const bool here = use.path == write.path;
  auto [verdict, rule] =
      write.kind == "import" ? by_import(defined, use) : by_use(defined, use, definitions);
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

}  // namespace gittxn::semantic

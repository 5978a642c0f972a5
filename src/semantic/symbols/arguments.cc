#include "semantic/symbols/arguments.h"

#include <algorithm>
#include <string_view>

#include "semantic/kinds.h"
#include "semantic/symbols/callers_in_c.h"
#include "semantic/symbols/signature_words.h"

namespace gittxn::semantic {
namespace {

Arguments counted(const Node& list) {
  Arguments all{0, 0};
  bool any = false;
  int more = 0;
  for (const Node* kid : list.kids) {
    if (!kid->named || kid->comment ||
        is_any(kid->kind, {"self_parameter", "receiver_parameter"})) {
      continue;
    }
    const bool rest = is_any(
        kid->kind, {"variadic_parameter_declaration", "spread_parameter", "variadic_parameter"});
    const bool row = kid->kind == "parameter" && list.kind == "parameter_list";  // in C#
    if (row && kid->text.starts_with("this ")) return {};
    any = any || rest || (row && kid->text.starts_with("params "));
    if (rest) continue;
    const bool optional =
        row && std::ranges::any_of(kid->kids, [](const Node* part) { return part->text == "="; });
    (optional ? more : all.least) += parameters_at(*kid);
  }
  all.most = any ? -1 : all.least + more;
  return all;
}

}  // namespace

Arguments arguments_of(const Outline& outline, const Outlined& symbol) {
  if (outline.language == nullptr || symbol.opaque || !is_function(symbol.kind)) return {};
  if (symbol.nodes.empty()) return {};
  const std::string_view language = outline.language->name;
  if (language == "cpp") return {least_arguments_in_c(symbol), most_arguments_in_c(symbol)};
  if (!is_any(language, {"go", "java", "rust", "csharp"}) || symbol.nodes.size() != 1) return {};
  const Node* list = kid_in(*without_wrapping(symbol.nodes.front()), "parameters");
  return list == nullptr ? Arguments{} : counted(*list);
}

}  // namespace gittxn::semantic

#include "semantic/merge/inserted/inserted.h"

#include "semantic/merge/inserted/if_asked.h"
#include "semantic/merge/inserted/own_statements.h"
#include "semantic/merge/inserted/registered.h"

namespace gittxn::semantic {

Inserted how_inserted(const Sides<const Tree*>& trees,
                      const Sides<std::vector<const Node*>>& statements) {
  if (registered_apart(statements) || only_of_their_own(trees, statements) ||
      put_under_other_keys(trees, statements) || one_only_imports(trees, statements)) {
    return Inserted::kUnordered;
  }
  return does_nothing_unasked(trees, statements) ? Inserted::kAskedFor : Inserted::kOrdered;
}

}  // namespace gittxn::semantic

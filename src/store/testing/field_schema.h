// What documents say of a list of fields (base/fields.h): its JSON Schema, and one line for people.
#pragma once

#include <string>
#include <string_view>

#include "base/fields.h"

namespace gittxn::store::testing {

struct SchemaTitle {
  std::string id;  // "urn:git-txn:event:txn.begun:1"
  std::string title;
  std::string description;
};
// The file: JSON Schema, draft 2020-12, closed. What has a name of its own (FieldIo::thing) is
// described once, in $defs.
std::string schema_file(const SchemaTitle& title, const FieldList& list);

// "`attempt`, `trace` (a path), `confine?`": what need not be there has a question mark.
std::string field_line(const FieldList& list);
// "{number, base, confine?}": the names alone.
std::string field_names(const FieldList& list);

}  // namespace gittxn::store::testing

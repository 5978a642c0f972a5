#include "model/compensation.h"

#include "base/json_value.h"
#include "model/codec.h"

namespace gittxn {

Json to_json(const Compensation& compensation) {
  return Json{{"number", compensation.number},
              {"attempt", compensation.attempt},
              {"name", encode_path(compensation.name)},
              {"argv", texts_to_json(compensation.argv)},
              {"runs", compensation.runs},
              {"ended", compensation.ended},
              {"exit", compensation.exit_status},
              {"timed_out", compensation.timed_out},
              {"output", encode_path(compensation.output.str())}};
}

Result<Compensation> compensation_from_json(const Json& json) {
  Fields fields(json, "compensation");
  Compensation one;
  fields.integer("number", one.number);
  fields.integer("attempt", one.attempt);
  fields.text("name", one.name);
  fields.texts("argv", one.argv);
  fields.integer("runs", one.runs);
  fields.boolean("ended", one.ended);
  fields.integer("exit", one.exit_status);
  fields.boolean("timed_out", one.timed_out);
  fields.name("output", one.output);
  TRY(fields.done());
  return one;
}

}  // namespace gittxn

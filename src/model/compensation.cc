#include "model/compensation.h"

#include "model/fields.h"

namespace gittxn {

void fields(FieldIo& io, Compensation& compensation) {
  io.thing("compensation");
  io.integer("number", compensation.number, kPositive);
  io.integer("attempt", compensation.attempt, kPositive);
  io.text("name", compensation.name);
  io.texts("argv", compensation.argv);
  io.integer("runs", compensation.runs, kNotNegative);
  io.boolean("ended", compensation.ended);
  io.integer("exit", compensation.exit_status);
  io.boolean("timed_out", compensation.timed_out);
  io.name("output", compensation.output);
}

}  // namespace gittxn

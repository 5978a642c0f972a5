#include "agents/session_file.h"

#include <utility>

#include "agents/fields.h"
#include "agents/observe.h"

namespace gittxn::agents {

SessionReader::SessionReader(Sink sink)
    : sink_(std::move(sink)), lines_(kMaxEvent, [this](std::string_view text) {
        ++tally_.lines;
        const auto json = parse_foreign(text);
        const std::string type = json ? name_at(*json, "type") : "";
        if (type.empty()) {
          ++tally_.damaged;
        } else {
          on_line(*json, type);
        }
      }) {}

void SessionReader::finish() {
  lines_.finish();
  tally_.lines += lines_.too_long();
  tally_.damaged += lines_.too_long();
  at_end();
}

void SessionReader::declare(const Observation& base, std::string_view message) {
  Tally block;
  observe_read_set(base, message, sink_, block);
  tally_.incomplete += block.damaged;
}

}  // namespace gittxn::agents

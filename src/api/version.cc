#include "api/version.h"

#include "store/events.h"
#include "store/store.h"

namespace gittxn::api {

int schema_version() {
  return store::kSchemaVersion;
}

std::vector<std::string> event_types() {
  return store::events::types();
}

}  // namespace gittxn::api

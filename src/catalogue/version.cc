#include "catalogue/version.h"

#include <string>

#include "base/hash.h"

namespace gittxn::catalogue {

const Digest& analysis_version() {
  static const Digest version = sha256_fields({std::to_string(kAnalysis), analysis_inputs()});
  return version;
}

}  // namespace gittxn::catalogue

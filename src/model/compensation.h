// A command that undoes what a transaction did outside of the repository.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/result.h"

namespace gittxn {

struct Compensation {
  int number = 1;  // of its transaction, in the order of registration
  int attempt = 1;
  std::string name;
  std::vector<std::string> argv;
  int runs = 0;  // how often it was started
  bool ended = false;
  int exit_status = 0;  // with `ended`
  bool timed_out = false;
  Digest output;  // artifact; with `ended`
  bool operator==(const Compensation&) const = default;
};
Json to_json(const Compensation& compensation);
Result<Compensation> compensation_from_json(const Json& json);

}  // namespace gittxn

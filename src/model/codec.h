// JSON lines, and what codecs of model/ and store/ share beside base/fields.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.h"

namespace gittxn {

// Byte strings and their JSON form (base/json.h, encode_path), one by one.
Json texts_to_json(const std::vector<std::string>& texts);

// Calls `visit` for each line of JSON lines; the last line ends with a newline too.
Status each_json_line(std::string_view lines, std::string_view what,
                      const std::function<Status(const Json&)>& visit);

}  // namespace gittxn

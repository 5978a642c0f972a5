// What a text searcher prints about one file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/pattern.h"
#include "search/query.h"

namespace gittxn::search {

struct Lines {
  bool certain = true;    // false: what the tool prints about these bytes cannot be told
  bool selected = false;  // some line was; grep's status says so even where it prints nothing
  std::vector<std::string> printed;
};

// `name` as the tool shows it; empty: it shows none. Groups of context within the file are parted
// by
// "--"; the one that the tool puts between files is not there.
Lines lines_of(const Query& query, const Matcher& matcher, const std::string& name,
               std::string_view text);

}  // namespace gittxn::search

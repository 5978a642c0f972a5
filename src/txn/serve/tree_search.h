// One search over the served tree. What it means is a search::Query, which is recorded and judged
// when the change lands: every file that the query counts is looked at, and each line of it that
// matches is an answer. Where the query's own evaluator would not be certain of the answer (a text
// that is not ASCII, rules of an ignore file that it does not read) it judges the file by its
// bytes, so what is answered here never depends on more than what is judged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "search/query.h"
#include "txn/serve/served_tree.h"
#include "txn/serve/tree_tools.h"

namespace gittxn::api {

struct TreeQuery {
  SearchRequest request;
  std::string path;  // in the repository
  bool path_is_file = false;
  bool names_only = false;  // no pattern: the files that the globs match
};

// As an answer names it: a path that is not UTF-8 has %XX for each byte that is none, and for '%'.
std::string shown_path(const std::string& path);

// kUsage names what is not understood.
Result<search::Query> query_of(const TreeQuery& asked);

// kInterrupted: `stop` said so. kUsage: there are too many files below.
Result<SearchAnswer> search_tree(const ServedTree& tree, const search::Query& query,
                                 const TreeQuery& asked, const std::function<bool()>& stop);

}  // namespace gittxn::api

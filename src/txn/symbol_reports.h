// What `symbols`, `impact` and the footprint of a change answer, as plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/change.h"
#include "repo/objects.h"
#include "semantic/footprint.h"

namespace gittxn::api {

struct SymbolsRequest {
  std::optional<std::string> at;  // a commit; unset: the files as they are on disk
  std::vector<std::string>
      paths;              // relative to the current directory; none: the whole tree of `at`
  std::string kind;       // empty: all
  std::string name;       // as people say it; empty: all
  std::size_t limit = 0;  // 0: no limit
};

struct SymbolLine {
  std::string path;
  std::string language;  // empty: unknown
  std::string id;
  std::string kind;
  std::string name;
  std::uint32_t first = 0, last = 0;  // lines, from 1
  std::string opaque;                 // why it could not be looked into; empty: it could
  std::vector<std::pair<std::string, Digest>> hashes;  // by capability; those that it has
};

struct SymbolsReport {
  Oid commit;  // empty: the files on disk
  std::vector<SymbolLine> lines;
  std::size_t more = 0;  // over the limit
  std::size_t files = 0;
  std::vector<std::string> notes;
};

struct ImpactRequest {
  std::string of;                 // a path, a symbol, or a transaction
  std::optional<std::string> at;  // unset: the commit that is checked out
  std::size_t limit = 0;
};

struct ImpactLine {
  std::string relation;   // caller user importer subtype override test target mention
  std::string certainty;  // resolved, by name, governed
  std::string path;
  std::string symbol;
  std::uint32_t line = 0;
  std::string name;
  std::string of;
  std::string why;
};

struct SubjectLine {
  std::string path;
  std::string symbol;  // empty: the file
  std::string kind;
  std::uint32_t line = 0;
};

struct ImpactReport {
  Oid commit;
  std::vector<SubjectLine> subjects;
  bool ambiguous = false;  // `subjects` are several things, and nothing was looked for
  std::vector<ImpactLine> lines;
  std::size_t more = 0;
  std::vector<std::string> notes;
};

// What a change did to one symbol.
struct SymbolChange {
  std::string path;
  std::string symbol;
  std::string kind;
  std::string language;  // empty: unknown, and the symbol is the whole file
  semantic::Change what = semantic::Change::kChanged;
  std::vector<std::string> capabilities;  // that changed: signature visibility body contract build,
                                          // and comments; none when it was added, removed or moved
  std::string renamed_from, renamed_to;   // the id it most likely had or has
  bool opaque = false;
};

struct FootprintReport {
  Changes changes;                    // files
  std::vector<SymbolChange> symbols;  // by path, then by symbol
  std::vector<std::string> notes;     // what was not looked into
};
// Files of more than 4 MiB, and what is over 32 MiB in all, are told by their paths alone.
Result<FootprintReport> footprint_of(const repo::Objects& objects, const Changes& changes);

}  // namespace gittxn::api

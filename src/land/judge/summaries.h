// Whether summaries still hold: the look-ups that one was made from, done again in another tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "model/summary.h"
#include "repo/objects.h"
#include "store/store.h"

namespace gittxn::land {

// The answer of a source's look-up in a tree:
//   content    the object at the path; "directory" for one, "" for nothing
//   metadata   "<mode> <object>", of a directory the mode alone; "" for nothing
//   absence    "", or "present"
//   listing    as a listing read (names and types); "" where no directory is
//   tree       "<mode> <object>" of everything at and below the path; "" for nothing
// kFault: the tree cannot be read.
Result<std::string> look_up(const repo::Objects& objects, const Oid& tree, ReadKind kind,
                            const std::string& subject);

struct StaleSource {
  SummarySource source;
  std::string now;
};
// The first source that does not hold in the tree.
Result<std::optional<StaleSource>> first_stale(const repo::Objects& objects, const Oid& tree,
                                               const Summary& summary);

// A stored manifest. kNotFound, kCorrupt.
Result<Summary> load_summary(const store::Store& store, const Digest& manifest);

// For the certifier: every summary that was read and is in the store. The digest of a read may come
// from a file that an agent could write: what it does not lead to is left out, and does not hold.
Result<std::vector<certify::SummaryState>> summary_states(const store::Store& store,
                                                          const repo::Objects& objects,
                                                          const ReadSet& reads, const Oid& tree);

}  // namespace gittxn::land

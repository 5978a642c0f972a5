// Files that the policy says are made from others (gates/generated.h), in landing.
//
//   one changed the file, the other what it is made from   BLOCKS: it has to be made again
//   one changed what it is made from and not the file,
//   the other edited a file that names it                  NEEDS CHECKS
//
// and who read such a file has read what it is made from.
#pragma once

#include "land/judge/symbols.h"
#include "model/policy.h"

namespace gittxn::land {

// Adds to `findings`. `head` and `work`: what each changed since one base. Looks into the files
// that the other side edited only where a source changed and its file did not.
Status look_at_generated(const repo::Objects& objects, const Policy& policy, const Changes& head,
                         const Changes& work, SymbolFindings& findings);

// Empty when the policy knows of no such file.
certify::FindOutOfDate find_out_of_date(const Policy& policy);

}  // namespace gittxn::land

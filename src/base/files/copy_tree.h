// A file, or a folder with everything in it, copied by descriptors: no link is ever followed.
// Copies share blocks with the original where the file system can (FICLONE, copy_file_range). Mode
// and times are kept; links are copied as links; what is neither a file, a folder nor a link
// belongs to a process of the other place and is left out.
//
// If we die: some of the copy.
#pragma once

#include <string>

#include "base/result.h"

namespace gittxn {

// A link that begins with `from` begins with `to` in the copy. Empty: links stay as they are.
struct CopyLinks {
  std::string from;
  std::string to;
};

struct CopyTo {
  int directory = -1;
  std::string name;   // nothing of that name is in it
  std::string shown;  // what errors call it
};

// `from` is open for reading. Folders may be nested 128 deep.
Status copy_tree(int from, const CopyTo& to, const CopyLinks& links);

}  // namespace gittxn

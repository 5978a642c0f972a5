// Records the environment of a program that starts: the variables that a search may
// depend on, and a digest of all of it. Other values stay in memory, and go with the next few
// programs; none is in a record.
//
// Left out of the digest are the variables that git-txn gives to each transaction by itself
// (GIT_TXN_*, TMPDIR of a confined one, its library in LD_PRELOAD), the directory, which is in the
// record already (PWD), and what a shell keeps for itself: `_`, SHLVL, OLDPWD. With these in it no
// two transactions would have the same.
//
// Nearly all programs of a run are given what the last one was given, or one of the last few but
// for what is left out, which is compared byte by byte: then nothing is sorted or hashed. One
// thread uses it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "capture/trace/trace.h"

namespace gittxn::capture {

class Environments {
 public:
  // `words`: each "NAME=value" with a NUL behind it, in the order in which the program is given
  // them. Fills env_digest, and env and env_known of one that searches or only prints.
  void describe(std::string_view words, Record* exec);

 private:
  struct Known {
    std::string words;
    std::string digest;
  };
  const std::string& digest();

  // All words of the last program, and what is recorded of them.
  struct Last {
    std::string words;
    bool searches = false;
    std::vector<std::string> env;
    bool env_known = false;
    std::string env_digest;
  } last_;
  std::string words_;  // those that the digest is of
  std::array<Known, 4> known_;
  std::size_t oldest_ = 0;
};

}  // namespace gittxn::capture

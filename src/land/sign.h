// The signature of a landing commit. Only git's own configured program signs (gpg.program,
// gpg.format, user.signingkey), with the environment of the owner whose process lands; nobody signs
// for anybody else.
#pragma once

#include <optional>
#include <string>

#include "land/land.h"
#include "repo/objects.h"

namespace gittxn::land {

// commit.gpgsign of the owner, as git reads it.
Result<bool> signing_required(const repo::Repository& repository);

struct Signed {
  Oid commit;               // empty: not signed
  std::string unavailable;  // why not, in the words of git or the signing program
};
// The same commit with a signature, written by git. A key that cannot be used now is a value: the
// landing waits for its owner.
Result<Signed> sign_commit(const repo::Repository& repository, const repo::NewCommit& commit);

}  // namespace gittxn::land

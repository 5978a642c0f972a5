// The policies of commits: the one place that reads them.
#pragma once

#include <map>

#include "base/result.h"
#include "model/policy.h"
#include "repo/repository.h"

namespace gittxn::land {

class Policies {
 public:
  // .gittxn.toml of a commit or tree; the empty policy when there is none. kUsage: it does not
  // parse. A text is read once for as long as this lives.
  Result<Policy> at(repo::Repository& repository, const Oid& commitish);
  int read() const { return read_; }  // texts, until now

 private:
  std::map<Oid, Policy> known_;  // by the blob; of none: empty
  int read_ = 0;
};

}  // namespace gittxn::land

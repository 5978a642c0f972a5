// Inputs of a gate that it need not name to depend on them: the machine, and the settings by which
// git makes a checkout. Each is a text that is the same as long as they are.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "repo/repository.h"

namespace gittxn::gates {

Result<int> processors();  // that this process may use

// Kernel, host name, processors and limits that this process has, its user and its umask.
Result<std::string> machine_text();

// Settings of git that decide which bytes a file of a tree has on disk, and whether a link is one,
// besides the attributes: filters by any name among them.
Result<std::string> checkout_text(const repo::Repository& repository);
// The attribute files outside of a tree that apply to it. They need not exist.
Result<std::vector<std::string>> outside_attributes(const repo::Repository& repository);

}  // namespace gittxn::gates

// The few types of the running kernel that the programs use, as a type description (BTF) of its
// own: where each member is. libbpf would read all 130,000 types of the kernel for them, which
// takes longer than everything else that loading does.
#pragma once

#include <string>

#include "base/result.h"

struct btf;

namespace gittxn::capture {

// The structures that `used` declares, with the members that it names, as `kernel` (raw BTF) lays
// them out. What the kernel does not have is left out; where a name stands for several structures
// all are in it. Damaged input is kFault.
Result<std::string> used_kernel_types(const btf* used, std::string_view kernel);

// Those of the running kernel. kUnsupported: it does not tell its types.
Result<std::string> used_kernel_types(const btf* used);

}  // namespace gittxn::capture

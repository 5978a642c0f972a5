// Settings of the programs in the kernel: for each call number which arguments they read. Made from
// the table of calls.h, so that this back end sees what the others see.
#pragma once

#include "capture/trace/bpf/event.h"

namespace gittxn::capture {

BpfSettings bpf_settings();

}  // namespace gittxn::capture

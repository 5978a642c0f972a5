// The compiled programs of trace.bpf.c, in the program itself. Made by cmake/bpf.cmake.
#pragma once

#include <span>

namespace gittxn::capture {

extern const std::span<const unsigned char> kBpfObject;

}  // namespace gittxn::capture

// Runners: programs whose answer is whether it passes. Private to this module.
//
// An option that changes which tests run, or how, is a part of the question and on the list. One
// that makes the program show something else (what it would run, how much it covered, how long it
// took), change files, wait or go by an earlier run asks another question. Values in a next word
// may not begin with a dash, for these parsers do not agree on what that is.
#pragma once

#include "questions/options.h"

namespace gittxn::questions {

std::span<const Program> script_runners();  // of Python and JavaScript
std::span<const Program> build_runners();   // "make", "go test", "cargo build"

// Operands among check, test, lint and the like; none: what it makes by itself.
bool is_known_target(std::string_view name);
bool is_test_target(std::string_view name);

}  // namespace gittxn::questions

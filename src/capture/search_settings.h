// Settings that a search in a worktree depends on besides its arguments, its environment and the
// tree: git's configuration, rules and attributes outside the tree. They are looked at when the
// reads are made, and vouched for only when nothing there could matter; a program that changes them
// meanwhile is seen by the interpreter, which then vouches for nothing.
#pragma once

#include <string>
#include <string_view>

#include "base/subprocess.h"
#include "capture/interpret.h"
#include "search/argv.h"

namespace gittxn::capture {

// "" for one that is not there.
std::string variable(const Environment& env, const std::string& name);

// Asks git once. What cannot be read is not vouched for.
SearchSettings search_settings(const Places& places, const Environment& caller);

// Whether attributes of this text (a .gitattributes) may make a file of the worktree differ from
// its blob, or, for git grep, change what it takes for text; for a reader of lines, in more than
// how they end. A line that is not understood may.
enum class Reader { kAny, kGitGrep, kLines };
bool attributes_matter(std::string_view text, Reader reader);

// A file whose change may change what search_settings() says.
bool is_search_setting(std::string_view path);

}  // namespace gittxn::capture

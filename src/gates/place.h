// Bringing files of the main checkout into a fresh worktree. Names come from a policy and bytes
// from a checkout, so every step is confined: sources are opened beneath the checkout, targets
// beneath the worktree, and no link is ever followed out of either (openat2, RESOLVE_BENEATH).
//
// Copies share blocks with the original where the file system can (FICLONE, copy_file_range) and
// are private always: a hard link would let an agent write into the person's files. Links are
// copied as links; one that points into the checkout by an absolute path points into the worktree
// afterwards.
//
// If we die: a worktree with some of the files. Its owner starts a fresh one; nothing else saw it.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace gittxn::gates {

struct PlaceRequest {
  std::string from;  // absolute: the main checkout
  std::string to;    // absolute: the worktree
  std::string path;  // relative, as the policy names it
};

enum class Placed { kCopied, kNotThere, kAlreadyThere };

// A file, or a folder with everything in it. What the worktree already has is left alone:
// kAlreadyThere.
Result<Placed> place_path(const PlaceRequest& request);

// Where the folder is that a path stands for, by its real path; nullopt: nothing or no folder is
// there. Links are followed as long as they stay inside of `from`.
Result<std::optional<std::string>> folder_at(const std::string& from, const std::string& path);
// An empty folder in the worktree, with those that lead to it, through no link.
Status make_place(const std::string& to, const std::string& path);

}  // namespace gittxn::gates

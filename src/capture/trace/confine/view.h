// A mount namespace in which everything is read-only but what a confined command may write: for
// what Landlock does not govern, and cannot take away again below a place (confine.h).
//
// Nothing is mounted where others see it, and nothing has to be removed: the namespace ends with
// the last process in it. A user without privileges gets a user namespace with it, in which only
// their own user and group have names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace gittxn::capture {

struct ViewPlace {
  std::string path;  // absolute and real (no links in it); what is not there is left out
  enum class Kind { kWritable, kReadOnly } kind = Kind::kReadOnly;
  int copy = -1;  // its mount, on the way
};

struct ViewPlan {
  std::vector<ViewPlace> places;  // the outer ones first
  std::string uid_map, gid_map;
};
ViewPlan plan_view(std::vector<ViewPlace> places);

// In a child with one thread, between fork and exec: 0 or an errno. The current directory is still
// where it was mounted before; the caller enters it anew.
int enter_view(ViewPlan& plan);
// In the same child, afterwards: gives up, for good, every right of the machine's administrator
// that leads around the confinement (mounts, devices, modules, the clock, other processes' memory).
// 0 or an errno. A user without any has nothing to give up.
int drop_privileges();

// Tries it in a child. The reason, when it cannot be had here.
Status probe_view();

}  // namespace gittxn::capture

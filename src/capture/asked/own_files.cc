#include "capture/asked/own_files.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::capture {
namespace {

// More of them than that are not named one by one.
constexpr std::size_t kMostUnsettled = 1000;

// The times at which other processes changed a path, relative to an asking.
struct Since {
  bool itself = false, before = false, meanwhile = false, after = false;

  bool known() const { return before || meanwhile || after; }
  // The path was by then as it is at the end.
  bool settled() const { return before && !meanwhile && !after; }
  // It was changed first when the asking was over.
  bool untouched() const { return !before && !meanwhile; }
};

Since since(const std::vector<Touch>& touches, const Asking& asking) {
  Since found;
  for (const Touch& touch : touches) {
    if (asking.itself(touch.by)) {
      found.itself = true;
    } else if (touch.when < asking.from) {
      found.before = true;
    } else {
      (touch.when < asking.to ? found.meanwhile : found.after) = true;
    }
  }
  return found;
}

class Sorting {
 public:
  explicit Sorting(const Asking& asking) : asking_(asking) {}

  void lands(const PathChange& change, const std::vector<Touch>& touches) {
    const std::string& path = change.path;
    const Since when = since(touches, asking_);
    if (when.itself) return spoil("it wrote '" + path + "', which lands");
    if (INJECTED_BUG("capture.own_as_of_the_end")) return found_.own.push_back(path);
    if (when.known() && when.untouched()) return;
    const bool removed = !change.after.present();
    if (!when.settled() || (!removed && asking_.touched_unseen(path))) {
      return is_name(change, touches) ? named(path) : unsettled(path, when);
    }
    found_.own.push_back(path);
    const bool runner = asking_.kind == Question::Kind::kRunner;
    if (runner && !removed && looks_into(*asking_.looks, path)) found_.met.push_back(path);
  }

  // A directory that lost its files is still there where nobody was seen removing it.
  void lands_without(const std::string& directory, const std::vector<Touch>& touches) {
    if (since(touches, asking_).settled()) found_.own.push_back(directory);
  }

  void stays(const std::string& path, const std::vector<Touch>& touches) {
    const Since when = since(touches, asking_);
    if (!when.known() || when.untouched() || when.settled()) return;
    if (!asking_.left_out(path)) unsettled(path, when);
  }

  // A file that is not there when the question is asked again; a runner makes it anew.
  void shown(const std::vector<Touch>& touches) {
    if (asking_.kind != Question::Kind::kPure) return;
    const Since when = since(touches, asking_);
    if (when.before || when.meanwhile) spoil("it read a file that only this worktree has");
  }

  OwnFiles take() {
    std::ranges::sort(found_.unsettled);
    std::ranges::sort(found_.met);
    return std::move(found_);
  }
  bool spoiled() const { return !found_.spoiled.empty(); }

 private:
  void spoil(std::string why) { found_.spoiled = std::move(why); }

  // A regular file stood there all the time, whatever it held, and was met by its name alone.
  bool is_name(const PathChange& change, const std::vector<Touch>& touches) const {
    const auto regular = [](const TreeEntry& entry) {
      return entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
    };
    const auto stayed = [](const Touch& touch) { return !touch.gone && !touch.other; };
    if (touches.empty() || !change.after.present() || !regular(change.after)) return false;
    const bool there =
        change.before.present() ? regular(change.before) : touches.front().when < asking_.from;
    if (!there || !std::ranges::all_of(touches, stayed)) return false;
    if (!meets(*asking_.looks, change.path)) return false;
    return !looks_into(*asking_.looks, change.path);
  }

  // What it held is as unknown as that of a file that was not met.
  void named(const std::string& path) {
    found_.own.push_back(path);
    name_unsettled(path);
  }

  void unsettled(const std::string& path, const Since& when) {
    if (INJECTED_BUG("capture.all_is_settled")) return;
    if (!meets(*asking_.looks, path)) return name_unsettled(path);
    if (when.meanwhile) return spoil("'" + path + "' was written meanwhile");
    if (asking_.kind == Question::Kind::kPure) {
      return spoil("'" + path + "' was changed before and after it");
    }
    found_.in_between = true;
    if (looks_into(*asking_.looks, path)) found_.met.push_back(path);
  }

  void name_unsettled(const std::string& path) {
    if (found_.unsettled.size() == kMostUnsettled) {
      return spoil("too many files were changed before and after it");
    }
    found_.unsettled.push_back(path);
  }

  const Asking& asking_;
  OwnFiles found_;
};

bool is_file_of(const Changes& writes, const std::string& path) {
  const auto at = std::ranges::lower_bound(writes, path, {}, &PathChange::path);
  return at != writes.end() && at->path == path && !at->is_directory();
}

}  // namespace

std::string look_of(ReadKind kind, const std::string& subject) {
  const bool all_below = kind == ReadKind::kSearch || kind == ReadKind::kTree;
  return all_below ? subject + "/" : subject;
}

bool looks_into(const std::set<std::string>& looks, const std::string& file) {
  if (looks.contains(file) || looks.contains("/")) return true;
  for (std::string dir = file; dir != "."; dir = parent_dir(dir)) {
    if (looks.contains(dir + "/")) return true;
  }
  return false;
}

bool meets(const std::set<std::string>& looks, const std::string& path) {
  if (looks_into(looks, path) || looks.contains(path.contains('/') ? parent_dir(path) : "")) {
    return true;
  }
  const auto below = looks.lower_bound(path + "/");
  return below != looks.end() && below->starts_with(path + "/");
}

OwnHistory::OwnHistory(const Changes& writes, const Touches& touches)
    : writes_(writes), touches_(touches) {
  for (const auto& one : touches) {
    if (is_file_of(writes, one.first)) continue;
    stays_.push_back({one.second.front().when, one.second.back().when, &one});
  }
  std::ranges::stable_sort(stays_, {}, &Stays::last);
}

OwnFiles OwnHistory::at(const Asking& asking) const {
  static const std::vector<Touch> kUnknown;  // it was moved with its directory, say
  Sorting sorting(asking);
  for (const PathChange& change : writes_) {
    const auto found = touches_.find(change.path);
    const auto& touches = found == touches_.end() ? kUnknown : found->second;
    if (!change.is_directory()) sorting.lands(change, touches);
    const bool gone = change.is_directory() && !change.after.present();
    if (gone) sorting.lands_without(change.path, touches);
    if (sorting.spoiled()) return sorting.take();
  }
  for (const std::string& path : *asking.looks) {
    const auto touches = touches_.find(path);
    if (touches == touches_.end() || is_file_of(writes_, path)) continue;
    sorting.shown(touches->second);
    if (sorting.spoiled()) return sorting.take();
  }
  auto stays = std::ranges::upper_bound(stays_, asking.from, {}, &Stays::last);
  for (; stays != stays_.end() && !sorting.spoiled(); ++stays) {
    if (stays->first < asking.to) sorting.stays(stays->touched->first, stays->touched->second);
  }
  return sorting.take();
}

}  // namespace gittxn::capture

// Links outside the worktree as they were while the command ran. The disk says how things ended: a
// link in /tmp that led into the worktree when a file was read through it may be gone by then, or
// lead elsewhere. What the records say was made, moved and taken away is replayed, so that a path
// is resolved by what stood there at that moment.
//
// The records are gone through twice. The first time it is found out what stood at a path before it
// was changed for the first time; the second time each change takes its place among the reads. Of
// what no record changed, the disk is right. Everything is by real path, without links on the way.
//
// What a link said that was there before the command is known from the record that its removal
// left (Op::kWasLink). The eBPF back end has none; there it may be known only that it was a link.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace gittxn::capture {

class OutsideLinks {
 public:
  // What stands at a path: a link or anything else. A link without a text is one whose text nobody
  // kept.
  struct Spot {
    bool link = false;
    std::string text;
    bool operator==(const Spot&) const = default;
  };
  struct Found {
    std::optional<Spot> spot;  // none: the disk knows
    std::string on_disk;       // where on the disk it is, when that is another path
  };

  Found find(const std::string& path) const;

  bool foreseeing() const { return foreseeing_; }
  // The first time: what was there before a change that is about to be replayed, if it is the first
  // one there.
  void foresee(const std::string& path, const Spot& before);
  // Between the first time and the second.
  void start_over();

  void set(const std::string& path, Spot spot) { now_[path] = std::move(spot); }
  // A directory has another name.
  void move(const std::string& from, const std::string& to);

 private:
  std::string origin_of(const std::string& path) const;

  bool foreseeing_ = true;                        // the first time
  std::unordered_map<std::string, Spot> before_;  // by the path it had at the beginning
  std::unordered_map<std::string, Spot> now_;
  std::map<std::string, std::string> arrived_;  // directories: where they are -> where they began
  std::map<std::string, std::string> final_;    // where they began -> where they end
};

}  // namespace gittxn::capture

#include "capture/paths/path_resolver.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>

#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::capture {
namespace {

constexpr int kMaxLinks = 40;  // as the kernel

// Components in reverse, so that the next one is at the back. A trailing slash gives a last "".
void push_parts(std::string_view path, std::vector<std::string>& parts) {
  std::size_t end = path.size();
  while (true) {
    const std::size_t slash = path.substr(0, end).rfind('/');
    const std::size_t start = slash == std::string_view::npos ? 0 : slash + 1;
    parts.emplace_back(path.substr(start, end - start));
    if (slash == std::string_view::npos) return;
    end = slash;
  }
}

// What is left to walk, as a path again.
std::string rest_of(const std::vector<std::string>& parts) {
  std::string rest;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part != parts.rbegin()) rest += '/';
    rest += *part;
  }
  return rest;
}

// No name left, only "" or "." after slashes: "link/" names what the link points to.
bool only_slashes(const std::vector<std::string>& parts) {
  return std::ranges::all_of(parts,
                             [](const std::string& part) { return part.empty() || part == "."; });
}

bool below(const std::string& path, const std::string& root, std::string* relative) {
  return !root.empty() && path_below(path, root, relative);
}

// A name that means an entry of its directory, and no other directory.
bool is_plain(std::string_view name) {
  return !name.empty() && name != "." && name != "..";
}

}  // namespace

Resolved PathResolver::resolve(const std::string& path, LastLink last) {
  Resolved out;
  if (is_in_last(path, out)) return out;
  leave_tree(path, last, 0, out);
  return out;
}

// An absolute path from anywhere: straight into the tree when it is spelt so, else by way of the
// disk.
void PathResolver::leave_tree(const std::string& path, LastLink last, int depth, Resolved& out) {
  if (depth > kMaxLinks) {
    out.place = Place::kLoop;
    return;
  }
  if (spelt_in_tree(path)) {
    const std::size_t below_tree = std::min(path.size(), places_.tree.size() + 1);
    walk_tree(std::string_view(path).substr(below_tree), last, depth, out);
    return;
  }
  const Outside& outside = walk_outside(path, last);
  if (outside.enters_tree) {
    const std::string rest = outside.rest;  // the cache may move while walking
    walk_tree(rest, last, depth, out);
    return;
  }
  std::vector<Node*> links = std::move(out.links);
  out = outside.resolved;
  out.links = std::move(links);
}

// The directory at a path of the tree, when its names are plain and none is a link. It is the one
// of the path before for most paths.
Node* PathResolver::directory_at(std::string_view path) {
  if (path.empty()) return &model_.root();
  if (last_.dir != nullptr && last_.changes == model_.changes() && last_.path == path) {
    return last_.dir;
  }
  Node* at = &model_.root();
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string_view name = rest.substr(0, slash);
    if (!is_plain(name) || (at->parent == nullptr && name == ".git")) return nullptr;
    at = model_.child(*at, name);
    if (at == nullptr || !at->directory()) return nullptr;
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  last_ = {std::string(path), join_path(places_.tree, path) + "/", at, model_.changes()};
  return at;
}

// The child behind the last one is tried first: what looks at a whole directory often goes by name.
Node* PathResolver::child_of(Node& dir, std::string_view name) {
  if (&dir != last_.dir || last_.changes != model_.changes()) return model_.child(dir, name);
  model_.open(dir);
  return dir.children.find(name, &last_.next);
}

// A name in the directory of the path before, and no link. False: anything else, and nothing has
// been done.
bool PathResolver::is_in_last(std::string_view path, Resolved& out) {
  if (last_.dir == nullptr || last_.changes != model_.changes()) return false;
  if (!path.starts_with(last_.absolute)) return false;
  const std::string_view name = path.substr(last_.absolute.size());
  if (!is_plain(name) || name.contains('/')) return false;
  Node* const node = child_of(*last_.dir, name);
  if (node == nullptr || node->link()) return false;
  out.place = Place::kTree;
  out.dir = last_.dir;
  out.name = name;
  out.node = node;
  return true;
}

// Most paths are names of what is there, with no link and no "..": these need no list of what is
// left to walk. False: another one, and nothing has been done.
bool PathResolver::walk_names(std::string_view path, Resolved& out) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = path.substr(slash == path.npos ? 0 : slash + 1);
  if (!is_plain(name) || slash == 0) return false;
  Node* dir = directory_at(path.substr(0, slash == path.npos ? 0 : slash));
  if (dir == nullptr || (dir->parent == nullptr && name == ".git")) return false;
  Node* node = child_of(*dir, name);
  if (node == nullptr || node->link()) return false;
  out.dir = dir;
  out.name = name;
  out.node = node;
  return true;
}

void PathResolver::walk_tree(std::string_view path, LastLink last, int depth, Resolved& out) {
  out.place = Place::kTree;
  if (walk_names(path, out)) return;
  std::vector<std::string> parts;
  push_parts(path, parts);
  Node* at = &model_.root();
  while (!parts.empty()) {
    std::string part = std::move(parts.back());
    parts.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (at->parent == nullptr) {
        return leave_tree(join_path(parent_dir(places_.tree), rest_of(parts)), last, depth + 1,
                          out);
      }
      at = at->parent;
      continue;
    }
    if (at->parent == nullptr && part == ".git") {
      out.place = Place::kGitDir;
      out.rest = normal_path(rest_of(parts));
      return;
    }
    Node* next = at->directory() ? model_.child(*at, part) : nullptr;
    if (next == nullptr) {
      parts.push_back(std::move(part));
      return missing_from(*at, parts, out);
    }
    const bool is_last = parts.empty();
    if (!next->link() || (is_last && last == LastLink::kKeep)) {
      if (is_last || only_slashes(parts)) {
        out.dir = at;
        out.name = part;
      }
      at = next;
      continue;
    }
    out.links.push_back(next);
    const std::string text = model_.text_of(*next);
    if (text.empty() || ++depth > kMaxLinks) {
      out.place = Place::kLoop;
      return;
    }
    if (text.starts_with('/')) {
      const std::string rest = rest_of(parts);
      return leave_tree(rest.empty() ? text : text + "/" + rest, last, depth, out);
    }
    push_parts(text, parts);
  }
  out.node = at;
}

void PathResolver::missing_from(Node& dir, std::vector<std::string>& parts, Resolved& out) {
  out.dir = &dir;
  const std::string& first = parts.back();
  out.removed = dir.has_removed(first);
  std::string path = model_.path_of(dir);
  std::size_t names = 0;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (part->empty() || *part == ".") continue;
    if (*part == "..") break;  // never reached: what is before it is not there
    path = join_path(path, *part);
    ++names;
  }
  if (names == 1 && dir.directory()) out.name = first;
  out.missing = std::move(path);
}

bool PathResolver::spelt_in_tree(std::string_view path) const {
  return path_below(path, places_.tree, nullptr);
}

const PathResolver::OnDisk& PathResolver::look(const std::string& path) {
  const auto [at, inserted] = disk_.try_emplace(path);
  OnDisk& found = at->second;
  if (!inserted) return found;
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) {
    found.type = '-';
  } else if (S_ISLNK(info.st_mode)) {
    auto text = read_link(path);
    found.type = text && !text->empty() ? 'l' : '-';
    if (text) found.link_text = *std::move(text);
  } else {
    found.type = S_ISDIR(info.st_mode) ? 'd' : 'f';
  }
  return found;
}

// The entry at a real path at this moment of the records.
PathResolver::OnDisk PathResolver::stands_at(const std::string& path) {
  const OutsideLinks::Found known = links_.find(path);
  if (!known.spot) return look(known.on_disk.empty() ? path : known.on_disk);
  return {known.spot->link ? 'l' : 'f', known.spot->text};
}

const PathResolver::Outside& PathResolver::walk_outside(const std::string& path, LastLink last) {
  auto& cache = outside_[last == LastLink::kFollow ? 0 : 1];
  const auto at = cache.find(path);
  if (at != cache.end()) return at->second;
  return cache.emplace(path, walk_disk(path, last)).first->second;
}

PathResolver::Outside PathResolver::walk_disk(const std::string& path, LastLink last) {
  std::vector<std::string> parts;
  push_parts(path, parts);
  std::string at = "/";
  std::string lost;
  int links = 0;
  while (!parts.empty()) {
    std::string part = std::move(parts.back());
    parts.pop_back();
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      at = at == "/" ? at : parent_dir(at);
      continue;
    }
    const std::string next = join_path(at, part);
    // Below /dev only shared memory is files, which a repository may be among.
    if (next == "/dev" && !parts.empty()) {
      at = next;
      continue;
    }
    if (next == "/proc" || next == "/sys" || next == "/dev" ||
        (at == "/dev" && next != "/dev/shm")) {
      return {.resolved = {.place = Place::kPseudo}};
    }
    if (next == places_.tree) return {.enters_tree = true, .rest = rest_of(parts)};
    const auto alias = std::ranges::find(aliases_, next, &Aliases::value_type::first);
    if (alias != aliases_.end() && ++links <= kMaxLinks) {
      push_parts(alias->second, parts);
      at = "/";
      continue;
    }
    const OnDisk disk = stands_at(next);
    const bool follows = disk.type == 'l' && (!parts.empty() || last == LastLink::kFollow);
    if (follows && disk.link_text.empty()) lost = next;
    if (follows && !disk.link_text.empty()) {
      if (++links > kMaxLinks) return {.resolved = {.place = Place::kLoop}};
      if (disk.link_text.starts_with('/')) at = "/";
      push_parts(disk.link_text, parts);
      continue;
    }
    at = next;
  }
  Resolved resolved = classify(std::move(at));
  resolved.lost = std::move(lost);
  return {.resolved = std::move(resolved)};
}

Resolved PathResolver::classify(std::string real) const {
  Resolved resolved;
  if (below(real, places_.common_git_dir, &resolved.rest)) {
    resolved.place = Place::kCommonGit;
  } else if (!in_other_txn(real, resolved)) {
    std::size_t best = 0;  // checkouts may be inside one another: the innermost counts
    for (const std::string& checkout : places_.checkouts) {
      std::string rest;
      if (checkout.size() < best || !below(real, checkout, &rest)) continue;
      best = checkout.size();
      resolved.place = Place::kCheckout;
      resolved.rest = rest;
    }
  }
  resolved.real = std::move(real);
  return resolved;
}

// <transactions>/<id>/<attempt>/.../tree/<rest>, or upper of an overlay, but not of our own
// attempt: its sub-agents' worktrees are certified as its own.
bool PathResolver::in_other_txn(const std::string& real, Resolved& out) const {
  std::string rest;
  if (!below(real, places_.transactions, &rest) || below(real, places_.attempt, &rest)) {
    return false;
  }
  for (const std::string& checkout : places_.checkouts) {
    std::string unused;
    if (below(real, checkout, &unused)) return false;  // the shared checkout below an overlay
  }
  const std::string owner = rest.substr(0, rest.find('/'));
  for (std::size_t at = owner.size(); at < rest.size();) {
    const std::size_t end = std::min(rest.find('/', at + 1), rest.size());
    const std::string_view part = std::string_view(rest).substr(at + 1, end - at - 1);
    if (part == "tree" || part == "upper") {
      out.place = Place::kOtherTxn;
      out.owner = owner;
      out.rest = rest.substr(std::min(end + 1, rest.size()));
      return true;
    }
    at = end;
  }
  return false;
}

// ---- links outside, over time ----

namespace {

bool is_outside(const Resolved& at) {
  return !at.real.empty();
}

// A look that shows a link.
bool met_link(const Record& record) {
  const bool looks = record.op == Op::kReadlink || (record.op == Op::kStat && record.nofollow);
  return looks && record.result >= 0 && S_ISLNK(record.mode);
}

bool touches_links(Op op) {
  return op == Op::kWasLink || op == Op::kSymlink || op == Op::kUnlink || has_second_path(op);
}

}  // namespace

// The ways that were found lead elsewhere, perhaps.
void PathResolver::forget_ways() {
  for (auto& ways : outside_) ways.clear();
}

void PathResolver::foresee(const Record& record) {
  if (!touches_links(record.op) && !met_link(record)) return;
  const bool two = has_second_path(record.op);
  if (spelt_in_tree(record.path) && !(two && !spelt_in_tree(record.path2))) return;
  if (!record.path.starts_with('/')) return;
  const bool followed = record.op == Op::kLink && !record.nofollow;
  const Resolved at = resolve(record.path, followed ? LastLink::kFollow : LastLink::kKeep);
  if (met_link(record)) {
    if (!is_outside(at)) return;
    if (stands_at(at.real).type != 'l') return foresee_link(at.real, {});
    met_.insert(at.real);  // this one, or another that was there before
    return;
  }
  std::optional<Resolved> to;
  if (two && record.path2.starts_with('/')) to = resolve(record.path2, LastLink::kKeep);
  replay(record, at, to ? &*to : nullptr);
}

void PathResolver::start_over() {
  links_.start_over();
  forget_ways();
}

void PathResolver::foresee_link(const std::string& path, std::string text) {
  links_.foresee(path, {true, std::move(text)});
  forget_ways();
}

// The entry that is removed or replaced: a link, if it was met as one.
void PathResolver::foresee_change(const std::string& path) {
  if (!links_.foreseeing()) return;
  links_.foresee(path, {met_.contains(path), {}});
}

OutsideLinks::Spot PathResolver::spot_of(const Resolved& at) {
  if (at.node != nullptr && at.node->link()) return {true, model_.text_of(*at.node)};
  if (!is_outside(at)) return {};
  const OnDisk there = stands_at(at.real);
  return {there.type == 'l', there.link_text};
}

void PathResolver::put(const Resolved& at, OutsideLinks::Spot spot) {
  if (!is_outside(at)) return;
  foresee_change(at.real);
  if (spot_of(at) == spot) return;
  links_.set(at.real, std::move(spot));
  forget_ways();
}

// A removal that was only predicted, of a link that is still there, may have been refused.
void PathResolver::take_away(const Record& record, const Resolved& at) {
  if (!is_outside(at)) return;
  const OnDisk& disk = look(at.real);
  const bool perhaps_there = record.predicted && disk.type == 'l';
  if (perhaps_there && disk.link_text == spot_of(at).text) return;
  if (S_ISLNK(record.mode)) met_.insert(at.real);
  foresee_change(at.real);
  if (!spot_of(at).link) return;
  links_.set(at.real, {});
  forget_ways();
}

void PathResolver::rename(const Record& record, const Resolved& at, const Resolved& to) {
  if (S_ISDIR(record.mode)) {
    if (!is_outside(at) || !is_outside(to) || (record.flags & RENAME_EXCHANGE) != 0) return;
    links_.move(at.real, to.real);
    return forget_ways();
  }
  if (links_.foreseeing() && S_ISLNK(record.mode) && is_outside(at)) {
    const OnDisk moved = is_outside(to) ? look(to.real) : OnDisk{};
    foresee_link(at.real, moved.type == 'l' ? moved.link_text : std::string());
  }
  OutsideLinks::Spot source = spot_of(at);
  OutsideLinks::Spot target =
      (record.flags & RENAME_EXCHANGE) != 0 ? spot_of(to) : OutsideLinks::Spot{};
  put(to, std::move(source));
  if (target.link || spot_of(at).link) put(at, std::move(target));
}

void PathResolver::replay(const Record& record, const Resolved& at, const Resolved* to) {
  if (!touches_links(record.op) || outcome_of(record) != Outcome::kDone) return;
  if (INJECTED_BUG("interpret.links_as_they_end")) return;
  switch (record.op) {
    case Op::kWasLink:
      if (!is_outside(at)) return;
      if (links_.foreseeing()) return foresee_link(at.real, record.path2);
      return put(at, {true, record.path2});
    case Op::kSymlink:
      return put(at, {true, record.path2});
    case Op::kUnlink:
      return take_away(record, at);
    case Op::kLink:
      if (to != nullptr) put(*to, spot_of(at));
      return;
    default:
      if (to != nullptr) rename(record, at, *to);
      return;
  }
}

}  // namespace gittxn::capture

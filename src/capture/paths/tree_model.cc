#include "capture/paths/tree_model.h"

#include <algorithm>
#include <ranges>
#include <utility>
#include <vector>

#include "base/fs.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kMaxLinkText = 1u << 16;

}  // namespace

bool in_git_directory(std::string_view path) {
  return path == ".git" || path.starts_with(".git/") || path.ends_with("/.git") ||
         path.contains("/.git/");
}

bool in_fresh_directory(const Node* dir) {
  while (dir != nullptr && !dir->fresh) dir = dir->parent;
  return dir != nullptr;
}

std::string metadata_of(const TreeEntry& entry) {
  const std::string mode(mode_text(entry.mode));
  return entry.mode == FileMode::kTree ? mode : mode + " " + entry.oid.str();
}

TreeModel::TreeModel(const repo::Objects& objects, const Oid& snapshot_tree)
    : objects_(objects), tree_(snapshot_tree) {
  root_.mode = FileMode::kTree;
  root_.entry = {FileMode::kTree, tree_};
}

template <typename T>
T TreeModel::got(Result<T> what, std::string_view doing) {
  if (what) return *std::move(what);
  if (!error_) error_ = std::move(what).error().in(doing);
  return {};
}

Node& TreeModel::from_snapshot(const Node& dir, std::string name, TreeEntry entry) {
  Node& node = nodes_.emplace_back();
  node.mode = entry.mode;
  node.entry = std::move(entry);
  node.snapshot_path = join_path(dir.snapshot_path, name);
  node.name = std::move(name);
  return node;
}

std::vector<repo::NamedEntry> TreeModel::list(const Oid& tree) {
  return got(objects_.list(tree), "reading the snapshot");
}

void TreeModel::open(Node& dir) {
  if (dir.loaded) return;
  dir.loaded = true;
  if (dir.entry.mode != FileMode::kTree) return;
  for (repo::NamedEntry& entry : list(dir.entry.oid)) {  // sorted, so each goes to the end
    Node& node = from_snapshot(dir, std::move(entry.name), std::move(entry.entry));
    node.parent = &dir;
    dir.children.emplace_hint(dir.children.end(), node.name, &node);
  }
}

Node* TreeModel::child(Node& dir, std::string_view name) {
  open(dir);
  const auto at = dir.children.find(name);
  return at == dir.children.end() ? nullptr : at->second;
}

std::string TreeModel::text_of(Node& link) {
  if (!link.link()) return "";
  if (link.origin != Origin::kSnapshot || !link.link_text.empty()) return link.link_text;
  link.link_text =
      got(objects_.blob(link.entry.oid, kMaxLinkText), "reading a link of the snapshot");
  return link.link_text;
}

std::string TreeModel::path_of(const Node& node) const {
  if (node.parent == nullptr) return "";
  return join_path(path_of(*node.parent), node.name);
}

TreeEntry TreeModel::snapshot_of(const Oid& tree, std::string_view path) {
  return got(objects_.entry_at(tree, path), "reading the snapshot");
}

TreeEntry TreeModel::snapshot_entry(std::string_view path) {
  if (path.empty()) return root_.entry;
  const std::size_t slash = path.rfind('/');
  const Node* dir = whole_directory(path.substr(0, slash == path.npos ? 0 : slash));
  if (dir == nullptr) return snapshot_of(tree_, path);
  const auto at = dir->children.find(path.substr(slash == path.npos ? 0 : slash + 1));
  return at == dir->children.end() ? TreeEntry{} : at->second->entry;
}

const Node* TreeModel::whole_directory(std::string_view path) const {
  const Node* at = &root_;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const auto next = at->children.find(rest.substr(0, slash));
    if (next == at->children.end()) return nullptr;
    at = next->second;
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  const bool whole = at->loaded && !at->touched && at->entry.mode == FileMode::kTree;
  return whole && at->origin == Origin::kSnapshot && at->snapshot_path == path ? at : nullptr;
}

Node& TreeModel::make(Node& dir, std::string_view name, FileMode mode, Origin origin) {
  Node& node = nodes_.emplace_back();
  node.mode = mode;
  node.origin = origin;
  node.loaded = true;
  attach(dir, name, node);
  return node;
}

void TreeModel::detach(Node& node) {
  Node& dir = *node.parent;
  ++changes_;
  dir.touched = true;
  dir.children.erase(node.name);
  dir.removed.insert(node.name);
  node.parent = nullptr;
}

void TreeModel::attach(Node& dir, std::string_view name, Node& node) {
  open(dir);
  ++changes_;
  dir.touched = true;
  if (const auto old = dir.children.find(name); old != dir.children.end()) {
    old->second->parent = nullptr;
    dir.children.erase(old);
  }
  node.name = std::string(name);
  node.parent = &dir;
  if (const auto gone = dir.removed.find(name); gone != dir.removed.end()) dir.removed.erase(gone);
  dir.children.emplace(node.name, &node);
}

Node* TreeModel::at(std::string_view path) {
  Node* node = &root_;
  for (const auto part : std::views::split(path, '/')) {
    if (node == nullptr || !node->directory()) return nullptr;
    node = child(*node, std::string_view(part));
  }
  return node;
}

Node* TreeModel::restore(Node& dir, std::string_view name) {
  if (dir.entry.mode != FileMode::kTree) return nullptr;
  const TreeEntry entry = snapshot_of(dir.entry.oid, name);
  if (!entry.present()) return nullptr;
  Node& node = from_snapshot(dir, std::string(name), entry);
  attach(dir, name, node);
  return &node;
}

}  // namespace gittxn::capture

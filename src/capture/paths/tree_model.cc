#include "capture/paths/tree_model.h"

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

std::string metadata_of(const TreeEntry& entry) {
  const std::string mode(mode_text(entry.mode));
  return entry.mode == FileMode::kTree ? mode : mode + " " + entry.oid.str();
}

TreeModel::TreeModel(const repo::Objects& objects, const Oid& snapshot_tree)
    : objects_(objects), tree_(snapshot_tree), root_(std::make_unique<Node>()) {
  root_->mode = FileMode::kTree;
  root_->entry = {FileMode::kTree, tree_};
}

template <typename T>
T TreeModel::got(Result<T> what, std::string_view doing) {
  if (what) return *std::move(what);
  if (!error_) error_ = std::move(what).error().in(doing);
  return {};
}

std::unique_ptr<Node> TreeModel::from_snapshot(Node& dir, const std::string& name,
                                               TreeEntry entry) {
  auto node = std::make_unique<Node>();
  node->name = name;
  node->parent = &dir;
  node->mode = entry.mode;
  node->entry = std::move(entry);
  node->snapshot_path = join_path(dir.snapshot_path, name);
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
    auto node = from_snapshot(dir, entry.name, std::move(entry.entry));
    dir.children.emplace_hint(dir.children.end(), std::move(entry.name), std::move(node));
  }
}

Node* TreeModel::child(Node& dir, std::string_view name) {
  open(dir);
  const auto at = dir.children.find(name);
  return at == dir.children.end() ? nullptr : at->second.get();
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
  if (path.empty()) return root_->entry;
  return snapshot_of(tree_, path);
}

Node& TreeModel::make(Node& dir, std::string_view name, FileMode mode, Origin origin) {
  auto node = std::make_unique<Node>();
  node->mode = mode;
  node->origin = origin;
  node->loaded = true;
  Node& made = *node;
  attach(dir, name, std::move(node));
  return made;
}

std::unique_ptr<Node> TreeModel::detach(Node& node) {
  Node& dir = *node.parent;
  const auto at = dir.children.find(node.name);
  std::unique_ptr<Node> taken = std::move(at->second);
  dir.removed.insert(taken->name);
  dir.children.erase(at);
  taken->parent = nullptr;
  return taken;
}

void TreeModel::attach(Node& dir, std::string_view name, std::unique_ptr<Node> node) {
  open(dir);
  node->name = std::string(name);
  node->parent = &dir;
  if (const auto gone = dir.removed.find(name); gone != dir.removed.end()) dir.removed.erase(gone);
  dir.children[std::string(name)] = std::move(node);
}

Node* TreeModel::at(std::string_view path) {
  Node* node = root_.get();
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
  attach(dir, name, from_snapshot(dir, std::string(name), entry));
  return child(dir, name);
}

}  // namespace gittxn::capture

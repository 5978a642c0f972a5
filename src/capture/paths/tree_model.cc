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
  root_.tell().entry = {FileMode::kTree, tree_};
}

Node* NodesInside::find(std::string_view name, Node** near) const {
  if (changed_ != nullptr) {
    const auto at = changed_->find(name);
    return at == changed_->end() ? nullptr : at->second;
  }
  Node* const end = first_ + count_;
  if (near != nullptr && *near >= first_ && *near < end && (*near)->name == name) return (*near)++;
  Node* const at = std::lower_bound(
      first_, end, name,
      [](const Node& node, std::string_view wanted) { return node.name < wanted; });
  if (at == end || at->name != name) return nullptr;
  if (near != nullptr) *near = at + 1;
  return at;
}

std::map<std::string_view, Node*>& NodesInside::changed() {
  if (changed_ == nullptr) {
    auto all = std::make_unique<std::map<std::string_view, Node*>>();
    each([&](Node& node) { all->emplace_hint(all->end(), node.name, &node); });
    changed_ = std::move(all);
  }
  return *changed_;
}

void NodesInside::erase(std::string_view name) {
  changed().erase(name);
}

void NodesInside::put(Node& node) {
  changed().emplace(node.name, &node);
}

TreeEntry Node::entry() const {
  if (listed != nullptr) return listed->entry();
  return told ? told->entry : TreeEntry{};
}

FileMode Node::entry_mode() const {
  if (listed != nullptr) return listed->mode;
  return told ? told->entry.mode : FileMode::kNone;
}

std::string Node::snapshot_path() const {
  if (listed == nullptr) return told ? told->snapshot_path : "";
  std::size_t size = 0;
  const Node* top = this;
  for (; top->listed != nullptr; top = top->listed_in) size += top->listed->name.size() + 1;
  std::string path = top->told ? top->told->snapshot_path : "";
  const std::size_t begin = path.empty() ? 0 : path.size() + 1;
  path.resize(begin + size - 1, '/');
  std::size_t end = path.size();
  for (const Node* at = this; at != top; at = at->listed_in) {
    const std::string_view part = at->listed->name;
    end -= part.size();
    part.copy(path.data() + end, part.size());
    if (end > begin) path[--end] = '/';
  }
  return path;
}

Node::Told& Node::tell() {
  if (!told) told = std::make_unique<Told>();
  return *told;
}

template <typename T>
T TreeModel::got(Result<T> what, std::string_view doing) {
  if (what) return *std::move(what);
  if (!error_) error_ = std::move(what).error().in(doing);
  return {};
}

std::vector<repo::NamedEntry> TreeModel::list(const Oid& tree) {
  return got(objects_.list(tree), "reading the snapshot");
}

void TreeModel::open(Node& dir) {
  if (dir.loaded) return;
  dir.loaded = true;
  if (dir.entry_mode() != FileMode::kTree) return;
  const auto& entries =
      listings_.emplace_back(got(objects_.listing(dir.entry().oid), "reading the snapshot"))
          .entries;
  Node* node = listed_.emplace_back(std::make_unique<Node[]>(entries.size())).get();
  dir.children.begin_with(node, entries.size());
  for (const repo::ListedEntry& entry : entries) {
    node->mode = entry.mode;
    node->name = entry.name;
    node->listed = &entry;
    node->listed_in = node->parent = &dir;
    ++node;
  }
}

Node* TreeModel::child(Node& dir, std::string_view name) {
  open(dir);
  return dir.children.find(name);
}

std::string TreeModel::text_of(Node& link) {
  if (!link.link()) return "";
  std::string& text = link.tell().link_text;
  if (link.origin == Origin::kSnapshot && text.empty()) {
    text = got(objects_.blob(link.entry().oid, kMaxLinkText), "reading a link of the snapshot");
  }
  return text;
}

std::string TreeModel::path_of(const Node& node) const {
  if (node.parent == nullptr) return "";
  return join_path(path_of(*node.parent), node.name);
}

TreeEntry TreeModel::snapshot_of(const Oid& tree, std::string_view path) {
  return got(objects_.entry_at(tree, path), "reading the snapshot");
}

TreeEntry TreeModel::snapshot_entry(std::string_view path) {
  if (path.empty()) return root_.entry();
  const std::size_t slash = path.rfind('/');
  const Node* dir = whole_directory(path.substr(0, slash == path.npos ? 0 : slash));
  if (dir == nullptr) return snapshot_of(tree_, path);
  const Node* at = dir->children.find(path.substr(slash == path.npos ? 0 : slash + 1));
  return at == nullptr ? TreeEntry{} : at->entry();
}

const Node* TreeModel::whole_directory(std::string_view path) const {
  const Node* at = &root_;
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    at = at->children.find(rest.substr(0, slash));
    if (at == nullptr) return nullptr;
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  const bool whole = at->loaded && !at->touched && at->entry_mode() == FileMode::kTree;
  return whole && at->origin == Origin::kSnapshot && at->snapshot_path() == path ? at : nullptr;
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
  dir.tell().removed.emplace(node.name);
  node.parent = nullptr;
}

void TreeModel::attach(Node& dir, std::string_view name, Node& node) {
  open(dir);
  ++changes_;
  dir.touched = true;
  if (Node* old = dir.children.find(name); old != nullptr) {
    old->parent = nullptr;
    dir.children.erase(name);
  }
  node.name = names_.emplace_back(name);
  node.parent = &dir;
  if (dir.has_removed(name)) dir.told->removed.erase(dir.told->removed.find(name));
  dir.children.put(node);
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
  if (dir.entry_mode() != FileMode::kTree) return nullptr;
  TreeEntry entry = snapshot_of(dir.entry().oid, name);
  if (!entry.present()) return nullptr;
  Node& node = nodes_.emplace_back();
  node.mode = entry.mode;
  node.tell().entry = std::move(entry);
  node.told->snapshot_path = join_path(dir.snapshot_path(), name);
  attach(dir, name, node);
  return &node;
}

}  // namespace gittxn::capture

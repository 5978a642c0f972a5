// Reading and writing single objects; what is decided where is said in object_store.h. A kill
// leaves at most a temporary file that `git prune` knows (objects/*/tmp_obj_*), never half an
// object.
#include "repo/objects/object_store.h"

#include <fcntl.h>
#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <mutex>
#include <utility>

#include "base/fs.h"
#include "base/hash.h"
#include "repo/refs.h"
#include "repo/worktree/worktree_gitdir.h"

namespace gittxn::repo::internal {
namespace {

// One process is one command, and a landing reads the same wide trees several times. libgit2 keeps
// only objects below a limit (4 kB) by default; with whole trees kept, wide ones are 130 times
// faster.
constexpr std::size_t kLargestCachedTree = 16u << 20;
constexpr std::size_t kLargestCachedCommit = 64u << 10;

void start_libgit2() {
  static std::once_flag once;
  std::call_once(once, [] {
    git_libgit2_init();
    git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_TREE, kLargestCachedTree);
    git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_COMMIT, kLargestCachedCommit);
    // make_durable syncs what a landing needs, once; syncing every write would do it many times
    // over.
    git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
  });
}

bool is_empty_file(const std::string& path) {
  struct stat st{};
  return ::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

Result<std::uint32_t> parse_octal(std::string_view digits) {
  std::uint32_t value = 0;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  const bool whole = error == std::errc() && stop == digits.data() + digits.size();
  if (digits.empty() || digits.size() > 7 || !whole) {
    return fail(Code::kCorrupt, "a mode is not an octal number");
  }
  return value;
}

FileMode canonical_mode(std::uint32_t raw) {
  switch (raw & S_IFMT) {
    case S_IFREG:
      return (raw & 0100) != 0 ? FileMode::kExecutable : FileMode::kFile;
    case S_IFDIR:
      return FileMode::kTree;
    case S_IFLNK:
      return FileMode::kLink;
    case 0160000:
      return FileMode::kSubmodule;
    default:
      return FileMode::kNone;
  }
}

// "<octal mode> <name>\0<20 bytes>", cut from the front of `rest`.
Result<RawEntry> parse_entry(std::string_view& rest) {
  const std::size_t space = rest.find(' ');
  if (space == rest.npos) return fail(Code::kCorrupt, "an entry has no mode");
  const std::size_t end = rest.find('\0', space);
  if (end == rest.npos || rest.size() - end - 1 < GIT_OID_RAWSZ) {
    return fail(Code::kCorrupt, "an entry is cut short");
  }
  RawEntry entry;
  entry.raw_mode = TRY(parse_octal(rest.substr(0, space)));
  entry.mode = canonical_mode(entry.raw_mode);
  entry.name = rest.substr(space + 1, end - space - 1);
  std::memcpy(entry.oid.id, rest.data() + end + 1, GIT_OID_RAWSZ);
  if (entry.mode == FileMode::kNone) return fail(Code::kCorrupt, "an entry has an unknown mode");
  if (entry.name.empty() || entry.name.find('/') != entry.name.npos) {
    return fail(Code::kCorrupt, "an entry has an empty name or a '/' in it");
  }
  rest.remove_prefix(end + 1 + GIT_OID_RAWSZ);
  return entry;
}

Result<std::vector<RawEntry>> parse_tree(std::string_view bytes) {
  std::vector<RawEntry> entries;
  entries.reserve(bytes.size() / 40);
  while (!bytes.empty()) entries.push_back(TRY(parse_entry(bytes)));
  if (!std::ranges::is_sorted(entries, {}, &RawEntry::name)) {
    std::ranges::sort(entries, {}, &RawEntry::name);
  }
  if (std::ranges::adjacent_find(entries, {}, &RawEntry::name) != entries.end()) {
    return fail(Code::kCorrupt, "two entries have one name");
  }
  return entries;
}

// The size of an entry that both begin with; 0: none that is whole.
std::size_t common_entry(std::string_view a, std::string_view b) {
  const std::size_t end = a.find('\0');
  if (end == a.npos || a.size() - end - 1 < GIT_OID_RAWSZ) return 0;
  const std::size_t size = end + 1 + GIT_OID_RAWSZ;
  return b.size() >= size && std::memcmp(a.data(), b.data(), size) == 0 ? size : 0;
}

// Reads two trees without the entries that are the same in both, which cost a comparison of their
// bytes. False: leave it to parse_tree, for the names are not in the order of their bytes, of
// which most trees are and no malformed one with two entries of one name is.
bool parse_unlike(std::string_view a, std::string_view b, std::vector<RawEntry>* of_a,
                  std::vector<RawEntry>* of_b) {
  std::string_view last;
  while (!a.empty() || !b.empty()) {
    const std::size_t common = common_entry(a, b);
    std::string_view name;
    if (common != 0) {
      name = a.substr(0, common - GIT_OID_RAWSZ - 1);
      name.remove_prefix(std::min(name.find(' '), name.size() - 1) + 1);
      a.remove_prefix(common);
      b.remove_prefix(common);
    } else {
      std::string_view rest_a = a, rest_b = b;
      const auto in_a = a.empty() ? Result<RawEntry>() : parse_entry(rest_a);
      const auto in_b = b.empty() ? Result<RawEntry>() : parse_entry(rest_b);
      if (!in_a || !in_b) return false;
      const bool first_a = !a.empty() && (b.empty() || in_a->name <= in_b->name);
      const bool first_b = !b.empty() && (a.empty() || in_b->name <= in_a->name);
      name = first_a ? in_a->name : in_b->name;
      if (first_a) of_a->push_back(*in_a), a = rest_a;
      if (first_b) of_b->push_back(*in_b), b = rest_b;
    }
    if (name <= last) return false;
    last = name;
  }
  return true;
}

// git's order of a tree: a directory sorts as if its name ended in '/'.
bool before_in_tree(const RawEntry& a, const RawEntry& b) {
  const std::size_t common = std::min(a.name.size(), b.name.size());
  const int order = a.name.substr(0, common).compare(b.name.substr(0, common));
  if (order != 0) return order < 0;
  auto next = [common](const RawEntry& e) -> unsigned char {
    if (e.name.size() > common) return static_cast<unsigned char>(e.name[common]);
    return e.is_tree() ? '/' : '\0';
  };
  return next(a) < next(b);
}

}  // namespace

Oid to_oid(const git_oid& oid) {
  return Oid(hex_of({reinterpret_cast<const char*>(oid.id), GIT_OID_RAWSZ}));
}

Result<git_oid> parse_oid(const Oid& oid) {
  git_oid parsed{};
  if (!is_oid(oid.str()) || git_oid_fromstr(&parsed, oid.c_str()) != 0) {
    return fail(Code::kUsage, "'" + oid.str() + "' is not an object name");
  }
  return parsed;
}

Result<std::vector<git_oid>> parse_oids(const std::vector<Oid>& oids) {
  std::vector<git_oid> parsed;
  for (const Oid& oid : oids) parsed.push_back(TRY(parse_oid(oid)));
  return parsed;
}

git_oid checked_oid(const Oid& oid) {
  git_oid parsed{};
  (void)git_oid_fromstr(&parsed, oid.c_str());
  return parsed;
}

const git_oid& empty_tree_oid() {
  static const git_oid oid = checked_oid(Oid("4b825dc642cb6eb9a060e54bf8d69288fbee4904"));
  return oid;
}

std::unexpected<Error> fail_git2(std::string what) {
  const git_error* error = git_error_last();
  if (error != nullptr && error->message != nullptr) what += std::string(": ") + error->message;
  return fail(Code::kFault, std::move(what));
}

TreeEntry to_entry(const RawEntry& entry) {
  if (!entry.present()) return {};
  return {entry.mode, to_oid(entry.oid)};
}

RawEntry directory_entry(std::string_view name, const git_oid& tree) {
  return {name, static_cast<std::uint32_t>(FileMode::kTree), FileMode::kTree, tree};
}

bool InStep::next() {
  const RawEntry* first = nullptr;
  for (const auto& rest : rest_) {
    if (!rest.empty() && (first == nullptr || rest.front().name < first->name)) {
      first = &rest.front();
    }
  }
  if (first == nullptr) return false;
  name = first->name;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const bool has = !rest_[i].empty() && rest_[i].front().name == name;
    at[i] = has ? &rest_[i].front() : &kNoEntry;
    if (has) rest_[i] = rest_[i].subspan(1);
  }
  return true;
}

std::string loose_path(const std::string& objects_dir, const git_oid& oid) {
  const Oid hex = to_oid(oid);
  return objects_dir + "/" + hex.str().substr(0, 2) + "/" + hex.str().substr(2);
}

Status check_depth(int depth) {
  if (depth <= kMaxDepth) return {};
  return fail(Code::kCorrupt,
              "a tree is nested deeper than " + std::to_string(kMaxDepth) + " directories");
}

ObjectStore::ObjectStore(std::string git_dir, Git git)
    : git_dir_(std::move(git_dir)), objects_dir_(git_dir_ + "/objects"), git_(std::move(git)) {}

Status ObjectStore::open() {
  start_libgit2();
  struct stat st{};
  if (::stat(objects_dir_.c_str(), &st) != 0)
    return fail_errno(errno, "open '" + objects_dir_ + "'");
  constexpr mode_t kShared = S_ISGID | S_IWGRP;
  if ((st.st_mode & kShared) == kShared) shared_dir_mode_ = st.st_mode & 07777;
  git_odb* odb = nullptr;
  if (git_odb_open(&odb, objects_dir_.c_str()) != 0) {
    return fail_git2("opening the objects in '" + objects_dir_ + "'");
  }
  return use(odb);
}

Status ObjectStore::open_beside(const ObjectStore& other) {
  shared_dir_mode_ = other.shared_dir_mode_;
  walked_ = other.walked_;
  git_odb* odb = nullptr;
  if (git_repository_odb(&odb, walked_->repository.get()) != 0) {
    return fail_git2("sharing the objects");
  }
  odb_.reset(odb);
  return make_writer();
}

Status ObjectStore::use(git_odb* odb) {
  odb_.reset(odb);
  git_repository* repository = nullptr;
  if (git_repository_wrap_odb(&repository, odb) != 0) return fail_git2("opening the objects");
  walked_ = std::make_shared<WalkedRepository>();
  walked_->repository.reset(repository);
  return make_writer();
}

Status ObjectStore::make_writer() {
  git_odb* writer = nullptr;
  if (git_odb_new(&writer) != 0) return fail_git2("opening the objects");
  writer_.reset(writer);
  git_odb_backend* loose = nullptr;
  if (git_odb_backend_loose(&loose, objects_dir_.c_str(), -1, 0, 0, 0) != 0) {
    return fail_git2("opening the objects");
  }
  if (git_odb_add_backend(writer, loose, 1) != 0) {
    loose->free(loose);
    return fail_git2("opening the objects");
  }
  return {};
}

Walking ObjectStore::walking() const {
  return {std::unique_lock(walked_->walked), walked_->repository.get()};
}

Status ObjectStore::write_to_memory() {
  constexpr int kFirst = 1000;  // of the back ends; libgit2's own have 1 and 2
  git_odb_backend* memory = nullptr;
  if (git_mempack_new(&memory) != 0) return fail_git2("having objects in memory");
  if (git_odb_add_backend(odb_.get(), memory, kFirst) != 0) {
    memory->free(memory);
    return fail_git2("having objects in memory");
  }
  writer_.reset();
  return {};
}

GitOptions ObjectStore::here() const {
  return {.dir = git_dir_, .extra = {{"GIT_DIR", git_dir_}}};
}

ObjectHeader ObjectStore::header(const git_oid& oid) const {
  ObjectHeader header;
  if (git_odb_read_header(&header.size, &header.type, odb_.get(), &oid) != 0) return {};
  return header;
}

Result<RawObject> ObjectStore::read(const git_oid& oid) const {
  git_odb_object* object = nullptr;
  if (git_odb_read(&object, odb_.get(), &oid) == 0) return RawObject(OdbObjectPtr(object));
  return ask_git(oid);
}

Result<RawObject> ObjectStore::ask_git(const git_oid& oid) const {
  const Oid name = to_oid(oid);
  GitOptions options = here();
  options.input = name.str() + "\n";
  Output output = TRY(git_.run({"cat-file", "--batch"}, options));
  const char* hint = "see what else is missing with: git fsck --connectivity-only";
  if (!output.exit.success()) {
    return fail(Code::kCorrupt, "git cannot read the object " + name.str() + ": " + output.err,
                hint);
  }
  const std::size_t line = output.out.find('\n');
  const std::string head = output.out.substr(0, line);
  const std::size_t type_at = name.str().size() + 1;
  const std::size_t size_at = head.find(' ', type_at);
  if (size_at == head.npos) {
    return fail(Code::kNotFound, "the object " + name.str() + " is missing from the repository",
                hint);
  }
  const git_object_t type = git_object_string2type(head.substr(type_at, size_at - type_at).c_str());
  std::size_t size = 0;
  std::from_chars(head.data() + size_at + 1, head.data() + head.size(), size);
  if (type == GIT_OBJECT_INVALID || output.out.size() != line + 1 + size + 1) {
    return fail(Code::kFault, "git cat-file answered with something else for " + name.str());
  }
  refresh();  // it may have been fetched just now
  return RawObject(type, output.out.substr(line + 1, size));
}

Result<RawObject> ObjectStore::read(const git_oid& oid, git_object_t type) const {
  RawObject object = TRY(read(oid));
  if (object.type() == type) return object;
  return fail(Code::kCorrupt, "the object " + to_oid(oid).str() + " is a " +
                                  git_object_type2string(object.type()) + ", not a " +
                                  git_object_type2string(type));
}

Result<Tree> ObjectStore::read_tree(const git_oid& oid) const {
  if (git_oid_is_zero(&oid) || same(oid, empty_tree_oid())) return Tree{};
  Tree tree;
  tree.object = TRY(read(oid, GIT_OBJECT_TREE));
  TRY(parse(oid, &tree));
  return tree;
}

Result<const Tree*> ObjectStore::kept_tree(const git_oid& oid) const {
  KeptTree& kept = kept_trees_[OidHash()(oid) % kKeptTrees];
  if (!same(kept.oid, oid)) {
    kept.tree = TRY(read_tree(oid));
    kept.oid = oid;
  }
  return &kept.tree;
}

Status ObjectStore::parse(const git_oid& oid, Tree* tree) const {
  auto entries = parse_tree(tree->object.bytes());
  if (!entries) {
    return fail(Code::kCorrupt,
                "the tree " + to_oid(oid).str() + " is malformed: " + entries.error().message,
                "check the repository with: git fsck");
  }
  tree->entries = *std::move(entries);
  return {};
}

Result<std::pair<Tree, Tree>> ObjectStore::read_unlike(const git_oid& a, const git_oid& b) const {
  const auto is_empty = [](const git_oid& oid) {
    return git_oid_is_zero(&oid) || same(oid, empty_tree_oid());
  };
  if (is_empty(a) || is_empty(b)) return std::pair(TRY(read_tree(a)), TRY(read_tree(b)));
  std::pair<Tree, Tree> both;
  auto& [in_a, in_b] = both;
  in_a.object = TRY(read(a, GIT_OBJECT_TREE));
  in_b.object = TRY(read(b, GIT_OBJECT_TREE));
  if (parse_unlike(in_a.object.bytes(), in_b.object.bytes(), &in_a.entries, &in_b.entries)) {
    return both;
  }
  TRY(parse(a, &in_a));
  TRY(parse(b, &in_b));
  return both;
}

Result<CommitInfo> ObjectStore::commit(const git_oid& oid) const {
  const RawObject object = TRY(read(oid, GIT_OBJECT_COMMIT));
  return parse_commit(to_oid(oid), object.bytes());
}

Result<git_oid> ObjectStore::tree_of(const Oid& commitish) const {
  if (commitish.empty()) return empty_tree_oid();
  const git_oid oid = TRY(parse_oid(commitish));
  if (same(oid, empty_tree_oid())) return oid;
  const RawObject object = TRY(read(oid));
  if (object.type() == GIT_OBJECT_TREE) return oid;
  if (object.type() != GIT_OBJECT_COMMIT) {
    return fail(Code::kCorrupt, "the object " + commitish.str() + " is neither commit nor tree");
  }
  return checked_oid(TRY(parse_commit(commitish, object.bytes())).tree);
}

bool ObjectStore::has(const git_oid& oid) const {
  if (git_odb_exists_ext(odb_.get(), &oid, GIT_ODB_LOOKUP_NO_REFRESH) != 1) return false;
  // A power cut leaves empty files of unsynced objects; such a file is no object, only in the way.
  return !is_empty_file(loose_path(objects_dir_, oid));
}

// libgit2 has no way to report a failure that matters here: what it does not see is "not found".
void ObjectStore::refresh() const {
  (void)git_odb_refresh(odb_.get());
}

Result<git_oid> ObjectStore::write(git_object_t type, std::string_view bytes) const {
  git_oid oid{};
  if (git_odb_hash(&oid, bytes.data(), bytes.size(), type) != 0)
    return fail_git2("hashing an object");
  git_odb* target = writer_ ? writer_.get() : odb_.get();
  if (writer_ && git_odb_exists_ext(odb_.get(), &oid, GIT_ODB_LOOKUP_NO_REFRESH) == 1) {
    const std::string path = loose_path(objects_dir_, oid);
    if (is_empty_file(path)) {
      TRY(remove_file(path));
    } else {
      target = odb_.get();  // only makes the file young again, so that no gc prunes it
    }
  }
  git_oid written{};
  if (git_odb_write(&written, target, bytes.data(), bytes.size(), type) != 0) {
    return std::unexpected(fail_git2("writing an object")
                               .error()
                               .with_hint("check free space and permissions of " + objects_dir_));
  }
  if (writer_ && shared_dir_mode_ != 0) TRY(share_directory(oid));
  return oid;
}

// In a repository shared by a group, a directory we begin must let the others write as well.
Status ObjectStore::share_directory(const git_oid& oid) const {
  const std::string dir = parent_dir(loose_path(objects_dir_, oid));
  struct stat st{};
  if (::stat(dir.c_str(), &st) != 0) return {};  // the object was there, in a pack
  if ((st.st_mode & 07777) == shared_dir_mode_ || st.st_uid != ::geteuid()) return {};
  if (::chmod(dir.c_str(), shared_dir_mode_) != 0) return fail_errno(errno, "chmod '" + dir + "'");
  return {};
}

Result<git_oid> ObjectStore::write_tree(std::vector<RawEntry> entries) const {
  std::sort(entries.begin(), entries.end(), before_in_tree);
  std::string bytes;
  bytes.reserve(entries.size() * 48);
  for (const RawEntry& entry : entries) {
    std::array<char, 16> mode;
    auto [end, error] = std::to_chars(mode.data(), mode.data() + mode.size(), entry.raw_mode, 8);
    (void)error;  // 16 digits hold any 32-bit number
    bytes.append(mode.data(), end);
    bytes += ' ';
    bytes += entry.name;
    bytes += '\0';
    bytes.append(reinterpret_cast<const char*>(entry.oid.id), GIT_OID_RAWSZ);
  }
  return write(GIT_OBJECT_TREE, bytes);
}

bool ObjectStore::is_shallow() const {
  struct stat st{};
  return ::stat((git_dir_ + "/shallow").c_str(), &st) == 0 && st.st_size > 0;
}

bool ObjectStore::is_partial_clone() const {
  const auto dirs = object_dirs();
  if (!dirs) return false;
  for (const std::string& dir : *dirs) {
    const auto files = list_dir(dir + "/pack");
    if (!files) continue;
    for (const DirEntry& file : *files) {
      if (file.name.ends_with(".promisor")) return true;
    }
  }
  return false;
}

Result<std::vector<std::string>> ObjectStore::object_dirs() const {
  return object_directories(objects_dir_);
}

}  // namespace gittxn::repo::internal

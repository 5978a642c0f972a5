// Format: Documentation/gitformat-index. A header of 12 bytes, entries sorted by name, extensions,
// and the SHA-1 of all that. An entry is ten 32-bit words of stat data, 20 bytes of object name, 16
// bits of flags (32 from version 3 on, when bit 14 says so), and its name: padded with NULs in
// versions 2 and 3, as a difference to the name before in version 4.
#include "repo/worktree/worktree_index.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/fs.h"
#include "base/hash.h"

namespace gittxn::repo {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kHash = 20;
constexpr std::size_t kOidAt = 40;  // in an entry
constexpr std::size_t kFlagsAt = 60;
constexpr std::size_t kMaxIndex = std::size_t{2} << 30;
constexpr std::uint16_t kAssumeValid = 0x8000;
constexpr std::uint16_t kExtended = 0x4000;
constexpr std::uint16_t kSkipWorktree = 0x4000;  // of the second flags
constexpr std::uint16_t kIntentToAdd = 0x2000;
constexpr std::uint32_t kTreeMode = 0040000;

std::unexpected<Error> corrupt(std::string_view what) {
  return fail(Code::kCorrupt, fmt::format("the index is damaged: {}", what),
              "git status shows what git makes of it");
}

std::string sha1(std::string_view a, std::string_view b = {}) {
  Sha1 hash;
  hash.update(a);
  hash.update(b);
  return hash.finish();
}

// git's offset encoding, as in pack files: each further byte adds one.
std::optional<std::size_t> read_varint(std::string_view bytes, std::size_t* at) {
  std::size_t value = 0;
  for (int i = 0; i < 5 && *at < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[(*at)++]);
    value = i == 0 ? byte & 127u : ((value + 1) << 7) | (byte & 127u);
    if ((byte & 128u) == 0) return value;
  }
  return std::nullopt;
}

}  // namespace

std::uint32_t IndexFile::word(std::size_t at) const {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes_[at + i]);
  return value;
}

void IndexFile::set_word(std::size_t at, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i) bytes_[at + i] = static_cast<char>(value >> (24 - 8 * i));
}

Result<IndexFile> IndexFile::parse(std::string bytes) {
  IndexFile index;
  index.bytes_ = std::move(bytes);
  if (index.bytes_.size() < kHeader + kHash || !index.bytes_.starts_with("DIRC")) {
    return corrupt("it has no header");
  }
  const std::uint32_t version = index.word(4);
  if (version < 2 || version > 4) {
    return fail(Code::kNeedsGit, fmt::format("index version {}", version));
  }
  const std::string_view trailer =
      std::string_view(index.bytes_).substr(index.bytes_.size() - kHash);
  index.hashed_ = trailer.find_first_not_of('\0') != trailer.npos;
  std::size_t end = 0;
  TRY(index.parse_entries(version, index.word(8), &end));
  TRY(index.parse_extensions(end));
  TRY(index.check_order());  // a split index has entries without names
  return index;
}

Result<IndexFile> IndexFile::read(const std::string& file) {
  return parse(TRY(read_file(file, kMaxIndex)));
}

Status IndexFile::parse_entries(std::uint32_t version, std::uint32_t count, std::size_t* end) {
  const std::size_t limit = bytes_.size() - kHash;
  std::size_t at = kHeader;
  if (count > limit / (kFlagsAt + 2)) return corrupt("more entries than bytes");
  entries_.reserve(count);
  std::string previous;  // version 4
  for (std::uint32_t i = 0; i < count; ++i) {
    if (limit - at < kFlagsAt + 2) return corrupt("a cut entry");
    IndexEntry entry;
    entry.offset = at;
    entry.mode = word(at + 24);
    const auto flags = static_cast<std::uint16_t>(word(at + kFlagsAt - 2) & 0xffff);
    entry.stage = (flags >> 12) & 3;
    entry.assume_unchanged = (flags & kAssumeValid) != 0;
    std::size_t name_at = at + kFlagsAt + 2;
    if ((flags & kExtended) != 0) {
      if (version < 3 || limit - name_at < 2) return corrupt("flags of a later version");
      const auto more = static_cast<std::uint16_t>(word(name_at - 2) & 0xffff);
      entry.skip_worktree = (more & kSkipWorktree) != 0;
      entry.intent_to_add = (more & kIntentToAdd) != 0;
      name_at += 2;
    }
    std::size_t keep = 0;
    if (version == 4) {
      const auto strip = read_varint(std::string_view(bytes_).substr(0, limit), &name_at);
      if (!strip || *strip > previous.size()) return corrupt("a name that removes too much");
      keep = previous.size() - *strip;
    }
    const std::size_t nul = bytes_.find('\0', name_at);
    if (nul == bytes_.npos || nul >= limit) return corrupt("a name without an end");
    previous.resize(keep);
    if (version != 4) previous.clear();
    previous.append(bytes_, name_at, nul - name_at);
    entry.name = names_.size();
    entry.name_length = previous.size();
    names_ += previous;
    at = version == 4 ? nul + 1 : at + ((nul - at + 8) & ~std::size_t{7});
    if (at > limit) return corrupt("a cut entry");
    if (entry.mode == kTreeMode) return fail(Code::kNeedsGit, "a sparse index");
    entries_.push_back(entry);
  }
  *end = at;
  return {};
}

Status IndexFile::check_order() const {
  std::string_view before;
  for (const IndexEntry& entry : entries_) {
    if (path(entry) < before || entry.name_length == 0) return corrupt("names out of order");
    before = path(entry);
  }
  return {};
}

Status IndexFile::parse_extensions(std::size_t at) const {
  const std::size_t limit = bytes_.size() - kHash;
  while (at < limit) {
    if (limit - at < 8) return corrupt("a cut extension");
    const std::string_view name = std::string_view(bytes_).substr(at, 4);
    const std::size_t size = word(at + 4);
    if (size > limit - at - 8) return corrupt("a cut extension");
    // An extension whose name is not upper case has to be understood.
    if (name[0] < 'A' || name[0] > 'Z') {
      return fail(Code::kNeedsGit, fmt::format("index extension '{}'", name));
    }
    at += 8 + size;
  }
  return {};
}

std::string_view IndexFile::path(const IndexEntry& entry) const {
  return std::string_view(names_).substr(entry.name, entry.name_length);
}

Oid IndexFile::oid(const IndexEntry& entry) const {
  return Oid(hex_of(std::string_view(bytes_).substr(entry.offset + kOidAt, kHash)));
}

const IndexEntry* IndexFile::find(std::string_view wanted) const {
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), wanted,
      [&](const IndexEntry& entry, std::string_view name) { return path(entry) < name; });
  return found != entries_.end() && path(*found) == wanted ? &*found : nullptr;
}

bool IndexFile::has(std::string_view wanted, const Oid& object) const {
  const IndexEntry* entry = find(wanted);
  return entry == nullptr ? object.empty() : oid(*entry) == object;
}

bool IndexFile::has_below(std::string_view directory) const {
  const std::string prefix = std::string(directory) + '/';
  const auto found = std::lower_bound(
      entries_.begin(), entries_.end(), std::string_view(prefix),
      [&](const IndexEntry& entry, std::string_view name) { return path(entry) < name; });
  return found != entries_.end() && path(*found).starts_with(prefix);
}

namespace {

// The words as git fills them, in the order of the file; the mode is not stat data.
struct StatWord {
  std::size_t at;
  std::uint32_t value;
};
template <typename Visit>
void stat_words(const struct stat& info, Visit visit) {
  auto low = [](auto value) { return static_cast<std::uint32_t>(value); };
  visit(StatWord{0, low(info.st_ctim.tv_sec)});
  visit(StatWord{4, low(info.st_ctim.tv_nsec)});
  visit(StatWord{8, low(info.st_mtim.tv_sec)});
  visit(StatWord{12, low(info.st_mtim.tv_nsec)});
  visit(StatWord{16, low(info.st_dev)});
  visit(StatWord{20, low(info.st_ino)});
  visit(StatWord{28, low(info.st_uid)});
  visit(StatWord{32, low(info.st_gid)});
  visit(StatWord{36, low(info.st_size)});
}

}  // namespace

bool IndexFile::stat_matches(const IndexEntry& entry, const struct stat& info, Ctime ctime) const {
  if (word(entry.offset + 8) == 0) return false;
  bool same = true;
  stat_words(info, [&](StatWord stat) {
    const std::uint32_t recorded = word(entry.offset + stat.at);
    // Device numbers change with every mount, and some programs that write indexes leave out the
    // nanoseconds; git compares neither.
    if (ctime == Ctime::kIgnored && stat.at <= 4) return;
    const bool optional = stat.at == 4 || stat.at == 12 || stat.at == 16;
    if (recorded != stat.value && !(optional && (recorded == 0 || stat.at == 16))) same = false;
  });
  // git writes size 0 for a file it found racy.
  return same && (info.st_size == 0 || word(entry.offset + 36) != 0);
}

bool IndexFile::is_racy(const IndexEntry& entry, const struct stat& index_info) const {
  return word(entry.offset + 8) >= static_cast<std::uint32_t>(index_info.st_mtim.tv_sec);
}

void IndexFile::set_stat(const IndexEntry& entry, const struct stat& info) {
  stat_words(info, [&](StatWord stat) { set_word(entry.offset + stat.at, stat.value); });
}

void IndexFile::clear_flags(const IndexEntry& entry) {
  const std::size_t flags = entry.offset + kFlagsAt;
  bytes_[flags] = static_cast<char>(static_cast<unsigned char>(bytes_[flags]) & 0x7f);
  if (entry.skip_worktree) {
    bytes_[flags + 2] = static_cast<char>(static_cast<unsigned char>(bytes_[flags + 2]) & 0xbf);
  }
  IndexEntry& mine = entries_[static_cast<std::size_t>(&entry - entries_.data())];
  mine.assume_unchanged = false;
  mine.skip_worktree = false;
}

std::string IndexFile::finish() {
  bytes_.resize(bytes_.size() - kHash);
  bytes_ += hashed_ ? sha1(bytes_) : std::string(kHash, '\0');
  return bytes_;
}

Result<IndexFile> load_index(const IndexSource& source, const std::string& scratch) {
  auto index = IndexFile::read(source.file);
  if (index || index.error().code != Code::kNeedsGit) return index;
  TRY(copy_index(source.file, scratch));
  GitOptions options = source.options;
  options.extra["GIT_INDEX_FILE"] = scratch;
  TRY_IN("writing the index out whole",
         source.git.must({"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c",
                          "core.fsmonitor=false", "update-index", "--force-write-index"},
                         options));
  return IndexFile::read(scratch);
}

Status copy_index(const std::string& from, const std::string& to) {
  UniqueFd in = TRY(open_fd(from, O_RDONLY | O_NOFOLLOW));
  struct stat info{};
  if (::fstat(in.get(), &info) != 0) return fail_errno(errno, "stat '" + from + "'");
  if (!S_ISREG(info.st_mode)) return fail(Code::kCorrupt, "'" + from + "' is not a file");
  const std::string bytes = TRY_IN("reading '" + from + "'", read_fd(in.get(), kMaxIndex));
  TRY(write_file(to, bytes, Sync::kNo, info.st_mode & 0777));
  const timespec times[2] = {info.st_atim, info.st_mtim};
  if (::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0) return fail_errno(errno, "utimensat");
  return {};
}

Status write_index(const std::string& file, IndexFile& index, IndexTime time) {
  struct stat info{};
  if (::lstat(file.c_str(), &info) != 0) return fail_errno(errno, "stat '" + file + "'");
  TRY(write_file(file, index.finish(), Sync::kNo, info.st_mode & 0777));
  if (time == IndexTime::kNow) return {};
  const timespec times[2] = {info.st_atim, info.st_mtim};
  if (::utimensat(AT_FDCWD, file.c_str(), times, 0) != 0) return fail_errno(errno, "utimensat");
  return {};
}

std::string index_line(const TreeEntry& entry, std::string_view path) {
  if (!entry.present()) return fmt::format("0 {}\t{}", std::string(40, '0'), path) + '\0';
  return fmt::format("{} {}\t{}", mode_text(entry.mode), entry.oid.str(), path) + '\0';
}

Oid blob_oid(std::string_view bytes) {
  const std::string header = fmt::format("blob {}", bytes.size()) + '\0';
  return Oid(hex_of(sha1(header, bytes)));
}

}  // namespace gittxn::repo

#include "capture/tool_digest.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include "base/fs.h"
#include "base/hash.h"

namespace gittxn::capture {
namespace {

constexpr std::size_t kMaxCacheBytes = 64u << 20;
constexpr std::size_t kMaxEntries = 200'000;
constexpr std::int64_t kRacyNs = 2'000'000'000;
constexpr std::string_view kHeader = "git-txn tool digests 1";
constexpr std::size_t kHexDigits = 64;

constexpr std::string_view kPrefixes[] = {"/usr/",       "/lib/",       "/lib32/", "/lib64/",
                                          "/libx32/",    "/bin/",       "/sbin/",  "/opt/",
                                          "/nix/store/", "/gnu/store/", "/snap/"};

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

ToolDigest::Identity identity_of(const struct stat& info) {
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
          nanoseconds(info.st_ctim)};
}

bool is_hex_digest(std::string_view text) {
  if (text.size() != kHexDigits) return false;
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

template <typename T>
bool take_number(std::string_view& line, T& value) {
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

bool parse_line(std::string_view line, ToolDigest::Identity& identity, std::string& digest) {
  auto& [dev, ino, size, changed] = identity;
  if (!take_number(line, dev) || !take_number(line, ino) || !take_number(line, size) ||
      !take_number(line, changed) || !is_hex_digest(line)) {
    return false;
  }
  digest = line;
  return true;
}

// The interpreter an ELF program names (PT_INTERP), or "".
std::string loader_of(const std::string& path) {
  const auto fd = open_fd(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return "";
  Elf64_Ehdr header{};
  if (::pread(fd->get(), &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
    return "";
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return "";
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part{};
    const auto at = static_cast<off_t>(header.e_phoff + i * sizeof part);
    if (::pread(fd->get(), &part, sizeof part, at) != static_cast<ssize_t>(sizeof part)) return "";
    if (part.p_type != PT_INTERP) continue;
    std::array<char, 256> name{};
    if (part.p_filesz == 0 || part.p_filesz > name.size()) return "";
    const ssize_t size =
        ::pread(fd->get(), name.data(), part.p_filesz, static_cast<off_t>(part.p_offset));
    if (size <= 0 || name[0] != '/') return "";
    return {name.data(), ::strnlen(name.data(), static_cast<std::size_t>(size))};
  }
  return "";
}

}  // namespace

bool under_tool_prefix(std::string_view path) {
  return std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return path.starts_with(prefix); });
}

bool came_with_system(std::string_view real_path) {
  return real_path.starts_with("/usr/") && !real_path.starts_with("/usr/local/");
}

bool is_shared_library(std::string_view path) {
  const std::string name = base_name(path);
  if (name.ends_with(".so")) return true;
  const std::size_t at = name.rfind(".so.");
  return at != std::string::npos &&
         name.find_first_not_of("0123456789.", at + 4) == std::string::npos;
}

void ToolDigest::add_program(const std::string& path) {
  if (!files_.emplace(path, path).second) return;
  std::string loader = loader_of(path);
  if (loader.empty()) return;
  if (auto real = real_path(loader)) loader = *std::move(real);
  files_.emplace(loader, loader);
}

void ToolDigest::load() {
  if (std::exchange(loaded_, true) || cache_file_.empty()) return;
  struct stat info{};
  if (::stat(cache_file_.c_str(), &info) != 0) return;
  const auto text = read_file(cache_file_, kMaxCacheBytes);
  if (!text || !text->starts_with(kHeader)) return;
  const std::int64_t written = nanoseconds(info.st_mtim);
  std::string_view rest(*text);
  rest.remove_prefix(kHeader.size());
  while (!rest.empty()) {
    const std::size_t newline = rest.find('\n');
    if (newline == std::string_view::npos) break;  // a line without its end may be cut
    Identity identity;
    Known known;
    if (parse_line(rest.substr(0, newline), identity, known.digest) &&
        std::get<3>(identity) + kRacyNs < written) {
      known_.emplace(identity, std::move(known));
    }
    rest.remove_prefix(newline + 1);
  }
}

void ToolDigest::store() const {
  if (cache_file_.empty() || !changed_) return;
  std::string text(kHeader);
  text += '\n';
  std::size_t entries = 0;
  // What was used now first, so that the bound drops what nobody asks for.
  for (const bool used : {true, false}) {
    for (const auto& [identity, known] : known_) {
      if (known.used != used || ++entries > kMaxEntries) continue;
      const auto& [dev, ino, size, changed] = identity;
      text += std::to_string(dev) + ' ' + std::to_string(ino) + ' ' + std::to_string(size) + ' ' +
              std::to_string(changed) + ' ' + known.digest + '\n';
    }
  }
  // A cache: without it the next transaction hashes again.
  static_cast<void>(write_file(cache_file_, text, Sync::kNo));
}

std::string ToolDigest::digest_of_file(const std::string& path) {
  struct stat before{};
  if (::stat(path.c_str(), &before) != 0) return "gone";
  if (!S_ISREG(before.st_mode)) return "no file";
  const Identity identity = identity_of(before);
  if (const auto at = known_.find(identity); at != known_.end()) {
    at->second.used = true;
    return at->second.digest;
  }
  const auto fd = open_fd(path, O_RDONLY | O_NONBLOCK);
  if (!fd) return "not readable";
  Sha256 hash;
  std::vector<char> buffer(1u << 17);
  while (true) {
    const ssize_t size = ::read(fd->get(), buffer.data(), buffer.size());
    if (size < 0) return "not readable";
    if (size == 0) break;
    hash.update({buffer.data(), static_cast<std::size_t>(size)});
  }
  const std::string digest = hash.finish().str();
  struct stat after{};
  if (::fstat(fd->get(), &after) == 0 && identity_of(after) == identity) {
    known_[identity] = {digest, true};
    changed_ = true;
  }
  return digest;
}

std::string ToolDigest::digest_of(const std::string& path) {
  load();
  return digest_of_file(path);
}

Result<Digest> ToolDigest::finish() {
  load();
  Sha256 all;
  for (const auto& [label, path] : files_) {
    all.update(sha256_fields({label, digest_of_file(path)}).str());
  }
  store();
  return all.finish();
}

}  // namespace gittxn::capture

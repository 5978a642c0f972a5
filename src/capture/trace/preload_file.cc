// The bytes come from the build (CMakeLists.txt); what is particular to a run is put in here.
#include "capture/trace/preload_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string_view>

#include "base/fs.h"
#include "base/text.h"

#ifdef TXN_PRELOAD_FILE
__asm__(
    ".pushsection .rodata\n"
    ".globl txn_preload_begin\n"
    ".globl txn_preload_end\n"
    "txn_preload_begin:\n"
    ".incbin \"" TXN_PRELOAD_FILE
    "\"\n"
    "txn_preload_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char txn_preload_begin[];
extern "C" const char txn_preload_end[];
#endif

namespace gittxn::capture {

namespace {

std::string library_bytes() {
#ifdef TXN_PRELOAD_FILE
  return std::string(txn_preload_begin, txn_preload_end);
#else
  return {};
#endif
}

constexpr std::string_view kLinkEnding = ".not-libasan.so";

std::string library_behind(std::string_view link) {
  return std::string(link.substr(0, link.size() - kLinkEnding.size())) + ".so";
}

Status can_be_loaded(const std::string& path) {
  const UniqueFd fd = TRY(open_fd(path, O_RDONLY));
  void* got = ::mmap(nullptr, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd.get(), 0);
  if (got == MAP_FAILED) {
    return fail(Code::kUnsupported,
                "nothing can be loaded from '" + parent_dir(path) + "': " + std::strerror(errno));
  }
  ::munmap(got, 1);
  return {};
}

}  // namespace

std::string preload_path(const std::string& record_file) {
  return record_file + std::string(kLinkEnding);
}

Status remove_preload(const std::string& path) {
  TRY(remove_file(path));
  return remove_file(library_behind(path));
}

bool is_preload(const std::string& path, std::string_view opened) {
  return opened == path || opened == library_behind(path);
}

Status write_preload(const std::string& path, const ring::Config& config) {
  std::string bytes = library_bytes();
  if (bytes.empty()) {
    return fail(Code::kUnsupported, "there is no library to preload for this architecture yet");
  }
  if (!path.starts_with('/') || path.find_first_of(": \t\n$") != path.npos) {
    return fail(Code::kUnsupported, "a library cannot be preloaded from '" + path + "'");
  }
  const std::string_view marker(reinterpret_cast<const char*>(ring::kMarker), sizeof ring::kMarker);
  const std::size_t at = bytes.find(marker);
  if (at == bytes.npos || bytes.find(marker, at + 1) != bytes.npos ||
      bytes.size() - at < sizeof config) {
    return fail(Code::kFault, "the library to preload was built wrongly");
  }
  std::memcpy(bytes.data() + at, &config, sizeof config);
  TRY(remove_preload(path));  // of a run with the same records that was killed
  const std::string library = library_behind(path);
  const UniqueFd fd = TRY(open_fd(library, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0500));
  TRY(write_all(fd.get(), bytes));
  if (::symlink(base_name(library).c_str(), path.c_str()) != 0) {
    return fail_errno(errno, "link '" + path + "'");
  }
  return can_be_loaded(path);
}

void add_preload(const std::string& path, Environment* env) {
  std::string& value = (*env)["LD_PRELOAD"];
  if (!value.empty()) value += ':';
  value += path;
}

std::string without_preload(std::string_view value) {
  std::string others;
  for (const std::string_view library : pieces_of(value, ':')) {
    if (library.ends_with(kLinkEnding)) continue;
    if (!others.empty()) others += ':';
    others += library;
  }
  return others;
}

}  // namespace gittxn::capture

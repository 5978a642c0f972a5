// Two versions of a manifest whose name the first byte chooses, the first ended by a line with a
// form feed: what they say, what differs, and what it feeds.
#include "fuzz/check.h"
#include "semantic/manifest/feeds.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace {

constexpr std::string_view kNames[] = {"package.json",
                                       "package-lock.json",
                                       "Cargo.toml",
                                       "Cargo.lock",
                                       "go.mod",
                                       "go.sum",
                                       "pom.xml",
                                       "CMakeLists.txt",
                                       "BUILD",
                                       ".nvmrc",
                                       "rust-toolchain.toml",
                                       "yarn.lock"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn::semantic;
  if (size == 0) return 0;
  const std::string_view path = kNames[data[0] % std::size(kNames)];
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(rest.find("\f\n"), rest.size());
  const std::string_view one = rest.substr(0, end);
  const std::string_view two = rest.substr(std::min(rest.size(), end + 2));
  const Manifest before = read_manifest(path, one), after = read_manifest(path, two);
  CHECK(before.ecosystem == ecosystem_of(path));
  CHECK(manifest_changes(before, before).empty());
  CHECK(manifest_changes(after, read_manifest(path, two)).empty());
  if (!before.opaque.empty()) CHECK(before.symbols.size() == 1);
  const auto forth = manifest_changes(before, after), back = manifest_changes(after, before);
  CHECK(forth.empty() == back.empty());
  if (one == two) CHECK(forth.empty());
  const std::string source = "use " + std::string(one.substr(0, 200));
  for (std::size_t i = 0; i < std::min<std::size_t>(forth.size(), 20); ++i) {
    CHECK(!title_of(forth[i]).empty());
    const Feeds feeds = feeds_of(path, after, forth[i]);
    if (feeds != Feeds::kImporters) continue;
    const std::string imported = imported_as(after.ecosystem, forth[i].after);
    const Reliance reliance =
        reliance_on(after.ecosystem, imported, {"a.rs", std::nullopt, source}, {});
    CHECK(reliance == Reliance::kNone || source.find(imported) != std::string::npos);
  }
  return 0;
}

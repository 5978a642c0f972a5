// Three versions of a file in a language, or of a kind, that the first byte chooses, behind it,
// each ended by a line with a form feed; what is missing is empty.
#include "semantic/merge.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "fuzz/check.h"
#include "fuzz/languages.h"
#include "semantic/syntax.h"

namespace {

using namespace gittxn::semantic;

// Runs of letters and digits that are long enough not to come about by accident.
std::set<std::string_view> words(std::string_view text) {
  std::set<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end - at >= 4) found.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

// What a side brought in is in a clean result; white space may be the other side's.
void check_nothing_lost(const Sides<std::string>& texts, const std::string& merged) {
  const std::string before = squeeze(texts[kBase]), after = squeeze(merged);
  for (const Side side : {kLeft, kRight}) {
    for (const std::string_view word : words(texts[side])) {
      CHECK(before.find(word) != before.npos || after.find(word) != after.npos);
    }
  }
}

// A language, or for the last bytes a file that no grammar is known for.
MergeAs chosen(std::uint8_t byte) {
  constexpr std::string_view kPaths[] = {"a.properties", "a.md",       "a.xml",  "go.sum", "go.mod",
                                         "a.nix",        ".gitignore", "a.dart", "a.vue"};
  constexpr std::uint8_t kFirst = 0xe0;
  MergeAs as;
  if (byte >= kFirst) {
    as.path = kPaths[(byte - kFirst) % std::size(kPaths)];
  } else {
    as.language = find_language(fuzzed(byte).name);
  }
  return as;
}

// The paths of the declarations of a text, each as often as it is there.
std::multiset<std::string> declared(const MergeAs& as, const std::string& text) {
  std::multiset<std::string> paths;
  const auto tree = as.language == nullptr ? nullptr : Tree::parse(*as.language, text, {});
  if (tree == nullptr) return paths;
  for (const Declared& each : tree->declarations()) paths.insert(each.path);
  return paths;
}

// Each conflict is opened, parted and closed, in this order and none in another. A text may have
// such lines of its own, and bytes that are no text are shown without them.
void check_markers(const Sides<std::string>& texts, const std::string& merged) {
  constexpr std::string_view kMarkers[] = {"<<<<<<<", "=======", ">>>>>>>"};
  for (const std::string& text : texts) {
    if (text.contains('\0')) return;
    for (const std::string_view marker : kMarkers) {
      if (text.find(marker) != text.npos) return;
    }
  }
  std::size_t next = 0, conflicts = 0;
  for (std::size_t at = 0; at < merged.size();
       at = std::min(merged.find('\n', at), merged.size()) + 1) {
    for (std::size_t i = 0; i < std::size(kMarkers); ++i) {
      if (merged.compare(at, kMarkers[i].size(), kMarkers[i]) != 0) continue;
      CHECK(i == next);
      next = (next + 1) % std::size(kMarkers);
      conflicts += next == 0 ? 1 : 0;
    }
  }
  CHECK(next == 0 && conflicts > 0);
}

// A merge is clean or not whichever side is left and however conflicts are shown, and a clean one
// declares the same whichever side is left.
void check_clean_always(const MergeAs& as, const Sides<std::string>& texts, const Merged& merged) {
  const auto turned = merge_file(as, {texts[kBase], texts[kRight], texts[kLeft]}, {});
  CHECK(turned && turned->clean() == merged.clean());
  if (merged.clean()) CHECK(declared(as, turned->text) == declared(as, merged.text));
  const auto shown = merge_file(as, texts, {.style = ConflictText::kZdiff3});
  CHECK(shown && shown->clean() == merged.clean());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  Sides<std::string> texts;
  for (std::string& text : texts) {
    const std::size_t end = std::min(rest.find("\f\n"), rest.size());
    text = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 2));
  }
  const MergeAs as = chosen(data[0]);
  const auto merged = merge_file(as, texts, {});
  CHECK(merged);
  const auto& [base, left, right] = texts;
  if (left == right || right == base) CHECK(merged->clean() && merged->text == left);
  if (left == base) CHECK(merged->clean() && merged->text == right);
  if (!merged->clean()) {
    CHECK(!merged->why.empty());
    check_markers(texts, merged->text);
  }
  if (merged->clean()) check_nothing_lost(texts, merged->text);
  check_clean_always(as, texts, *merged);
  return 0;
}

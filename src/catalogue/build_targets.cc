#include "catalogue/build_targets.h"

#include <algorithm>

#include "base/fs.h"
#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/manifest/manifest.h"

namespace gittxn::catalogue {
namespace {

using semantic::BuildKind;
using semantic::BuildSymbol;
using semantic::is_any;

constexpr std::size_t kMostTargets = 200;
constexpr std::string_view kSeparators = " \t\r\n();\"";

// Words of a CMake file: comments left out, parentheses words of their own.
std::vector<std::string_view> cmake_words(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '(' || c == ')') {
      words.push_back(text.substr(at++, 1));
    } else if (kSeparators.contains(c)) {
      ++at;
    } else {
      const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
      words.push_back(text.substr(at, end - at));
      at = end;
    }
  }
  return words;
}

// Targets whose command says the file, relative to where it stands.
std::vector<BuildTarget> cmake_targets(std::string_view text, std::string_view relative) {
  std::vector<BuildTarget> found;
  const std::vector<std::string_view> words = cmake_words(text);
  for (std::size_t i = 0; i + 2 < words.size(); ++i) {
    if (words[i + 1] != "(" ||
        !is_any(words[i], {"add_library", "add_executable", "target_sources"})) {
      continue;
    }
    for (std::size_t j = i + 3; j < words.size() && words[j] != ")"; ++j) {
      if (normal_path(words[j]) != relative) continue;
      found.push_back({std::string(words[i + 2]), true});
      break;
    }
  }
  return found;
}

bool names(const BuildSymbol& symbol, std::string_view relative) {
  for (const std::string_view part :
       {std::string_view(symbol.name), std::string_view(symbol.version)}) {
    std::string_view word = part.substr(part.rfind(' ') + 1);
    if (word.starts_with(':')) word.remove_prefix(1);
    if (normal_path(word) == relative) return true;
  }
  return false;
}

}  // namespace

std::vector<BuildTarget> build_targets(std::string_view path, std::string_view text,
                                       std::string_view source) {
  std::string folder(
      path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/')));
  std::string relative(source);
  if (!folder.empty() && !path_below(source, folder, &relative)) return {};
  const semantic::Manifest manifest = semantic::read_manifest(path, text);
  std::vector<BuildTarget> named, all;
  const bool cmake = manifest.ecosystem == semantic::Ecosystem::kCMake;
  if (cmake) named = cmake_targets(text, relative);
  for (const BuildSymbol& symbol : manifest.symbols) {
    const std::string& target = symbol.kind == BuildKind::kTarget ? symbol.name : symbol.target;
    const bool feeds = symbol.kind != BuildKind::kTarget && !symbol.target.empty();
    if (!cmake && !target.empty() && (feeds || symbol.kind == BuildKind::kTarget) &&
        names(symbol, relative)) {
      named.push_back({target, true});
    }
    if (symbol.kind == BuildKind::kTarget) all.push_back({symbol.name, false});
  }
  std::vector<BuildTarget>& targets = named.empty() ? all : named;
  std::ranges::sort(targets, {}, &BuildTarget::name);
  const auto again = std::ranges::unique(targets, {}, &BuildTarget::name);
  targets.erase(again.begin(), again.end());
  if (targets.size() > kMostTargets) targets.resize(kMostTargets);
  return targets;
}

std::string go_module(std::string_view text) {
  for (std::string_view line : lines_of(text)) {
    constexpr std::string_view kModule = "module";
    line = trimmed(line.substr(0, line.find("//")));
    if (!line.starts_with(kModule)) continue;
    line.remove_prefix(kModule.size());
    const std::size_t from = line.find_first_not_of(" \t\"");
    if (from == std::string_view::npos || from == 0) continue;
    line.remove_prefix(from);
    return std::string(line.substr(0, line.find_first_of(" \t\r\"")));
  }
  return {};
}

}  // namespace gittxn::catalogue

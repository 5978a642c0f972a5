// Random edits of the samples of all languages, and what a file means whose symbols are what
// counts. For tests.
#pragma once

#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/random.h"
#include "semantic/symbol.h"

namespace gittxn::semantic::testing {

// By the name of the file.
inline std::map<std::string, std::string> samples() {
  std::map<std::string, std::string> texts;
  const std::filesystem::path folders =
      std::filesystem::path(__FILE__).parent_path().parent_path() / "languages";
  for (const auto& folder : std::filesystem::directory_iterator(folders)) {
    for (const auto& file : std::filesystem::directory_iterator(folder.path())) {
      if (file.path().stem() == "sample") {
        texts[file.path().filename().string()] = *read_file(file.path().string());
      }
    }
  }
  return texts;
}

inline FileSymbols symbols(const std::string& path, const std::string& text) {
  return symbols_of(language_of(path, text), path, text, {});
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); !from.empty() && at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// The first one alone, which has to be there.
inline std::string replaced_once(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

inline std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

inline std::string joined_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

// The whole lines of a symbol, so that what is put beside it stands on its own.
inline Extent lines_of(const std::string& text, Extent extent) {
  const std::size_t begin = text.rfind('\n', extent.begin == 0 ? 0 : extent.begin - 1);
  const std::size_t end = text.find('\n', extent.end);
  return {begin == std::string::npos || extent.begin == 0 ? 0 : begin + 1,
          end == std::string::npos ? text.size() : end + 1};
}

// One edit of one symbol, that often still parses.
inline std::string edited(const std::string& path, const std::string& text, Random& random,
                          const std::string& mark) {
  const FileSymbols file = symbols(path, text);
  const Symbol& symbol = file.symbols[random.below(file.symbols.size())];
  const Extent extent = symbol.extents[random.below(symbol.extents.size())];
  const Extent lines = lines_of(text, extent);
  const std::string whole = text.substr(lines.begin, lines.end - lines.begin);
  std::string out = text;
  switch (random.below(7)) {
    case 0:
      return out.erase(lines.begin, whole.size());
    case 1:
      return out.insert(lines.end, replaced(whole, symbol.name, mark + symbol.name));
    case 2: {
      const std::size_t at = text.find_first_of("0123456789", extent.begin);
      return at < extent.end ? out.replace(at, 1, std::to_string(random.below(10000))) : out;
    }
    case 3: {
      const std::size_t at = extent.begin + random.below(extent.end - extent.begin);
      const std::size_t word = text.find_first_of("abcdefghijklmnopqrstuvwxyz", at);
      return word < extent.end ? out.insert(word, mark) : out;
    }
    case 4: {
      out.erase(lines.begin, whole.size());
      const std::size_t at = out.find('\n', random.below(out.size()));
      return at == std::string::npos ? text : out.insert(at + 1, whole);
    }
    case 5:
      return replaced(text, symbol.name, mark + symbol.name);
    default: {
      const bool hash = path.ends_with(".py") || path.ends_with("ml") || path.ends_with(".rb") ||
                        path.ends_with(".sh");
      return out.insert(lines.begin, (hash ? "# " : "// ") + mark + "\n");
    }
  }
}

// What stands for a symbol: everything but where it is, how it is laid out and the comments, which
// may come to stand before something else (merge.h keeps them).
inline std::map<std::string, std::string> meaning(const FileSymbols& file) {
  std::map<std::string, std::string> all;
  for (const Symbol& symbol : file.symbols) {
    std::string& said = all[symbol.id];
    for (std::size_t i = 0; i < kCapabilities; ++i) {
      const bool contract = static_cast<Capability>(i) == Capability::kContract;
      said += (contract ? symbol.annotations : symbol.hashes[i]).str() + " ";
    }
  }
  return all;
}

// The base with what each side did to its symbols.
inline std::map<std::string, std::string> combined(
    const std::map<std::string, std::string>& base, const std::map<std::string, std::string>& left,
    const std::map<std::string, std::string>& right) {
  std::map<std::string, std::string> all = base;
  for (const auto* side : {&left, &right}) {
    for (const auto& [id, said] : base) {
      const auto now = side->find(id);
      if (now == side->end()) all.erase(id);
      if (now != side->end() && now->second != said) all[id] = now->second;
    }
    for (const auto& [id, said] : *side) {
      if (!base.contains(id)) all[id] = said;
    }
  }
  return all;
}

}  // namespace gittxn::semantic::testing

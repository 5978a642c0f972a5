// The files that an import means.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "semantic/compare/sight.h"

namespace gittxn::semantic {
namespace {

constexpr std::string_view kScriptEndings[] = {".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"};

using Parts = std::vector<std::string>;

Parts split_at(std::string_view path, char between) {
  Parts parts;
  for (const std::string_view part : pieces_of(path, between)) {
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

Parts folder_parts(std::string_view path) {
  Parts parts = split_at(path, '/');
  if (!parts.empty()) parts.pop_back();
  return parts;
}

std::string joined(const Parts& parts) {
  std::string path;
  for (const std::string& part : parts) path += (path.empty() ? "" : "/") + part;
  return path;
}

std::string below(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string(name) : folder + "/" + std::string(name);
}

// The ending of a script; empty: it has none.
std::string_view script_ending(std::string_view path) {
  for (const std::string_view ending : kScriptEndings) {
    if (path.ends_with(ending)) return ending;
  }
  return {};
}

std::vector<std::string> in_script(std::string_view module, std::string_view from) {
  if (!module.starts_with("./") && !module.starts_with("../") && module != "." && module != "..") {
    return {};
  }
  Parts at = folder_parts(from);
  for (const std::string& part : split_at(module, '/')) {
    if (part == ".") continue;
    if (part != "..") {
      at.push_back(part);
    } else if (at.empty()) {
      return {};
    } else {
      at.pop_back();
    }
  }
  const std::string path = joined(at);
  std::vector<std::string> files;
  const std::string_view said = script_ending(path);
  if (!said.empty()) {
    files.push_back(path);
    // TypeScript says what its file will be compiled to.
    const std::string stem = path.substr(0, path.size() - said.size());
    if (said == ".js") files.insert(files.end(), {stem + ".ts", stem + ".tsx"});
    return files;
  }
  for (const std::string_view ending : kScriptEndings) files.push_back(path + std::string(ending));
  for (const std::string_view ending : kScriptEndings) {
    files.push_back(below(path, "index" + std::string(ending)));
  }
  return files;
}

void add_python(const Parts& parts, std::vector<std::string>* files) {
  const std::string path = joined(parts);
  if (!path.empty()) files->push_back(path + ".py");
  files->push_back(below(path, "__init__.py"));
}

std::vector<std::string> in_python(std::string_view module, std::string_view from) {
  std::vector<std::string> files;
  const std::size_t dots = std::min(module.find_first_not_of('.'), module.size());
  Parts folder = folder_parts(from);
  const Parts said = split_at(module, '.');
  const auto add = [&](const Parts& at) {
    Parts all = at;
    if (said.empty()) return files.push_back(below(joined(at), "__init__.py"));
    all.insert(all.end(), said.begin(), said.end());
    add_python(all, &files);
  };
  if (dots > 0) {
    if (dots > folder.size() + 1) return {};
    folder.resize(folder.size() + 1 - dots);
    add(folder);
    return files;
  }
  // A path that is searched: any of the folders around, or the one of the sources.
  add({"src"});
  for (;; folder.pop_back()) {
    add(folder);
    if (folder.empty()) return files;
  }
}

}  // namespace

std::vector<std::string> files_of_module(std::string_view module, std::string_view from) {
  if (module.empty()) return {};
  if (from.ends_with(".py")) return in_python(module, from);
  return script_ending(from).empty() ? std::vector<std::string>() : in_script(module, from);
}

}  // namespace gittxn::semantic

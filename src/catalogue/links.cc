#include "catalogue/links.h"

#include <algorithm>

#include "base/fs.h"
#include "base/text.h"
#include "catalogue/names.h"
#include "semantic/kinds.h"

namespace gittxn::catalogue {
namespace {

using semantic::Import;
using semantic::is_any;

std::string folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string() : std::string(path.substr(0, slash));
}

std::string_view file_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view without_ending(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash))
    return path;
  return path.substr(0, dot);
}

std::string beside(std::string_view from, std::string_view relative) {
  return normal_path(join_path(folder_of(from).empty() ? "." : folder_of(from), relative));
}

// `path` is `tail`, or ends in it behind a folder.
bool ends_in(std::string_view path, std::string_view tail) {
  if (path == tail) return true;
  return path.size() > tail.size() && path.ends_with(tail) &&
         path[path.size() - tail.size() - 1] == '/';
}

std::string replaced(std::string_view text, std::string_view what, std::string_view with) {
  std::string out(text);
  for (std::size_t at = out.find(what); at != out.npos; at = out.find(what, at + with.size())) {
    out.replace(at, what.size(), with);
  }
  return out;
}

std::vector<std::string> parts_of(std::string_view path) {
  const auto parts = pieces_of(path, '/');
  return {parts.begin(), parts.end()};
}

std::size_t count_ending_in(const Layout& layout, std::string_view tail) {
  return static_cast<std::size_t>(std::ranges::count_if(
      layout.namesakes, [&](const std::string& path) { return ends_in(path, tail); }));
}

// --- Python ---

// "pkg/auth" of pkg/auth.py, "pkg" of pkg/__init__.py.
std::string python_module(std::string_view path) {
  std::string module(without_ending(path));
  if (module == "__init__") return {};
  if (module.ends_with("/__init__")) module.resize(module.size() - 9);
  return module;
}

Link python(std::string_view from, const Import& import, const ImportedFile& to) {
  const std::string target = python_module(to.path);
  const std::size_t dots = std::min(import.module.find_first_not_of('.'), import.module.size());
  const std::string rest = replaced(std::string_view(import.module).substr(dots), ".", "/");
  std::vector<std::string> named{rest};
  for (const semantic::Binding& binding : import.binds) {
    if (!binding.original.empty())
      named.push_back(rest + (rest.empty() ? "" : "/") + binding.original);
  }
  if (dots > 0) {
    std::string base = folder_of(from);
    for (std::size_t up = 1; up < dots; ++up) base = folder_of(base);
    for (const std::string& name : named) {
      const std::string whole = base.empty() || name.empty() ? base + name : base + "/" + name;
      if (whole == target) return Link::kYes;
    }
    return Link::kNo;
  }
  for (const std::string& name : named) {
    if (name.empty() || !ends_in(target, name)) continue;
    const std::string root = folder_of(std::string(target.substr(0, target.size() - name.size())));
    std::string inside;
    const bool near = root.empty() || path_below(from, root, &inside);
    const bool usual = is_any(file_of(root), {"src", "lib", "python"});
    const std::size_t others = static_cast<std::size_t>(std::ranges::count_if(
        to.layout.namesakes,
        [&](const std::string& path) { return ends_in(python_module(path), name); }));
    return (near || usual) && others <= 1 ? Link::kYes : Link::kPerhaps;
  }
  return Link::kNo;
}

// --- scripts ---

Link script(std::string_view from, const Import& import, const ImportedFile& to) {
  const std::string_view module = import.module;
  if (!module.starts_with(".")) {
    return module_stem(module) == module_stem(to.path) ? Link::kPerhaps : Link::kNo;
  }
  std::string base = beside(from, module);
  std::string_view target = to.path;
  if (base == target) return Link::kYes;
  for (const std::string_view ending :
       {".d.ts", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".json"}) {
    if (!target.ends_with(ending)) continue;
    target.remove_suffix(ending.size());
    break;
  }
  // A module in TypeScript is imported by the name of what it is compiled to.
  for (const std::string_view ending : {".js", ".jsx", ".mjs", ".cjs"}) {
    if (base.ends_with(ending) && base.substr(0, base.size() - ending.size()) == target) {
      return Link::kYes;
    }
  }
  if (base == ".") base.clear();
  return base == target || (base.empty() ? "index" : base + "/index") == target ? Link::kYes
                                                                                : Link::kNo;
}

// --- Go ---

Link go(const Import& import, const ImportedFile& to) {
  const std::string folder = folder_of(to.path);
  std::string_view nearest;
  const std::string* name = nullptr;
  std::string inside;
  for (const auto& [root, module] : to.layout.go_modules) {
    if (!root.empty() && !path_below(folder, root, &inside)) continue;
    if (name != nullptr && root.size() < nearest.size()) continue;
    nearest = root;
    name = &module;
  }
  if (name != nullptr) {
    std::string_view rest = folder;
    rest.remove_prefix(std::min(rest.size(), nearest.size()));
    if (rest.starts_with('/')) rest.remove_prefix(1);
    const std::string whole = rest.empty() ? *name : *name + "/" + std::string(rest);
    return import.module == whole ? Link::kYes : Link::kNo;
  }
  return ends_in(import.module, file_of(folder)) ? Link::kPerhaps : Link::kNo;
}

// --- Java and Kotlin ---

// What is behind the folder that packages begin in.
std::string_view in_sources(std::string_view path) {
  for (const std::string_view root : {"/java/", "/kotlin/"}) {
    const std::size_t at = path.rfind(root);
    if (at != std::string_view::npos) return path.substr(at + root.size());
  }
  return path.starts_with("src/") ? path.substr(4) : path;
}

Link java(const Import& import, const ImportedFile& to) {
  std::string name = replaced(import.module, ".", "/");
  const std::string target(without_ending(to.path));
  if (import.all) {
    if (ends_in(target, name)) return Link::kYes;  // static, all of a class
    return ends_in(folder_of(to.path), name) ? Link::kYes : Link::kNo;
  }
  for (int part = 0; part < 2; ++part) {  // the second time: a member of a class
    if (ends_in(target, name)) {
      return count_ending_in(to.layout, name + std::string(to.path.substr(target.size()))) <= 1
                 ? Link::kYes
                 : Link::kPerhaps;
    }
    name = folder_of(name);
    if (name.empty()) break;
  }
  // Kotlin's files are not called by what is in them.
  const bool kotlin = to.path.ends_with(".kt") || to.path.ends_with(".kts");
  return kotlin && ends_in(folder_of(to.path), folder_of(replaced(import.module, ".", "/")))
             ? Link::kPerhaps
             : Link::kNo;
}

// --- C and C++ ---

Link include(std::string_view from, const Import& import, const ImportedFile& to) {
  std::string_view file = import.module;
  const bool searched = file.starts_with('<');
  if (searched) file = file.substr(1, file.size() - 2);
  if (!searched && beside(from, file) == to.path) return Link::kYes;
  const std::string plain = normal_path(file);
  std::string_view tail = plain;
  while (tail.starts_with("../")) tail.remove_prefix(3);
  if (!ends_in(to.path, tail)) return Link::kNo;
  const bool folder = tail.contains('/');
  const bool certain = (!searched || folder) && count_ending_in(to.layout, tail) <= 1;
  return certain ? Link::kYes : Link::kPerhaps;
}

// --- Rust ---

struct CratePath {
  std::string root;  // the folder "src" of the crate
  std::vector<std::string> parts;
};

CratePath crate_path(std::string_view path) {
  CratePath crate;
  std::string_view rest = without_ending(path);
  std::size_t src = rest.rfind("/src/");
  if (src != std::string_view::npos) {
    crate.root = rest.substr(0, src + 4);
    rest.remove_prefix(src + 5);
  } else if (rest.starts_with("src/")) {
    crate.root = "src";
    rest.remove_prefix(4);
  }
  crate.parts = parts_of(rest);
  if (!crate.parts.empty() && is_any(crate.parts.back(), {"mod", "lib", "main"})) {
    crate.parts.pop_back();
  }
  return crate;
}

Link rust(std::string_view from, const Import& import, const ImportedFile& to) {
  const CratePath here = crate_path(from), there = crate_path(to.path);
  const std::vector<std::string> parts = parts_of(replaced(import.module, "::", "/"));
  if (parts.empty()) return Link::kNo;
  const std::string first = parts.front();
  const auto is_it = [&](const std::vector<std::string>& whole) {
    const auto same = [&](std::size_t size) {
      return size == there.parts.size() &&
             std::equal(there.parts.begin(), there.parts.end(), whole.begin());
    };
    return same(whole.size()) || (!whole.empty() && same(whole.size() - 1));
  };
  if (is_any(first, {"crate", "self", "super"})) {
    std::vector<std::string> whole;
    std::size_t at = 1;
    if (first != "crate") whole = here.parts;
    if (first == "super" && !whole.empty()) whole.pop_back();
    for (; at < parts.size() && parts[at] == "super"; ++at) {
      if (!whole.empty()) whole.pop_back();
    }
    whole.insert(whole.end(), parts.begin() + static_cast<std::ptrdiff_t>(at), parts.end());
    return here.root == there.root && is_it(whole) ? Link::kYes : Link::kNo;
  }
  if (here.root == there.root && is_it(parts)) return Link::kPerhaps;
  const std::vector<std::string> outside(parts.begin() + 1, parts.end());
  return !outside.empty() && is_it(outside) ? Link::kPerhaps : Link::kNo;
}

// --- the others ---

Link by_file(std::string_view from, const Import& import, const ImportedFile& to) {
  std::string_view module = import.module;
  const std::string_view target = without_ending(to.path);
  const bool whole = module == to.path || module == target;
  if (module.starts_with('.')) {
    const std::string path = beside(from, module);
    if (path == to.path || path == target) return Link::kYes;
  }
  while (module.starts_with("./") || module.starts_with("../")) {
    module.remove_prefix(module.find('/') + 1);
  }
  if (whole || ends_in(to.path, module) || ends_in(target, module)) return Link::kPerhaps;
  const std::string folders = replaced(replaced(module, "\\", "/"), ".", "/");
  return file_of(folders) == file_of(target) ? Link::kPerhaps : Link::kNo;
}

}  // namespace

Link link_of(std::string_view language, std::string_view from, const Import& import,
             const ImportedFile& to) {
  if (language == "python") return python(from, import, to);
  if (is_any(language, {"javascript", "typescript", "tsx"})) return script(from, import, to);
  if (language == "go") return go(import, to);
  if (is_any(language, {"java", "kotlin"})) return java(import, to);
  if (is_any(language, {"c", "cpp"})) return include(from, import, to);
  if (language == "rust") return rust(from, import, to);
  return by_file(from, import, to);
}

bool same_package(std::string_view language, std::string_view a, std::string_view b) {
  if (language == "go") return folder_of(a) == folder_of(b) && b.ends_with(".go");
  if (!is_any(language, {"java", "kotlin"})) return false;
  return folder_of(in_sources(a)) == folder_of(in_sources(b));
}

std::vector<std::string> names_of_module(std::string_view path) {
  std::vector<std::string> names{std::string(module_stem(path))};
  const bool folder = is_any(names.front(), {"index", "__init__", "mod", "lib", "main"});
  if (folder || path.ends_with(".go")) {
    const std::string of = folder_of(path);
    if (!of.empty()) names.emplace_back(file_of(of));
  }
  return names;
}

std::string family_of(std::string_view language) {
  if (language == "cpp") return "c";
  if (is_any(language, {"typescript", "tsx"})) return "javascript";
  return std::string(language == "kotlin" ? "java" : language);
}

bool same_family(std::string_view a, std::string_view b) {
  return family_of(a) == family_of(b);
}

bool is_data_language(std::string_view language) {
  return is_any(language, {"json", "yaml", "toml"});
}

bool is_test_path(std::string_view path) {
  if (!tested_stem(path).empty()) return true;
  const std::string folders = folder_of(path);
  return std::ranges::any_of(pieces_of(folders, '/'), [](std::string_view folder) {
    return is_any(folder, {"test", "tests", "__tests__", "spec", "testing"});
  });
}

std::string tested_stem(std::string_view path) {
  const std::string_view stem = module_stem(path);
  const std::string_view whole = without_ending(file_of(path));
  for (const std::string_view ending : {".test", ".spec"}) {
    if (whole.ends_with(ending)) return std::string(whole.substr(0, whole.size() - ending.size()));
  }
  if (stem.starts_with("test_")) return std::string(stem.substr(5));
  for (const std::string_view ending :
       {"_test", "_tests", "_spec", "_unittest", "-test", "Tests", "Test", "Spec"}) {
    if (stem.size() > ending.size() && stem.ends_with(ending)) {
      return std::string(stem.substr(0, stem.size() - ending.size()));
    }
  }
  return {};
}

}  // namespace gittxn::catalogue

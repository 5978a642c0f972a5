#include "semantic/compare/sight.h"

#include <algorithm>

#include "base/bug.h"
#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::semantic {
namespace {

std::string_view folder_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view last_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view stem_of(std::string_view path) {
  const std::string_view name = last_name(path);
  return name.substr(0, name.find('.', 1));
}

// The file is what its folder is called.
bool is_index(std::string_view path) {
  return is_any(stem_of(path), {"index", "__init__", "mod"});
}

std::string_view module_of(std::string_view path) {
  return is_index(path) ? last_name(folder_name(path)) : stem_of(path);
}

// Comes with the language, and gives out nothing of a repository.
bool is_standard(std::string_view module, std::string_view language) {
  if (language == "python") {
    return is_any(
        module.substr(0, module.find('.')),
        {"abc",        "argparse", "array",       "ast",       "asyncio",   "base64",  "codecs",
         "contextlib", "copy",     "csv",         "ctypes",    "datetime",  "decimal", "difflib",
         "enum",       "errno",    "functools",   "gc",        "getpass",   "glob",    "gzip",
         "hashlib",    "heapq",    "hmac",        "importlib", "inspect",   "io",      "itertools",
         "json",       "logging",  "math",        "mimetypes", "operator",  "os",      "pathlib",
         "pickle",     "pprint",   "random",      "re",        "shlex",     "shutil",  "signal",
         "socket",     "sqlite3",  "ssl",         "stat",      "string",    "struct",  "subprocess",
         "sys",        "tarfile",  "tempfile",    "textwrap",  "threading", "time",    "traceback",
         "types",      "typing",   "unicodedata", "unittest",  "urllib",    "uuid",    "warnings",
         "weakref",    "zipfile",  "zlib"});
  }
  if (language == "go") {
    return is_any(
        module.substr(0, module.find('/')),
        {"archive",  "bufio",    "bytes",   "compress", "container", "context", "crypto",
         "database", "encoding", "errors",  "expvar",   "flag",      "fmt",     "hash",
         "html",     "image",    "io",      "log",      "math",      "mime",    "net",
         "os",       "path",     "reflect", "regexp",   "runtime",   "sort",    "strconv",
         "strings",  "sync",     "syscall", "testing",  "text",      "time",    "unicode"});
  }
  if (module.starts_with("node:")) return true;
  return is_any(module, {"assert",
                         "buffer",
                         "child_process",
                         "cluster",
                         "crypto",
                         "dns",
                         "events",
                         "fs",
                         "http",
                         "http2",
                         "https",
                         "net",
                         "os",
                         "path",
                         "perf_hooks",
                         "process",
                         "querystring",
                         "readline",
                         "stream",
                         "string_decoder",
                         "timers",
                         "tls",
                         "tty",
                         "url",
                         "util",
                         "v8",
                         "vm",
                         "worker_threads",
                         "zlib"});
}

// The parts of a path without the ending of its file; of one that is what its folder is called,
// that.
std::vector<std::string_view> parts_of_path(std::string_view path) {
  if (is_index(path)) path = folder_name(path);
  std::vector<std::string_view> parts = pieces_of(path, '/');
  if (!parts.empty()) parts.back() = stem_of(parts.back());
  return parts;
}

// The name of the module says another folder: by "./" and "../" in a script, by the name before the
// last one in a script and in Python.
bool is_other_module(std::string_view module, std::string_view from, std::string_view path) {
  const bool python = path.ends_with(".py");
  const std::string_view ending = last_name(path).substr(stem_of(path).size());
  if (!python && !is_any(ending, {".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx"})) return false;
  const std::vector<std::string_view> parts = parts_of_path(path);
  const bool relative = !python && (module.starts_with("./") || module.starts_with("../"));
  std::vector<std::string_view> said =
      relative ? pieces_of(folder_name(from), '/') : std::vector<std::string_view>();
  std::erase(said, "");
  for (const std::string_view part : pieces_of(module, python ? '.' : '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!said.empty()) said.pop_back();
    } else {
      said.push_back(python ? part : stem_of(part));
    }
  }
  if (!said.empty() && !python && said.back() == "index") said.pop_back();
  if (relative) return said != parts;
  return said.size() > 1 && parts.size() > 1 && said.back() == parts.back() &&
         said[said.size() - 2] != parts[parts.size() - 2];
}

bool is_exported(std::string_view name) {
  // Other letters may be capitals, too; that is not known here.
  return !name.empty() && name[0] != '_' && (name[0] < 'a' || name[0] > 'z');
}

bool has_name(const Write& write, std::string_view name) {
  return std::ranges::find(write.defines, name) != write.defines.end();
}

// The name is that of the symbol itself, and not of the type it is a member of.
bool is_member(const Defined& defined) {
  return !defined.write->of_type.empty() && has_name(*defined.write, defined.name);
}

// A name without one before it that had a meaning keeps it beside a new member of a type that the
// use does not stand in.
bool is_of_type_apart(const Write& write, const Use& use) {
  if (!is_any(use.language, {"csharp", "kotlin", "ruby"}) || !is_function(write.kind)) return false;
  if (write.change != Change::kAdded || !write.member || write.kind == "constructor") return false;
  if (use.role == UseRole::kMember || !has_name(write, use.name)) return false;
  const std::string type = write.of_type + "#";
  const std::size_t at = use.symbol.find(type);
  return at == use.symbol.npos || (at > 0 && is_identifier(use.symbol.substr(at - 1, 1)));
}

// `std::string`: of the library, to which a program adds nothing but what says `std` itself.
bool is_of_library_in_c(const Defined& defined, const Use& use) {
  return use.qualifier == "std" && use.language == "cpp" && !defined.write->symbol.contains("std");
}

// A name behind a dot or an arrow is that of a member, unless a macro makes it something else.
bool is_no_member_in_c(const Defined& defined, const Use& use) {
  const Write& write = *defined.write;
  return use.role == UseRole::kMember && write.of_type.empty() && !write.opaque &&
         is_any(write.kind, {"function", "variable"}) && !is_declared_elsewhere(write);
}

// A name behind that of a scope had a meaning, and what is new in another scope does not change it.
bool is_of_other_scope(const Write& write, const Use& use) {
  const bool scoped = is_any(write.kind, {"function", "variable", "type"}) && !write.opaque;
  if (write.language != "cpp" || use.qualifier.empty() || !write.of_type.empty()) return false;
  if (!scoped || use.role == UseRole::kMember) return false;
  const std::vector<std::string_view> scopes =
      words_of(std::string_view(write.container).substr(write.path.size()));
  return std::ranges::find(scopes, use.qualifier) == scopes.end();
}

bool is_top(const Defined& defined) {
  return defined.write->of_type.empty() && defined.write->container == defined.write->path + "/";
}

}  // namespace

bool is_declared_elsewhere(const Write& write) {
  if (!is_any(write.kind, {"function", "variable"})) return false;
  const std::string_view name = std::string_view(write.symbol).substr(write.container.size());
  const std::size_t end = name.starts_with('`') ? name.find('`', 1) : name.npos;
  return end != name.npos && name.substr(0, end).contains("::");
}

// A definition of what its type or namespace declares, where others see it.
static bool is_new_definition(const Write& write) {
  return write.language == "cpp" && write.change == Change::kAdded && is_declared_elsewhere(write);
}

bool may_be_module(std::string_view module, std::string_view from, std::string_view path) {
  if (is_other_module(module, from, path)) return false;
  const bool here = module.find_first_not_of("./") == std::string_view::npos;  // ".", "..", "./"
  if (here) return is_index(path) && folder_name(from).starts_with(folder_name(path));
  for (const std::string_view ending : {".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx", ".py"}) {
    if (module.ends_with(ending)) module.remove_suffix(ending.size());
  }
  const std::vector<std::string_view> words = words_of(module);
  const std::string_view file = is_index(path) ? last_name(folder_name(path)) : stem_of(path);
  // A path in Rust names the module, or something in it.
  const bool inside = module.contains("::") && words.size() > 1 && words[words.size() - 2] == file;
  return inside || (!words.empty() && words.back() == file) || module.ends_with(file) ||
         (words.size() > 1 && words.back() == "index" && words[words.size() - 2] == file);
}

std::string module_within(const Bound& bound) {
  if (!bound.path.ends_with(".py") || bound.module.empty() || bound.original.empty()) return {};
  return bound.module + (bound.module.ends_with('.') ? "" : ".") + bound.original;
}

bool is_bound_to(const Bound& bound, std::string_view path) {
  if (bound.module.empty()) return false;
  const std::string within = module_within(bound);
  return may_be_module(bound.module, bound.path, path) ||
         (!within.empty() && may_be_module(within, bound.path, path));
}

Sights::Bounds Sights::bound(std::string_view path) const {
  return std::ranges::equal_range(side_.bound, path, {}, &Bound::path);
}

Sights::Bounds Sights::bound(std::string_view path, std::string_view name) const {
  return std::ranges::equal_range(bound(path), name, {}, &Bound::name);
}

// The file of the use does not include the other one, and nothing but that would make it see this.
bool Sights::is_apart(const Write& write, const Use& use) const {
  // Nobody names something new without seeing it, though it is linked with; but a function of C may
  // stand for one of a library.
  const bool cpp = write.language == "cpp";
  const bool unlinked = cpp || !write.of_type.empty() || is_header(write.path);
  const bool fresh = write.change == Change::kAdded && unlinked;
  // Nobody names a member of a type in C++ without seeing the type.
  const bool within = cpp && !write.of_type.empty() && !is_declared_elsewhere(write);
  const bool global = is_any(write.kind, {"function", "variable"}) && !write.hidden;
  const bool linked = global && !fresh && !within;
  return !linked && write.path != use.path && side_.apart.contains({use.path, write.path});
}

// A member that is new hides a name from the code of types alone, its own and those that extend it,
// but for an operator, and for a constant, which may be seen around its type. A name behind that of
// a scope keeps its meaning.
bool Sights::is_of_others_in_c(const Defined& defined, const Use& use) const {
  const Write& write = *defined.write;
  const bool stranger = side_.strangers.contains({use.symbol, write.symbol});
  const bool plain = use.role != UseRole::kMember && use.qualifier.empty();
  const bool declared = write.of_type.empty() || write.scoped || is_declared_elsewhere(write);
  // The name of a type, that a constructor has, too.
  if (defined.event == Event::kShape && is_function(write.kind)) return false;
  if (write.change != Change::kAdded) return stranger && (plain || declared);
  if (is_of_other_scope(write, use)) return true;
  if (write.of_type.empty() && stranger) return true;
  if (!is_member(defined) || use.role == UseRole::kMember) return false;
  if (defined.name.starts_with("operator") || use.qualifier == write.of_type) return false;
  if (write.kind == "constant" && !write.scoped) return !use.qualifier.empty();
  return use.language != "cpp" || stranger;
}

bool Sights::declares(std::string_view path, std::string_view name) const {
  return std::ranges::any_of(bound(path, name),
                             [](const Bound& bound) { return bound.module.empty(); });
}

Sight Sights::of(const Defined& defined, const Use& use) const {
  const Write& write = *defined.write;
  if (is_apart(write, use)) return Sight::kNone;
  if (!may_be_given(write, use)) return Sight::kNone;
  if (write.kind == "given" && use.name.contains('!')) return Sight::kMaybe;
  const bool listed = write.symbol == write.container + kListForStar + ".";
  if (listed && defined.name != kListForStar) return by_star(write, use);
  if (!use.origin.empty()) {
    return use.origin == write.path && !is_member(defined) ? Sight::kSure : Sight::kNone;
  }
  if (use.role == UseRole::kText) return Sight::kMaybe;
  const bool of_module = write.of_type.empty() && !use.qualifier.empty();
  if (of_module && side_.elsewhere.contains({use.path, use.qualifier + "." + use.name}))
    return Sight::kNone;
  // Nobody can mean what has no name.
  if (use.name == "_" && is_any(use.language, {"go", "rust"})) return Sight::kNone;
  if (is_new_definition(write)) return Sight::kNone;
  if (write.path == use.path) return Sight::kMaybe;
  if (reach(write.language, use.language) != Reach::kFull) return Sight::kMaybe;
  if (write.kind == "import") return of_import(defined, use);
  if (use.language == "go") return in_go(defined, use);
  if (use.language == "java") return in_java(defined, use);
  if (use.language == "rust") return in_rust(defined, use);
  if (family_of(use.language) == Family::kC) {
    if (is_of_library_in_c(defined, use) || is_no_member_in_c(defined, use)) return Sight::kNone;
    if (is_of_others_in_c(defined, use)) return Sight::kNone;
    // Whoever includes the other file could not define the name again.
    const bool own = !is_header(write.path) && declares(use.path, use.name);
    return own ? Sight::kNone : Sight::kMaybe;
  }
  const bool whole = is_any(use.language, {"csharp", "kotlin", "php"});
  if (whole && write.hidden && is_member(defined)) return Sight::kNone;
  if (is_of_type_apart(write, use)) return Sight::kNone;
  const bool modules = use.language == "python" || family_of(use.language) == Family::kScript;
  return modules ? in_modules(defined, use) : Sight::kMaybe;
}

// The sight of a name that the file of the definition has from elsewhere.
Sight Sights::of_import(const Defined& defined, const Use& use) const {
  const std::string& path = defined.write->path;
  if (use.role == UseRole::kMember) return of_module(defined, use);
  if (use.role != UseRole::kImport) return Sight::kMaybe;
  const bool from_there = std::ranges::any_of(bound(use.path), [&](const Bound& bound) {
    const bool its = bound.name == use.name || bound.original == use.name;
    return its && !bound.module.empty() && may_be_module(bound.module, use.path, path);
  });
  if (from_there) return Sight::kSure;
  return Sight::kMaybe;
}

// Behind the name of a module.
Sight Sights::of_module(const Defined& defined, const Use& use) const {
  if (use.of_local) return Sight::kMaybe;
  const Bounds modules = bound(use.path, use.qualifier);
  if (modules.empty()) {
    const bool named = !use.qualifier.empty() && use.qualifier == module_of(defined.write->path);
    return named ? Sight::kSure : Sight::kMaybe;
  }
  const auto is_module = [](const Bound& bound) {
    return !bound.module.empty() && bound.original.empty();
  };
  // A module has no methods.
  const bool module = use.language == "python" && std::ranges::all_of(modules, is_module);
  if (module && is_member(defined)) return Sight::kNone;
  const bool is_it = std::ranges::any_of(
      modules, [&](const Bound& bound) { return is_bound_to(bound, defined.write->path); });
  if (is_it) return Sight::kSure;
  const bool standard = std::ranges::all_of(
      modules, [&](const Bound& bound) { return is_standard(bound.module, use.language); });
  return standard ? Sight::kNone : Sight::kMaybe;
}

// The sight of a name that a module in Python lists no more for who imports all of it.
Sight Sights::by_star(const Write& write, const Use& use) const {
  if (use.role == UseRole::kMember || !bound(use.path, use.name).empty()) return Sight::kNone;
  const bool has = std::ranges::any_of(bound(use.path, kAnyName), [&](const Bound& bound) {
    return may_be_module(bound.module, use.path, write.path);
  });
  return has ? Sight::kSure : Sight::kNone;
}

// Python's and scripts' files are modules: a plain name is the file's own, or it imports it.
Sight Sights::in_modules(const Defined& defined, const Use& use) const {
  const Write& write = *defined.write;
  // Nothing that a class in TypeScript has is private in another one.
  const bool own = use.qualifier == "this" && use.symbol.contains('#');
  // `#items` is its class's alone, and a key of an object nothing of a module.
  if (write.symbol.contains("`#") && is_member(defined)) return Sight::kNone;
  if (use.qualifier == kOfObject && is_top(defined)) return Sight::kNone;
  if (write.hidden && own && is_member(defined)) return Sight::kNone;
  const bool added = write.change == Change::kAdded;
  if (use.role == UseRole::kMember) {
    const Sight sight = of_module(defined, use);
    return is_top(defined) || sight == Sight::kNone ? sight : Sight::kMaybe;
  }
  // A member is named by the name of an argument or a key of something, at most.
  const bool method = is_function(write.kind) && use.language == "python";
  if (is_member(defined) && (added || method)) return Sight::kNone;
  const Bounds all = bound(use.path, use.name);
  if (all.empty()) return Sight::kMaybe;
  if (INJECTED_BUG("semantic.bound_is_own")) return Sight::kNone;
  const bool meant = std::ranges::any_of(all, [&](const Bound& bound) {
    if (bound.module.empty()) return false;
    if (may_be_module(bound.module, use.path, write.path)) return true;
    return !added && !is_standard(bound.module, use.language);
  });
  return meant ? Sight::kMaybe : Sight::kNone;
}

// The package that comes with the language, of which the name before the use is one or has a type.
bool Sights::is_standard_in_go(const Use& use) const {
  const std::string_view type = first_word(use.declared);
  const bool qualified = words_of(use.declared).size() == 2;
  const std::string_view package = !use.of_local ? std::string_view(use.qualifier)
                                   : qualified   ? type
                                                 : std::string_view();
  const Bounds all = bound(use.path, package);
  return !all.empty() && std::ranges::all_of(all, [&](const Bound& bound) {
    return is_standard(bound.module, "go");
  });
}

Sight Sights::in_go(const Defined& defined, const Use& use) const {
  const Write& write = *defined.write;
  const std::string_view folder = folder_name(write.path);
  const bool same = folder == folder_name(use.path);
  if (use.role == UseRole::kMember && is_standard_in_go(use)) return Sight::kNone;
  if (!same && (write.hidden || !is_exported(defined.name))) return Sight::kNone;
  const bool behind_dot = use.role == UseRole::kMember || !use.qualifier.empty();
  // A member is named alone as the key of a literal at most, and one that is new by nobody yet.
  const bool unnamed = is_function(write.kind) || write.change == Change::kAdded;
  if (!behind_dot && unnamed && is_member(defined)) return Sight::kNone;
  if (!same && !behind_dot && use.role != UseRole::kImport) {
    if (is_member(defined)) return Sight::kMaybe;
    return bound(use.path, kAnyName).empty() ? Sight::kNone : Sight::kMaybe;
  }
  const Bounds packages = bound(use.path, use.qualifier);
  const bool package = use.role == UseRole::kMember && !use.of_local && !packages.empty();
  if (!package) return Sight::kMaybe;
  const bool imported =
      std::ranges::all_of(packages, [](const Bound& bound) { return !bound.module.empty(); });
  if (imported && is_member(defined)) return Sight::kNone;
  const bool is_it = std::ranges::any_of(packages, [&](const Bound& bound) {
    return !folder.empty() && bound.module.ends_with(last_name(folder));
  });
  return is_it && is_top(defined) ? Sight::kSure : Sight::kMaybe;
}

}  // namespace gittxn::semantic

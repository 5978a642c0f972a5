#include "semantic/merge/both/standard.h"

#include <algorithm>
#include <set>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

// A project's own packages have an address, "github.com/go-chi/chi", or another first word.
bool is_path_of_go(std::string_view path) {
  const std::string_view first = path.substr(0, path.find('/'));
  return is_any(first,
                {"bufio",   "bytes",   "context", "crypto",  "database", "encoding", "errors",
                 "fmt",     "hash",    "html",    "io",      "log",      "math",     "mime",
                 "net",     "os",      "path",    "reflect", "regexp",   "runtime",  "sort",
                 "strconv", "strings", "sync",    "testing", "text",     "time",     "unicode"});
}

bool is_module_of_python(std::string_view name) {
  return is_any(
      name,
      {"argparse",  "asyncio", "base64",   "collections", "contextlib", "copy",     "datetime",
       "functools", "hashlib", "inspect",  "io",          "itertools",  "json",     "logging",
       "math",      "os",      "pathlib",  "random",      "re",         "shlex",    "shutil",
       "signal",    "string",  "struct",   "subprocess",  "sys",        "tempfile", "threading",
       "time",      "typing",  "unittest", "urllib",      "uuid",       "warnings"});
}

void find_imports_of_library(const Node& node, std::string_view language,
                             std::set<std::string_view>* names) {
  if (language == "go" && node.kind == "import_spec") {
    const Node* path = kid_in(node, "path");
    if (path == nullptr || path->text.size() < 3) return;
    const std::string_view said = path->text.substr(1, path->text.size() - 2);
    const Node* name = kid_in(node, "name");
    if (!is_path_of_go(said)) return;
    names->insert(name != nullptr ? name->text : said.substr(said.find_last_of('/') + 1));
    return;
  }
  if (language == "python" && node.kind == "import_statement") {
    for (const Node* kid : node.kids) {
      if (kid->kind == "dotted_name" && is_module_of_python(kid->text)) names->insert(kid->text);
    }
    return;
  }
  for (const Node* kid : node.kids) find_imports_of_library(*kid, language, names);
}

// The parameter `name` of the functions around `leaf`; nullptr if none has one.
const Node* parameter_around(const Node& leaf, std::string_view name) {
  for (const Node* at = leaf.parent; at != nullptr; at = at->parent) {
    const Node* list = kid_in(*at, "parameters");
    if (list == nullptr) continue;
    for (const Node* each : list->kids) {
      const auto is_it = [name](const Node* part) { return part->text == name; };
      if (is_it(each) || std::ranges::any_of(each->kids, is_it)) return each;
    }
  }
  return nullptr;
}

class LibraryNames {
 public:
  explicit LibraryNames(const Tree& tree) : tree_(tree), language_(tree.language().name) {
    find_imports_of_library(tree.root(), language_, &imported_);
  }

  // The leaf is in "x.name", where x is of the library, or it is such an x.
  bool is_one(std::size_t at) const {
    const auto text = [this](std::size_t i) { return tree_.leaves()[i]->text; };
    if (at == 0 || text(at - 1) != ".") return is_known(text(at));
    if (at < 2 || text(at - 1) != "." || (at > 2 && text(at - 3) == ".")) return false;
    const std::string_view of = text(at - 2);
    const Node* parameter = parameter_around(*tree_.leaves()[at], of);
    if (parameter == nullptr) return is_known(of);
    const Node* type = kid_in(*parameter, "type");
    std::string_view said = type == nullptr ? std::string_view() : type->text;
    if (said.starts_with('*')) said.remove_prefix(1);
    return language_ == "go" && said.contains('.') && is_known(said.substr(0, said.find('.')));
  }

 private:
  bool is_known(std::string_view name) const {
    if (is_any(language_, {"javascript", "typescript", "tsx"})) {
      return is_any(name, {"Array", "JSON", "Math", "Number", "Object", "Promise", "console"}) &&
             is_only_used(name);
    }
    // A local name of the same word may mean anything.
    return imported_.contains(name) && !is_given(name);
  }

  // Nothing that the file imports or declares has the name of what is always there.
  bool is_only_used(std::string_view name) const {
    const auto& leaves = tree_.leaves();
    for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
      if (leaves[i]->text != name) continue;
      const bool is_made = i > 0 && leaves[i - 1]->text == "new";
      if (!is_made && !is_any(leaves[i + 1]->text, {".", "<"})) return false;
    }
    return true;
  }

  // Something is given a value, or a parameter has the name.
  bool is_given(std::string_view name) const {
    const auto& leaves = tree_.leaves();
    for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
      if (leaves[i]->text != name) continue;
      const bool is_field = i > 0 && leaves[i - 1]->text == ".";
      if (!is_field && is_any(leaves[i + 1]->text, {"=", ":=", ",", ":"})) return true;
      if (parameter_around(*leaves[i], name) != nullptr) return true;
    }
    return false;
  }

  const Tree& tree_;
  std::string_view language_;
  std::set<std::string_view> imported_;
};

}  // namespace

bool is_of_library(const Tree& tree, std::string_view name) {
  if (!is_any(tree.language().name, {"go", "python", "javascript", "typescript", "tsx"})) {
    return false;
  }
  const LibraryNames library(tree);
  for (std::size_t i = 0; i < tree.leaves().size(); ++i) {
    if (tree.leaves()[i]->text == name && !library.is_one(i)) return false;
  }
  return true;
}

}  // namespace gittxn::semantic

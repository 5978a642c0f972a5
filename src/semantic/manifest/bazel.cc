// Bazel's BUILD, MODULE.bazel and WORKSPACE, read with the grammar of Python, of which their
// language is a part. A call at the top is a rule; what stands there otherwise is an option, and
// nothing is evaluated. The order is part of what the file says.
#include "semantic/kinds.h"
#include "semantic/manifest/reader.h"

namespace gittxn::semantic {
namespace {

// The value of a keyword argument.
const Node* argument(const Node& arguments, std::string_view name) {
  for (const Node* kid : arguments.kids) {
    if (kid->kind != "keyword_argument") continue;
    const Node* key = kid_in(*kid, "name");
    if (key != nullptr && key->text == name) return kid_in(*kid, "value");
  }
  return nullptr;
}

bool fetches(std::string_view rule) {
  return is_any(
      rule, {"bazel_dep", "http_archive", "http_file", "git_repository", "new_git_repository",
             "local_repository", "use_extension", "archive_override", "single_version_override"});
}

void add_call(const Tree& tree, const Node& function, const Node& arguments, Manifest* manifest) {
  const std::string rule(function.text);
  const std::string all = tokens_of(tree, arguments);
  const Node* given = argument(arguments, "name");
  const Node* first = nullptr;
  for (const Node* kid : arguments.kids) {
    if (first == nullptr && kid->kind == "string") first = kid;
  }
  const Node* naming = given != nullptr ? given : first;
  const std::string name = naming == nullptr ? std::string() : unquoted(naming->text);
  if (rule == "load" || fetches(rule)) {
    manifest->symbols.push_back({BuildKind::kDependency, rule + " " + name, shown(all), {}});
    return;
  }
  if (given == nullptr || rule == "module") {
    manifest->symbols.push_back({BuildKind::kOption, rule, shown(all), {}});
    return;
  }
  manifest->symbols.push_back({BuildKind::kTarget, name, shown(rule + '\0' + all), {}});
  for (const char* list : {"deps", "srcs", "data"}) {
    const Node* labels = argument(arguments, list);
    if (labels == nullptr || labels->kind != "list") continue;
    for (const Node* label : labels->kids) {
      if (label->kind != "string") continue;
      manifest->symbols.push_back({BuildKind::kDependency, unquoted(label->text), list, name});
    }
  }
}

}  // namespace

std::string read_bazel(std::string_view text, Manifest* manifest) {
  const auto tree = Tree::parse(*find_language("python"), std::string(text), {});
  if (tree == nullptr) return "it is too large";
  if (tree->error_bytes() > 0) return "it does not parse";
  manifest->ordered = true;
  for (const Node* statement : tree->root().kids) {
    if (statement->comment) continue;
    const Node* call = statement->kids.size() == 1 ? statement->kids[0] : statement;
    const Node* function = kid_in(*call, "function");
    const Node* arguments = kid_in(*call, "arguments");
    if (call->kind == "call" && function != nullptr && arguments != nullptr &&
        function->kind == "identifier" && arguments->kind == "argument_list") {
      add_call(*tree, *function, *arguments, manifest);
      continue;
    }
    // Its shape as well: which lines a block has is told by white space.
    const std::string said = tokens_of(*tree, *statement) + '\0' + std::to_string(statement->hash);
    manifest->symbols.push_back({BuildKind::kOption, "statement", shown(said), {}});
  }
  return {};
}

}  // namespace gittxn::semantic

// A file in a language that the first byte chooses: the parser, the queries of the language's
// folder and what is made of them. The tree is sound, and the same for the same bytes.
#include "semantic/syntax.h"

#include "fuzz/check.h"
#include "fuzz/languages.h"

namespace {

using namespace gittxn::semantic;

void check_node(const Tree& tree, const Node& node) {
  const char* const begin = tree.text().data();
  const char* const end = begin + tree.text().size();
  CHECK(node.text.data() >= begin && node.text.data() + node.text.size() <= end);
  CHECK(node.leaf + node.leaves <= tree.leaves().size());
  const char* at = node.text.data();
  for (const Node* kid : node.kids) {
    CHECK(kid->parent == &node && !kid->text.empty());
    CHECK(kid->text.data() >= at);
    at = kid->text.data() + kid->text.size();
    CHECK(at <= node.text.data() + node.text.size());
    check_node(tree, *kid);
  }
}

// What is left of a text without its middle is the same with the help of the whole as alone.
void check_without_middle(const Language& language, const std::string& text) {
  Versions versions(language, {});
  CHECK(versions.parse(text) != nullptr);
  const std::size_t third = text.size() / 3;
  const std::string left = text.substr(0, third) + text.substr(2 * third);
  const auto with = versions.parse(left), alone = Tree::parse(language, left, {});
  CHECK((with == nullptr) == (alone == nullptr));
  if (with == nullptr) return;
  CHECK(with->error_bytes() == alone->error_bytes());
  CHECK(with->comments().size() == alone->comments().size());
  CHECK(with->root().hash == alone->root().hash);
  CHECK(same_code(*with, with->root(), *alone, alone->root()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Language& language = *find_language(fuzzed(data[0]).name);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto tree = Tree::parse(language, text, {});
  if (tree == nullptr) return 0;
  check_node(*tree, tree->root());
  const char* at = tree->text().data();
  for (const Node* leaf : tree->leaves()) {
    CHECK(leaf->text.data() >= at);
    at = leaf->text.data() + leaf->text.size();
  }
  for (const Declared& declared : tree->declarations()) {
    CHECK(!declared.path.empty() && !declared.node->decl.empty());
  }
  const auto again = Tree::parse(language, text, {});
  CHECK(again != nullptr && again->root().hash == tree->root().hash);
  CHECK(same_code(*tree, tree->root(), *again, again->root()));
  check_without_middle(language, text);
  return 0;
}

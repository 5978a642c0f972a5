#include "semantic/syntax.h"

#include <algorithm>

#include "base/heap.h"
#include "base/threads.h"
#include "semantic/kinds.h"

namespace gittxn::semantic {

namespace {

constexpr std::string_view kImport = "import";
constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ bytes.size()) * 0x9e3779b97f4a7c15u;
}

// `path` is that of what the node is in, and is so again behind it.
void collect(const Node& node, std::string* path, std::vector<Declared>* found) {
  const std::size_t around = path->size();
  if (!node.decl.empty() && !is_wrapped(node)) {
    if (around > 0) *path += '/';
    path->append(node.decl).append(" ").append(node.name);
    if (!node.detail.empty()) {
      path->append("(").append(node.detail.substr(0, node.detail.size() - 1)).append(")");
    }
    found->push_back({*path, &node});
  }
  for (const Node* kid : node.kids) collect(*kid, path, found);
  path->resize(around);
}

}  // namespace

std::string squeeze(std::string_view text) {
  std::string out(text);
  std::erase_if(out, is_space);
  return out;
}

bool same_squeezed(std::string_view a, std::string_view b) {
  if (a == b) return true;
  for (std::size_t i = 0, j = 0;; ++i, ++j) {
    while (i < a.size() && is_space(a[i])) ++i;
    while (j < b.size() && is_space(b[j])) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i] != b[j]) return false;
  }
}

bool is_blank(std::string_view text) {
  return std::ranges::all_of(text, is_space);
}

class TreeBuilder {
 public:
  TreeBuilder(Tree* tree, const FlatTree& flat, const Budget& budget)
      : tree_(*tree), language_(*tree->language_), flat_(flat), budget_(budget) {
    for (const Kind& kind : language_.kinds) kind_hashes_.push_back(mix(kHashStart, kind.name));
    type_field_ = field_of("type");
    declarator_field_ = field_of("declarator");
  }

  bool build(Detail detail) {
    marks_.resize(flat_.size());
    language_.shape.match(flat_, tree_.text_, [this](const Match& match) { mark_match(match); });
    if (detail == Detail::kFacts) {
      language_.facts.match(flat_, tree_.text_, [this](const Match& match) { mark_facts(match); });
    }
    // Nodes point at each other, so none may move.
    tree_.nodes_.reserve(flat_.size());
    tree_.kids_.reserve(flat_.size());
    tree_.nodes_.emplace_back();
    copy(0, &tree_.nodes_.front(), 0);
    return !over_;
  }

 private:
  // What the patterns say of a node of the flat tree.
  struct Mark {
    Role role = Role::kNone;
    Fact part = Fact::kNone;
    Fact says = Fact::kNone;
    bool is_name = false;
    std::uint32_t declaration = 0;  // one more than its index
  };

  struct Declaration {
    std::uint32_t pattern = 0, last = 0;  // of the match that says so
    Word decl;
    std::string_view name, detail;
  };

  std::string_view text_of(std::uint32_t at) const {
    return semantic::text_of(flat_[at], tree_.text_);
  }

  std::size_t field_of(std::string_view name) const {
    const auto found = std::ranges::find(language_.fields, name);
    return static_cast<std::size_t>(found - language_.fields.begin());
  }

  // The name in a declarator of C: of `*(*list)[4]` the word.
  std::uint32_t named_by(std::uint32_t at) const {
    for (;;) {
      const std::string_view kind = language_.kind(flat_[at].symbol).name;
      if (kind == "operator_cast") return at;
      const bool bare = is_any(kind, {"parenthesized_declarator", "reference_declarator",
                                      "attributed_declarator", "variadic_declarator"});
      std::uint32_t below = 0;
      for (std::uint32_t kid = at + 1; kid < flat_[at].next; kid = flat_[kid].next) {
        const bool only = bare && flat_[kid].named && !flat_[kid].comment;
        const bool here = only && (below == 0 || kind == "parenthesized_declarator");
        if (here || flat_[kid].field == declarator_field_) below = kid;
      }
      if (below == 0) return at;
      // `CALLBACK(name)(int)`
      if (kind == "function_declarator" && language_.kind(flat_[below].symbol).name == kind) {
        return flat_[below].next - 2;
      }
      at = below;
    }
  }

  std::string_view keep(std::string text) {
    return tree_.put_together_.emplace_back(std::move(text));
  }

  std::string_view squeezed(std::uint32_t at) {
    const std::string_view text = text_of(at);
    return std::ranges::any_of(text, is_space) ? keep(squeeze(text)) : text;
  }

  void mark_facts(const Match& match) {
    for (const Captured& found : match.captured) {
      const Fact fact = language_.fact_captures[found.capture];
      if (fact == Fact::kNone) continue;
      Mark& mark = marks_[found.node];
      Fact& there = is_part(fact) ? mark.part : mark.says;
      there = std::max(there, fact);
    }
  }

  void mark_match(const Match& match) {
    constexpr std::uint32_t kNothing = 0xffffffff;
    std::uint32_t declared = kNothing;
    Declaration made{match.pattern, match.last, {}, {}, {}};
    for (const Captured& found : match.captured) {
      const Capture& capture = language_.captures[found.capture];
      switch (capture.role) {
        case Role::kDecl:
          declared = found.node;
          made.decl = Word(&capture.kind);
          break;
        case Role::kName: {
          const std::uint32_t name = named_by(found.node);
          marks_[name].is_name = true;
          made.name = made.name.empty()
                          ? squeezed(name)
                          : keep(std::string(made.name) + "." + squeeze(text_of(name)));
          break;
        }
        case Role::kKey:
          made.detail = keep(std::string(made.detail) + detail_of(found.node));
          break;
        case Role::kImport:
          declared = found.node;
          made.decl = Word(&kImport);
          made.name = squeezed(found.node);
          break;
        case Role::kKeyed:
          declared = found.node;
          marks_[found.node].role = capture.role;
          break;
        case Role::kNone:
          break;
        case Role::kList:  // one whose order says nothing stays a set
          if (marks_[found.node].role != Role::kSet) marks_[found.node].role = capture.role;
          break;
        default:
          marks_[found.node].role = capture.role;
      }
    }
    if (declared != kNothing) declare(declared, made);
  }

  // A later pattern wins, so the plain ones come first in a shape.scm.
  void declare(std::uint32_t at, const Declaration& made) {
    std::uint32_t& index = marks_[at].declaration;
    if (index == 0) {
      declarations_.push_back(made);
      index = static_cast<std::uint32_t>(declarations_.size());
      return;
    }
    Declaration& there = declarations_[index - 1];
    const bool later =
        made.pattern != there.pattern ? made.pattern > there.pattern : made.last >= there.last;
    if (later) there = made;
  }

  // Of a parameter list the types, of a parameter without one its text: a parameter's name tells
  // nothing.
  std::string detail_of(std::uint32_t at) const {
    constexpr int kMaxParameters = 64;
    std::string detail;
    int count = 0;
    for (std::uint32_t kid = at + 1; kid < flat_[at].next; kid = flat_[kid].next) {
      if (!flat_[kid].named || count == kMaxParameters) continue;
      ++count;
      detail += squeeze(text_of(type_of(kid))) + ",";
    }
    if (count > 0) return detail;
    return text_of(at) == "()" ? "" : squeeze(text_of(at)) + ",";
  }

  std::uint32_t type_of(std::uint32_t parameter) const {
    for (std::uint32_t kid = parameter + 1; kid < flat_[parameter].next; kid = flat_[kid].next) {
      if (flat_[kid].field == type_field_) return kid;
    }
    return parameter;
  }

  // Bytes that belong to no child: what looks like white space between them may count.
  bool has_gaps(const Node& made) const {
    const char* at = made.text.data();
    for (const Node* kid : made.kids) {
      if (kid->text.data() > at && !is_blank({at, kid->text.begin()})) return true;
      at = std::max(at, kid->text.data() + kid->text.size());
    }
    const char* end = made.text.data() + made.text.size();
    return at < end && !is_blank({at, end});
  }

  void take_marks(std::uint32_t at, Node* made) {
    const Mark& mark = marks_[at];
    made->role = mark.role;
    made->part = mark.part;
    made->says = mark.says;
    made->is_name = mark.is_name;
    if (mark.declaration == 0) return;
    const Declaration& declaration = declarations_[mark.declaration - 1];
    made->decl = declaration.decl;
    const Tree::Named& named = tree_.named_.emplace_back(declaration.name, declaration.detail);
    made->name = Word(&named.name);
    made->detail = Word(&named.detail);
  }

  void copy(std::uint32_t at, Node* made, std::size_t depth) {
    if (tree_.nodes_.size() > budget_.nodes) over_ = true;
    if (over_) return;
    const FlatNode& from = flat_[at];
    made->kind = Word(&language_.kind(from.symbol).name);
    made->field = Word(&language_.fields[from.field]);
    made->text = text_of(at);
    made->named = from.named;
    made->comment = from.comment;
    made->error = from.error;
    made->wrong = from.wrong;
    if (from.wrong) tree_.error_bytes_ += std::max<std::size_t>(1, made->text.size());
    take_marks(at, made);
    // The first line of a Ruby here-document has its white space in front.
    if (made->role == Role::kLeaf && !made->text.empty()) {
      made->text = {tree_.text_.data() + from.begin, made->text.end()};
    }
    made->leaf = static_cast<std::uint32_t>(tree_.leaves_.size());
    const std::size_t nodes = tree_.nodes_.size(), kids = tree_.kids_.size();
    const std::size_t comments = tree_.comments_.size();
    bool leaf = from.next == at + 1 || made->role == Role::kLeaf;
    std::uint64_t hash =
        kind_hashes_[from.symbol == kErrorSymbol ? kind_hashes_.size() - 1 : from.symbol];
    if (!leaf) {
      const std::uint64_t with_kids = copy_kids(at, made, depth, hash);
      leaf = has_gaps(*made);
      if (!leaf) hash = with_kids;
      if (leaf) {
        made->kids = {};
        tree_.leaves_.resize(made->leaf);
        tree_.comments_.resize(comments);
        tree_.nodes_.resize(nodes);
        tree_.kids_.resize(kids);
      }
    }
    if (leaf) {
      hash = mix(hash, made->text);
      if (!made->text.empty()) (made->comment ? tree_.comments_ : tree_.leaves_).push_back(made);
    }
    made->hash = hash;
    made->leaves = static_cast<std::uint32_t>(tree_.leaves_.size()) - made->leaf;
  }

  std::uint64_t copy_kids(std::uint32_t at, Node* made, std::size_t depth, std::uint64_t hash) {
    const std::size_t first = open_.size();
    for (std::uint32_t kid = at + 1; !over_ && kid < flat_[at].next; kid = flat_[kid].next) {
      Node* copied = &tree_.nodes_.emplace_back();
      copied->parent = made;
      copy(kid, copied, depth + 1);
      if (copied->text.empty()) continue;  // a line's end as a token, a missing one
      // A macro that was put away (parse.h), which no pattern can tell.
      const bool put_away = made->role == Role::kMembers && copied->kind == "attribute_specifier";
      if (put_away) copied->role = Role::kPrefix;
      open_.push_back(copied);
      if (!copied->comment) hash = (hash ^ copied->hash) * 0x9e3779b97f4a7c15u;
    }
    const std::size_t before = tree_.kids_.size();
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(first);
    tree_.kids_.insert(tree_.kids_.end(), begin, open_.end());
    made->kids = {tree_.kids_.data() + before, tree_.kids_.size() - before};
    open_.resize(first);
    return hash;
  }

  Tree& tree_;
  const Language& language_;
  const FlatTree& flat_;
  Budget budget_;
  std::vector<std::uint64_t> kind_hashes_;
  std::size_t type_field_ = 0, declarator_field_ = 0;  // none has one that is behind the last
  std::vector<Mark> marks_;                            // as in flat_
  std::vector<Declaration> declarations_;
  std::vector<Node*> open_;  // children that are made, of nodes that are not done
  bool over_ = false;
};

std::unique_ptr<Tree> Versions::parse(std::string text) {
  if (!language_.fault.empty()) return nullptr;
  std::optional<FlatTree> flat = parser_.parse(text);
  return tree_of(std::move(text), std::move(flat));
}

std::array<std::unique_ptr<Tree>, 3> Versions::parse_three(
    const std::array<std::string, 3>& texts) {
  if (!language_.fault.empty()) return {};
  std::optional<FlatTree> flat = parser_.parse(texts[0]);
  constexpr std::size_t kLong = 2000;  // bytes; a thread takes as long as parsing half of it
  VersionParser other = parser_.beside();
  Beside<std::unique_ptr<Tree>> second;  // waits for its thread when it goes
  if (texts[1].size() >= kLong) {
    second = on_a_thread([&] {
      prefer_large_pages();
      return tree_of(texts[1], other.parse(texts[1]));
    });
  }
  std::array<std::unique_ptr<Tree>, 3> trees;
  trees[0] = tree_of(texts[0], std::move(flat));
  trees[2] = parse(texts[2]);
  trees[1] = second.valid() ? second.get() : parse(texts[1]);
  return trees;
}

std::unique_ptr<Tree> Versions::tree_of(std::string text, std::optional<FlatTree> flat) const {
  if (!flat) return nullptr;
  mark_misread(language_, text, &*flat);
  std::unique_ptr<Tree> tree(new Tree);
  tree->language_ = &language_;
  tree->text_ = std::move(text);
  TreeBuilder builder(tree.get(), *flat, budget_);
  if (!builder.build(detail_)) return nullptr;
  if (detail_ == Detail::kFacts) tree->find_locals();
  return tree;
}

std::unique_ptr<Tree> Tree::parse(const Language& language, std::string text, const Budget& budget,
                                  Detail detail) {
  return Versions(language, budget, detail, Texts::kOne).parse(std::move(text));
}

// A line opens a namespace, which the grammar of C takes for a function.
static bool opens_namespace(std::string_view text) {
  constexpr std::string_view kWord = "namespace ";
  for (std::size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if ((at == 0 || text[at - 1] == '\n') && line.ends_with('{')) return true;
  }
  return false;
}

const Language* language_of(std::string_view path, std::string_view text) {
  const Language* named = language_of_path(path);
  if (named == nullptr) return language_of_first_line(text);
  if (!path.ends_with(".h")) return named;
  const std::optional<FlatTree> clean = VersionParser(*named, {}, Texts::kOne).parse(text);
  const Language* cpp = find_language("cpp");
  if (clean && !clean->front().error) return opens_namespace(text) ? cpp : named;
  const auto as_c = Tree::parse(*named, std::string(text), {});
  if (as_c != nullptr && as_c->error_bytes() == 0) return named;
  const auto as_cpp = Tree::parse(*cpp, std::string(text), {});
  if (as_c == nullptr || as_cpp == nullptr) return named;
  return as_cpp->error_bytes() < as_c->error_bytes() ? cpp : named;
}

const Node* kid_in(const Node& node, std::string_view field) {
  const auto found = std::ranges::find(node.kids, field, &Node::field);
  return found == node.kids.end() ? nullptr : *found;
}

bool same_code(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  if (x.hash != y.hash || x.leaves != y.leaves) return false;
  for (std::uint32_t i = 0; i < x.leaves; ++i) {
    const Node& left = *a.leaves()[x.leaf + i];
    const Node& right = *b.leaves()[y.leaf + i];
    if (left.text != right.text || left.kind != right.kind) return false;
  }
  return true;
}

const std::vector<Declared>& Tree::declarations() const {
  if (!declarations_) {
    std::string path;
    collect(root(), &path, &declarations_.emplace());
  }
  return *declarations_;
}

}  // namespace gittxn::semantic

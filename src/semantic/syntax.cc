#include "semantic/syntax.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <unordered_map>

namespace gittxn::semantic {

namespace {

struct Delete {
  void operator()(TSParser* x) const { ts_parser_delete(x); }
  void operator()(TSTree* x) const { ts_tree_delete(x); }
  void operator()(TSQueryCursor* x) const { ts_query_cursor_delete(x); }
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

constexpr std::uint64_t kHashStart = 0xcbf29ce484222325u;

std::uint64_t mix(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return (hash ^ bytes.size()) * 0x9e3779b97f4a7c15u;
}

// The parser asks between steps whether to go on. Steps grow with the bytes of a file that parses,
// and faster in one that does not. Between two steps a grammar's scanner may look ahead as far as
// it likes, so what it is given is counted as well: when that is used up the text ends for it.
struct Work {
  std::string_view bytes;
  std::size_t steps = 0;
  std::size_t chunks = 0;
  bool over() const { return steps == 0 || chunks == 0; }
};
constexpr std::size_t kChunk = 1024;

bool out_of_work(TSParseState* state) {
  auto* work = static_cast<Work*>(state->payload);
  if (work->over()) return true;
  --work->steps;
  return false;
}

// A text that does not end with a line's end gets one: scanners look for it, Kotlin's without
// looking for the end.
const char* read_text(void* payload, std::uint32_t at, TSPoint /*point*/, std::uint32_t* length) {
  auto* work = static_cast<Work*>(payload);
  const std::string_view text = work->bytes;
  const bool line_end = at == text.size() && !text.ends_with('\n');
  *length = 0;
  if (work->chunks == 0 || (at >= text.size() && !line_end)) return "";
  --work->chunks;
  const std::string_view rest = line_end ? "\n" : text.substr(at, kChunk);
  *length = static_cast<std::uint32_t>(rest.size());
  return rest.data();
}

std::unique_ptr<TSTree, Delete> parse_bounded(const Language& language, std::string_view text) {
  const std::unique_ptr<TSParser, Delete> parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), language.grammar)) return nullptr;
  Work work{text, 1000 + text.size(), 1000 + 64 * (text.size() / kChunk)};
  TSInput input = {};
  input.payload = &work;
  input.read = read_text;
  input.encoding = TSInputEncodingUTF8;
  TSParseOptions options = {};
  options.payload = &work;
  options.progress_callback = out_of_work;
  std::unique_ptr<TSTree, Delete> tree(
      ts_parser_parse_with_options(parser.get(), nullptr, input, options));
  return work.over() ? nullptr : std::move(tree);
}

// A place that does not parse as one flat list of so many tokens: a query looks from each of them
// at all that follow, so such a file is opaque.
constexpr std::uint32_t kMaxErrorTokens = 4096;
bool has_wide_error(TSNode root) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool wide = false;
  for (bool more = true; more && !wide;) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    wide = ts_node_is_error(node) && ts_node_child_count(node) > kMaxErrorTokens;
    more = ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&cursor);
    while (!more && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) break;
    }
    if (!more) more = !ts_node_eq(ts_tree_cursor_current_node(&cursor), root);
  }
  ts_tree_cursor_delete(&cursor);
  return wide;
}

struct Mark {
  Role role = Role::kNone;
  Fact part = Fact::kNone;
  Fact says = Fact::kNone;
  bool is_name = false;
  int pattern = -1;  // that named it
  std::string_view decl;
  std::string name;
  std::string detail;
};

}  // namespace

std::string squeeze(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!is_space(c)) out += c;
  }
  return out;
}

bool is_blank(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_space);
}

class TreeBuilder {
 public:
  TreeBuilder(Tree* tree, const Budget& budget) : tree_(*tree), budget_(budget) {}

  bool build(TSNode root, Detail detail) {
    const Language& language = *tree_.language_;
    each_match(language.query, root, [this](const TSQueryMatch& match) { mark_match(match); });
    if (detail == Detail::kFacts) {
      each_match(language.facts, root, [this](const TSQueryMatch& match) { mark_facts(match); });
    }
    tree_.nodes_.emplace_back();
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    copy(&cursor, &tree_.nodes_.front(), 0);
    ts_tree_cursor_delete(&cursor);
    return !over_;
  }

 private:
  std::string_view text_of(TSNode node) const {
    std::size_t start = std::min<std::size_t>(ts_node_start_byte(node), tree_.text_.size());
    std::size_t end = std::min<std::size_t>(ts_node_end_byte(node), tree_.text_.size());
    while (start < end && is_space(tree_.text_[end - 1])) --end;
    while (start < end && is_space(tree_.text_[start])) ++start;
    return std::string_view(tree_.text_).substr(start, end - start);
  }

  template <typename Use>
  void each_match(const TSQuery* query, TSNode root, Use use) const {
    const std::unique_ptr<TSQueryCursor, Delete> cursor(ts_query_cursor_new());
    ts_query_cursor_set_match_limit(cursor.get(), 1024);
    // What is deeper is a leaf; the cursor looks at all ancestors of a node, each time.
    ts_query_cursor_set_max_start_depth(cursor.get(), static_cast<std::uint32_t>(budget_.depth));
    ts_query_cursor_exec(cursor.get(), query, root);
    TSQueryMatch match;
    while (ts_query_cursor_next_match(cursor.get(), &match)) use(match);
  }

  void mark_facts(const TSQueryMatch& match) {
    if (!holds(match, tree_.language_->fact_conditions)) return;
    for (std::uint16_t i = 0; i < match.capture_count; ++i) {
      const Fact fact = tree_.language_->fact_captures[match.captures[i].index];
      if (fact == Fact::kNone) continue;
      Mark& mark = marks_[match.captures[i].node.id];
      Fact& there = is_part(fact) ? mark.part : mark.says;
      there = std::max(there, fact);
    }
  }

  bool holds(const TSQueryMatch& match,
             const std::vector<std::vector<Condition>>& conditions) const {
    for (const Condition& condition : conditions[match.pattern_index]) {
      for (std::uint16_t i = 0; i < match.capture_count; ++i) {
        if (match.captures[i].index != condition.capture) continue;
        const std::string_view text = text_of(match.captures[i].node);
        const auto& texts = condition.texts;
        if (std::find(texts.begin(), texts.end(), text) == texts.end()) return false;
      }
    }
    return true;
  }

  // A later pattern wins the name of a declaration, so the plain ones come first in a shape.scm.
  void mark_match(const TSQueryMatch& match) {
    if (!holds(match, tree_.language_->conditions)) return;
    const void* declared = nullptr;
    std::string_view kind;
    std::string name, detail;
    for (std::uint16_t i = 0; i < match.capture_count; ++i) {
      const TSQueryCapture& found = match.captures[i];
      const Capture& capture = tree_.language_->captures[found.index];
      switch (capture.role) {
        case Role::kDecl:
          declared = found.node.id;
          kind = capture.kind;
          break;
        case Role::kName:
          marks_[found.node.id].is_name = true;
          name += (name.empty() ? "" : ".") + squeeze(text_of(found.node));
          break;
        case Role::kKey:
          detail += detail_of(found.node);
          break;
        case Role::kImport:
          declared = found.node.id;
          kind = "import";
          name = squeeze(text_of(found.node));
          break;
        case Role::kNone:
          break;
        default:
          marks_[found.node.id].role = capture.role;
      }
    }
    if (declared == nullptr) return;
    Mark& mark = marks_[declared];
    if (mark.pattern > match.pattern_index) return;
    mark.pattern = match.pattern_index;
    mark.decl = kind;
    mark.name = std::move(name);
    mark.detail = std::move(detail);
  }

  // Of a parameter list the types, of a parameter without one its text: a parameter's name tells
  // nothing.
  std::string detail_of(TSNode node) const {
    constexpr std::uint32_t kMaxParameters = 64;
    const std::uint32_t count = ts_node_named_child_count(node);
    std::string detail;
    if (count == 0) return text_of(node) == "()" ? "" : squeeze(text_of(node)) + ",";
    for (std::uint32_t i = 0; i < std::min(count, kMaxParameters); ++i) {
      const TSNode kid = ts_node_named_child(node, i);
      const TSNode type = ts_node_child_by_field_name(kid, "type", 4);
      detail += squeeze(text_of(ts_node_is_null(type) ? kid : type)) + ",";
    }
    return detail;
  }

  bool is_leaf(TSNode node, const Node& made, std::size_t depth) const {
    if (ts_node_child_count(node) == 0 || depth >= budget_.depth) return true;
    if (made.role == Role::kLeaf || made.comment) return true;
    if (!made.named) return false;
    // White space at the ends of a part of these counts, and would not be seen.
    for (const std::string_view part : {"string", "char", "regex"}) {
      if (made.kind.find(part) != std::string_view::npos) return true;
    }
    return false;
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

  void take_marks(const void* id, Node* made) {
    const auto found = marks_.find(id);
    if (found == marks_.end()) return;
    Mark& mark = found->second;
    made->role = mark.role;
    made->part = mark.part;
    made->says = mark.says;
    made->is_name = mark.is_name;
    made->decl = mark.decl;
    made->name = mark.name;
    made->detail = mark.detail;
  }

  void copy(TSTreeCursor* cursor, Node* made, std::size_t depth) {
    if (tree_.nodes_.size() > budget_.nodes) over_ = true;
    if (over_) return;
    const TSNode node = ts_tree_cursor_current_node(cursor);
    made->kind = ts_node_type(node);
    made->text = text_of(node);
    made->named = ts_node_is_named(node);
    made->comment = ts_node_is_extra(node) && made->kind.find("comment") != std::string_view::npos;
    made->error = ts_node_has_error(node);
    if (ts_node_is_error(node) || ts_node_is_missing(node)) {
      tree_.error_bytes_ += std::max<std::size_t>(1, made->text.size());
    }
    take_marks(node.id, made);
    // The first line of a Ruby here-document has its white space in front.
    if (made->role == Role::kLeaf && !made->text.empty()) {
      const char* start = tree_.text_.data() + ts_node_start_byte(node);
      made->text = {start, made->text.end()};
    }
    made->leaf = static_cast<std::uint32_t>(tree_.leaves_.size());
    const std::size_t before = tree_.nodes_.size(), comments = tree_.comments_.size();
    bool leaf = is_leaf(node, *made, depth);
    std::uint64_t hash = mix(kHashStart, made->kind);
    if (!leaf) {
      const std::uint64_t with_kids = copy_kids(cursor, made, depth, hash);
      leaf = has_gaps(*made);
      if (!leaf) hash = with_kids;
    }
    if (leaf) {
      made->kids.clear();
      tree_.leaves_.resize(made->leaf);
      tree_.comments_.resize(comments);
      tree_.nodes_.resize(before);
      hash = mix(hash, made->text);
      if (!made->text.empty()) (made->comment ? tree_.comments_ : tree_.leaves_).push_back(made);
    }
    made->hash = hash;
    made->leaves = static_cast<std::uint32_t>(tree_.leaves_.size()) - made->leaf;
  }

  std::uint64_t copy_kids(TSTreeCursor* cursor, Node* made, std::size_t depth, std::uint64_t hash) {
    if (!ts_tree_cursor_goto_first_child(cursor)) return hash;
    do {
      Node* copied = &tree_.nodes_.emplace_back();
      copied->parent = made;
      if (const char* field = ts_tree_cursor_current_field_name(cursor)) copied->field = field;
      copy(cursor, copied, depth + 1);
      if (copied->text.empty()) continue;  // a line's end as a token, a missing one
      made->kids.push_back(copied);
      if (!copied->comment) hash = (hash ^ copied->hash) * 0x9e3779b97f4a7c15u;
    } while (!over_ && ts_tree_cursor_goto_next_sibling(cursor));
    ts_tree_cursor_goto_parent(cursor);
    return hash;
  }

  Tree& tree_;
  Budget budget_;
  std::unordered_map<const void*, Mark> marks_;
  bool over_ = false;
};

std::unique_ptr<Tree> Tree::parse(const Language& language, std::string text, const Budget& budget,
                                  Detail detail) {
  if (language.facts == nullptr) return nullptr;
  if (language.query == nullptr || text.size() > budget.bytes) return nullptr;
  if (text.find('\0') != std::string::npos) return nullptr;
  std::unique_ptr<Tree> tree(new Tree);
  tree->language_ = &language;
  tree->text_ = std::move(text);
  const auto parsed = parse_bounded(language, tree->text_);
  if (parsed == nullptr || has_wide_error(ts_tree_root_node(parsed.get()))) return nullptr;
  TreeBuilder builder(tree.get(), budget);
  if (!builder.build(ts_tree_root_node(parsed.get()), detail)) return nullptr;
  if (detail == Detail::kFacts) tree->find_locals();
  return tree;
}

const Language* language_of(std::string_view path, std::string_view text) {
  const Language* named = language_of_path(path);
  if (named == nullptr) return language_of_first_line(text);
  if (!path.ends_with(".h")) return named;
  const Language* cpp = find_language("cpp");
  const auto as_c = Tree::parse(*named, std::string(text), {});
  if (as_c != nullptr && as_c->error_bytes() == 0) return named;
  const auto as_cpp = Tree::parse(*cpp, std::string(text), {});
  if (as_c == nullptr || as_cpp == nullptr) return named;
  return as_cpp->error_bytes() < as_c->error_bytes() ? cpp : named;
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

namespace {

void collect(const Node& node, const std::string& path, std::vector<Declared>* found) {
  std::string here = path;
  const bool wrapped = node.parent != nullptr && node.decl == node.parent->decl &&
                       node.name == node.parent->name;  // decorated, exported, a template's
  if (!node.decl.empty() && !wrapped) {
    here += (path.empty() ? "" : "/") + std::string(node.decl) + " " + node.name;
    if (!node.detail.empty()) here += "(" + node.detail.substr(0, node.detail.size() - 1) + ")";
    found->push_back({here, &node});
  }
  for (const Node* kid : node.kids) collect(*kid, here, found);
}

}  // namespace

std::vector<Declared> declarations(const Tree& tree) {
  std::vector<Declared> found;
  collect(tree.root(), {}, &found);
  return found;
}

}  // namespace gittxn::semantic

#include "semantic/read/parse.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <vector>

namespace gittxn::semantic {
namespace {

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

// A place that does not parse as one flat list of so many tokens makes the file opaque: nothing in
// it can be told from the rest.
constexpr std::uint32_t kMaxErrorTokens = 4096;
// A tree has fewer nodes than this times the budget's: some are in what becomes a leaf.
constexpr std::size_t kFlatNodes = 4;

// Nodes with as much in them are worth to be looked up.
constexpr std::uint32_t kWorth = 8;

class Flattener {
 public:
  Flattener(const Language& language, const Budget& budget)
      : language_(language), budget_(budget) {}

  // The contents of a node that `from` has are copied from there.
  std::optional<FlatTree> flatten(TSNode root, const FlatTree& from,
                                  const NodePlaces& from_places) {
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    from_ = &from;
    from_places_ = &from_places;
    out_.reserve(std::min<std::size_t>(ts_node_descendant_count(root), kFlatNodes * budget_.nodes));
    const bool fits = walk(&cursor);
    ts_tree_cursor_delete(&cursor);
    if (!fits) return std::nullopt;
    return std::move(out_);
  }
  // Puts every node that is worth it into `places`.
  void keep_places(NodePlaces* places) { places_ = places; }
  // Nested deeper than the budget.
  bool deep() const { return deep_; }
  std::size_t walked() const { return walked_; }

 private:
  // A node that is walked through, and its children that are not looked at yet: the parser counts
  // them, and a step to the next one that is not there costs as much as many that are.
  struct Open {
    std::uint32_t at = 0;
    std::uint32_t left = 0;
  };

  bool walk(TSTreeCursor* cursor) {
    std::vector<Open> open;
    for (;;) {
      const TSNode node = ts_tree_cursor_current_node(cursor);
      const auto at = static_cast<std::uint32_t>(out_.size());
      const std::uint32_t kids = ts_node_child_count(node);
      const FlatNode& made = add(node, ts_tree_cursor_current_field_id(cursor));
      const bool wide = made.symbol == kErrorSymbol && kids > kMaxErrorTokens;
      if (wide || !fits()) return false;
      const bool deep = open.size() >= budget_.depth;
      deep_ |= deep;
      const bool closed =
          kids == 0 || deep || is_closed(made) || copy_from_first(node, open.size());
      open.push_back({at, closed ? 0 : kids});
      if (!closed && ts_tree_cursor_goto_first_child(cursor)) {
        --open.back().left;
        continue;
      }
      for (;;) {
        close(open.back().at, cursor, open.size() - 1);
        open.pop_back();
        if (open.empty()) return fits();
        std::uint32_t& left = open.back().left;
        if (left > 0 && ts_tree_cursor_goto_next_sibling(cursor)) {
          --left;
          break;
        }
        ts_tree_cursor_goto_parent(cursor);
      }
    }
  }

  bool fits() const { return out_.size() / kFlatNodes <= budget_.nodes; }

  void close(std::uint32_t at, const TSTreeCursor* cursor, std::size_t depth) {
    out_[at].next = static_cast<std::uint32_t>(out_.size());
    if (places_ == nullptr || out_.size() - at < kWorth) return;
    places_->emplace(ts_tree_cursor_current_node(cursor).id, NodePlace{at, depth});
  }

  // True if the node that was added last is one of the first version and no deeper than there: all
  // that is in it is as it was, and is added.
  bool copy_from_first(TSNode node, std::size_t depth) {
    const auto found = from_places_->find(node.id);
    if (found == from_places_->end() || depth > found->second.depth) return false;
    const FlatTree& from = *from_;
    const FlatNode& was = from[found->second.at];
    const std::size_t at = out_.size() - 1;
    if (was.symbol != out_[at].symbol) return false;
    const std::uint32_t moved = out_[at].begin - was.begin;  // modulo 2^32
    const auto later = static_cast<std::uint32_t>(at) - found->second.at;
    out_.insert(out_.end(), from.begin() + found->second.at + 1, from.begin() + was.next);
    for (std::size_t i = at + 1; i < out_.size(); ++i) {
      out_[i].begin += moved;
      out_[i].end += moved;
      out_[i].next += later;
    }
    return true;
  }

  const FlatNode& add(TSNode node, TSFieldId field) {
    ++walked_;
    FlatNode& made = out_.emplace_back();
    made.begin = ts_node_start_byte(node);
    made.end = ts_node_end_byte(node);
    made.symbol = ts_node_symbol(node);
    made.field = field;
    made.named = ts_node_is_named(node);
    made.comment = ts_node_is_extra(node) && language_.kind(made.symbol).comment;
    made.wrong = made.symbol == kErrorSymbol || ts_node_is_missing(node);
    made.error = ts_node_has_error(node);
    return made;
  }

  bool is_closed(const FlatNode& node) const {
    return node.comment || (node.named && language_.kind(node.symbol).quoted);
  }

  const Language& language_;
  const Budget& budget_;
  const FlatTree* from_ = nullptr;
  const NodePlaces* from_places_ = nullptr;
  NodePlaces* places_ = nullptr;
  FlatTree out_;
  std::size_t walked_ = 0;
  bool deep_ = false;
};

std::size_t error_bytes(const FlatTree& tree) {
  std::size_t bytes = 0;
  for (const FlatNode& node : tree) {
    if (node.wrong) bytes += std::max<std::size_t>(1, node.end - node.begin);
  }
  return bytes;
}

TSPoint end_of(std::string_view text) {
  return {static_cast<std::uint32_t>(std::ranges::count(text, '\n')),
          static_cast<std::uint32_t>(text.size() - (text.rfind('\n') + 1))};
}

// `lines` are those of `text`.
TSPoint point_of(std::string_view text, const TextLines& lines, std::size_t byte) {
  const bool behind = byte == text.size() && text.ends_with('\n');
  const std::size_t line = behind ? lines.count() : lines.at(byte);
  return {static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(byte - lines.start(line))};
}

// Whether the byte is in something that may stand anywhere, and where that begins.
bool is_in_extra(TSNode root, std::uint32_t byte, std::size_t* begin) {
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  bool extra = false;
  while (!extra && ts_tree_cursor_goto_first_child_for_byte(&cursor, byte) >= 0) {
    const TSNode node = ts_tree_cursor_current_node(&cursor);
    if (ts_node_start_byte(node) > byte) break;
    extra = ts_node_is_extra(node);
    *begin = ts_node_start_byte(node);
  }
  ts_tree_cursor_delete(&cursor);
  return extra;
}

// The last byte of the token that ends at or before `at`; what may stand anywhere is none. 0 when
// there is no token.
std::size_t token_before(TSNode root, std::string_view text, std::size_t at) {
  for (;;) {
    while (at > 0 && is_space(text[at - 1])) --at;
    if (at == 0) return 0;
    const std::size_t last = at - 1;
    if (!is_in_extra(root, static_cast<std::uint32_t>(last), &at)) return last;
  }
}

// Bytes [old_begin, old_end) of the one text became [new_begin, new_end) of the other.
struct TextEdit {
  std::size_t old_begin = 0, old_end = 0;
  std::size_t new_begin = 0, new_end = 0;
};

// In order, apart from each other.
std::vector<TextEdit> edits_of(const std::vector<LineHunk>& hunks, TSNode root,
                               std::string_view old_text, const TextLines& before,
                               const TextLines& after) {
  std::vector<TextEdit> edits;
  for (const LineHunk& hunk : hunks) {
    const std::size_t line = before.start(hunk.before.from);
    const std::size_t begin = token_before(root, old_text, line);
    const std::size_t old_end = before.start(hunk.before.to);
    const std::size_t new_end = after.start(hunk.after.to);
    if (!edits.empty() && begin <= edits.back().old_end) {
      edits.back().old_end = old_end;
      edits.back().new_end = new_end;
    } else {
      edits.push_back({begin, old_end, after.start(hunk.after.from) - (line - begin), new_end});
    }
  }
  return edits;
}

// From the last one on, so that what is before each is still as it was.
void apply(const std::vector<TextEdit>& edits, std::string_view old_text, const TextLines& before,
           std::string_view new_text, TSTree* tree) {
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    const std::string_view now = new_text.substr(edit->new_begin, edit->new_end - edit->new_begin);
    TSInputEdit input = {};
    input.start_byte = static_cast<std::uint32_t>(edit->old_begin);
    input.old_end_byte = static_cast<std::uint32_t>(edit->old_end);
    input.new_end_byte = static_cast<std::uint32_t>(edit->old_begin + now.size());
    input.start_point = point_of(old_text, before, edit->old_begin);
    input.old_end_point = point_of(old_text, before, edit->old_end);
    const TSPoint end = end_of(now);
    input.new_end_point = {input.start_point.row + end.row,
                           end.row == 0 ? input.start_point.column + end.column : end.column};
    ts_tree_edit(tree, &input);
  }
}

}  // namespace

void VersionParser::Delete::operator()(TSParser* parser) const {
  ts_parser_delete(parser);
}
void VersionParser::Delete::operator()(TSTree* tree) const {
  ts_tree_delete(tree);
}

VersionParser::VersionParser(const Language& language, const Budget& budget, Texts texts)
    : language_(&language), budget_(budget), texts_(texts), parser_(ts_parser_new()) {
  if (!ts_parser_set_language(parser_.get(), language.grammar)) parser_.reset();
}

VersionParser VersionParser::beside() const {
  VersionParser other(*language_, budget_, texts_);
  other.first_ = first_;
  other.first_masked_ = first_masked_;
  return other;
}

VersionParser::TreePointer VersionParser::run(std::string_view text, const TSTree* old) {
  Work work{text, 1000 + text.size(), 1000 + 64 * (text.size() / kChunk)};
  TSInput input = {};
  input.payload = &work;
  input.read = read_text;
  input.encoding = TSInputEncodingUTF8;
  TSParseOptions options = {};
  options.payload = &work;
  options.progress_callback = out_of_work;
  ts_parser_reset(parser_.get());
  TreePointer tree(ts_parser_parse_with_options(parser_.get(), old, input, options));
  return work.over() ? nullptr : std::move(tree);
}

VersionParser::TreePointer VersionParser::from_first(const First& first, std::string_view text) {
  constexpr std::size_t kMaxEdits = 1000;
  const TextLines after(text);
  const TextLines& before = first.lines.before();
  const std::vector<LineHunk> hunks = first.lines.to(after);
  if (hunks.size() > kMaxEdits) return nullptr;
  const TreePointer edited(ts_tree_copy(first.tree.get()));
  const TSNode root = ts_tree_root_node(first.tree.get());
  apply(edits_of(hunks, root, first.text, before, after), first.text, before, text, edited.get());
  TreePointer tree = run(text, edited.get());
  if (tree == nullptr || ts_node_has_error(ts_tree_root_node(tree.get()))) return nullptr;
  ++taken_;
  return tree;
}

// The flat tree, parsed with the help of `first`; without one it becomes the first where it can.
std::optional<FlatTree> VersionParser::flat_of(std::string_view text,
                                               std::shared_ptr<const First>* first) {
  TreePointer tree = *first == nullptr ? nullptr : from_first(**first, text);
  if (tree == nullptr) tree = run(text, nullptr);
  if (tree == nullptr) return std::nullopt;
  const TSNode root = ts_tree_root_node(tree.get());
  Flattener flattener(*language_, budget_);
  const bool may_be_first =
      texts_ == Texts::kSeveral && *first == nullptr && !ts_node_has_error(root);
  NodePlaces places;
  if (may_be_first) flattener.keep_places(&places);
  static const First kNone(nullptr, {}, {}, {});
  const First& from = *first == nullptr ? kNone : **first;
  std::optional<FlatTree> flat = flattener.flatten(root, from.flat, from.places);
  walked_ += flattener.walked();
  if (may_be_first && flat && !flattener.deep()) {
    *first = std::make_shared<const First>(std::move(tree), text, *flat, std::move(places));
  }
  return flat;
}

std::optional<FlatTree> VersionParser::parse(std::string_view text) {
  if (parser_ == nullptr || text.size() > budget_.bytes) return std::nullopt;
  if (text.contains('\0')) return std::nullopt;
  std::optional<FlatTree> flat = flat_of(text, &first_);
  if (flat && flat->front().error) return without_macros(text, std::move(*flat));
  return flat;
}

// `tree` is what the text gives as it is; what has fewer bytes in errors is better.
FlatTree VersionParser::without_macros(std::string_view text, FlatTree tree) {
  const std::vector<Mask> masks = macros_in(*language_, text);
  if (masks.empty()) return tree;
  std::optional<FlatTree> other = flat_of(without(text, masks), &first_masked_);
  if (!other || error_bytes(*other) >= error_bytes(tree)) return tree;
  put_back(*language_, masks, &*other);
  return std::move(*other);
}

}  // namespace gittxn::semantic

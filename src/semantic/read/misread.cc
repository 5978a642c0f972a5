#include "semantic/read/parse.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

bool is_blank_char(char c) {
  return c == ' ' || c == '\t' || c == '\f';
}

// How deep the line of `at` is indented, in Python's columns; nothing where something stands before
// it in that line, or the line goes on with the one above.
std::optional<std::size_t> column_of(std::string_view text, std::size_t at) {
  constexpr std::size_t kTab = 8;
  std::size_t begin = at;
  while (begin > 0 && is_blank_char(text[begin - 1])) --begin;
  const std::string_view above = text.substr(0, begin);
  const bool first = above.empty() || above == "\xef\xbb\xbf";
  if (!first && !above.ends_with('\n')) return std::nullopt;
  if (above.ends_with("\\\n") || above.ends_with("\\\r\n")) return std::nullopt;
  std::size_t column = 0;
  for (const char c : text.substr(begin, at - begin)) {
    column = c == '\t' ? (column / kTab + 1) * kTab : c == '\f' ? 0 : column + 1;
  }
  return column;
}

class Marker {
 public:
  Marker(const Language& language, std::string_view text, FlatTree* tree)
      : language_(language), text_(text), tree_(*tree) {}

  void run() {
    if (language_.name == "python") each({"module", "block", "ERROR"}, &Marker::block);
    if (language_.name == "ruby") each({"identifier"}, &Marker::ruby_end);
    if (language_.name == "bash") each({"command_name"}, &Marker::bash_word);
    if (language_.name == "php") each({"heredoc", "nowdoc"}, &Marker::here_document);
  }

 private:
  struct Open {
    std::uint32_t node = 0;
    std::optional<std::size_t> column;  // of a block of Python
  };

  void each(std::initializer_list<std::string_view> kinds, void (Marker::*look_at)(std::uint32_t)) {
    std::vector<bool> wanted;  // by the symbol of a node, that of an error last
    for (const Kind& kind : language_.kinds) wanted.push_back(is_any(kind.name, kinds));
    for (std::uint32_t at = 0; at < tree_.size(); ++at) {
      while (!open_.empty() && tree_[open_.back().node].next <= at) open_.pop_back();
      open_.push_back({at, std::nullopt});
      if (wanted[std::min<std::size_t>(tree_[at].symbol, wanted.size() - 1)]) (this->*look_at)(at);
    }
  }

  std::string_view kind_of(std::uint32_t at) const { return language_.kind(tree_[at].symbol).name; }
  std::string_view text_of(std::uint32_t at) const {
    return text_.substr(tree_[at].begin, tree_[at].end - tree_[at].begin);
  }

  // `at` is the node that is looked at, or a child of it.
  void mark(std::uint32_t at) {
    tree_[at].wrong = tree_[at].error = true;
    for (const Open& open : open_) tree_[open.node].error = true;
  }

  void block(std::uint32_t at) {
    const bool file = at == 0;
    if (!file && tree_[at].symbol == kErrorSymbol) return;
    std::optional<std::size_t> column, around;
    for (const Open& open : open_) {
      if (open.column) around = open.column;
    }
    if (file) column = 0;
    bool empty = true;
    for (std::uint32_t kid = at + 1; kid < tree_[at].next; kid = tree_[kid].next) {
      if (!tree_[kid].named || tree_[kid].comment || tree_[kid].symbol == kErrorSymbol) continue;
      empty = false;
      const std::optional<std::size_t> here = column_of(text_, tree_[kid].begin);
      if (!here) continue;
      if (!column && around && *here <= *around) mark(kid);
      if (!column) column = here;
      if (*here != *column) mark(kid);
    }
    if (empty && !file) mark(at);
    open_.back().column = column;
  }

  // What may be called "end": a method, a parameter by name, and what is given as a name alone.
  void ruby_end(std::uint32_t at) {
    if (tree_[at].end - tree_[at].begin != 3 || text_of(at) != "end") return;
    const bool name = is_any(language_.fields[tree_[at].field], {"method", "name", "alias"});
    const std::string_view parent =
        open_.size() > 1 ? kind_of(open_[open_.size() - 2].node) : std::string_view();
    if (!name && parent != "undef") mark(at);
  }

  void bash_word(std::uint32_t at) {
    if (is_any(text_of(at), {"then", "elif", "else", "fi", "do", "done", "esac", "}"})) mark(at);
  }

  // "<<<WORD" and a last line that begins with the word, which none before it may do.
  void here_document(std::uint32_t at) {
    const std::string_view whole = text_of(at);
    std::size_t from = 0;
    while (from < whole.size() && !is_word_byte(whole[from]) && whole[from] != '\n') ++from;
    std::size_t to = from;
    while (to < whole.size() && is_word_byte(whole[to])) ++to;
    const std::string_view word = whole.substr(from, to - from);
    if (word.empty()) return;
    const std::size_t last = whole.rfind('\n');
    for (std::size_t line = whole.find('\n'); line < last; line = whole.find('\n', line + 1)) {
      const std::size_t begin = whole.find_first_not_of(" \t", line + 1);
      const std::string_view rest = whole.substr(begin);
      const bool ends = rest.starts_with(word) && !is_word_byte(rest[word.size()]);
      if (ends) return mark(at);
    }
  }

  const Language& language_;
  std::string_view text_;
  FlatTree& tree_;
  std::vector<Open> open_;  // the nodes around the one that is looked at, and that one
};

}  // namespace

void mark_misread(const Language& language, std::string_view text, FlatTree* tree) {
  if (is_any(language.name, {"python", "ruby", "bash", "php"})) Marker(language, text, tree).run();
}

}  // namespace gittxn::semantic

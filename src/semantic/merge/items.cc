#include "semantic/merge/lists.h"

#include <cstring>

namespace gittxn::semantic {
namespace {

bool is_token(const Node& node, const char* any_of) {
  return !node.named && node.text.size() == 1 && std::strchr(any_of, node.text[0]) != nullptr;
}

std::string_view between(const char* from, const char* to) {
  return from < to ? std::string_view(from, to) : std::string_view(from, from);
}

// Where a comment that begins on the line of `at` ends; `at` when there is none.
const char* trailing_comment(const std::vector<Node*>& kids, std::size_t* next, const char* at) {
  const char* end = at;
  while (*next < kids.size() && kids[*next]->comment) {
    const std::string_view gap = between(end, kids[*next]->text.begin());
    if (gap.contains('\n')) break;
    // One in front of something on the same line belongs to that.
    const bool last = *next + 1 == kids.size();
    const std::string_view behind =
        last ? "\n" : between(kids[*next]->text.end(), kids[*next + 1]->text.begin());
    if (!behind.contains('\n') && !is_token(*kids[*next + 1], "}])")) break;
    end = kids[*next]->text.end();
    ++*next;
  }
  return end;
}

class Splitter {
 public:
  explicit Splitter(const Node& node) : end_(node.text.end()) {
    at_ = node.text.data();
    flatten(node, node.role == Role::kSet ? node.kind : std::string_view());
    out_.set = node.role == Role::kSet;
    const char* separators = node.role == Role::kSet ? ",|&" : ",";
    for (const Node* kid : kids_) {
      if (out_.separator.empty() && is_token(*kid, separators)) out_.separator = kid->text;
    }
  }

  Items split() {
    std::size_t first = 0, last = kids_.size();
    if (!kids_.empty() && is_token(*kids_.front(), "{[(<")) {
      first = 1;
      at_ = kids_.front()->text.end();
      out_.open = between(kids_.front()->text.begin(), at_);
    } else {
      out_.open = between(at_, at_);
    }
    if (last > first && is_token(*kids_.back(), "}])>")) --last;
    for (std::size_t i = first; i < last;) i = take(i, last);
    out_.close = between(at_, end_);
    name_items();
    return std::move(out_);
  }

 private:
  // "a | b | c" is nested in the grammars; as a set it is one list.
  void flatten(const Node& node, std::string_view nested) {
    for (Node* kid : node.kids) {
      if (kid->kind == nested) {
        flatten(*kid, nested);
      } else {
        kids_.push_back(kid);
      }
    }
  }

  bool is_separator(const Node& kid) const {
    return is_token(kid, ",|&;") && kid.text == (out_.separator.empty() ? ";" : out_.separator);
  }

  // The item at `i`, with what belongs to it; the next place.
  std::size_t take(std::size_t i, std::size_t last) {
    const Node& kid = *kids_[i];
    if (kid.comment || kid.role == Role::kPrefix) return i + 1;  // part of the lead of what follows
    Item item;
    item.node = &kid;
    item.lead = between(at_, kid.text.begin());
    at_ = kid.text.end();
    std::size_t next = i + 1;
    std::size_t separator = next;
    while (separator < last && kids_[separator]->comment) ++separator;
    if (separator < last && is_separator(*kids_[separator])) {
      item.sep = between(at_, kids_[separator]->text.end());
      at_ = item.sep.end();
      next = separator + 1;
    }
    const char* comment = trailing_comment(kids_, &next, at_);
    item.trail = between(at_, comment);
    at_ = comment;
    out_.items.push_back(std::move(item));
    return next;
  }

  void name_items() {
    for (Item& item : out_.items) {
      const Node& node = *item.node;
      if (node.decl.empty()) continue;
      item.name_key = std::string(node.decl) + " " + std::string(node.name);
      item.key = item.name_key + "(" + std::string(node.detail) + ")";
    }
  }

  std::vector<Node*> kids_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  Items out_;
};

}  // namespace

Items items_of(const Node& node) {
  return Splitter(node).split();
}

}  // namespace gittxn::semantic

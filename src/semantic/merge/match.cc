#include "semantic/merge/lists.h"
#include "semantic/merge/prose.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "semantic/symbols/imports.h"

namespace gittxn::semantic {
namespace {

constexpr std::size_t kMaxTable = 4u << 20;   // cells of a table of common parts
constexpr std::size_t kMaxGap = 64;           // items compared by likeness on each side of a gap
constexpr std::uint32_t kMaxLikeness = 5000;  // tokens counted

class Matcher {
 public:
  Matcher(const Listed& a, const Listed& b)
      : a_(a), b_(b), to_(a.list.items.size(), kUnmatched), taken_(b.list.items.size(), 0) {}

  std::vector<std::size_t> match() {
    by_key();
    by_brought_names();
    by_code();
    fill_gaps();
    return std::move(to_);
  }

 private:
  const Item& x(std::size_t i) const { return a_.list.items[i]; }
  const Item& y(std::size_t j) const { return b_.list.items[j]; }

  void pair(std::size_t i, std::size_t j) {
    to_[i] = j;
    taken_[j] = 1;
  }

  using Places = std::vector<std::size_t>;

  // What is left in both lists, by what `key_of` says of it; without what it says nothing of.
  template <typename KeyOf>
  auto left_over(KeyOf key_of) const {
    std::map<decltype(key_of(a_.tree, x(0))), std::pair<Places, Places>> groups;
    const auto take = [&](auto key, std::size_t place, Places std::pair<Places, Places>::* side) {
      if (!key.empty()) (groups[std::move(key)].*side).push_back(place);
    };
    for (std::size_t i = 0; i < to_.size(); ++i) {
      if (to_[i] == kUnmatched) take(key_of(a_.tree, x(i)), i, &std::pair<Places, Places>::first);
    }
    for (std::size_t j = 0; j < taken_.size(); ++j) {
      if (taken_[j] == 0) take(key_of(b_.tree, y(j)), j, &std::pair<Places, Places>::second);
    }
    return groups;
  }

  // Those of which there is one alone on each side.
  template <typename KeyOf>
  void pair_single(KeyOf key_of) {
    for (const auto& [key, both] : left_over(key_of)) {
      if (both.first.size() == 1 && both.second.size() == 1) {
        pair(both.first.front(), both.second.front());
      }
    }
  }

  // Several of one name are told by their code first; then, once with all that tells them and once
  // by name alone (the parameters changed), the last one on each side.
  void by_key() {
    const auto key = [](const Tree&, const Item& item) { return std::string_view(item.key); };
    for (const auto& [name, both] : left_over(key)) pair_group(both.first, both.second);
    pair_single([](const Tree&, const Item& item) { return std::string_view(item.name_key); });
  }

  void pair_group(const Places& left, const Places& right) {
    if (left.size() == 1 && right.size() == 1) return pair(left[0], right[0]);
    Places rest;
    for (const std::size_t i : left) {
      const auto same = std::ranges::find_if(right, [&](std::size_t j) {
        return taken_[j] == 0 && same_code(a_.tree, *x(i).node, b_.tree, *y(j).node);
      });
      if (same == right.end()) {
        rest.push_back(i);
      } else {
        pair(i, *same);
      }
    }
    if (left.size() != right.size()) return;
    auto j = right.begin();
    for (const std::size_t i : rest) {
      while (taken_[*j] != 0) ++j;
      pair(i, *j);
    }
  }

  // An import of the same names from elsewhere is the old one, redirected.
  void by_brought_names() {
    pair_single([](const Tree& tree, const Item& item) {
      std::vector<std::string> names;
      if (item.node->decl == "import") names = brought_names(tree.language(), *item.node);
      std::ranges::sort(names);
      return names;
    });
  }

  bool equal(std::size_t i, std::size_t j) const {
    if (to_[i] != kUnmatched || taken_[j] != 0) return to_[i] == j;
    return x(i).key.empty() && y(j).key.empty() &&
           same_code(a_.tree, *x(i).node, b_.tree, *y(j).node);
  }

  // The longest common sequence of what is the same, after what both ends have in common.
  void by_code() {
    std::size_t from = 0, a_end = to_.size(), b_end = taken_.size();
    while (from < a_end && from < b_end && equal(from, from)) {
      pair(from, from);
      ++from;
    }
    while (a_end > from && b_end > from && equal(a_end - 1, b_end - 1)) {
      --a_end;
      --b_end;
      pair(a_end, b_end);
    }
    const std::size_t rows = a_end - from, columns = b_end - from;
    if (rows == 0 || columns == 0 || rows > kMaxTable / columns) return;
    std::vector<std::uint32_t> table((rows + 1) * (columns + 1), 0);
    const std::size_t width = columns + 1;
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        table[i * width + j] = equal(from + i, from + j)
                                   ? table[(i + 1) * width + j + 1] + 1
                                   : std::max(table[(i + 1) * width + j], table[i * width + j + 1]);
      }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      if (equal(from + i, from + j)) {
        pair(from + i++, from + j++);
      } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  // Between pairs that are in order on both sides.
  void fill_gaps() {
    std::size_t a_from = 0, b_from = 0;
    const std::vector<std::size_t> anchors = to_;
    for (std::size_t i = 0; i <= anchors.size(); ++i) {
      const bool end = i == anchors.size();
      if (!end && (anchors[i] == kUnmatched || anchors[i] < b_from)) continue;
      const std::size_t b_end = end ? taken_.size() : anchors[i];
      fill_gap({a_from, i}, {b_from, b_end});
      a_from = i + 1;
      b_from = b_end + 1;
    }
  }

  using Range = std::pair<std::size_t, std::size_t>;
  void fill_gap(Range a, Range b) {
    std::vector<std::size_t> left, right;
    for (std::size_t i = a.first; i < a.second; ++i) {
      if (to_[i] == kUnmatched) left.push_back(i);
    }
    for (std::size_t j = b.first; j < b.second; ++j) {
      if (taken_[j] == 0) right.push_back(j);
    }
    if (left.empty() || right.empty() || left.size() > kMaxGap || right.size() > kMaxGap) return;
    const bool alone = left.size() == 1 && right.size() == 1;
    std::size_t next = 0;
    for (const std::size_t i : left) {
      std::size_t best = kUnmatched;
      double most = 0;
      for (std::size_t k = next; k < right.size(); ++k) {
        const double likely = pairing(i, right[k], alone ? 0.3 : 0.5);
        if (likely > most) {
          most = likely;
          best = k;
        }
      }
      if (best == kUnmatched) continue;
      pair(i, right[best]);
      next = best + 1;
    }
  }

  // The only one with its place in the parent.
  static bool once(const Listed& listed, const Node& node) {
    const auto& items = listed.list.items;
    return std::ranges::count_if(
               items, [&](const Item& item) { return item.node->field == node.field; }) == 1;
  }

  // The value of a key, which is a list wherever it is, is one list, though nothing in it stayed.
  static bool is_list_of_key(const Node& node) {
    const bool list =
        node.role == Role::kSet || node.role == Role::kList || node.role == Role::kMembers;
    return list && node.parent != nullptr && node.parent->decl == "key";
  }

  // 0 when they are not the same thing changed.
  double pairing(std::size_t i, std::size_t j, double least) const {
    const Node& left = *x(i).node;
    const Node& right = *y(j).node;
    if (a_.list.set && left.kids.empty()) return 0;
    if (!left.field.empty() && left.field == right.field && once(a_, left) && once(b_, right) &&
        x(i).key.empty() && y(j).key.empty()) {
      return 2;
    }
    if (left.kind != right.kind || left.decl != right.decl || left.decl == "import") return 0;
    if (is_for_people(left) && is_for_people(right)) return 1;
    if (are_lists_of_both(left, right)) return 1;
    if (least < 0.5 && is_list_of_key(left) && is_list_of_key(right)) return 1;
    if (left.kids.empty() != right.kids.empty()) return 0;
    if (left.kids.empty()) return left.named && least < 0.5 ? 0.1 : 0;
    // A declaration under another name is the same one only when most of it stayed.
    if (!x(i).key.empty() && x(i).name_key != y(j).name_key) least = 0.6;
    const double likely = likeness(a_.tree, left, b_.tree, right);
    return likely >= least ? likely : 0;
  }

  const Listed& a_;
  const Listed& b_;
  std::vector<std::size_t> to_;
  std::vector<char> taken_;
};

}  // namespace

double likeness(const Tree& a, const Node& x, const Tree& b, const Node& y) {
  const std::uint32_t left = std::min(x.leaves, kMaxLikeness);
  const std::uint32_t right = std::min(y.leaves, kMaxLikeness);
  if (left + right == 0) return 0;
  std::unordered_map<std::string_view, int> count;
  for (std::uint32_t i = 0; i < left; ++i) ++count[a.leaves()[x.leaf + i]->text];
  int common = 0;
  for (std::uint32_t i = 0; i < right; ++i) {
    if (count[b.leaves()[y.leaf + i]->text]-- > 0) ++common;
  }
  return 2.0 * common / (left + right);
}

std::vector<std::size_t> match_items(const Listed& a, const Listed& b) {
  return Matcher(a, b).match();
}

}  // namespace gittxn::semantic

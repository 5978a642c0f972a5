#include "semantic/merge/both/answers.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/kinds.h"
#include "semantic/merge/both/numbers.h"
#include "semantic/merge/both/own_calls.h"
#include "semantic/merge/signature.h"

namespace gittxn::semantic {
namespace {

bool is_awaited_function(const Tree& tree, const Node& function) {
  const Node* body = body_of(function);
  const std::uint32_t end = body == nullptr ? function.leaf + function.leaves : body->leaf;
  for (std::uint32_t i = function.leaf; i < end; ++i) {
    if (tree.leaves()[i]->text == "async") return true;
  }
  return false;
}

// "User" of "-> User" and ": User", without white space; empty where nothing says it, and in C.
std::string result_of(const Tree& tree, const Node& function) {
  const bool by_type = is_any(tree.language().name, {"java", "csharp"});
  for (const Node* kid : function.kids) {
    if (is_any(kid->field, {"result", "return_type"}) || (by_type && kid->field == "type")) {
      std::string result = squeeze(kid->text);
      const std::size_t from = result.find_first_not_of(":->");
      return from == std::string::npos ? std::string() : result.substr(from);
    }
    if (kid->decl == function.decl && kid->name == function.name) return result_of(tree, *kid);
  }
  return {};
}

// "Result<User>" of "User": it stands alone between brackets.
bool is_inside_of(std::string_view was, std::string_view now) {
  for (std::size_t at = now.find(was, 1); at != std::string_view::npos;
       at = now.find(was, at + 1)) {
    const std::size_t end = at + was.size();
    if (end == now.size()) return false;
    if (std::string_view("<([,").contains(now[at - 1]) &&
        std::string_view(">)],").contains(now[end])) {
      return true;
    }
  }
  return false;
}

bool is_ignored(const Node& call) {
  return call.parent == nullptr || is_any(call.parent->kind, {"expression_statement", "block"});
}

// The value of the call is waited for; a script may hand it on to be waited for elsewhere.
bool is_awaited(const Tree& tree, const Node& call) {
  const Node& in = *call.parent;
  if (in.kind.contains("await")) return true;
  if (is_any(tree.language().name, {"python", "rust"})) return false;
  const Node* member = in.kind.contains("member") ? kid_in(in, "property") : nullptr;
  if (member != nullptr && is_any(member->text, {"then", "catch", "finally"})) return true;
  return is_ignored(call) || has_any(in.kind, {"return", "arrow_function", "unary"});
}

using CallsOf = std::vector<const Node*>;

class Answers {
 public:
  explicit Answers(const Sides<const Tree*>& sides) : sides_(sides) {}

  Broken find(const std::vector<ChangedFunction>& changed) {
    for (const ChangedFunction& function : changed) {
      Broken broken = against(function);
      if (!broken.why.empty()) return broken;
    }
    return {};
  }

 private:
  Broken against(const ChangedFunction& function) {
    const std::string& key = function.key;
    const Side side = function.side;
    const Tree &base = *sides_[kBase], &there = *sides_[other(side)];
    const bool awaited = is_awaited_function(*sides_[side], *function.now) &&
                         !is_awaited_function(base, *function.base) &&
                         !is_awaited_function(there, *function.there);
    if (awaited && unawaited(side, key).empty()) {
      return told(unawaited(other(side), key), unawaited(kBase, key), side,
                  "one side made " + shown_function(key) +
                      " async, and the other side adds a call that does not await it");
    }
    const std::string was = result_of(base, *function.base);
    const std::string now = result_of(*sides_[side], *function.now);
    if (was.empty() || was != result_of(there, *function.there)) return {};
    if (!is_inside_of(was, now)) return {};
    const CallsOf before = used(kBase, key), changed = used(side, key);
    const bool stayed = std::ranges::any_of(before, [&](const Node* call) {
      return std::ranges::any_of(changed, [&](const Node* each) {
        return same_code(base, *call->parent, *sides_[side], *each->parent);
      });
    });
    if (stayed) return {};
    return told(used(other(side), key), before, side,
                "one side wrapped the result of " + shown_function(key) +
                    " in another type, and the other side adds a call that expects it as before");
  }

  // The other side has calls that the base does not have.
  Broken told(const CallsOf& calls, const CallsOf& before, Side side,
              const std::string& why) const {
    if (calls.size() <= before.size()) return {};
    Broken broken{why, {}};
    for (const Node* call : calls) {
      broken.places.push_back(span_of_node(other(side), *sides_[other(side)], *call));
    }
    return broken;
  }

  CallsOf unawaited(Side side, const std::string& key) {
    CallsOf found;
    for (const OwnCall& each : calls_of(side, key)) {
      if (!is_awaited(*sides_[side], *each.call)) found.push_back(each.call);
    }
    return found;
  }

  CallsOf used(Side side, const std::string& key) {
    CallsOf found;
    for (const OwnCall& each : calls_of(side, key)) {
      if (!is_ignored(*each.call)) found.push_back(each.call);
    }
    return found;
  }

  const std::vector<OwnCall>& calls_of(Side side, const std::string& key) {
    if (!calls_[side]) calls_[side] = own_calls(*sides_[side]);
    return (*calls_[side])[key];
  }

  const Sides<const Tree*>& sides_;
  Sides<std::optional<OwnCalls>> calls_;
};

}  // namespace

Broken answers_otherwise(const Sides<const Tree*>& sides,
                         const std::vector<ChangedFunction>& changed) {
  return Answers(sides).find(changed);
}

}  // namespace gittxn::semantic

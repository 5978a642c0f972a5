// Strong identifiers. Two different kinds of name never convert into each other by accident.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace gittxn {

// A string that is a name of one kind. Tag makes the kinds different types.
template <typename Tag>
class Name {
 public:
  Name() = default;
  explicit Name(std::string text) : text_(std::move(text)) {}
  const std::string& str() const { return text_; }
  const char* c_str() const { return text_.c_str(); }
  bool empty() const { return text_.empty(); }
  auto operator<=>(const Name&) const = default;

 private:
  std::string text_;
};

using TxnId = Name<struct TxnIdTag>;      // "t-7k2m", unique in one repository
using Oid = Name<struct OidTag>;          // 40 lower-case hex digits; empty: nothing is there
using RefName = Name<struct RefNameTag>;  // full: "refs/heads/main"
using Digest = Name<struct DigestTag>;    // 64 lower-case hex digits of SHA-256, or a git oid
using GateName = Name<struct GateNameTag>;

using Seq = std::int64_t;  // position in the event log; the first event is 1, 0 is "before any"

}  // namespace gittxn

template <typename Tag>
struct std::hash<gittxn::Name<Tag>> {
  std::size_t operator()(const gittxn::Name<Tag>& n) const noexcept {
    return std::hash<std::string>()(n.str());
  }
};

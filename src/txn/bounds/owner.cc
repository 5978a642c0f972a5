#include "txn/bounds/owner.h"

#include <fmt/format.h>

#include <algorithm>

namespace gittxn::api {

Status check_owner(std::string_view name) {
  constexpr std::size_t kMaxOwnerName = 256;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  std::string_view wrong;
  if (name.empty()) wrong = "is empty";
  if (name.size() > kMaxOwnerName) wrong = "is longer than 256 bytes";
  if (wrong.empty() && std::ranges::any_of(name, is_control)) {
    wrong = "has a line break or another control character in it";
  }
  if (wrong.empty()) return {};
  return fail(Code::kUsage, fmt::format("the name of the owner {}", wrong),
              "write a mail address or another name, such as pat@example.org");
}

Result<std::string> owner_of(State& state, const std::string& asked) {
  std::string owner = asked;
  if (owner.empty()) owner = TRY(state.repository.identity()).email;
  TRY(check_owner(owner));
  return owner;
}

}  // namespace gittxn::api

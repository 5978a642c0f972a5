// What git-txn enforces, what it only records, and by what: the table of docs/enforces.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace gittxn::api {

struct Enforced {
  std::string_view what;
  std::string_view enforced;  // "enforced", "recorded", or both with the line between them
  std::string_view mechanism;
  std::string_view answers = "";     // "F1, K1, A7, [gate]": see the page; or nothing
  std::string_view since = "0.1.0";  // version
};
std::span<const Enforced> enforces();
std::string enforces_page();  // docs/enforces.md, byte for byte

}  // namespace gittxn::api

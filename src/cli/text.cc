#include "cli/text.h"

#include <fmt/format.h>

namespace gittxn::cli {
namespace {

struct Decoded {
  std::uint32_t point = 0;
  std::size_t length = 0;  // 0: not UTF-8
};

// One character of strict UTF-8: no overlong forms, no surrogates.
Decoded decode(std::string_view s) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || s.size() < length) return {};
  std::uint32_t point = first & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3Fu);
  }
  if (length == 3 && (point < 0x800 || (point >= 0xD800 && point <= 0xDFFF))) return {};
  if (length == 4 && (point < 0x10000 || point > 0x10FFFF)) return {};
  return {point, length};
}

bool acts_on_terminal(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7F && point <= 0x9F)) return true;
  if (point == 0x061C || point == 0x200E || point == 0x200F) return true;
  return (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069);
}

std::string clean_with(std::string_view bytes, std::string_view allowed) {
  std::string out;
  for (std::size_t at = 0; at < bytes.size();) {
    Decoded c = decode(bytes.substr(at));
    if (c.length == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[at++]));
      continue;
    }
    if (c.length == 1 && allowed.find(bytes[at]) != std::string_view::npos) {
      out += bytes[at];
    } else if (c.point == '\n') {
      out += "\\n";
    } else if (c.point == '\t') {
      out += "\\t";
    } else if (acts_on_terminal(c.point)) {
      out +=
          c.point < 0x100 ? fmt::format("\\x{:02x}", c.point) : fmt::format("\\u{:04x}", c.point);
    } else {
      out += bytes.substr(at, c.length);
    }
    at += c.length;
  }
  return out;
}

}  // namespace

std::string clean(std::string_view bytes) {
  return clean_with(bytes, "");
}
std::string clean_lines(std::string_view bytes) {
  return clean_with(bytes, "\n\t");
}

std::string Style::paint(Colour which, std::string_view text) const {
  if (!colour || which == Colour::kNone) return std::string(text);
  int code = 0;
  switch (which) {
    case Colour::kNone:
      break;
    case Colour::kGreen:
      code = 32;
      break;
    case Colour::kRed:
      code = 31;
      break;
    case Colour::kYellow:
      code = 33;
      break;
    case Colour::kDim:
      code = 2;
      break;
    case Colour::kBold:
      code = 1;
      break;
  }
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string counted(std::int64_t n, std::string_view singular, std::string_view plural) {
  if (n == 1) return fmt::format("1 {}", singular);
  if (plural.empty()) return fmt::format("{} {}s", n, singular);
  return fmt::format("{} {}", n, plural);
}

std::string short_oid(const Oid& oid) {
  return oid.empty() ? "none" : clean(oid.str().substr(0, 7));
}

std::string worktree_of(const Txn& txn) {
  if (txn.attempts.empty() || txn.attempts.back().worktree.empty()) return {};
  return txn.attempts.back().worktree + "/tree";
}

std::string short_branch(const RefName& branch) {
  std::string_view name = branch.str();
  constexpr std::string_view kHeads = "refs/heads/";
  if (name.starts_with(kHeads)) name.remove_prefix(kHeads.size());
  return clean(name);
}

std::string cut(std::string_view text, std::size_t columns) {
  std::size_t seen = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if ((text[at] & 0xC0) == 0x80) continue;  // inside a character
    if (++seen < columns) continue;
    std::size_t next = at + 1;
    while (next < text.size() && (text[next] & 0xC0) == 0x80) ++next;
    if (next == text.size()) break;
    return std::string(text.substr(0, at)) + "…";
  }
  return std::string(text);
}

std::string padded(std::string_view text, std::size_t columns) {
  std::size_t seen = 0;
  for (char c : text) seen += (c & 0xC0) != 0x80 ? 1 : 0;
  std::string out(text);
  if (seen < columns) out.append(columns - seen, ' ');
  return out;
}

}  // namespace gittxn::cli

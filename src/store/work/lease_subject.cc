#include "store/work/lease_subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/bug.h"
#include "base/text.h"
#include "model/names.h"
#include "search/glob.h"

namespace gittxn::store {
namespace {

constexpr std::size_t kMaxSubject = 1024;
constexpr std::string_view kSymbolWord = "symbol:";

// A name between slashes. A deep one is any number of names; in a literal one '*' is a sign.
struct Segment {
  enum class Is { kLiteral, kGlob, kDeep } is = Is::kLiteral;
  std::string text;
};
using Segments = std::vector<Segment>;

Segments literal(std::string_view path) {
  Segments segments;
  for (const std::string_view name : pieces_of(path, '/')) {
    segments.push_back({Segment::Is::kLiteral, std::string(name)});
  }
  return segments;
}

// "**" at the end is at least one name, as in the files of ignore rules.
Segments segments_of(const LeaseSubject& subject) {
  Segments segments = literal(subject.path);
  if (subject.kind == LeaseSubject::Kind::kPrefix) segments.push_back({Segment::Is::kDeep, ""});
  if (subject.kind != LeaseSubject::Kind::kGlob) return segments;
  for (Segment& segment : segments) {
    segment.is = segment.text == "**" ? Segment::Is::kDeep : Segment::Is::kGlob;
  }
  if (segments.back().is == Segment::Is::kDeep) segments.push_back({Segment::Is::kGlob, "*"});
  return segments;
}

// Whether some name matches both. `reach` holds for each rest of `b` whether the rest of `a` that
// was looked at last, and it, have one in common; filled from the ends of both.
bool names_meet(const Segment& a, const Segment& b) {
  const auto star = [](const Segment& of, std::size_t at) {
    return of.is == Segment::Is::kGlob && of.text[at] == '*';
  };
  const std::size_t width = b.text.size() + 1;
  std::vector<char> reach((a.text.size() + 1) * width, 0);
  for (std::size_t i = a.text.size() + 1; i-- > 0;) {
    for (std::size_t j = width; j-- > 0;) {
      char& meets = reach[i * width + j];
      const bool a_ends = i == a.text.size();
      const bool b_ends = j == b.text.size();
      if (a_ends && b_ends) {
        meets = 1;
        continue;
      }
      if (!a_ends && star(a, i)) {
        meets = reach[(i + 1) * width + j] != 0 || (!b_ends && reach[i * width + j + 1] != 0);
      }
      if (meets == 0 && !b_ends && star(b, j)) {
        meets = reach[i * width + j + 1] != 0 || (!a_ends && reach[(i + 1) * width + j] != 0);
      }
      if (meets == 0 && !a_ends && !b_ends && a.text[i] == b.text[j]) {
        meets = reach[(i + 1) * width + j + 1];
      }
    }
  }
  return reach[0] != 0;
}

// Whether some path matches both. A glob has at most two deep segments, so this stays small.
bool paths_meet(std::span<const Segment> a, std::span<const Segment> b) {
  if (a.empty() && b.empty()) return true;
  if (!a.empty() && a[0].is == Segment::Is::kDeep) {
    return paths_meet(a.subspan(1), b) || (!b.empty() && paths_meet(a, b.subspan(1)));
  }
  if (!b.empty() && b[0].is == Segment::Is::kDeep) return paths_meet(b, a);
  return !a.empty() && !b.empty() && names_meet(a[0], b[0]) &&
         paths_meet(a.subspan(1), b.subspan(1));
}

std::unexpected<Error> refuse(std::string_view text, std::string_view why) {
  return fail(Code::kUsage, fmt::format("'{}' cannot be leased: {}", text, why),
              "name a path of the tree from its top, a glob as src/**/*.cc, or symbol:ID as git "
              "txn symbols prints it");
}

Status check_path(std::string_view whole, std::string_view path) {
  if (path.starts_with('/')) return refuse(whole, "it is absolute");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.empty()) return refuse(whole, "it has an empty name in it");
    if (name == ".") return refuse(whole, "it has a '.' in it");
    if (name == "..") return refuse(whole, "it leads outside of the tree");
    at = end + 1;
  }
  if (lower_ascii(path.substr(0, path.find('/'))) == ".git") {
    return refuse(whole, "it is git's own folder");
  }
  return {};
}

Result<LeaseSubject> parse_glob(std::string_view text) {
  TRY(check_path(text, text));
  const auto rule = search::parse_rule(fmt::format("/{}", text));
  if (!rule)
    return refuse(text, "this is no glob that is understood (" + rule.error().reason + ")");
  return LeaseSubject{LeaseSubject::Kind::kGlob, std::string(text), ""};
}

}  // namespace

Result<LeaseSubject> parse_lease_subject(std::string_view text) {
  if (text.empty()) return refuse(text, "it is empty");
  if (text.size() > kMaxSubject) return refuse(text.substr(0, 40), "it is longer than 1024 bytes");
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < ' '; })) {
    return refuse(text, "it has control characters in it");
  }
  if (text.starts_with(kSymbolWord)) {
    const std::string_view id = text.substr(kSymbolWord.size());
    TRY(check_path(text, id.substr(0, id.find_last_not_of('/') + 1)));
    return LeaseSubject{LeaseSubject::Kind::kSymbol, "", std::string(id)};
  }
  if (text == ".") return LeaseSubject{};
  if (text.ends_with('/') && text.size() > 1) text.remove_suffix(1);
  if (text.find('*') != std::string_view::npos) return parse_glob(text);
  TRY(check_path(text, text));
  return LeaseSubject{LeaseSubject::Kind::kPrefix, std::string(text), ""};
}

std::string subject_text(const LeaseSubject& subject) {
  if (subject.kind == LeaseSubject::Kind::kSymbol) {
    return fmt::format("{}{}{}{}", kSymbolWord, subject.path, subject.path.empty() ? "" : "/",
                       subject.symbol);
  }
  return subject.path.empty() ? "." : subject.path;
}

bool one_in_the_other(std::string_view a, std::string_view b) {
  return a.starts_with(b) || b.starts_with(a);
}

bool overlap(const LeaseSubject& a, const LeaseSubject& b) {
  if (INJECTED_BUG("store.globs_by_text")) return a == b;
  if (!paths_meet(segments_of(a), segments_of(b))) return false;
  const bool symbols =
      a.kind == LeaseSubject::Kind::kSymbol && b.kind == LeaseSubject::Kind::kSymbol;
  return !symbols || one_in_the_other(a.symbol, b.symbol);
}

bool covers(const LeaseSubject& subject, std::string_view path) {
  return paths_meet(segments_of(subject), literal(path));
}

void fields(FieldIo& io, LeaseSubject& subject) {
  using Kind = LeaseSubject::Kind;
  constexpr NameTable<Kind, 3> kNames{
      {{Kind::kPrefix, "prefix"}, {Kind::kGlob, "glob"}, {Kind::kSymbol, "symbol"}}};
  io.thing("lease subject");
  io.choice("kind", subject.kind, kNames);
  io.text("path", subject.path);
  if (io.maybe("symbol", subject.symbol)) io.text("symbol", subject.symbol);
  const bool symbol = subject.kind == Kind::kSymbol;
  if (symbol == subject.symbol.empty()) io.wrong("symbol", "not as its kind says");
  if (subject.kind != Kind::kPrefix && subject.path.empty()) io.wrong("path", "empty");
}

}  // namespace gittxn::store

#include "certify/listings.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/bug.h"
#include "base/text.h"
#include "certify/judge.h"
#include "model/policy.h"

namespace gittxn::certify {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kSeparators = "-_. ";

std::string_view entry_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string_view without_separators(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kSeparators) + 1);
}

// Names that the transaction adds to the directory itself; one that it turned into something else
// is one of them.
std::vector<std::string_view> added_to(std::string_view directory, const Changes& writes) {
  std::vector<std::string_view> names;
  each_entry(writes, directory, [&names](const PathChange& change) {
    if (change.after.present()) names.push_back(entry_name(change.path));
    return true;
  });
  return names;
}

bool touched(const std::string& path, const Footprint& txn) {
  const auto read = [&](const Read& one) { return covers(path, one.subject); };
  const auto wrote = [&](const PathChange& one) { return covers(path, one.path); };
  return std::ranges::any_of(txn.reads.reads, read) || std::ranges::any_of(txn.writes, wrote);
}

// The part of a path in a listing of names.
NamePart part_of_listing(const Read& listing, std::string_view path) {
  if (covers(path, listing.subject)) return NamePart::kRoot;
  return parent_of(path) == listing.subject ? NamePart::kEntry : NamePart::kNone;
}

// True if the transaction cannot depend on what became of this entry.
bool of_no_concern(const PathChange& change, const NameRules& rules) {
  const Footprint& txn = *rules.txn;
  const std::string_view name = entry_name(change.path), directory = parent_of(change.path);
  const auto covered = [&](const std::string& prefix) { return covers(prefix, directory); };
  const bool hard = std::ranges::any_of(rules.hard, covered);
  if (hard && !INJECTED_BUG("certify.soft_listings")) return false;
  const auto written = [&](std::string_view word) { return !rules.named || rules.named(word); };
  const bool came = !change.before.present(), went = !change.after.present();
  if (!came && !went) return false;
  if (went && INJECTED_BUG("certify.gone_names_ignored")) return true;
  if (touched(change.path, txn) || written(name)) return false;
  if (went) return !written(stem_of(name));
  return std::ranges::none_of(added_to(directory, txn.writes), [&](std::string_view own) {
    const bool series = of_one_series(name, own) && !INJECTED_BUG("certify.series_ignored");
    return series || nearly_equal(name, own);
  });
}

}  // namespace

std::string_view stem_of(std::string_view name) {
  const std::size_t first = name.find_first_not_of('.');
  return first == std::string_view::npos ? name : name.substr(0, name.find('.', first));
}

bool nearly_equal(std::string_view a, std::string_view b) {
  return lower_ascii(stem_of(a)) == lower_ascii(stem_of(b));
}

bool of_one_series(std::string_view a, std::string_view b) {
  const std::size_t in_a = a.find_first_of(kDigits), in_b = b.find_first_of(kDigits);
  const std::string before_a = lower_ascii(a.substr(0, in_a));
  const std::string before_b = lower_ascii(b.substr(0, in_b));
  const bool number_a = in_a != std::string_view::npos, number_b = in_b != std::string_view::npos;
  if (number_a && number_b) return before_a == before_b;
  if (!number_a && !number_b) return false;
  const std::string& numbered = number_a ? before_a : before_b;
  const std::string plain = lower_ascii(stem_of(number_a ? b : a));
  return !numbered.empty() && (without_separators(numbered) == plain || numbered == plain);
}

bool is_context(const Read& listing, const Changes& theirs, const NameRules& rules) {
  if (listing.reader != ReaderClass::kShown && !INJECTED_BUG("certify.listings_of_anybody"))
    return false;
  const bool search = listing.kind == ReadKind::kSearch;
  if (search ? !rules.part_of_search : listing.kind != ReadKind::kListing) return false;
  if (listing.digest.starts_with(kUncommitted)) return false;
  return std::ranges::all_of(theirs, [&](const PathChange& change) {
    if (shape_of(change.before) == shape_of(change.after)) return true;
    const NamePart part =
        search ? rules.part_of_search(listing, change.path) : part_of_listing(listing, change.path);
    if (part == NamePart::kRoot) return false;
    return part == NamePart::kNone || of_no_concern(change, rules);
  });
}

}  // namespace gittxn::certify

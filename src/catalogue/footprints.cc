#include "catalogue/footprints.h"

#include <optional>
#include <utility>
#include <vector>

#include "catalogue/bytes.h"
#include "semantic/language.h"

namespace gittxn::catalogue {
namespace {

using semantic::Footprint;
using semantic::Use;
using semantic::Write;

constexpr std::string_view kKind = "footprint";

constexpr auto kWrite = [](auto& io, auto& write) {
  for (auto* text : {&write.symbol, &write.container, &write.path, &write.language, &write.kind,
                     &write.renamed_from, &write.renamed_to, &write.with_type, &write.of_type,
                     &write.asked, &write.asks}) {
    io.name(*text);
  }
  io.list(write.defines, kName);
  for (auto* names : {&write.gone, &write.maybe, &write.beside, &write.bases, &write.gives})
    io.list(*names, kName);
  io.one_of(write.change, semantic::Change::kMoved);
  io.one_of(write.receiver, semantic::Receiver::kPointer);
  for (auto* number : {&write.took, &write.least, &write.most}) io.count(*number);
  for (auto& of : write.what.of) io.flag(of);
  for (auto* flag : {&write.what.contract_in_words,
                     &write.what.comments,
                     &write.opaque,
                     &write.never_parsed,
                     &write.member,
                     &write.ordered,
                     &write.runs,
                     &write.overload,
                     &write.feeds_all,
                     &write.hidden,
                     &write.needed,
                     &write.signed_alike,
                     &write.takes_more,
                     &write.done,
                     &write.number,
                     &write.scoped,
                     &write.linkage,
                     &write.gives_other,
                     &write.takes_places,
                     &write.kept}) {
    io.flag(*flag);
  }
  for (auto* digest : {&write.before, &write.after, &write.behind}) io.hex(*digest, kHexDigest);
};

constexpr auto kUse = [](auto& io, auto& use) {
  for (auto* text : {&use.name, &use.symbol, &use.path, &use.qualifier, &use.declared, &use.named,
                     &use.language}) {
    io.name(*text);
  }
  io.one_of(use.role, semantic::UseRole::kText);
  io.one_of(use.state, semantic::UseState::kLost);
  io.count(use.arity);
  for (auto* flag : {&use.local, &use.of_local, &use.made, &use.valued, &use.set, &use.given})
    io.flag(*flag);
};

constexpr auto kBound = [](auto& io, auto& bound) {
  for (auto* text : {&bound.path, &bound.name, &bound.module, &bound.original}) io.name(*text);
  io.flag(bound.handed);
};

// A name, and how many things it is in.
constexpr auto kDefinition = [](auto& io, auto& definition) {
  io.name(definition.first);
  io.count(definition.second);
};

constexpr auto kFootprint = [](auto& io, auto& kept) {
  auto& footprint = kept.footprint;
  io.number(kept.bytes.before, kMost);
  io.number(kept.bytes.after, kMost);
  io.list(footprint.paths, kName);
  io.list(footprint.writes, kWrite);
  io.list(footprint.uses, kUse);
  io.list(footprint.bound, kBound);
  io.list(footprint.definitions,
          [](auto& each, auto& definitions) { each.shared_list(definitions, kDefinition); });
};

// The path and both versions.
std::string name_of(const PathChange& change) {
  return change.path + '\0' + change.before.oid.str() + '\0' + change.after.oid.str();
}

Result<std::optional<std::string>> text_of(const repo::Objects& objects, const TreeEntry& entry,
                                           std::size_t most) {
  if (!entry.present()) return std::nullopt;
  return TRY(objects.blob(entry.oid, most));
}

}  // namespace

bool is_of_file(const PathChange& change) {
  return change.before.is_file_or_absent() && change.after.is_file_or_absent() &&
         change.before.oid != change.after.oid;
}

bool is_of_code(const PathChange& change) {
  return is_of_file(change) && semantic::language_of_path(change.path) != nullptr;
}

std::string encode(const KeptFootprint& kept) {
  Writer rest;
  kFootprint(rest, kept);
  Writer head;
  head.number(rest.names().size());
  for (const std::string_view name : rest.names()) head.text(name);
  return head.bytes() + rest.bytes();
}

Result<KeptFootprint> decode_footprint(std::string_view bytes) {
  Reader in(bytes);
  in.take_names();
  KeptFootprint kept;
  kFootprint(in, kept);
  if (!in.at_end()) return damaged();
  kept.footprint = semantic::settled(std::move(kept.footprint));
  return kept;
}

Footprints::Footprints(const repo::Objects& objects, CacheOptions options, std::size_t most)
    : objects_(objects), options_(std::move(options)), most_(most) {}

const KeptFootprint* Footprints::find(const PathChange& change, const std::string& name) {
  if (const auto known = known_.find(name); known != known_.end()) return &known->second;
  if (!cache_) cache_.emplace(options_);
  const auto bytes = cache_->find({kKind, &change.after.oid, name});
  if (!bytes) return nullptr;
  auto kept = decode_footprint(*bytes);
  return kept ? &known_.emplace(name, *std::move(kept)).first->second : nullptr;
}

Result<Bytes> Footprints::bytes_of(const PathChange& change) {
  if (const KeptFootprint* kept = find(change, name_of(change))) return kept->bytes;
  const auto size_of = [this](const TreeEntry& entry) -> Result<std::uint64_t> {
    return entry.present() ? objects_.blob_size(entry.oid) : Result<std::uint64_t>(0);
  };
  return Bytes{TRY(size_of(change.before)), TRY(size_of(change.after))};
}

Result<const Footprint*> Footprints::of(const PathChange& change) {
  const std::string name = name_of(change);
  const KeptFootprint* kept = find(change, name);
  if (kept == nullptr) {
    const semantic::FileChange file{change.path, TRY(text_of(objects_, change.before, most_)),
                                    TRY(text_of(objects_, change.after, most_))};
    const auto size_of = [](const std::optional<std::string>& text) {
      return text ? text->size() : 0;
    };
    KeptFootprint made{{size_of(file.before), size_of(file.after)},
                       semantic::footprint_of_file(file, {})};
    cache_->put({kKind, &change.after.oid, name}, encode(made));
    kept = &known_.emplace(name, std::move(made)).first->second;
  }
  return &kept->footprint;
}

void Footprints::make(const Changes& changes, std::uint64_t bytes) {
  std::uint64_t looked = 0;
  for (const PathChange& change : changes) {
    if (!is_of_code(change)) continue;
    const auto has = bytes_of(change);
    if (!has) return;
    looked += has->both();
    if (looked > bytes || !of(change)) return;
  }
}

}  // namespace gittxn::catalogue

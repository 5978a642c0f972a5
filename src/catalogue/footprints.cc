#include "catalogue/footprints.h"

#include <optional>
#include <utility>
#include <vector>

#include "catalogue/bytes.h"

namespace gittxn::catalogue {
namespace {

using semantic::Footprint;
using semantic::Use;
using semantic::Write;

constexpr auto kText = [](auto& io, auto& value) { io.text(value); };

constexpr auto kWrite = [](auto& io, auto& write) {
  for (auto* text : {&write.symbol, &write.container, &write.path, &write.language, &write.kind,
                     &write.renamed_from, &write.renamed_to, &write.with_type, &write.of_type}) {
    io.text(*text);
  }
  io.list(write.defines, kText);
  for (auto* names : {&write.gone, &write.maybe, &write.beside, &write.gives})
    io.list(*names, kText);
  io.one_of(write.change, semantic::Change::kMoved);
  for (auto& of : write.what.of) io.flag(of);
  for (auto* flag : {&write.what.contract_in_words, &write.what.comments, &write.opaque,
                     &write.never_parsed, &write.member, &write.ordered, &write.runs,
                     &write.overload, &write.feeds_all, &write.hidden, &write.needed,
                     &write.signed_alike, &write.takes_more, &write.number, &write.gives_other}) {
    io.flag(*flag);
  }
  for (auto* digest : {&write.before, &write.after, &write.behind}) io.hex(*digest, kHexDigest);
};

constexpr auto kUse = [](auto& io, auto& use) {
  for (auto* text :
       {&use.name, &use.symbol, &use.path, &use.qualifier, &use.declared, &use.language}) {
    io.text(*text);
  }
  io.one_of(use.role, semantic::UseRole::kText);
  io.one_of(use.state, semantic::UseState::kLost);
  io.count(use.arity);
  for (auto* flag : {&use.local, &use.of_local, &use.made, &use.given}) io.flag(*flag);
};

constexpr auto kBound = [](auto& io, auto& bound) {
  for (auto* text : {&bound.path, &bound.name, &bound.module, &bound.original}) io.text(*text);
  io.flag(bound.handed);
};

using Definition = std::pair<std::string, int>;  // a name, and how many things it is in
constexpr auto kDefinition = [](auto& io, auto& definition) {
  io.text(definition.first);
  io.count(definition.second);
};

constexpr auto kFootprint = [](auto& io, auto& footprint, auto& definitions) {
  io.list(footprint.paths, kText);
  io.list(footprint.writes, kWrite);
  io.list(footprint.uses, kUse);
  io.list(footprint.bound, kBound);
  io.list(definitions, kDefinition);
};

Result<std::optional<std::string>> text_of(const repo::Objects& objects, const TreeEntry& entry,
                                           std::size_t most) {
  if (!entry.present()) return std::nullopt;
  return TRY(objects.blob(entry.oid, most));
}

}  // namespace

std::string encode(const Footprint& footprint) {
  const std::vector<Definition> definitions(footprint.definitions.begin(),
                                            footprint.definitions.end());
  Writer writer;
  kFootprint(writer, footprint, definitions);
  return writer.bytes();
}

Result<Footprint> decode_footprint(std::string_view bytes) {
  Reader in(bytes);
  Footprint footprint;
  std::vector<Definition> definitions;
  kFootprint(in, footprint, definitions);
  if (!in.at_end()) return damaged();
  for (const auto& [name, containers] : definitions) footprint.definitions[name] = containers;
  return semantic::settled(std::move(footprint));
}

Result<Footprint> footprint_of(const repo::Objects& objects, const PathChange& change,
                               std::size_t most, Cache* cache) {
  const std::string name = change.path + '\0' + change.before.oid.str();
  const Key key{"footprint", &change.after.oid, name};
  if (cache != nullptr) {
    if (const auto kept = cache->find(key)) {
      if (auto footprint = decode_footprint(*kept)) return *std::move(footprint);
    }
  }
  const Footprint made = semantic::footprint_of_file(
      semantic::FileChange{change.path, TRY(text_of(objects, change.before, most)),
                           TRY(text_of(objects, change.after, most))},
      {});
  if (cache != nullptr) cache->put(key, encode(made));
  return made;
}

}  // namespace gittxn::catalogue

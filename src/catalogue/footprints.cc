#include "catalogue/footprints.h"

#include <array>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "catalogue/bytes.h"

namespace gittxn::catalogue {
namespace {

using semantic::Footprint;
using semantic::Predicate;
using semantic::Use;
using semantic::Write;

// Both have the same face, so that each thing says its fields once.
class Writer {
 public:
  explicit Writer(std::string* out) : out_(out) {}
  void text(const std::string& value) { put_text(out_, value); }
  void digest(const Digest& value) { put_hex(out_, value.str()); }
  void flag(bool value) { put(out_, value ? 1 : 0); }
  void count(int value) { put(out_, static_cast<std::uint64_t>(value + 1)); }
  template <typename T>
  void one_of(T value, T) {
    put(out_, static_cast<std::uint64_t>(value));
  }
  template <typename T, typename Each>
  void list(const std::vector<T>& values, const Each& each) {
    put(out_, values.size());
    for (const T& value : values) each(*this, value);
  }

 private:
  std::string* out_;
};

class Reader {
 public:
  explicit Reader(Bytes* in) : in_(in) {}
  void text(std::string& value) { value = in_->text(); }
  void digest(Digest& value) { value = Digest(in_->hex(kHexDigest)); }
  template <typename T>
  void flag(T& value) {
    value = static_cast<T>(in_->number(2));
  }
  void count(int& value) { value = static_cast<int>(in_->number(1u << 30)) - 1; }
  template <typename T>
  void one_of(T& value, T last) {
    value = static_cast<T>(in_->number(static_cast<std::uint64_t>(last) + 1));
  }
  template <typename T, typename Each>
  void list(std::vector<T>& values, const Each& each) {
    for (std::size_t n = in_->count(); n > 0 && in_->ok(); --n) each(*this, values.emplace_back());
  }

 private:
  Bytes* in_;
};

constexpr auto kText = [](auto& io, auto& value) { io.text(value); };

constexpr auto kPredicate = [](auto& io, auto& predicate) {
  io.one_of(predicate.kind, semantic::PredicateKind::kImporters);
  io.text(predicate.name);
};

constexpr auto kWrite = [](auto& io, auto& write) {
  for (auto* text : {&write.symbol, &write.container, &write.path, &write.language, &write.kind,
                     &write.renamed_from, &write.renamed_to, &write.of_type}) {
    io.text(*text);
  }
  io.list(write.defines, kText);
  io.list(write.maybe, kText);
  io.one_of(write.change, semantic::Change::kMoved);
  for (auto& of : write.what.of) io.flag(of);
  for (auto* flag :
       {&write.what.contract_in_words, &write.what.comments, &write.opaque, &write.never_parsed,
        &write.member, &write.ordered, &write.runs, &write.overload, &write.feeds_all}) {
    io.flag(*flag);
  }
  io.digest(write.before);
  io.digest(write.after);
  io.digest(write.behind);
};

constexpr auto kUse = [](auto& io, auto& use) {
  for (auto* text : {&use.name, &use.symbol, &use.path, &use.qualifier, &use.language}) {
    io.text(*text);
  }
  io.one_of(use.role, semantic::UseRole::kText);
  io.one_of(use.state, semantic::UseState::kLost);
  io.count(use.arity);
  io.flag(use.local);
};

struct Definition {
  std::string name;
  int containers = 0;
};
constexpr auto kDefinition = [](auto& io, auto& definition) {
  io.text(definition.name);
  io.count(definition.containers);
};

// `touched` follows from the others.
constexpr auto kFootprint = [](auto& io, auto& footprint, auto& definitions) {
  io.list(footprint.paths, kText);
  io.list(footprint.writes, kWrite);
  io.list(footprint.uses, kUse);
  io.list(footprint.read, kPredicate);
  io.list(definitions, kDefinition);
};

Result<std::optional<std::string>> text_of(const repo::Objects& objects, const TreeEntry& entry,
                                           std::size_t most) {
  if (!entry.present()) return std::nullopt;
  return TRY(objects.blob(entry.oid, most));
}

}  // namespace

std::string encode(const Footprint& footprint) {
  std::vector<Definition> definitions;
  for (const auto& [name, containers] : footprint.definitions) {
    definitions.push_back({name, containers});
  }
  std::string out;
  Writer writer(&out);
  kFootprint(writer, footprint, std::as_const(definitions));
  return out;
}

Result<Footprint> decode_footprint(std::string_view bytes) {
  Bytes in(bytes);
  Reader reader(&in);
  Footprint footprint;
  std::vector<Definition> definitions;
  kFootprint(reader, footprint, definitions);
  if (!in.at_end()) return damaged();
  for (const Definition& definition : definitions) {
    footprint.definitions[definition.name] = definition.containers;
  }
  std::vector<Footprint> one;
  one.push_back(std::move(footprint));
  return semantic::together(std::move(one));  // with what follows from the rest
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

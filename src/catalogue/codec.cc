#include "catalogue/codec.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "catalogue/bytes.h"

namespace gittxn::catalogue {
namespace {

using semantic::FileFacts;
using semantic::Symbol;

// --- a file ---

// Those that say what the one before says are a bit each.
constexpr auto kDigests = [](auto& io, auto& symbol) {
  std::array all{&symbol.hashes[0], &symbol.hashes[1], &symbol.hashes[2],   &symbol.hashes[3],
                 &symbol.hashes[4], &symbol.nameless,  &symbol.annotations, &symbol.comments,
                 &symbol.order,     &symbol.raw};
  static_assert(all.size() == semantic::kCapabilities + 5);
  std::uint64_t same = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    if (*all[i] == *all[i - 1]) same |= std::uint64_t{1} << i;
  }
  io.number(same, std::uint64_t{1} << all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0 && (same >> i & 1) != 0) {
      io.again(*all[i], *all[i - 1]);
    } else {
      io.hex(*all[i], kHexDigest);
    }
  }
};

// Without its id and container.
constexpr auto kSymbol = [](auto& io, auto& symbol, auto& lines) {
  io.name(symbol.kind);
  io.name(symbol.name);
  io.list(symbol.defines, kName);
  kDigests(io, symbol);
  io.list(symbol.extents, [](auto& each, auto& extent) {
    each.number(extent.begin, kMost);
    each.distance(extent.begin, extent.end, kMost);
  });
  io.flag(symbol.opaque);
  io.number(lines.first, kMost);
  io.distance(lines.first, lines.last, kMost);
};

constexpr auto kUses = [](auto& io, auto& facts) {
  std::uint32_t last = 0;  // they are sorted by symbol
  io.list(facts.references, [&](auto& each, auto& use) {
    each.distance(last, use.symbol, facts.symbols.size() - last);
    last = use.symbol;
    each.name(use.name);
    each.name(use.qualifier);
    each.name(use.declared);
    each.number(use.line, kMost);
    each.count(use.arity);
    each.one_of(use.role, semantic::UseRole::kText);
    each.flag(use.of_local);
  });
  io.list(facts.parts, [](auto& each, auto& part) {
    each.number(part.symbol, kMost);
    each.number(part.lines.first, kMost);
    each.distance(part.lines.first, part.lines.last, kMost);
  });
  io.list(facts.imports, [](auto& each, auto& import) {
    each.text(import.module);
    each.number(import.line, kMost);
    each.flag(import.all);
    each.list(import.binds, [](auto& one, auto& binding) {
      one.name(binding.local);
      one.name(binding.original);
    });
  });
};

// --- a directory ---

constexpr auto kDirectory = [](auto& io, auto& directory) {
  io.list(directory.files, [](auto& each, auto& file) {
    each.text(file.name);
    each.one_of(file.entry.mode, FileMode::kSubmodule);
    each.hex(file.entry.oid, kHexOid);
    each.hashes(file.names);
  });
  io.list(directory.subdirectories, [](auto& each, auto& sub) {
    each.text(sub.name);
    each.hex(sub.tree, kHexOid);
  });
};

bool is_mode(FileMode mode) {
  return mode == FileMode::kFile || mode == FileMode::kExecutable || mode == FileMode::kLink ||
         mode == FileMode::kSubmodule;
}

}  // namespace

std::string encode(const FileFacts& facts) {
  Writer rest;
  rest.text(facts.language);
  rest.one_of(facts.opaque, semantic::Opaque::kNotAFile);
  rest.number(facts.symbols.size());
  std::unordered_map<std::string_view, std::uint64_t> places;  // from 1; 0: it is in nothing
  for (std::size_t i = 0; i < facts.symbols.size(); ++i) {
    const Symbol& symbol = facts.symbols[i];
    const auto found = places.find(symbol.container);
    const bool inside = found != places.end() && symbol.id.starts_with(symbol.container);
    rest.number(inside ? found->second : 0);
    // What is in front of the last part of an id is the container's.
    rest.text(std::string_view(symbol.id).substr(inside ? symbol.container.size() : 0));
    kSymbol(rest, symbol, facts.lines[i]);
    places.emplace(symbol.id, i + 1);
  }
  kUses(rest, facts);
  Writer head;
  head.hashes(names_in(facts));
  head.number(rest.names().size());
  for (const std::string_view name : rest.names()) head.text(name);
  return head.bytes() + rest.bytes();
}

Result<NameSet> decode_names(std::string_view bytes) {
  Reader in(bytes);
  NameSet names;
  in.hashes(names);
  if (!in.ok()) return damaged();
  return names;
}

Result<FileFacts> decode_facts(std::string_view bytes) {
  Reader in(bytes);
  NameSet names;
  in.hashes(names);
  in.take_names();
  FileFacts facts;
  in.text(facts.language);
  in.one_of(facts.opaque, semantic::Opaque::kNotAFile);
  for (std::size_t n = in.take_count(); n > 0 && in.ok(); --n) {
    Symbol symbol;
    const std::size_t container = in.take_number(facts.symbols.size() + 1);
    if (container > 0) symbol.container = facts.symbols[container - 1].id;
    symbol.id = symbol.container;
    symbol.id += in.take_text();
    kSymbol(in, symbol, facts.lines.emplace_back());
    facts.symbols.push_back(std::move(symbol));
  }
  if (!in.ok() || facts.symbols.empty()) return damaged();
  kUses(in, facts);
  if (!in.at_end()) return damaged();
  return facts;
}

std::string encode(const Directory& directory) {
  Writer writer;
  kDirectory(writer, directory);
  return writer.bytes();
}

Result<Directory> decode_directory(std::string_view bytes) {
  Reader in(bytes);
  Directory directory;
  kDirectory(in, directory);
  const auto no_mode = [](const FileNames& file) { return !is_mode(file.entry.mode); };
  if (!in.at_end() || std::ranges::any_of(directory.files, no_mode)) return damaged();
  return directory;
}

const Digest& analysis_version() {
  static const Digest version = sha256_fields({std::to_string(kAnalysis), analysis_inputs()});
  return version;
}

}  // namespace gittxn::catalogue

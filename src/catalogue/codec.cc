#include "catalogue/codec.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "catalogue/bytes.h"

namespace gittxn::catalogue {
namespace {

using semantic::FileFacts;
using semantic::Symbol;

// --- a file ---

// Each text once, in the order of its first use.
class Texts {
 public:
  std::uint64_t place(std::string_view text) {
    const auto [found, added] = places_.try_emplace(text, all_.size());
    if (added) all_.push_back(text);
    return found->second;
  }
  const std::vector<std::string_view>& all() const { return all_; }

 private:
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::string_view> all_;
};

bool is_mode(FileMode mode) {
  switch (mode) {
    case FileMode::kFile:
    case FileMode::kExecutable:
    case FileMode::kLink:
    case FileMode::kSubmodule:
      return true;
    case FileMode::kNone:
    case FileMode::kTree:
      return false;
  }
  return false;
}

constexpr std::size_t kDigests = semantic::kCapabilities + 5;
std::array<Digest*, kDigests> digests_of(Symbol* symbol) {
  std::array<Digest*, kDigests> all{};
  for (std::size_t i = 0; i < semantic::kCapabilities; ++i) all[i] = &symbol->hashes[i];
  std::size_t at = semantic::kCapabilities;
  for (Digest* digest :
       {&symbol->nameless, &symbol->annotations, &symbol->comments, &symbol->order, &symbol->raw}) {
    all[at++] = digest;
  }
  return all;
}

void put_symbol(std::string* out, const Symbol& symbol, std::uint64_t container,
                const semantic::Lines& lines, Texts* texts) {
  put(out, container);
  // What is in front of the last part of an id is the container's.
  put_text(out, std::string_view(symbol.id).substr(container == 0 ? 0 : symbol.container.size()));
  put(out, texts->place(symbol.kind));
  put(out, texts->place(symbol.name));
  put(out, symbol.defines.size());
  for (const std::string& name : symbol.defines) put(out, texts->place(name));
  Symbol copy = symbol;
  std::uint64_t same = 0;  // those that say what the one before says
  const auto digests = digests_of(&copy);
  for (std::size_t i = 1; i < digests.size(); ++i) {
    if (*digests[i] == *digests[i - 1]) same |= std::uint64_t{1} << i;
  }
  put(out, same);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if ((same >> i & 1) == 0) put_hex(out, digests[i]->str());
  }
  put(out, symbol.extents.size());
  for (const semantic::Extent& extent : symbol.extents) {
    put(out, extent.begin);
    put(out, extent.end - extent.begin);
  }
  put(out, symbol.opaque ? 1 : 0);
  put(out, lines.first);
  put(out, lines.last - lines.first);
}

constexpr std::uint64_t kMost = 1ull << 32;  // of places in a file

Symbol take_symbol(Bytes* in, const std::vector<std::string_view>& texts,
                   const std::vector<Symbol>& before, semantic::Lines* lines) {
  Symbol symbol;
  // 0: it is in nothing.
  const std::size_t container = in->number(before.size() + 1);
  if (container > 0) symbol.container = before[container - 1].id;
  symbol.id = symbol.container;
  symbol.id += in->text();
  const auto text = [&] {
    const std::size_t at = in->number(texts.size());
    return in->ok() ? std::string(texts[at]) : std::string();
  };
  symbol.kind = text();
  symbol.name = text();
  for (std::size_t n = in->count(); n > 0 && in->ok(); --n) symbol.defines.push_back(text());
  const auto digests = digests_of(&symbol);
  const std::uint64_t same = in->number(std::uint64_t{1} << kDigests);
  for (std::size_t i = 0; i < digests.size(); ++i) {
    const bool again = i > 0 && (same >> i & 1) != 0;
    *digests[i] = again ? *digests[i - 1] : Digest(in->hex(kHexDigest));
  }
  for (std::size_t n = in->count(); n > 0 && in->ok(); --n) {
    const std::size_t begin = in->number(kMost);
    const std::size_t size = in->number(kMost);
    symbol.extents.push_back({begin, begin + size});
  }
  symbol.opaque = in->number(2) == 1;
  lines->first = static_cast<std::uint32_t>(in->number(kMost));
  lines->last = lines->first + static_cast<std::uint32_t>(in->number(kMost));
  return symbol;
}

void put_references(std::string* out, const FileFacts& facts, Texts* texts) {
  put(out, facts.references.size());
  std::uint32_t last = 0;
  for (const semantic::Reference& use : facts.references) {
    put(out, use.symbol - last);  // they are sorted by symbol
    last = use.symbol;
    put(out, texts->place(use.name));
    put(out, texts->place(use.qualifier));
    put(out, use.line);
    put(out, static_cast<std::uint64_t>(std::int64_t{use.arity} + 1));
    put(out, static_cast<std::uint64_t>(use.role));
  }
}

void put_imports(std::string* out, const FileFacts& facts, Texts* texts) {
  put(out, facts.imports.size());
  for (const semantic::Import& import : facts.imports) {
    put_text(out, import.module);
    put(out, import.line);
    put(out, import.all ? 1 : 0);
    put(out, import.binds.size());
    for (const semantic::Binding& binding : import.binds) {
      put(out, texts->place(binding.local));
      put(out, texts->place(binding.original));
    }
  }
}

void take_references(Bytes* in, const std::vector<std::string_view>& texts, FileFacts* facts) {
  std::size_t symbol = 0;
  for (std::size_t n = in->count(); n > 0 && in->ok(); --n) {
    semantic::Reference use;
    symbol += in->number(facts->symbols.size() - symbol);
    use.symbol = static_cast<std::uint32_t>(symbol);
    const std::size_t name = in->number(texts.size());
    const std::size_t qualifier = in->number(texts.size());
    use.line = static_cast<std::uint32_t>(in->number(kMost));
    use.arity = static_cast<std::int32_t>(in->number(1u << 30)) - 1;
    constexpr auto kRoles = static_cast<std::uint64_t>(semantic::UseRole::kText) + 1;
    use.role = static_cast<semantic::UseRole>(in->number(kRoles));
    if (!in->ok()) return;
    use.name = texts[name];
    use.qualifier = texts[qualifier];
    facts->references.push_back(std::move(use));
  }
}

void take_imports(Bytes* in, const std::vector<std::string_view>& texts, FileFacts* facts) {
  for (std::size_t n = in->count(); n > 0 && in->ok(); --n) {
    semantic::Import import;
    import.module = in->text();
    import.line = static_cast<std::uint32_t>(in->number(kMost));
    import.all = in->number(2) == 1;
    for (std::size_t m = in->count(); m > 0 && in->ok(); --m) {
      const std::size_t local = in->number(texts.size());
      const std::size_t original = in->number(texts.size());
      if (!in->ok()) return;
      import.binds.push_back({std::string(texts[local]), std::string(texts[original])});
    }
    facts->imports.push_back(std::move(import));
  }
}

}  // namespace

std::string encode(const FileFacts& facts) {
  Texts texts;
  std::string rest;
  put_text(&rest, facts.language);
  put(&rest, static_cast<std::uint64_t>(facts.opaque));
  put(&rest, facts.symbols.size());
  std::unordered_map<std::string_view, std::uint64_t> places;  // from 1
  for (std::size_t i = 0; i < facts.symbols.size(); ++i) {
    const Symbol& symbol = facts.symbols[i];
    const auto found = places.find(symbol.container);
    const bool inside = found != places.end() && symbol.id.starts_with(symbol.container);
    put_symbol(&rest, symbol, inside ? found->second : 0, facts.lines[i], &texts);
    places.emplace(symbol.id, i + 1);
  }
  put_references(&rest, facts, &texts);
  put_imports(&rest, facts, &texts);
  std::string out;
  put_hashes(&out, names_in(facts));
  put(&out, texts.all().size());
  for (const std::string_view text : texts.all()) put_text(&out, text);
  return out + rest;
}

Result<NameSet> decode_names(std::string_view bytes) {
  Bytes in(bytes);
  NameSet names = in.hashes();
  if (!in.ok()) return damaged();
  return names;
}

Result<FileFacts> decode_facts(std::string_view bytes) {
  Bytes in(bytes);
  static_cast<void>(in.hashes());
  std::vector<std::string_view> texts;
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) texts.push_back(in.text());
  FileFacts facts;
  facts.language = in.text();
  constexpr auto kReasons = static_cast<std::uint64_t>(semantic::Opaque::kNotAFile) + 1;
  facts.opaque = static_cast<semantic::Opaque>(in.number(kReasons));
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    semantic::Lines lines;
    facts.symbols.push_back(take_symbol(&in, texts, facts.symbols, &lines));
    facts.lines.push_back(lines);
  }
  if (!in.ok() || facts.symbols.empty()) return damaged();
  take_references(&in, texts, &facts);
  take_imports(&in, texts, &facts);
  if (!in.at_end()) return damaged();
  return facts;
}

std::string encode(const Directory& directory) {
  std::string out;
  put(&out, directory.files.size());
  for (const FileNames& file : directory.files) {
    put_text(&out, file.name);
    put(&out, static_cast<std::uint64_t>(file.entry.mode));
    put_hex(&out, file.entry.oid.str());
    put_hashes(&out, file.names);
  }
  put(&out, directory.subdirectories.size());
  for (const Subdirectory& sub : directory.subdirectories) {
    put_text(&out, sub.name);
    put_hex(&out, sub.tree.str());
  }
  return out;
}

Result<Directory> decode_directory(std::string_view bytes) {
  Bytes in(bytes);
  Directory directory;
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    FileNames file;
    file.name = in.text();
    file.entry.mode = static_cast<FileMode>(in.number(0200000));
    file.entry.oid = Oid(in.hex(kHexOid));
    file.names = in.hashes();
    if (!is_mode(file.entry.mode)) return damaged();
    directory.files.push_back(std::move(file));
  }
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    Subdirectory sub;
    sub.name = in.text();
    sub.tree = Oid(in.hex(kHexOid));
    directory.subdirectories.push_back(std::move(sub));
  }
  if (!in.at_end()) return damaged();
  return directory;
}

}  // namespace gittxn::catalogue

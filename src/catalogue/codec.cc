#include "catalogue/codec.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace gittxn::catalogue {
namespace {

using semantic::FileFacts;
using semantic::Symbol;

constexpr std::size_t kHexOid = 40;
constexpr std::size_t kHexDigest = 64;
constexpr unsigned kVarintBits = 64;

void put(std::string* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *out += static_cast<char>(value);
}

void put_text(std::string* out, std::string_view text) {
  put(out, text.size());
  *out += text;
}

int digit_of(char c) {
  return c <= '9' ? c - '0' : c - 'a' + 10;
}

// Lower-case hex digits as half as many bytes; an empty one as nothing but its length.
void put_hex(std::string* out, std::string_view hex) {
  put(out, hex.size() / 2);
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    *out += static_cast<char>(digit_of(hex[i]) * 16 + digit_of(hex[i + 1]));
  }
}

void put_names(std::string* out, const NameSet& names) {
  put(out, names.size());
  for (const std::uint32_t name : names) {
    for (unsigned shift = 0; shift < 32; shift += 8) {
      *out += static_cast<char>((name >> shift) & 0xff);
    }
  }
}

std::unexpected<Error> damaged() {
  return fail(Code::kCorrupt, "an entry of the catalogue is damaged");
}

// Reads what was put; after the first thing that does not fit every answer is empty and ok() false.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  bool at_end() const { return ok_ && rest_.empty(); }

  std::uint64_t number(std::uint64_t below) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < kVarintBits; shift += 7) {
      if (rest_.empty()) return refuse();
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value < below ? value : refuse();
    }
    return refuse();
  }
  // Of things that take a byte each at least.
  std::size_t count() { return number(rest_.size() + 1); }

  std::string_view text() {
    const std::size_t size = count();
    if (size > rest_.size()) refuse();
    const std::string_view text = rest_.substr(0, ok_ ? size : 0);
    rest_.remove_prefix(text.size());
    return text;
  }
  std::string hex(std::size_t digits) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::string_view raw = text();
    if (!raw.empty() && raw.size() * 2 != digits) refuse();
    std::string out;
    for (const char c : raw) {
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
    }
    return out;
  }
  NameSet names() {
    const std::size_t size = count();
    if (size > rest_.size() / 4) refuse();
    NameSet names(ok_ ? size : 0);
    for (std::uint32_t& name : names) {
      for (unsigned i = 0; i < 4; ++i) {
        name |= static_cast<std::uint32_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
      }
      rest_.remove_prefix(4);
    }
    if (std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) != names.end()) {
      refuse();
    }
    return names;
  }

 private:
  std::uint64_t refuse() {
    ok_ = false;
    rest_ = {};
    return 0;
  }
  std::string_view rest_;
  bool ok_ = true;
};

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
  put_names(&out, names_in(facts));
  put(&out, texts.all().size());
  for (const std::string_view text : texts.all()) put_text(&out, text);
  return out + rest;
}

Result<NameSet> decode_names(std::string_view bytes) {
  Bytes in(bytes);
  NameSet names = in.names();
  if (!in.ok()) return damaged();
  return names;
}

Result<FileFacts> decode_facts(std::string_view bytes) {
  Bytes in(bytes);
  static_cast<void>(in.names());
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
    put_names(&out, file.names);
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
    file.names = in.names();
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

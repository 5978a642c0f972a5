// Three versions of a file as in fuzz/merge.cc: their symbols, what two sides did, and whether that
// commutes.
#include "fuzz/check.h"
#include "fuzz/languages.h"
#include "semantic/commute.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gittxn::semantic;
  if (size == 0) return 0;
  const std::string path(fuzzed(data[0]).path);
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string texts[3];
  for (std::string& text : texts) {
    const std::size_t end = std::min(rest.find("\f\n"), rest.size());
    text = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), end + 2));
  }
  const Footprint a = footprint_of({{path, texts[0], texts[1]}}, {});
  const Footprint b = footprint_of({{path, texts[0], texts[2]}}, {});
  const Commuted forth = commute(a, b), back = commute(b, a);
  CHECK(forth.verdict == back.verdict);
  CHECK((forth.verdict == Verdict::kCommute) == forth.findings.empty());
  if (texts[0] == texts[1]) CHECK(forth.verdict == Verdict::kCommute);
  const FileSymbols symbols = symbols_of(language_of(path, texts[0]), path, texts[0], {});
  CHECK(!symbols.symbols.empty());
  CHECK(same_to(Reader::kPerson, symbols, symbols));
  return 0;
}

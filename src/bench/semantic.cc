#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

#include "base/fs.h"
#include "bench/measures.h"
#include "bench/world.h"
#include "semantic/footprint.h"
#include "semantic/symbol.h"
#include "semantic/syntax.h"

namespace gittxn::bench {
namespace {

namespace fs = std::filesystem;
using semantic::Language;

constexpr int kParses = 9;
constexpr std::size_t kBytesOfARound = 400'000;

struct Corpus {
  std::string name;
  const Language* language = nullptr;
  std::vector<SourceFile> files;
  std::size_t bytes = 0;
};

Status add_file(const fs::path& path, Corpus* corpus) {
  SourceFile source{path.filename().string(), TRY(read_file(path.string()))};
  corpus->bytes += source.text.size();
  corpus->files.push_back(std::move(source));
  return {};
}

// The sample of each language, and the C++ of this repository.
Result<std::vector<Corpus>> corpora(const std::string& sources) {
  std::vector<Corpus> all;
  for (const semantic::LanguageText& folder : semantic::language_texts()) {
    Corpus corpus{std::string(folder.name), semantic::find_language(folder.name), {}, 0};
    const fs::path path = fs::path(sources) / "src/semantic/languages" / corpus.name;
    for (const auto& file : fs::directory_iterator(path)) {
      if (file.path().stem() == "sample") TRY(add_file(file.path(), &corpus));
    }
    if (!corpus.files.empty()) all.push_back(std::move(corpus));
  }
  Corpus own{"this repository", semantic::find_language("cpp"), {}, 0};
  for (const auto& file : fs::directory_iterator(fs::path(sources) / "src/semantic")) {
    if (file.path().extension() == ".cc") TRY(add_file(file.path(), &own));
  }
  all.push_back(std::move(own));
  return all;
}

// A line of the middle twice: one edit of one declaration.
std::string with_an_edit(const std::string& text) {
  const std::size_t line = text.find('\n', text.size() / 2);
  const std::size_t end = line == std::string::npos ? line : text.find('\n', line + 1);
  if (end == std::string::npos) return text + text;
  return text.substr(0, end) + text.substr(line);
}

Status languages(const std::string& sources) {
  const std::vector<Corpus> all = TRY(corpora(sources));
  for (const Corpus& corpus : all) {
    const std::size_t times = std::max<std::size_t>(1, kBytesOfARound / corpus.bytes);
    const auto each = [&](const std::function<bool(const SourceFile&)>& use) {
      return [&corpus, times, use]() -> Status {
        for (std::size_t i = 0; i < times; ++i) {
          for (const SourceFile& source : corpus.files) {
            if (!use(source)) return fail(Code::kFault, source.path + " cannot be looked into");
          }
        }
        return {};
      };
    };
    const Language& language = *corpus.language;
    const auto parse = each([&](const SourceFile& source) {
      return semantic::VersionParser(language, {}).parse(source.text).has_value();
    });
    const auto tree = each([&](const SourceFile& source) {
      return semantic::Tree::parse(language, source.text, {}) != nullptr;
    });
    const auto symbols = each([&](const SourceFile& source) {
      return !semantic::symbols_of(&language, source.path, source.text, {}).symbols.empty();
    });
    const auto footprint = each([&](const SourceFile& source) {
      return !semantic::footprint_of({{source.path, source.text, with_an_edit(source.text)}}, {})
                  .paths.empty();
    });
    Measured ms[4];
    for (int round = 0; round < kParses; ++round) {
      TRY(ms[0].time(parse, Of::kProcess));
      TRY(ms[1].time(tree, Of::kProcess));
      TRY(ms[2].time(symbols, Of::kProcess));
      TRY(ms[3].time(footprint, Of::kProcess));
    }
    const double kilobytes = static_cast<double>(corpus.bytes * times) / 1e3;
    const auto rate = [&](const Measured& of) { return kilobytes / std::max(of.median(), 1e-3); };
    fmt::print("semantic {:<16} parse={:.1f} tree={:.1f} symbols={:.1f} footprint={:.1f} MB/s\n",
               corpus.name, rate(ms[0]), rate(ms[1]), rate(ms[2]), rate(ms[3]));
  }
  return {};
}

}  // namespace

Status measure_semantic(const Asked& asked) {
  return languages(asked.words[0]);
}

}  // namespace gittxn::bench

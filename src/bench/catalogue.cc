#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "base/fs.h"
#include "base/hash.h"
#include "bench/measures.h"
#include "bench/world.h"
#include "catalogue/impact.h"
#include "repo/repository.h"
#include "semantic/file_facts.h"

namespace gittxn::bench {
namespace {

namespace fs = std::filesystem;
using catalogue::Catalogue;

constexpr std::size_t kMostSource = 200'000;  // bytes; larger ones are not what people edit
constexpr std::size_t kMostSources = 4'000;
constexpr std::uint64_t kParsed = 8'000'000;  // bytes that one thread is timed with
constexpr int kUpdates = 15;
constexpr std::size_t kEdits = 10;
constexpr std::size_t kAny = static_cast<std::size_t>(-1);

struct CatalogueFigures {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t threads = 0;
  Measured cold;
  Measured cold_cpu;      // of all threads
  double kept_mib = 0;    // on disk
  double look_mb_s = 0;   // of processor time: all that is kept of a file
  double parse_mb_s = 0;  // of processor time: its tree alone
  Measured warm;          // ten files changed, the catalogue opened anew
  Measured warm_cpu;      // the same, of all threads
  Measured same;          // nothing changed
  Measured file;          // symbols of one file that is kept
  Measured impact;        // of one name

  void print() const {
    const double mb = static_cast<double>(bytes) / 1e6;
    fmt::print("catalogue files={} mb={:.1f} threads={} cold_s={:.1f} of_processor_time_s={:.1f}\n",
               files, mb, threads, cold.median() / 1e3, cold_cpu.median() / 1e3);
    fmt::print("catalogue of_processor_time: tree_mb_s={:.2f} all_that_is_kept_mb_s={:.2f}\n",
               parse_mb_s, look_mb_s);
    fmt::print(
        "catalogue ten_files_changed_ms={:.1f} of_processor_time_ms={:.1f} "
        "nothing_changed_ms={:.1f} one_file_ms={:.1f} impact_ms={:.1f} on_disk_mib={:.0f}\n",
        warm.median(), warm_cpu.median(), same.median(), file.median(), impact.median(), kept_mib);
  }
};

std::vector<SourceFile> sources_below(const std::vector<std::string>& roots) {
  std::vector<SourceFile> found;
  std::set<std::string> seen;
  for (const std::string& root : roots) {
    std::error_code error;
    std::vector<std::string> paths;
    const auto options = fs::directory_options::skip_permission_denied;
    for (fs::recursive_directory_iterator at(root, options, error), end; at != end && !error;
         at.increment(error)) {
      const bool file = at->is_regular_file(error) && at->file_size(error) <= kMostSource;
      if (file && semantic::language_of_path(at->path().string()) != nullptr) {
        paths.push_back(at->path().string());
      }
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) {
      if (found.size() == kMostSources) return found;
      auto text = read_file(path, kMostSource);
      if (!text || text->empty() || !seen.insert(sha256(*text).str()).second) continue;
      found.push_back({path, *std::move(text)});
    }
  }
  return found;
}

class Measuring {
 public:
  Measuring(repo::Repository repository, std::string cache, CatalogueFigures* figures)
      : repository_(std::move(repository)), cache_(std::move(cache)), out_(*figures) {}

  Status run() {
    const Oid head = TRY(repository_.refs().read(RefName("refs/heads/main")));
    Oid tree = TRY(repository_.objects().tree_of(head));
    out_.threads = std::max(1u, std::thread::hardware_concurrency());
    const auto timed_fill = [&](Measured& clock, Measured& processor, std::size_t expected) {
      const auto filling = [&] { return clock.time([&] { return fill(tree, expected); }); };
      return processor.time(filling, Of::kProcess);
    };
    TRY(timed_fill(out_.cold, out_.cold_cpu, kAny));
    for (int round = 0; round < kUpdates; ++round) {
      tree = TRY(edited(tree, round));
      TRY(timed_fill(out_.warm, out_.warm_cpu, kEdits));
      TRY(out_.same.time([&] { return fill(tree, 0); }));
      TRY(out_.file.time([&] { return file(tree); }));
      TRY(out_.impact.time([&] { return impact(tree); }));
    }
    const auto catalogue = open();
    out_.kept_mib = static_cast<double>(catalogue->cache().bytes_on_disk()) / (1 << 20);
    return {};
  }

 private:
  // As a program that has just been started.
  std::unique_ptr<Catalogue> open() {
    catalogue::CatalogueOptions options;
    options.cache.directory = cache_;
    options.cache.clock = &clock_;
    return std::make_unique<Catalogue>(repository_.objects(), repository_.git(), options);
  }

  Status fill(const Oid& tree, std::size_t expected) {
    const catalogue::Filled filled = TRY(open()->fill(tree));
    if (filled.files == expected || expected == kAny) return {};
    return fail(Code::kFault,
                fmt::format("{} files were looked into, not {}", filled.files, expected));
  }

  Status file(const Oid& tree) {
    const std::string path = path_of(0);
    const TreeEntry entry = TRY(repository_.objects().entry_at(tree, path));
    TRY(open()->file(path, entry));
    return {};
  }

  Status impact(const Oid& tree) {
    const auto catalogue = open();
    const auto found = TRY(catalogue::find_subjects(*catalogue, tree, "value_of_bench"));
    if (found.subjects.empty()) return fail(Code::kFault, "what was added is not found");
    TRY(catalogue::impact_of(*catalogue, tree, {found.subjects.front()}, catalogue::Uses::kAll));
    return {};
  }

  std::string path_of(std::size_t n) {
    const Oid head = repository_.refs().read(RefName("refs/heads/main")).value_or(Oid());
    if (names_.empty()) {
      const auto visitor = [&](const std::string& path, const catalogue::FileNames&) -> Status {
        names_.push_back(path.find('/') == path.npos ? "/" + path : path);
        return {};
      };
      if (!open()->visit(head, visitor)) return {};
    }
    return names_[n % names_.size()];
  }

  // Ten files of ten directories, the first of them with a name that is asked for.
  Result<Oid> edited(const Oid& tree, int round) {
    Changes changes;
    repo::Objects& objects = repository_.objects();
    for (std::size_t n = 0; n < kEdits; ++n) {
      const std::string path = path_of(n * 997 + 13);
      const TreeEntry entry = TRY(objects.entry_at(tree, path));
      std::string text = TRY(objects.blob(entry.oid));
      text += fmt::format("\n{}\n", std::string(static_cast<std::size_t>(round) + 1, ' '));
      changes.push_back({path, entry, {entry.mode, TRY(objects.write_blob(text))}});
    }
    if (round == 0) {
      const Oid added = TRY(objects.write_blob("def value_of_bench():\n    return 1\n"));
      changes.back() = {"bench.py", {}, {FileMode::kFile, added}};
    }
    std::ranges::sort(changes, {}, &PathChange::path);
    return objects.apply(tree, changes);
  }

  repo::Repository repository_;
  std::string cache_;
  CatalogueFigures& out_;
  SystemClock clock_;
  std::vector<std::string> names_;
};

Status time_threads(const std::vector<SourceFile>& sources, CatalogueFigures* figures) {
  std::uint64_t bytes = 0;
  std::vector<const SourceFile*> chosen;
  for (std::size_t i = 0; i < sources.size() && bytes < kParsed; ++i) {
    chosen.push_back(&sources[(i * 7919) % sources.size()]);
    bytes += chosen.back()->text.size();
  }
  const auto look = [&]() -> Status {
    for (const SourceFile* source : chosen) {
      const auto facts = semantic::facts_of(source->path, source->text, {});
      if (facts.symbols.empty()) return fail(Code::kFault, "no symbol in " + source->path);
    }
    return {};
  };
  const auto parse = [&]() -> Status {
    for (const SourceFile* source : chosen) {
      const auto* language = semantic::language_of_path(source->path);
      const auto tree =
          semantic::Tree::parse(*language, source->text, {}, semantic::Detail::kFacts);
      if (tree != nullptr && tree->text().empty()) return fail(Code::kFault, "nothing was parsed");
    }
    return {};
  };
  constexpr double kBytesPerMsToMbPerS = 1e-3;
  figures->look_mb_s =
      static_cast<double>(bytes) / TRY(time_ms(look, Of::kProcess)) * kBytesPerMsToMbPerS;
  figures->parse_mb_s =
      static_cast<double>(bytes) / TRY(time_ms(parse, Of::kProcess)) * kBytesPerMsToMbPerS;
  return {};
}

}  // namespace

Status measure_catalogue(const Asked& asked) {
  const std::vector<SourceFile> sources =
      sources_below({asked.words.begin() + 1, asked.words.end()});
  if (sources.empty()) return fail(Code::kUsage, "there are no sources in a known language there");
  CatalogueFigures figures;
  figures.files = static_cast<std::size_t>(asked.number(10'000));
  TRY(make_dirs(asked.dir));
  const auto file = [&](std::size_t n) {
    const SourceFile& source = sources[n % sources.size()];
    const std::string text = source.text + std::string(n / sources.size(), '\n');
    figures.bytes += text.size();
    return SourceFile{fmt::format("d{:02}/e{:02}/f{}{}", n / 500, n / 20 % 25, n,
                                  catalogue::language_hint(source.path)),
                      text};
  };
  repo::Repository repository =
      TRY(make_repository(asked.dir + "/catalogue.git", figures.files, file, asked.env));
  TRY(time_threads(sources, &figures));
  TRY(Measuring(std::move(repository), asked.dir + "/cache", &figures).run());
  figures.print();
  return {};
}

}  // namespace gittxn::bench

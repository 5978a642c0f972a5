#include "bench/catalogue.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <thread>
#include <utility>

#include "base/fs.h"
#include "base/hash.h"
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

struct WrittenSource {
  std::string path, text;
};

// Of all threads of this process. Other programs on the machine do not count.
double cpu_ms() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

Result<double> time_cpu_ms(const std::function<Status()>& work) {
  const double before = cpu_ms();
  TRY(work());
  return cpu_ms() - before;
}

std::vector<WrittenSource> sources_below(const std::vector<std::string>& roots) {
  std::vector<WrittenSource> found;
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

std::string ending_of(const std::string& path) {
  return std::string(catalogue::language_hint(path));
}

Status import(const std::string& git_dir, const std::vector<WrittenSource>& sources,
              std::size_t files, const Environment& caller, CatalogueFigures* figures) {
  std::string stream, names;
  for (std::size_t n = 0; n < files; ++n) {
    const WrittenSource& source = sources[n % sources.size()];
    const std::string text = source.text + std::string(n / sources.size(), '\n');
    figures->bytes += text.size();
    stream += fmt::format("blob\nmark :{}\ndata {}\n{}\n", n + 1, text.size(), text);
    names += fmt::format("M 100644 :{} d{:02}/e{:02}/f{}{}\n", n + 1, n / 500, n / 20 % 25, n,
                         ending_of(source.path));
  }
  stream +=
      "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\n"
      "data 5\nstart\n" +
      names;
  Command make;
  make.argv = {"git", "init", "-q", "--bare", "-b", "main", git_dir};
  make.env = caller;
  const Output made = TRY(gittxn::run(make));
  if (!made.exit.success()) return fail(Code::kFault, "git init: " + made.err);
  Command load;
  load.argv = {"git", "-C", git_dir, "fast-import", "--quiet"};
  load.env = caller;
  load.input = std::move(stream);
  const Output loaded = TRY(gittxn::run(load));
  if (!loaded.exit.success()) return fail(Code::kFault, "git fast-import: " + loaded.err);
  return {};
}

class Measuring {
 public:
  Measuring(repo::Repository repository, std::string cache, CatalogueFigures* figures)
      : repository_(std::move(repository)), cache_(std::move(cache)), out_(*figures) {}

  Status run() {
    const Oid head = TRY(repository_.refs().read(RefName("refs/heads/main")));
    Oid tree = TRY(repository_.objects().tree_of(head));
    out_.threads = std::max(1u, std::thread::hardware_concurrency());
    const double before_ms = cpu_ms();
    out_.cold_ms = TRY(time_ms([&] { return fill(tree, kAny); }));
    out_.cold_cpu_ms = cpu_ms() - before_ms;
    for (int round = 0; round < kUpdates; ++round) {
      tree = TRY(edited(tree, round));
      const double cpu_before_ms = cpu_ms();
      out_.warm.ms.push_back(TRY(time_ms([&] { return fill(tree, kEdits); })));
      out_.warm_cpu.ms.push_back(cpu_ms() - cpu_before_ms);
      out_.same.ms.push_back(TRY(time_ms([&] { return fill(tree, 0); })));
      out_.file.ms.push_back(TRY(time_ms([&] { return file(tree); })));
      out_.impact.ms.push_back(TRY(time_ms([&] { return impact(tree); })));
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
    const auto facts = open()->file(path, entry);
    if (!facts) return std::unexpected(facts.error());
    return {};
  }

  Status impact(const Oid& tree) {
    const auto catalogue = open();
    repo::Objects& objects = repository_.objects();
    const auto found = TRY(catalogue::find_subjects(*catalogue, objects, tree, "value_of_bench"));
    if (found.subjects.empty()) return fail(Code::kFault, "what was added is not found");
    const auto impact = TRY(catalogue::impact_of(*catalogue, objects, tree,
                                                 {found.subjects.front()}, catalogue::Uses::kAll));
    return {};
  }

  std::string path_of(std::size_t n) {
    const Oid head = repository_.refs().read(RefName("refs/heads/main")).value_or(Oid());
    if (names_.empty()) {
      const auto visitor = [&](const std::string& folder,
                               const catalogue::Directory& here) -> Result<catalogue::Visit> {
        for (const catalogue::FileNames& file : here.files) {
          names_.push_back(folder + "/" + file.name);
        }
        return catalogue::Visit::kEnter;
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
      const TreeEntry now{entry.mode, TRY(objects.write_blob(text))};
      changes.push_back({path, entry, now});
    }
    if (round == 0) {
      const TreeEntry none;
      const TreeEntry added{FileMode::kFile,
                            TRY(objects.write_blob("def value_of_bench():\n    return 1\n"))};
      changes.back() = {"bench.py", none, added};
    }
    std::sort(changes.begin(), changes.end(),
              [](const PathChange& a, const PathChange& b) { return a.path < b.path; });
    return objects.apply(tree, changes);
  }

  repo::Repository repository_;
  std::string cache_;
  CatalogueFigures& out_;
  SystemClock clock_;
  std::vector<std::string> names_;
};

Status time_threads(const std::vector<WrittenSource>& sources, CatalogueFigures* figures) {
  std::uint64_t bytes = 0;
  std::vector<const WrittenSource*> chosen;
  for (std::size_t i = 0; i < sources.size() && bytes < kParsed; ++i) {
    chosen.push_back(&sources[(i * 7919) % sources.size()]);
    bytes += chosen.back()->text.size();
  }
  const double look = TRY(time_cpu_ms([&]() -> Status {
    for (const WrittenSource* source : chosen) {
      const auto facts = semantic::facts_of(source->path, source->text, {});
      if (facts.symbols.empty()) return fail(Code::kFault, "no symbol in " + source->path);
    }
    return {};
  }));
  const double parse = TRY(time_cpu_ms([&]() -> Status {
    for (const WrittenSource* source : chosen) {
      const auto* language = semantic::language_of_path(source->path);
      const auto tree =
          semantic::Tree::parse(*language, source->text, {}, semantic::Detail::kFacts);
      if (tree != nullptr && tree->text().empty()) return fail(Code::kFault, "nothing was parsed");
    }
    return {};
  }));
  constexpr double kBytesPerMsToMbPerS = 1e-3;
  figures->look_mb_s = static_cast<double>(bytes) / look * kBytesPerMsToMbPerS;
  figures->parse_mb_s = static_cast<double>(bytes) / parse * kBytesPerMsToMbPerS;
  return {};
}

}  // namespace

Result<CatalogueFigures> measure_catalogue(const std::string& dir,
                                           const std::vector<std::string>& roots, std::size_t files,
                                           const Environment& caller) {
  const std::vector<WrittenSource> sources = sources_below(roots);
  if (sources.empty()) return fail(Code::kUsage, "there are no sources in a known language there");
  CatalogueFigures figures;
  figures.files = files;
  TRY(make_dirs(dir));
  const std::string git_dir = dir + "/catalogue.git";
  TRY(import(git_dir, sources, files, caller, &figures));
  TRY(time_threads(sources, &figures));
  repo::Repository repository = TRY(repo::Repository::open(git_dir, caller));
  TRY(Measuring(std::move(repository), dir + "/cache", &figures).run());
  return figures;
}

}  // namespace gittxn::bench

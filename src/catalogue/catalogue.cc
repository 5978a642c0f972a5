#include "catalogue/catalogue.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "catalogue/workers.h"
#include "semantic/syntax.h"

namespace gittxn::catalogue {
namespace {

constexpr std::string_view kFileKind = "file";
constexpr std::string_view kTreeKind = "tree";
constexpr std::size_t kMostNames = 16u << 20;  // held, 4 bytes each
constexpr std::int64_t kLookMs = 100;          // between two questions whether to go on
constexpr std::size_t kAlone = 2;              // so many files are not worth a thread
constexpr int kMaxDepth = 2048;

bool is_file(const TreeEntry& entry) {
  return entry.mode == FileMode::kFile || entry.mode == FileMode::kExecutable;
}

std::string name_of(std::string_view hint, const Oid& oid) {
  return oid.str() + std::string(hint);
}

Key key_of(std::string_view hint, const Oid& oid) {
  return {kFileKind, &oid, hint};
}

}  // namespace

std::string_view language_hint(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string_view::npos ? file : file.substr(dot);
}

Result<semantic::FileFacts> look_into(const repo::Objects& objects, std::string_view hint,
                                      const TreeEntry& entry, const semantic::Budget& budget) {
  if (!is_file(entry)) {
    return semantic::opaque_facts(semantic::Opaque::kNotAFile, entry.oid.str());
  }
  const std::uint64_t size = TRY(objects.blob_size(entry.oid));
  if (size > budget.bytes) {
    return semantic::opaque_facts(semantic::Opaque::kTooLarge, entry.oid.str());
  }
  return semantic::facts_of(hint, TRY(objects.blob(entry.oid)), budget);
}

// What is missing below a tree.
struct Catalogue::Plan {
  std::vector<Oid> directories;  // children before parents
  std::vector<LookJob> jobs;
  std::unordered_set<std::string> known;  // files in `jobs`
  std::unordered_set<std::string> seen;   // directories
};

Catalogue::Catalogue(const repo::Objects& objects, repo::Git git, CatalogueOptions options)
    : objects_(objects),
      git_(std::move(git)),
      options_(std::move(options)),
      cache_(options_.cache) {}

Catalogue::~Catalogue() = default;

template <typename Make>
Result<semantic::FileFacts> Catalogue::kept_or_made(const Key& key, Make make) {
  if (const auto kept = cache_.find(key)) {
    auto facts = decode_facts(*kept);
    if (facts) return facts;  // sealed, but not what this program writes: made again
  }
  Result<semantic::FileFacts> facts = make();
  if (facts) cache_.put(key, encode(*facts));
  return facts;
}

Result<semantic::FileFacts> Catalogue::file(std::string_view path, const TreeEntry& entry) {
  const std::string_view hint = language_hint(path);
  const auto make = [&] { return look_into(objects_, hint, entry, options_.budget); };
  return is_file(entry) ? kept_or_made(key_of(hint, entry.oid), make) : make();
}

Result<semantic::FileFacts> Catalogue::text(std::string_view path, std::string_view bytes) {
  const std::string_view hint = language_hint(path);
  const Oid oid = TRY(objects_.blob_id(bytes));
  if (bytes.size() > options_.budget.bytes) {
    return semantic::opaque_facts(semantic::Opaque::kTooLarge, oid.str());
  }
  return kept_or_made(key_of(hint, oid),
                      [&] { return semantic::facts_of(hint, bytes, options_.budget); });
}

Result<NameSet> Catalogue::names_of(const std::string& name, const TreeEntry& entry) {
  if (!is_file(entry)) return NameSet{};
  const std::string_view hint = language_hint(name);
  const auto held = names_.find(name_of(hint, entry.oid));
  if (held != names_.end()) return held->second;
  if (const auto kept = cache_.find(key_of(hint, entry.oid))) {
    auto names = decode_names(*kept);
    if (names) return names;
  }
  const semantic::FileFacts facts = TRY(file(name, entry));
  return names_in(facts);
}

std::optional<std::string> Catalogue::find_directory(const Oid& tree) {
  return cache_.find({kTreeKind, &tree, {}});
}

Result<Directory> Catalogue::make_directory(const Oid& tree) {
  Directory directory;
  for (const repo::NamedEntry& entry : TRY(objects_.list(tree))) {
    if (entry.entry.mode == FileMode::kTree) {
      directory.subdirectories.push_back({entry.name, entry.entry.oid});
      continue;
    }
    FileNames file{entry.name, entry.entry, {}};
    file.names = TRY(names_of(entry.name, entry.entry));
    directory.files.push_back(std::move(file));
  }
  cache_.put({kTreeKind, &tree, {}}, encode(directory));
  return directory;
}

Result<Directory> Catalogue::directory(const Oid& tree) {
  if (const auto kept = find_directory(tree)) {
    auto directory = decode_directory(*kept);
    if (directory) return directory;
  }
  return make_directory(tree);
}

// A directory that is kept was made when all below it was.
Status Catalogue::plan(const Oid& tree, Plan* plan) {
  struct At {
    Oid tree;
    bool made = false;
  };
  std::vector<At> stack{{tree, false}};
  while (!stack.empty()) {
    const At at = stack.back();
    stack.pop_back();
    if (at.made) {
      plan->directories.push_back(at.tree);
      continue;
    }
    if (!plan->seen.insert(at.tree.str()).second || find_directory(at.tree)) continue;
    stack.push_back({at.tree, true});
    for (const repo::NamedEntry& entry : TRY(objects_.list(at.tree))) {
      if (entry.entry.mode == FileMode::kTree) {
        stack.push_back({entry.entry.oid, false});
        continue;
      }
      if (!is_file(entry.entry)) continue;
      const std::string_view hint = language_hint(entry.name);
      const std::string name = name_of(hint, entry.entry.oid);
      if (names_.contains(name) || plan->known.contains(name)) continue;
      if (cache_.find(key_of(hint, entry.entry.oid))) continue;
      plan->known.insert(name);
      plan->jobs.push_back({std::string(hint), entry.entry});
    }
  }
  return {};
}

Status Catalogue::look(Plan* plan, Filled* filled) {
  const std::size_t processors = std::max(1u, std::thread::hardware_concurrency());
  std::size_t threads =
      options_.threads > 0 ? static_cast<std::size_t>(options_.threads) : processors;
  threads = std::min(threads, (plan->jobs.size() + kAlone - 1) / kAlone);
  Workers workers(objects_.git_dir(), git_, options_.budget, plan->jobs);
  workers.start(threads);
  for (std::size_t done = 0; done < plan->jobs.size();) {
    if (options_.interrupted && options_.interrupted()) {
      return fail(Code::kInterrupted, "interrupted while looking into files");
    }
    auto answer = workers.next(kLookMs);
    if (!answer) continue;
    Looked looked = TRY(*std::move(answer));
    const LookJob& job = plan->jobs[looked.job];
    cache_.put(key_of(job.hint, job.entry.oid), looked.encoded);
    names_held_ += looked.names.size();
    if (names_held_ <= kMostNames) {
      names_[name_of(job.hint, job.entry.oid)] = std::move(looked.names);
    }
    ++done;
    ++filled->files;
    filled->bytes += looked.bytes;
    if (options_.on_progress) options_.on_progress(done, plan->jobs.size());
  }
  return {};
}

Result<Filled> Catalogue::fill(const Oid& tree) {
  Plan missing;
  const Oid root = TRY(objects_.tree_of(tree));
  TRY(plan(root, &missing));
  Filled filled;
  TRY(look(&missing, &filled));
  for (const Oid& below : missing.directories) {
    TRY(make_directory(below));
    ++filled.directories;
  }
  cache_.flush();
  // What is kept can be had again; what is not, only by looking again.
  if (cache_.trouble().empty() && !options_.cache.directory.empty()) {
    names_.clear();
    names_held_ = 0;
  }
  return filled;
}

Status Catalogue::visit(const Oid& tree, const Visitor& visitor) {
  return visit_below(TRY(objects_.tree_of(tree)), "", 0, visitor);
}

Status Catalogue::visit_below(const Oid& tree, const std::string& path, int depth,
                              const Visitor& visitor) {
  if (depth > kMaxDepth) return fail(Code::kUnsupported, "directories nest too deep");
  std::optional<std::string> kept = find_directory(tree);
  // Where nothing is kept, the first fill has the names of all.
  if (!kept && (depth == 0 || trouble().empty())) {
    TRY(fill(tree));
    kept = find_directory(tree);
  }
  auto decoded = kept ? decode_directory(*kept) : directory(tree);
  if (!decoded) decoded = make_directory(tree);
  const Directory here = TRY(std::move(decoded));
  const std::string in = path.empty() ? "" : path + "/";
  for (const FileNames& file : here.files) TRY(visitor(in + file.name, file));
  for (const Subdirectory& sub : here.subdirectories) {
    TRY(visit_below(sub.tree, in + sub.name, depth + 1, visitor));
  }
  return {};
}

}  // namespace gittxn::catalogue

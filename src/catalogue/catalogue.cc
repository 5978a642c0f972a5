#include "catalogue/catalogue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "semantic/syntax.h"

namespace gittxn::catalogue {
namespace {

constexpr std::string_view kFileKind = "file";
constexpr std::string_view kTreeKind = "tree";
constexpr std::size_t kMostNames = 16u << 20;  // held, 4 bytes each
constexpr std::int64_t kLookMs = 100;          // between two questions whether to go on
constexpr std::size_t kAlone = 2;              // so many files are not worth a thread
constexpr int kMaxDepth = 2048;
constexpr std::size_t kMostAnswers = 256;  // that wait

std::string name_of(std::string_view hint, const Oid& oid) {
  return oid.str() + std::string(hint);
}

Key key_of(std::string_view hint, const Oid& oid) {
  return {kFileKind, &oid, hint};
}

struct LookJob {
  std::string hint;
  TreeEntry entry;
};

struct Looked {
  std::size_t job = 0;
  NameSet names;
  std::string encoded;
  std::uint64_t bytes = 0;
};

// Looks into files on several threads, each with objects of its own, and hands what it found to
// one: kInFlight bytes of text at once (a larger file alone).
class Workers {
 public:
  Workers(const std::string& git_dir, const repo::Git& git, const semantic::Budget& budget,
          const std::vector<LookJob>& jobs);
  ~Workers();  // whatever has not begun is left

  void start(std::size_t threads);
  // The next answer; nothing when it took longer than `wait_ms`. Call once for each job at least.
  std::optional<Result<Looked>> next(std::int64_t wait_ms);

 private:
  void work();
  Result<Looked> look(const repo::Objects& objects, std::size_t job);
  void enter(std::size_t bytes);
  void leave(std::size_t bytes);
  void answer(Result<Looked> looked);

  const std::string& git_dir_;
  const repo::Git& git_;
  const semantic::Budget& budget_;
  const std::vector<LookJob>& jobs_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t begun_ = 0;
  std::size_t in_flight_ = 0;
  bool ending_ = false;
  std::deque<Result<Looked>> answers_;
  std::vector<std::jthread> threads_;
};

Workers::Workers(const std::string& git_dir, const repo::Git& git, const semantic::Budget& budget,
                 const std::vector<LookJob>& jobs)
    : git_dir_(git_dir), git_(git), budget_(budget), jobs_(jobs) {}

Workers::~Workers() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  changed_.notify_all();
  // The threads are joined when threads_ goes, which is the first member to go.
}

void Workers::start(std::size_t threads) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

void Workers::work() {
  const auto objects = repo::Objects::open(git_dir_, git_);
  if (!objects) return answer(std::unexpected(objects.error()));
  for (;;) {
    std::size_t job = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ending_ || answers_.size() < kMostAnswers; });
      if (ending_ || begun_ == jobs_.size()) return;
      job = begun_++;
    }
    answer(look(*objects, job));
  }
}

Result<Looked> Workers::look(const repo::Objects& objects, std::size_t job) {
  const LookJob& what = jobs_[job];
  Looked looked;
  looked.job = job;
  looked.bytes = TRY(objects.blob_size(what.entry.oid));
  const std::size_t weight = std::min<std::size_t>(looked.bytes, kInFlight);
  enter(weight);
  const auto facts = look_into(objects, what.hint, what.entry, budget_);
  leave(weight);
  if (!facts) return std::unexpected(facts.error());
  looked.names = names_in(*facts);
  looked.encoded = encode(*facts);
  return looked;
}

void Workers::enter(std::size_t bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return in_flight_ == 0 || in_flight_ + bytes <= kInFlight; });
  in_flight_ += bytes;
}

void Workers::leave(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  in_flight_ -= bytes;
  changed_.notify_all();
}

void Workers::answer(Result<Looked> looked) {
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(looked));
  changed_.notify_all();
}

std::optional<Result<Looked>> Workers::next(std::int64_t wait_ms) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::milliseconds(wait_ms), [this] { return !answers_.empty(); });
  if (answers_.empty()) return std::nullopt;
  Result<Looked> first = std::move(answers_.front());
  answers_.pop_front();
  changed_.notify_all();
  return first;
}

}  // namespace

std::string_view language_hint(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const std::size_t dot = file.rfind('.');
  return dot == std::string_view::npos ? file : file.substr(dot);
}

Result<semantic::FileFacts> look_into(const repo::Objects& objects, std::string_view hint,
                                      const TreeEntry& entry, const semantic::Budget& budget) {
  if (!entry.is_file()) {
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
  return entry.is_file() ? kept_or_made(key_of(hint, entry.oid), make) : make();
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
  if (!entry.is_file()) return NameSet{};
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
      if (!entry.entry.is_file()) continue;
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
  auto decoded = kept ? decode_directory(*kept) : make_directory(tree);
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

#include "bench/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "repo/worktree.h"
#include "store/events.h"

namespace gittxn::bench {

namespace {

constexpr int kFilesPerDirectory = 50;
constexpr int kDirectoriesPerModule = 20;
constexpr int kFilesPerEdit = 3;

// Code-like text, different for each file, so that neither compression nor hashing is flattered.
std::string file_text(int file, int version) {
  std::string text = fmt::format("// file {} version {}\n", file, version);
  std::uint64_t state = static_cast<std::uint64_t>(file) * 2654435761u + 1;
  while (text.size() < 4096) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    text += fmt::format("int value_{:x} = {};\n", state >> 40, state >> 20 & 0xffff);
  }
  return text;
}

Status import_files(const repo::Git& git, const World& world, int files) {
  std::string stream;
  for (int file = 0; file < files; ++file) {
    const std::string text = file_text(file, 0);
    stream += fmt::format("blob\nmark :{}\ndata {}\n", file + 1, text.size());
    stream += text;
    stream += '\n';
  }
  stream +=
      "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\n"
      "data 5\nstart\n";
  for (int file = 0; file < files; ++file) {
    stream += fmt::format("M 100644 :{} {}\n", file + 1, world.path_of(file));
  }
  repo::GitOptions options;
  options.dir = world.git_dir();
  options.input = std::move(stream);
  TRY(git.must({"fast-import", "--quiet"}, options));
  return {};
}

Txn begun(const TxnId& id) {
  Txn txn;
  txn.id = id;
  txn.name = id.str();
  txn.target = RefName("refs/heads/main");
  txn.command = {"bench"};
  txn.owner = "bench";
  txn.committer = {"Bench", "bench@example.org"};
  return txn;
}

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Measured::median() const {
  return median_of(ms);
}

double median_ratio(const Measured& ours, const Measured& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(ours.ms.size(), theirs.ms.size()); ++i) {
    ratios.push_back(ours.ms[i] / theirs.ms[i]);
  }
  return median_of(std::move(ratios));
}

Result<double> time_ms(const std::function<Status()>& work) {
  const SystemClock clock;
  const std::int64_t start = clock.monotonic_ns();
  TRY(work());
  return static_cast<double>(clock.monotonic_ns() - start) / 1e6;
}

std::string World::path_of(int file) const {
  const int directory = file / kFilesPerDirectory;
  return fmt::format("module{:03}/part{:02}/file{:02}.c", directory / kDirectoriesPerModule,
                     directory % kDirectoriesPerModule, file % kFilesPerDirectory);
}

Result<World> World::create(const std::string& dir, int files, const Environment& caller) {
  World world;
  world.dir_ = dir;
  world.git_dir_ = dir + "/bench.git";
  world.files_ = files;
  world.clock_ = std::make_unique<SystemClock>();
  TRY(make_dirs(dir));
  const repo::Git git(caller);
  TRY(git.must({"init", "-q", "--bare", "-b", "main", world.git_dir_}, {}));
  TRY(import_files(git, world, files));
  repo::Repository repository = TRY(repo::Repository::open(world.git_dir_, caller));
  world.repository_ = std::make_unique<repo::Repository>(std::move(repository));
  world.base_ = TRY(world.repository_->refs().read(RefName("refs/heads/main")));
  store::Store store = TRY(store::Store::open(world.repository_->txn_dir(), *world.clock_));
  world.store_ = std::make_unique<store::Store>(std::move(store));
  return world;
}

Result<World::Edit> World::edit(int n) {
  repo::Objects& objects = repository_->objects();
  const Oid tree = TRY(objects.tree_of(base_));
  Edit edit;
  for (int k = 0; k < kFilesPerEdit; ++k) {
    // Spread over the tree; distinct because 7919 is prime to the number of files.
    const int file =
        static_cast<int>((static_cast<std::int64_t>(n) * kFilesPerEdit + k) * 7919 % files_);
    const std::string path = path_of(file);
    const TreeEntry before = TRY(objects.entry_at(tree, path));
    const Oid blob = TRY(objects.write_blob(file_text(file, n + 1)));
    edit.changes.push_back({path, before, {FileMode::kFile, blob}});
  }
  std::sort(edit.changes.begin(), edit.changes.end(),
            [](const PathChange& a, const PathChange& b) { return a.path < b.path; });
  edit.tree = TRY(objects.apply(tree, edit.changes));
  return edit;
}

Result<ReadSet> World::reads(int count, int offset) {
  repo::Objects& objects = repository_->objects();
  const Oid tree = TRY(objects.tree_of(base_));
  ReadSet set;
  set.complete = true;
  for (int i = 0; i < count; ++i) {
    // Files that no edit touches: edits are multiples of 7919, these are found from the other end.
    const int file = files_ - 1 - (i * 31 + offset) % (files_ / 2);
    Read read;
    read.subject = path_of(file);
    read.digest = TRY(objects.entry_at(tree, read.subject)).oid.str();
    read.snapshot = base_;
    read.op = "openat";
    set.reads.push_back(std::move(read));
  }
  normalize(set);
  return set;
}

Result<TxnId> World::prepared(int n, const Edit& edit, int read_count) {
  namespace events = store::events;
  const TxnId id(fmt::format("t-bench{}", n));
  ReadSet read_set;
  read_set.complete = true;
  // A transaction must not read what another edit of this run changes, or it would be refused.
  for (const PathChange& change : edit.changes) {
    if (read_count-- <= 0) break;
    Read read;
    read.subject = change.path;
    read.digest = change.before.oid.str();
    read.snapshot = base_;
    read_set.reads.push_back(std::move(read));
  }
  normalize(read_set);
  repo::Taken taken;
  taken.tree = edit.tree;
  taken.base = base_;
  taken.changes = edit.changes;
  const Identity who{"Bench", "bench@example.org"};
  const Oid kept = TRY(repo::keep(*repository_, id, 1, taken, "bench", who, clock_->wall_ms()));
  Attempt attempt;
  attempt.number = 1;
  attempt.base = base_;
  events::Taken told;
  told.attempt = 1;
  told.kept = kept;
  told.reads = TRY(store_->put_artifact(reads_to_lines(read_set)));
  told.reads_complete = true;
  told.writes = TRY(store_->put_artifact(changes_to_lines(edit.changes)));
  TRY(store_->append({events::txn_begun(begun(id)), events::attempt_started(id, attempt),
                      events::taken(id, told), events::prepared(id, 1)}));
  return id;
}

}  // namespace gittxn::bench

#include "bench/world.h"

#include <fmt/format.h>
#include <sys/resource.h>

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

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

double now_ms(Of of) {
  if (of == Of::kClock) return static_cast<double>(SystemClock().monotonic_ns()) / 1e6;
  rusage used{};
  ::getrusage(of == Of::kProcess ? RUSAGE_SELF : RUSAGE_CHILDREN, &used);
  const auto ms = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(used.ru_utime) + ms(used.ru_stime);
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

Result<repo::Repository> make_repository(const std::string& git_dir, std::size_t files,
                                         const std::function<SourceFile(std::size_t)>& file,
                                         const Environment& caller) {
  repo::GitOptions load;
  load.dir = git_dir;
  std::string tree;
  for (std::size_t n = 0; n < files; ++n) {
    const SourceFile source = file(n);
    load.input += fmt::format("blob\nmark :{}\ndata {}\n", n + 1, source.text.size());
    load.input += source.text + "\n";
    tree += fmt::format("M 100644 :{} {}\n", n + 1, source.path);
  }
  load.input +=
      "commit refs/heads/main\ncommitter Bench <bench@example.org> 1700000000 +0000\n"
      "data 5\nstart\n" +
      tree;
  const repo::Git git(caller);
  TRY(git.must({"init", "-q", "--bare", "-b", "main", git_dir}, {}));
  TRY(git.must({"fast-import", "--quiet"}, load));
  return repo::Repository::open(git_dir, caller);
}

land::Context World::landing(const Environment& caller) {
  land::Context context;
  context.repository = repository.get();
  context.store = store.get();
  context.clock = clock.get();
  context.random = &dice;
  context.gates.repository = context.repository;
  context.gates.store = context.store;
  context.gates.clock = context.clock;
  context.gates.caller = caller;
  context.gates.worktree_root = dir + "/gates";
  return context;
}

std::string World::path_of(int file) const {
  const int directory = file / kFilesPerDirectory;
  return fmt::format("module{:03}/part{:02}/file{:02}.c", directory / kDirectoriesPerModule,
                     directory % kDirectoriesPerModule, file % kFilesPerDirectory);
}

Result<World> World::create(const std::string& dir, int files, const Environment& caller) {
  World world;
  world.dir = dir;
  world.git_dir = dir + "/bench.git";
  world.files = files;
  world.clock = std::make_unique<SystemClock>();
  TRY(make_dirs(dir));
  const auto file = [&world](std::size_t n) {
    const int number = static_cast<int>(n);
    return SourceFile{world.path_of(number), file_text(number, 0)};
  };
  world.repository = std::make_unique<repo::Repository>(
      TRY(make_repository(world.git_dir, static_cast<std::size_t>(files), file, caller)));
  world.base = TRY(world.repository->refs().read(RefName("refs/heads/main")));
  world.store = std::make_unique<store::Store>(
      TRY(store::Store::open(world.repository->txn_dir(), *world.clock)));
  return world;
}

Result<World::Edit> World::edit(int n) {
  repo::Objects& objects = repository->objects();
  const Oid tree = TRY(objects.tree_of(base));
  Edit edit;
  for (int k = 0; k < kFilesPerEdit; ++k) {
    // Spread over the tree; distinct because 7919 is prime to the number of files.
    const int file =
        static_cast<int>((static_cast<std::int64_t>(n) * kFilesPerEdit + k) * 7919 % files);
    const std::string path = path_of(file);
    const TreeEntry before = TRY(objects.entry_at(tree, path));
    const Oid blob = TRY(objects.write_blob(file_text(file, n + 1)));
    edit.changes.push_back({path, before, {FileMode::kFile, blob}});
  }
  std::ranges::sort(edit.changes, {}, &PathChange::path);
  edit.tree = TRY(objects.apply(tree, edit.changes));
  return edit;
}

Result<ReadSet> World::reads(int count, int offset) {
  repo::Objects& objects = repository->objects();
  const Oid tree = TRY(objects.tree_of(base));
  ReadSet set;
  set.complete = true;
  for (int i = 0; i < count; ++i) {
    // Files that no edit touches: edits are multiples of 7919, these are found from the other end.
    const int file = files - 1 - (i * 31 + offset) % (files / 2);
    Read& read = set.reads.emplace_back();
    read.subject = path_of(file);
    read.digest = TRY(objects.entry_at(tree, read.subject)).oid.str();
    read.snapshot = base;
    read.op = "openat";
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
    Read& read = read_set.reads.emplace_back();
    read.subject = change.path;
    read.digest = change.before.oid.str();
    read.snapshot = base;
  }
  normalize(read_set);
  repo::Taken taken;
  taken.tree = edit.tree;
  taken.base = base;
  taken.changes = edit.changes;
  Txn txn;
  txn.id = id;
  txn.name = id.str();
  txn.target = RefName("refs/heads/main");
  txn.command = {"bench"};
  txn.owner = "bench";
  txn.committer = {"Bench", "bench@example.org"};
  Attempt attempt;
  attempt.number = 1;
  attempt.base = base;
  events::Taken told;
  told.attempt = 1;
  told.kept = TRY(repo::keep(*repository, id, 1, taken, "bench", txn.committer, clock->wall_ms()));
  told.reads = TRY(store->put_artifact(reads_to_lines(read_set)));
  told.reads_complete = true;
  told.writes = TRY(store->put_artifact(changes_to_lines(edit.changes)));
  TRY(store->append({events::txn_begun(txn), events::attempt_started(id, attempt),
                     events::taken(id, told), events::prepared(id, 1)}));
  return id;
}

}  // namespace gittxn::bench

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/fs.h"
#include "base/json.h"
#include "base/random.h"
#include "bench/measures.h"
#include "bench/world.h"
#include "db/database.h"
#include "store/events.h"
#include "store/log/feed.h"
#include "store/log/pruning.h"

namespace gittxn::bench {
namespace {

namespace events = store::events;

constexpr int kSmall = 10'000;
constexpr int kRounds = 400;
constexpr std::size_t kGroup = 8;
constexpr std::size_t kFilledAtOnce = 128;  // events of one append while a log is made
constexpr int kBatch = 4'000;

// Events as landings write them: each life is seven, of a transaction with a name of its own.
class Lives {
 public:
  explicit Lives(std::uint64_t seed) : random_(seed) {}

  NewEvent begin() {
    Txn txn;
    txn.id = TxnId("t-" + random_.name(12));
    txn.name = "fix " + random_.name(6);
    txn.target = RefName("refs/heads/main");
    txn.command = {"claude", "-p", "fix the bug of " + random_.name(8)};
    txn.owner = "pat@example.org";
    txn.committer = {"Pat Person", "pat@example.org"};
    last_ = txn.id;
    return events::txn_begun(txn);
  }

  void live(std::vector<NewEvent>& out) {
    out.push_back(begin());
    Attempt attempt;
    attempt.base = oid();
    attempt.worktree = "/var/lib/git-txn/repo/" + last_.str() + "/1/tree";
    out.push_back(events::attempt_started(last_, attempt));
    out.push_back(events::command_started(last_, 1, attempt.worktree + "/../trace", {"claude"}));
    out.push_back(events::command_ended(last_, 1, 0));
    events::Taken taken;
    taken.kept = oid();
    taken.reads = Digest(oid().str() + std::string(24, 'a'));
    taken.writes = taken.reads;
    taken.reads_complete = true;
    out.push_back(events::taken(last_, taken));
    out.push_back(events::prepared(last_, 1));
    out.push_back(events::nothing(last_, "the head has it"));
  }

 private:
  Oid oid() { return Oid(fmt::format("{:016x}{:016x}{:08x}", random_.next(), random_.next(), 7)); }
  Random random_;
  TxnId last_;
};

Result<store::Store> open(const std::string& dir, const std::string& url, const std::string& name,
                          const Clock& clock) {
  store::Location place(dir);
  if (!url.empty()) {
    place.url = url;
    place.schema = name;
    auto database = TRY(db::Database::connect(url, name, {}));
    TRY(database.execute(fmt::format("DROP SCHEMA IF EXISTS {} CASCADE", name)));
  }
  return store::Store::open(place, clock);
}

Status fill(store::Store& store, Lives& lives, Seq until) {
  while (TRY(store.head()) < until) {
    std::vector<NewEvent> some;
    while (some.size() < kFilledAtOnce) lives.live(some);
    TRY(store.append(some));
  }
  return {};
}

// A file of the disk that the store is on, whose pages are written over as those of SQLite's log
// are: a sync of one that grows costs more.
class Disk {
 public:
  static Result<Disk> open(const std::string& path) {
    Disk disk(TRY(open_fd(path, O_RDWR | O_CREAT | O_TRUNC)));
    for (off_t page = 0; page < kPages; ++page) TRY(write_all(disk.file_.get(), disk.page_));
    if (::fsync(disk.file_.get()) != 0) return fail_errno(errno, "fsync '" + path + "'");
    return disk;
  }
  Status sync() {
    const off_t at = next_++ % kPages * static_cast<off_t>(page_.size());
    const ssize_t written = ::pwrite(file_.get(), page_.data(), page_.size(), at);
    if (written != static_cast<ssize_t>(page_.size())) return fail_errno(errno, "pwrite");
    return ::fdatasync(file_.get()) == 0 ? Status{} : Status(fail_errno(errno, "fdatasync"));
  }

 private:
  static constexpr off_t kPages = 1'000;
  explicit Disk(UniqueFd file) : file_(std::move(file)) {}
  UniqueFd file_;
  std::string page_ = std::string(4096, 'x');
  off_t next_ = 0;
};

// In each round one event, eight at once, and one synced page.
Status journal(store::Store& store, Lives& lives, Disk& disk) {
  Measured one, eight, synced;
  const auto append = [&](std::size_t count) {
    std::vector<NewEvent> group;
    while (group.size() < count) group.push_back(lives.begin());
    return store.append(group);
  };
  for (int round = 0; round < kRounds; ++round) {
    TRY(one.time([&] { return append(1); }));
    TRY(eight.time([&] { return append(kGroup); }));
    TRY(synced.time([&] { return disk.sync(); }));
  }
  fmt::print(
      "kernel journal append_ms={:.3f} eight_ms={:.3f} fdatasync_ms={:.3f} "
      "rate={:.2f} of the disk's, in groups of eight {:.1f} x one by one\n",
      one.median(), eight.median(), synced.median(), 1 / median_ratio(one, synced),
      static_cast<double>(kGroup) / median_ratio(eight, one));
  return {};
}

// One after the other on the small log and on the large one.
Status growth(store::Store& small, store::Store& large, Lives& lives) {
  Measured on_small, on_large;
  for (int round = 0; round < kRounds; ++round) {
    TRY(on_small.time([&] { return small.append({lives.begin()}); }));
    TRY(on_large.time([&] { return large.append({lives.begin()}); }));
  }
  const Seq few = TRY(small.head());
  const Seq many = TRY(large.head());
  fmt::print("kernel growth events={} ms={:.3f} events={} ms={:.3f} large/small={:.2f}\n", few,
             on_small.median(), many, on_large.median(), median_ratio(on_large, on_small));
  return {};
}

Status tail(const store::Store& store) {
  const std::string source = TRY(store::log_uri(store));
  std::size_t lines = 0, bytes = 0;
  const auto read = [&]() -> Status {
    Seq next = 1;
    for (bool more = true; more;) {
      const store::EventBatch batch = TRY(store::read_batch(store, next, {}, kBatch));
      std::string out;
      for (const Event& event : batch.events) {
        store::append_cloud_event(event, source, out);
        out += '\n';
      }
      lines += batch.events.size();
      bytes += out.size();
      next = batch.seen + 1;
      more = !batch.at_end;
    }
    return {};
  };
  const double ms = TRY(time_ms(read));
  fmt::print("kernel tail events={} per_second={:.0f} bytes_a_line={:.0f}\n", lines,
             static_cast<double>(lines) / ms * 1e3,
             static_cast<double>(bytes) / static_cast<double>(lines));
  return {};
}

Result<std::int64_t> size_of(const store::Store& store, const std::string& dir) {
  if (store.tables().dialect() == db::Dialect::kPostgres) {
    db::Statement query = TRY(store.tables().statement(
        "SELECT CAST(sum(pg_total_relation_size(c.oid)) AS BIGINT) FROM pg_class c JOIN "
        "pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND "
        "c.relkind = 'r'"));
    const bool row = TRY(query.step());
    return row ? query.integer(0) : 0;
  }
  struct stat file{};
  const std::string path = dir + "/kernel.db";
  if (::stat(path.c_str(), &file) != 0) return fail_errno(errno, "stat '" + path + "'");
  return file.st_size;
}

Status pruned(store::Store& store) {
  const Seq head = TRY(store.head());
  store::PrunePlan plan;
  const store::PruneRequest request{
      .before = head / 2, .older_than_ms = std::nullopt, .actor = "bench"};
  const auto forget = [&]() -> Status {
    plan = TRY(store::prune(store, request));
    return {};
  };
  const double ms = TRY(time_ms(forget));
  const Seq gone = plan.last - plan.first + 1;
  fmt::print("kernel prune events={} seconds={:.2f} per_second={:.0f}\n", gone, ms / 1e3,
             static_cast<double>(gone) / ms * 1e3);
  return {};
}

}  // namespace

Status measure_kernel(const Asked& asked) {
  const std::string& dir = asked.dir;
  const int events = asked.number(100'000);
  const std::string url = asked.words.size() > 1 ? asked.words[1] : "";
  SystemClock clock;
  Lives lives(7);
  store::Store small = TRY(open(dir + ".small", url, "bench_small", clock));
  store::Store large = TRY(open(dir, url, "bench_large", clock));
  TRY(fill(small, lives, kSmall));
  Disk disk = TRY(Disk::open(dir + ".small/disk"));
  TRY(journal(small, lives, disk));
  const double ms = TRY(time_ms([&] { return fill(large, lives, events); }));
  fmt::print("kernel fill events={} per_second={:.0f}\n", events,
             static_cast<double>(events) / ms * 1e3);
  TRY(growth(small, large, lives));
  TRY(tail(large));
  const std::int64_t bytes = TRY(size_of(large, dir));
  const Seq head = TRY(large.head());
  fmt::print("kernel size events={} bytes_an_event={:.0f}\n", head,
             static_cast<double>(bytes) / static_cast<double>(head));
  // What has begun and not ended holds its events back: end what the rounds have begun.
  std::vector<NewEvent> ended;
  for (const Txn& txn : TRY(large.txns({.states = {TxnState::kOpen}, .limit = 0}))) {
    ended.push_back(events::nothing(txn.id, "of the bench"));
  }
  TRY(large.append(ended));
  return pruned(large);
}

}  // namespace gittxn::bench

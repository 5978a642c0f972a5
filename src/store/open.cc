// Opening a store: what is refused, what is made, what is checked before anything is believed.
//
// Nothing is written before the file is known to be a store of ours and not of a newer program. A
// kill while a store is made leaves a folder without kernel.db, or an empty database file, or the
// whole store; the next open goes on from there.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/bug.h"
#include "base/fs.h"
#include "store/rows.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

constexpr Seq kTailChecked = 64;

std::string artifacts_path(const std::string& dir) {
  return join_path(dir, "artifacts");
}

Status refuse_network(const std::string& txn_dir) {
  std::string place = txn_dir;
  while (true) {
    const bool there = TRY(exists(place));
    if (there || place == "/" || place == ".") break;
    place = parent_dir(place);
  }
  const FsKind kind = TRY(fs_kind(place));
  if (kind == FsKind::kLocal) return {};
  return fail(Code::kUnsupported, fmt::format("'{}' is on a network file system", txn_dir),
              "file locks are not reliable there: work in a clone on a local disk; several share a "
              "store on a server: git txn init --help");
}

std::unexpected<Error> lost_database(const std::string& path) {
  return fail(Code::kCorrupt, fmt::format("'{}' is gone, but its artifacts are there", path),
              "restore kernel.db from a backup (docs/BACKUPS.md); or move the whole folder away to "
              "start anew (unlanded work stays under refs/txn/)");
}

// Something else than ours is not opened: of a FIFO that would wait for ever. What is not there is
// nothing else.
Status must_be(const std::string& path, mode_t type, std::string_view what) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || (info.st_mode & S_IFMT) == type) return {};
  return fail(Code::kCorrupt, fmt::format("'{}' is not a {}", path, what),
              "move it away; the store that was there is put back from a copy: docs/BACKUPS.md");
}

Status peek(const std::string& path, const Plan& plan) {
  const db::Database file = TRY(db::Database::open_immutable(path));
  TRY(inspect(file, path, plan));
  return {};
}

// A plain look, before anything that could write.
Status look(const std::string& dir, const std::string& path, Create create, const Plan& plan) {
  TRY(must_be(path, S_IFREG, "file"));
  // In this order: whoever makes a store makes kernel.db first.
  const bool artifacts = TRY(exists(artifacts_path(dir)));
  const bool there = TRY(exists(path));
  if (there) {
    const Status seen = peek(path, plan);
    // Another process may be moving its log into this file right now, so the file alone may look
    // damaged; the version does not change by that. Everything else is judged by the opened store.
    if (!seen && seen.error().code == Code::kNewer) return seen;
    return {};
  }
  if (artifacts) return lost_database(path);
  if (create == Create::kYes) return {};
  return fail(Code::kNotFound, fmt::format("there is no git-txn store at '{}'", dir));
}

Status make_place(const std::string& dir) {
  const bool there = TRY(exists(dir));
  if (there) return {};
  TRY(make_dirs(dir, 0700));
  return fsync_parent(dir);
}

// Under the writer's turn: whoever was making or migrating the store has finished or died.
Status make(db::Database& database, const std::string& dir, const std::string& path, Create create,
            const Plan& plan) {
  const Found found = TRY(inspect(database, path, plan));
  if (found == Found::kPresent) return {};
  if (found == Found::kFresh) {
    const bool artifacts = TRY(exists(artifacts_path(dir)));
    if (artifacts) return lost_database(path);
    if (create == Create::kNo) {
      return fail(Code::kNotFound, fmt::format("the git-txn store at '{}' is empty", dir));
    }
  }
  if (::chmod(path.c_str(), 0600) != 0) return fail_errno(errno, "chmod '" + path + "'");
  TRY(fsync_parent(path));
  TRY(make_present(database, path, plan));
  TRY(make_dirs(artifacts_path(dir), 0700));
  return fsync_path(dir);
}

// In one consistent moment, whatever others append meanwhile. kNewer: the last events hold, and are
// not known to this program.
Status look_at_tail(db::Database& database, const std::string& path) {
  const db::Transaction moment =
      TRY(db::Transaction::begin(database, db::Transaction::Kind::kRead));
  const std::optional<Event> last = TRY(last_event(database));
  const Progress progress = TRY(load_progress(database));
  const Seq head = last ? last->seq : 0;
  const Seq after = std::max<Seq>(0, head - kTailChecked);
  VerifyReport report;
  const std::vector<std::string>& problems = report.problems;
  if (progress.seq != head || (last && progress.hash != last->hash.str())) {
    report.problems.push_back(
        fmt::format("the projections end at event {}, the log at {}", progress.seq, head));
  } else {
    TRY(check_chain(database, after, &report));
  }
  if (problems.empty()) return {};
  const std::string what = fmt::format("'{}': {}", path, problems.front());
  if (report.newer.contains(0)) {
    return fail(Code::kNewer, what,
                "nothing was changed; git txn verify looks at all of it, and git txn version "
                "--events lists what this one knows");
  }
  return fail(Code::kCorrupt, what,
              "nothing was changed; keep the store aside and restore a backup: docs/BACKUPS.md");
}

}  // namespace

namespace {

Result<db::Database> open_server(const Location& place, Create create, const Plan& plan) {
  if (place.schema.empty() || place.schema.size() > 40 ||
      place.schema.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") !=
          std::string::npos) {
    return fail(Code::kUsage, fmt::format("'{}' cannot be the schema of a store", place.schema),
                "up to 40 of a-z, 0-9 and _");
  }
  // It would be in configuration files, in arguments that everybody sees, and in logs.
  if (TRY(db::names_a_password(place.url))) {
    return fail(Code::kUsage, "the address of the store names a password",
                "leave it out, and put it into ~/.pgpass (mode 0600)");
  }
  db::Database database =
      TRY(db::Database::connect(place.url, place.schema, {.patience = place.patience}));
  const Found found = TRY(inspect(database, place.schema, plan));
  if (found == Found::kFresh && create == Create::kNo) {
    return fail(Code::kNotFound, fmt::format("there is no git-txn store in '{}'", place.schema),
                "git txn init makes one");
  }
  if (found != Found::kPresent) TRY(make_present(database, place.schema, plan));
  return database;
}

struct Opened {
  std::optional<db::WriterQueue> queue;
  db::Database database;
};

Result<Opened> open_file(const std::string& dir, Create create, const Plan& plan) {
  const std::string path = join_path(dir, "kernel.db");
  TRY(refuse_network(dir));
  TRY(look(dir, path, create, plan));
  TRY(make_place(dir));
  db::WriterQueue queue = TRY(db::WriterQueue::open(join_path(dir, "kernel.lock")));
  // Its shared memory is there while somebody has it open; without it SQLite reads nothing where
  // nothing can be written.
  if (::access(path.c_str(), W_OK) != 0 && errno == EROFS && !TRY(exists(path + "-shm"))) {
    return fail(Code::kFault, fmt::format("the store is on a read-only file system: '{}'", path),
                "use it where it can be written");
  }
  db::Database database =
      TRY(db::Database::open(path, db::OpenOptions{.mode = db::OpenMode::kCreate}));
  // A newer program that was killed may have left its version in the -wal file alone: look at the
  // whole, and until it is known to be ours let closing not write either.
  TRY(database.on_close(db::Database::CloseWith::kNothing));
  auto seen = inspect(database, path, plan);
  // On a full disk the shared memory of a store that nobody has open cannot be made. It is for
  // others, and who only looks has the file alone for that long.
  const bool full = !seen && db::is_disk_full(seen.error()) && create == Create::kNo;
  if (full && !INJECTED_BUG("store.look_needs_space")) {
    database = TRY(db::Database::open(path, db::OpenOptions{.mode = db::OpenMode::kAlone}));
    seen = inspect(database, path, plan);
    if (seen && *seen == Found::kPresent) return Opened{std::move(queue), std::move(database)};
  }
  const Found found = TRY(std::move(seen));
  if (found != Found::kPresent) {
    const db::WriterQueue::Turn turn = TRY(queue.enter(kWriteDeadlineMs));
    TRY(make(database, dir, path, create, plan));
  }
  TRY(database.on_close(db::Database::CloseWith::kLongLog));
  TRY(database.execute(fmt::format("{}; PRAGMA cell_size_check = ON;", kSyncEachCommit)));
  return Opened{std::move(queue), std::move(database)};
}

}  // namespace

std::string name_of(const Location& place) {
  return place.on_server() ? place.schema : join_path(place.dir, "kernel.db");
}

std::string log_file(const Location& place) {
  return join_path(place.dir, "kernel.db-wal");
}

bool log_has_commits(const Location& place) {
  struct stat info{};
  return ::stat(log_file(place).c_str(), &info) == 0 && info.st_size > 0;
}

Result<Store> open_with_plan(const Location& place, const Clock& clock, Create create,
                             const Plan& plan) {
  TRY(must_be(place.dir, S_IFDIR, "folder"));
  Opened opened = place.on_server() ? Opened{std::nullopt, TRY(open_server(place, create, plan))}
                                    : TRY(open_file(place.dir, create, plan));
  if (place.on_server()) TRY(make_place(place.dir));
  // Who only looks may look at damage too, verify and a person first of all; nobody may add to it.
  const std::string name = name_of(place);
  TRY(check_tables(opened.database, name));
  Status whole = look_at_tail(opened.database, name);
  const bool damaged =
      !whole && (whole.error().code == Code::kCorrupt || whole.error().code == Code::kNewer);
  if (!whole && (!damaged || create == Create::kYes)) {
    return std::unexpected(std::move(whole).error());
  }
  return Store(std::make_unique<Store::State>(Store::State{
      .place = place,
      .clock = &clock,
      .boot_id = clock.boot_id(),
      .plan = plan,
      .queue = std::move(opened.queue),
      .database = std::move(opened.database),
      .damage = damaged ? std::optional<Error>(whole.error()) : std::nullopt,
      .locks = Locks::of(place),
      .log_named = place.on_server() || log_has_commits(place),
  }));
}

namespace {

constexpr int kLooks = 4;

// Somebody may be making the store, or closing it, at the moment of a look. When whoever has the
// writer's turn is done with it, what is wrong then is wrong. A server does not show half of it.
bool worth_another_look(const Error& error) {
  return error.code == Code::kCorrupt || error.code == Code::kFault || error.code == Code::kBusy;
}

Result<Store> open_patiently(const Location& place, const Clock& clock, Create create) {
  auto store = open_with_plan(place, clock, create, current_plan());
  if (place.on_server()) return store;
  for (int look = 1; look < kLooks && !store && worth_another_look(store.error()); ++look) {
    auto queue = db::WriterQueue::open(join_path(place.dir, "kernel.lock"));
    if (!queue) return store;
    if (const auto turn = queue->enter(kWriteDeadlineMs); !turn) return store;
    store = open_with_plan(place, clock, create, current_plan());
  }
  return store;
}

}  // namespace

Result<Store> Store::open(const Location& place, const Clock& clock) {
  return open_patiently(place, clock, Create::kYes);
}

Result<Store> Store::open_existing(const Location& place, const Clock& clock) {
  return open_patiently(place, clock, Create::kNo);
}

}  // namespace gittxn::store

#include "store/log/arrivals.h"

#include <optional>

#include "base/files/dir_watch.h"
#include "store/server/dialect.h"
#include "store/state.h"

namespace gittxn::store {
namespace {

constexpr std::int64_t kLookAgainMs = 1'000;  // for what nobody told
constexpr std::int64_t kBlindPauseMs = 200;   // where there is no inotify

class FileArrivals final : public Arrivals {
 public:
  FileArrivals(std::optional<DirWatch> watch, Clock& clock)
      : watch_(std::move(watch)), clock_(clock) {}
  Status wait() override {
    if (watch_) return watch_->wait(kLookAgainMs);
    clock_.sleep_ms(kBlindPauseMs);
    return {};
  }

 private:
  std::optional<DirWatch> watch_;
  Clock& clock_;
};

class ServerArrivals final : public Arrivals {
 public:
  explicit ServerArrivals(db::Database database) : database_(std::move(database)) {}
  Status wait() override { return database_.wait_for_note(kLookAgainMs); }

 private:
  db::Database database_;
};

}  // namespace

Result<std::unique_ptr<Arrivals>> Arrivals::of(const Store& store, Clock& clock) {
  const Location& place = store.place();
  if (place.on_server()) {
    db::Database database =
        TRY(db::Database::connect(place.url, place.schema, {.patience = place.patience}));
    TRY(database.listen(arrivals_channel(place.schema)));
    return std::make_unique<ServerArrivals>(std::move(database));
  }
  auto opened = DirWatch::open(place.dir);
  if (!opened && opened.error().code != Code::kUnsupported) {
    return std::unexpected(std::move(opened).error());
  }
  std::optional<DirWatch> watch;
  if (opened) watch = *std::move(opened);
  return std::make_unique<FileArrivals>(std::move(watch), clock);
}

}  // namespace gittxn::store

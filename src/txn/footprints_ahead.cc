#include "txn/footprints_ahead.h"

#include <memory>

#include "catalogue/footprints.h"

namespace gittxn::api {
namespace {

// About 50 ms of a processor.
constexpr std::uint64_t kMostBytesAhead = 128u << 10;

// The time at which it was made: the clock of a host need not be one for two threads.
class Moment final : public Clock {
 public:
  explicit Moment(std::int64_t wall_ms) : wall_ms_(wall_ms) {}
  std::int64_t wall_ms() const override { return wall_ms_; }
  std::int64_t monotonic_ns() const override { return 0; }
  std::int64_t boot_ms() const override { return 0; }
  std::string boot_id() const override { return {}; }
  void sleep_ms(std::int64_t /*ms*/) override {}

 private:
  std::int64_t wall_ms_;
};

}  // namespace

void FootprintsAhead::begin(State& state, const Txn& txn, const repo::Taken& taken) {
  const auto head = state.repository.refs().read(txn.target);
  if (!head || *head == taken.base) return;
  auto objects = state.repository.objects().beside();
  if (!objects) return;
  made_ = on_a_thread([objects = std::make_shared<repo::Objects>(*std::move(objects)),
                       txn_dir = state.repository.txn_dir(),
                       now = Moment(state.host.clock->wall_ms()), &taken] {
    catalogue::Footprints footprints(*objects, catalogue::cache_in(txn_dir, now), kMostBytesAhead);
    footprints.make(taken.changes, kMostBytesAhead);
  });
}

}  // namespace gittxn::api

#include "asking/wanted.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "asking/real_paths.h"
#include "base/fs.h"
#include "capture/trace/trace.h"

namespace gittxn::asking {
namespace {

using capture::Op;
using capture::Record;

constexpr std::string_view kSocket = "unix:";

bool within(const std::string& path, const std::vector<std::string>& roots) {
  return std::ranges::any_of(
      roots, [&](const std::string& root) { return path_below(path, root, nullptr); });
}

class Finder {
 public:
  Finder(const PlacePlan& plan, Links links) : plan_(plan), links_(links) {}
  Wanted take() { return std::move(wanted_); }
  bool too_many() const { return wanted_.led_from.size() > kMostLed; }

  void look(const Record& record) {
    if (record.op == Op::kConnect) return look_at_socket(record);
    if (!record.path.starts_with('/')) return;
    look_at(record, record.path);
    if (capture::has_second_path(record.op) && record.path2.starts_with('/')) {
      look_at(record, record.path2);
    }
  }

 private:
  static void add(const std::string& path, std::vector<std::string>* to) {
    const bool known = std::ranges::find(*to, path) != to->end();
    if (!known && to->size() < kMostNamed) to->push_back(path);
  }

  bool own(const std::string& path) const {
    return path_below(path, plan_.at, nullptr) || path_below(path, kRecordsInside, nullptr) ||
           path_below(path, kRepositoryInside, nullptr) || within(path, plan_.temporary);
  }

  void look_at(const Record& record, const std::string& path) {
    const bool entry = capture::keeps_last_link(record);
    const bool step = record.op == Op::kStat || record.op == Op::kAccess ||
                      record.op == Op::kReadlink || record.op == Op::kChdir;
    if (!seen_.emplace(path, entry, step).second) return;
    if (links_ == Links::kYes) follow(path);
    const std::string real = entry ? real_.of_entry(path) : real_.of(path);
    if (own(real) || !within(real, plan_.hidden)) return;
    if (step && path_below(plan_.at, real, nullptr)) return;
    add(real, &wanted_.hidden);
  }

  void follow(const std::string& path) {
    const std::string stands = normal_path(path);
    const bool climbs = path.find("/..") != std::string::npos;
    if (too_many() || (!climbs && !path_below(stands, plan_.at, nullptr))) return;
    std::string leads = real_.of(path);
    if (leads == stands || !followed_.insert(path).second) return;
    wanted_.led_from.push_back(path);
    wanted_.led_to.push_back(std::move(leads));
  }

  void look_at_socket(const Record& record) {
    std::string_view name = record.path;
    if (!name.starts_with(kSocket)) return;
    name.remove_prefix(kSocket.size());
    if (!name.starts_with('/')) return;
    const std::string real = real_.of(name);
    if (own(real)) return;
    if (within(real, plan_.hidden)) {
      add(real, &wanted_.hidden);
    } else if (!capture::failed(record)) {
      add(real, &wanted_.reached);
    }
  }

  const PlacePlan& plan_;
  Links links_;
  Wanted wanted_;
  RealPaths real_;
  std::set<std::string> followed_;
  std::set<std::tuple<std::string, bool, bool>> seen_;
};

}  // namespace

Result<Wanted> find_wanted(const std::string& record_file, const PlacePlan& plan, Links links) {
  Finder finder(plan, links);
  TRY(capture::read_records(record_file, [&](const Record& record) { finder.look(record); }));
  if (!finder.too_many()) return finder.take();
  return fail(Code::kRefused, "it followed more links than are kept");
}

}  // namespace gittxn::asking

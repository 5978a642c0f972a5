#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "hammer/judge.h"

namespace gittxn::hammer {
namespace {

constexpr double kNsAMs = 1e6;
constexpr std::int64_t kMuch = 10;  // a tenth of a wait is worth being told

struct Sample {
  const Operation* op = nullptr;
  std::string name;
  std::int64_t ns = 0;
};

std::vector<Sample> samples_of(const Told& told) {
  std::vector<Sample> samples;
  for (const Operation& op : told.operations) {
    if (op.ended == Ended::kOpen) continue;
    const bool stopped = std::ranges::any_of(told.stops_ns, [&](const auto& stop) {
      return op.begun_ns < stop.second && op.ended_ns > stop.first;
    });
    if (stopped) continue;
    bool by_steps = false;
    for (const auto& [name, value] : op.facts.items()) {
      if (!name.ends_with("_ns")) continue;
      by_steps = true;
      samples.push_back(
          {&op, op.verb + "." + name.substr(0, name.size() - 3), value.integer_or(0)});
    }
    const bool did = op.ended == Ended::kMade || op.verb == "sentinel";
    if (!by_steps && did) samples.push_back({&op, op.verb, op.ended_ns - op.begun_ns});
  }
  return samples;
}

// What waits for more than the store, appends nothing, or is more work than an append.
bool is_append(const std::string& name) {
  static const std::set<std::string> others{"land.turn", "look", "verify", "program", "prune"};
  return !others.contains(name);
}

std::string place_of(const Operation& op) {
  return op.tag.substr(0, op.tag.find('g'));
}

std::string shown(const Operation& op) {
  const std::string of = text_of(op.facts, "of");
  return fmt::format("{}{} of {} {:.1f} ms", op.verb, of.empty() ? "" : " " + of, place_of(op),
                     static_cast<double>(op.ended_ns - op.begun_ns) / kNsAMs);
}

// The operations of the other processes that took most of that time, and what was done to them.
// Other appends mostly wait as well, so first what is more.
std::string meanwhile(const Told& told, const Operation& waited) {
  std::vector<Sample> more;
  std::vector<Sample> appends;
  for (const Operation& op : told.operations) {
    // Of one without an end nobody knows how long it went on.
    if (place_of(op) == place_of(waited) || op.ended == Ended::kOpen) continue;
    const std::int64_t shared_ns =
        std::min(op.ended_ns, waited.ended_ns) - std::max(op.begun_ns, waited.begun_ns);
    if (shared_ns < 0) continue;
    const bool much = shared_ns * kMuch >= waited.ended_ns - waited.begun_ns;
    (is_append(op.verb) || !much ? appends : more).push_back({&op, op.verb, shared_ns});
  }
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::vector<Sample>* list : {&more, &appends}) {
    std::ranges::sort(*list, std::ranges::greater(), &Sample::ns);
    for (std::size_t i = 0; i < std::min(list->size(), kShown); ++i) {
      text += (text.empty() ? "" : ", ") + shown(*(*list)[i].op);
    }
  }
  text += fmt::format(" ({} in all)", more.size() + appends.size());
  for (const auto& [at_ns, what] : told.disturbances) {
    if (at_ns >= waited.begun_ns && at_ns <= waited.ended_ns) text += "; " + what;
  }
  return text;
}

}  // namespace

std::vector<Wait> waits_of(const Told& told) {
  std::map<std::string, std::vector<std::int64_t>> by_name;
  for (const Sample& sample : samples_of(told)) by_name[sample.name].push_back(sample.ns);
  std::vector<Wait> waits;
  for (auto& [verb, list] : by_name) {
    std::ranges::sort(list);
    const auto at = [&](std::size_t index) { return static_cast<double>(list[index]) / kNsAMs; };
    waits.push_back(
        {verb, list.size(), at(list.size() / 2), at(list.size() * 99 / 100), at(list.size() - 1)});
  }
  return waits;
}

std::vector<std::string> explain_longest(const Told& told, std::size_t most) {
  std::vector<Sample> samples = samples_of(told);
  std::erase_if(samples, [](const Sample& sample) { return !is_append(sample.name); });
  std::ranges::sort(samples, std::ranges::greater(), &Sample::ns);
  samples.resize(std::min(samples.size(), most));
  std::vector<std::string> lines;
  lines.reserve(samples.size());
  for (const Sample& sample : samples) {
    lines.push_back(fmt::format("{} of {} took {:.1f} ms; meanwhile: {}", sample.name,
                                sample.op->tag, static_cast<double>(sample.ns) / kNsAMs,
                                meanwhile(told, *sample.op)));
  }
  return lines;
}

}  // namespace gittxn::hammer

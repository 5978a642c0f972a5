#include "capture/paths/outside_links.h"

#include <utility>

#include "base/fs.h"

namespace gittxn::capture {
namespace {

// `path` at or below a key of `places`, with what the key stands for in its place; the innermost
// counts. `path` itself when there is none.
std::string replaced_prefix(const std::map<std::string, std::string>& places,
                            const std::string& path) {
  for (std::size_t end = path.size(); !places.empty() && end > 0; end = path.rfind('/', end - 1)) {
    if (end == std::string::npos) break;
    const auto at = places.find(path.substr(0, end));
    if (at != places.end()) return at->second + path.substr(end);
  }
  return path;
}

}  // namespace

std::string OutsideLinks::origin_of(const std::string& path) const {
  return replaced_prefix(arrived_, path);
}

OutsideLinks::Found OutsideLinks::find(const std::string& path) const {
  if (const auto at = now_.find(path); at != now_.end()) return {at->second, {}};
  if (before_.empty() && arrived_.empty() && final_.empty()) return {};
  const std::string origin = origin_of(path);
  if (const auto at = before_.find(origin); at != before_.end()) return {at->second, {}};
  std::string end = replaced_prefix(final_, origin);
  if (end == path) end.clear();
  return {std::nullopt, std::move(end)};
}

void OutsideLinks::foresee(const std::string& path, const Spot& before) {
  if (now_.contains(path)) return;
  const auto [at, first] = before_.try_emplace(origin_of(path), before);
  // That it was a link may be known before what it said is.
  if (!first && at->second.link && at->second.text.empty() && before.link) at->second = before;
}

void OutsideLinks::start_over() {
  foreseeing_ = false;
  now_.clear();
  arrived_.clear();
}

void OutsideLinks::move(const std::string& from, const std::string& to) {
  std::unordered_map<std::string, Spot> moved;
  for (auto at = now_.begin(); at != now_.end();) {
    if (!path_below(at->first, from, nullptr)) {
      ++at;
      continue;
    }
    moved.emplace(to + at->first.substr(from.size()), std::move(at->second));
    at = now_.erase(at);
  }
  for (auto& [path, spot] : moved) now_[path] = std::move(spot);
  const std::string origin = origin_of(from);
  std::map<std::string, std::string> arrived;
  for (const auto& [place, began] : arrived_) {
    if (place == from || path_below(place, to, nullptr)) continue;
    arrived[path_below(place, from, nullptr) ? to + place.substr(from.size()) : place] = began;
  }
  arrived[to] = origin;
  arrived_ = std::move(arrived);
  if (!foreseeing_) return;
  for (auto& [began, end] : final_) {
    if (path_below(end, from, nullptr)) end = to + end.substr(from.size());
  }
  final_[origin] = to;
}

}  // namespace gittxn::capture

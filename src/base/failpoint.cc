#include "base/failpoint.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace gittxn {

namespace {

// Points register from static initialisers of other files, in any order: the list must exist by
// then.
std::vector<Failpoint*>& registry() {
  static std::vector<Failpoint*> points;
  return points;
}

// A point at which another one is armed, and how.
struct Chain {
  std::string_view at;
  std::string then;
};
Chain& chain() {
  static Chain one;
  return one;
}

}  // namespace

Failpoint::Failpoint(const char* name) : name_(name) {
  registry().push_back(this);
}

Status Failpoint::arm(std::string_view spec) {
  if (const std::size_t later = spec.find('>'); later != spec.npos) {
    chain() = {};
    TRY(arm(spec.substr(later + 1)));  // it has to make sense now
    for (Failpoint* point : registry()) point->armed_ = false;
    TRY(arm(spec.substr(0, later)));
    for (const Failpoint* point : registry()) {
      if (point->armed_) chain() = {point->name_, std::string(spec.substr(later + 1))};
    }
    return {};
  }
  const std::size_t equals = spec.find('=');
  const std::string_view name = spec.substr(0, equals);
  const std::string_view what = equals == spec.npos ? "1" : spec.substr(equals + 1);
  Action action = Action::kKill;
  int countdown = 1;
  if (what == "error") {
    action = Action::kError;
  } else if (what == "stop") {
    action = Action::kStop;
  } else {
    auto [end, error] = std::from_chars(what.data(), what.data() + what.size(), countdown);
    if (error != std::errc() || end != what.data() + what.size() || countdown < 1) {
      return fail(Code::kUsage, "failpoint '" + std::string(spec) + "' has an unknown action",
                  "use NAME, NAME=<count>, NAME=error or NAME=stop, or FIRST>NAME");
    }
  }
  bool known = false;
  for (Failpoint* point : registry()) {
    if (point->name_ != name) continue;
    known = true;
    point->armed_ = true;
    point->countdown_ = countdown;
    point->action_ = action;
  }
  if (known) return {};
  return fail(Code::kUsage, "there is no failpoint '" + std::string(name) + "'",
              "'git txn internal failpoints' lists them");
}

std::vector<std::string> Failpoint::names() {
  std::vector<std::string> all;
  for (const Failpoint* point : registry()) all.emplace_back(point->name_);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

Status Failpoint::fire() {
  if (__atomic_sub_fetch(&countdown_, 1, __ATOMIC_RELAXED) != 0) return {};
  if (chain().at == name_) {
    const std::string then = std::move(chain().then);
    chain() = {};
    armed_ = false;
    return arm(then);
  }
  switch (action_) {
    case Action::kKill:
      ::kill(::getpid(), SIGKILL);
      break;
    case Action::kStop:
      ::kill(::getpid(), SIGSTOP);
      break;
    case Action::kError:
      return fail(Code::kFault, "failpoint " + std::string(name_) + " is armed with an error");
  }
  return {};
}

}  // namespace gittxn

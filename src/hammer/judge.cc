#include "hammer/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "hammer/worker.h"

namespace gittxn::hammer {
namespace {

// Verbs whose events have the tag in them.
const std::set<std::string> kTagged{"count",   "note",    "begin",    "work",    "land",  "end",
                                    "meddle",  "lease",   "move",     "verdict", "usage", "propose",
                                    "promote", "dismiss", "link",     "member",  "leave", "promise",
                                    "create",  "carry",   "evaluate", "summary", "crowd"};

// "h3g12-57" wherever it stands in a payload.
std::set<std::string> tags_in(std::string_view text) {
  std::set<std::string> tags;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t at = i;
    const bool tag = std::ranges::all_of(std::string_view("hg-"), [&](char mark) {
      if (at >= text.size() || text[at] != mark) return false;
      const std::size_t digits = at + 1;
      at = std::min(text.find_first_not_of("0123456789", digits), text.size());
      return at > digits;
    });
    if (!tag) continue;
    tags.emplace(text.substr(i, at - i));
    i = at - 1;
  }
  return tags;
}

class Judge {
 public:
  explicit Judge(const Told& told) : told_(told) {}
  std::vector<std::string> all() {
    chain();
    journals();
    counters();
    workflows();
    held_leases();
    sentinels();
    usage();
    consumers();
    judge_others(told_, wrong_);
    return wrong_.take();
  }

 private:
  void chain() {
    Seq expected = 0;
    std::string before(64, '0');
    for (const Event& event : told_.log) {
      if (event.seq != ++expected) return wrong_("event {} follows {}", event.seq, expected - 1);
      if (event.prev_hash.str() != before || event_hash(event) != event.hash) {
        return wrong_("event {} does not belong to the chain", event.seq);
      }
      before = event.hash.str();
    }
  }

  // What was made is in the log, what was refused is not, and all that is in it was begun.
  void journals() {
    std::map<std::string, std::vector<const Event*>> by_tag;
    for (const Event& event : told_.log) {
      for (const std::string& tag : tags_in(event.payload)) by_tag[tag].push_back(&event);
    }
    for (const Operation& op : told_.operations) {
      const auto found = by_tag.find(op.tag);
      const bool there = found != by_tag.end();
      const bool known = op.seq > 0 && op.seq <= static_cast<Seq>(told_.log.size());
      const bool made = op.ended == Ended::kMade;
      const bool tagged = made && kTagged.contains(op.verb);
      if (made && op.seq > 0 && !known) wrong_("lost: {} {} was event {}", op.verb, op.tag, op.seq);
      if (tagged && !there) wrong_("lost: {} {} is not in the log", op.verb, op.tag);
      if (tagged && known && op.verb != "note") {
        const Event& event = told_.log[static_cast<std::size_t>(op.seq) - 1];
        const bool its = tags_in(event.payload).contains(op.tag) || op.verb == "work" ||
                         op.verb == "begin" || op.verb == "lease";
        if (!its) wrong_("{} {}: event {} is another's", op.verb, op.tag, op.seq);
      }
      if (op.ended == Ended::kRefused && there) {
        wrong_("refused, and in the log as {}: {} {}", found->second.front()->type, op.verb,
               op.tag);
      }
      if (there) by_tag.erase(found);
    }
    for (const auto& [tag, events] : by_tag) {
      wrong_("nobody began {}, which is event {}", tag, events.front()->seq);
    }
  }

  void counters() {
    std::map<std::string, std::uint64_t> counted;
    for (const Event& event : told_.log) {
      if (event.type != event_type::kOutsideMove) continue;
      const std::uint64_t now = ++counted[event.subject];
      const std::string head = text_of(payload_of(event), "new");
      if (head != fmt::format("{:040x}", now)) {
        wrong_("lost update: {} is {} after {} moves", event.subject, head, now);
      }
    }
  }

  void workflows() {
    std::map<std::string, std::int64_t> versions;
    for (const Event& event : told_.log) {
      if (!event.type.starts_with("phase.")) continue;
      if (event.type == event_type::kPhaseJoined || event.type == event_type::kPhaseCarried) {
        joined(event, versions);
        continue;
      }
      const std::int64_t version = number_of(payload_of(event), "version");
      if (version != ++versions[event.subject]) {
        wrong_("double advance: event {} moves {} from version {}, the {}. move", event.seq,
               event.subject, version, versions[event.subject]);
      }
    }
    std::set<std::string> moved;
    for (const Operation& op : told_.operations) {
      if (op.verb != "move" || op.ended != Ended::kMade) continue;
      const std::string what = fmt::format("{} from version {}", text_of(op.facts, "on"),
                                           number_of(op.facts, "version"));
      if (!moved.insert(what).second) wrong_("double advance: two moved {}", what);
    }
  }

  // Under the version that the workflow has at that event.
  void joined(const Event& event, const std::map<std::string, std::int64_t>& moves) {
    const Json payload = payload_of(event);
    const auto moved = moves.find(text_of(payload, "workflow"));
    const std::int64_t now = 1 + (moved == moves.end() ? 0 : moved->second);
    const std::int64_t version = number_of(payload, "workflow_version");
    if (version != now) {
      wrong_("event {}: {} belongs to version {}, and it is {}", event.seq, event.subject, version,
             now);
    }
  }

  struct Held {
    std::string part;
    bool shared = false;
    std::string owner;
    bool attached = false;
  };
  static std::optional<std::pair<int, int>> life_of(const std::string& owner) {
    const std::size_t g = owner.find('g');
    if (!owner.starts_with('h') || g == std::string::npos) return std::nullopt;
    const auto number = [&](std::size_t at) {
      return static_cast<int>(std::strtol(owner.c_str() + at, nullptr, 10));
    };
    return std::pair(number(1), number(g + 1));
  }

  void held_leases() {
    std::map<std::string, Held> held;
    for (const Event& event : told_.log) {
      if (event.type == event_type::kLeaseAcquired) {
        const Json payload = payload_of(event);
        const Json subject = payload["subjects"].at(0);
        Held now{dump_json(subject), text_of(payload, "sharing") == "shared",
                 text_of(payload, "owner"), number_of(payload, "slot") != 0};
        for (const auto& [id, other] : held) {
          if (other.part == now.part && !(other.shared && now.shared)) {
            wrong_("two holders: {} of {} and {} of {}", id, other.owner, event.subject, now.owner);
          }
        }
        held[event.subject] = now;
      } else if (event.type == event_type::kLeaseTransferred) {
        held[event.subject].attached = false;
      } else if (event.type == event_type::kLeaseExpired) {
        robbed(event, held[event.subject]);
        held.erase(event.subject);
      } else if (event.type == event_type::kLeaseReleased) {
        held.erase(event.subject);
      }
    }
  }

  // An attached one is over when its owner is dead, or has lost the server with whatever it was
  // at, and for no other reason.
  void robbed(const Event& event, const Held& lease) {
    if (!lease.attached) return;
    const auto life = life_of(lease.owner);
    if (life && told_.killed.contains(*life)) return;
    const auto asked = std::ranges::find(told_.operations, lease.owner, &Operation::tag);
    if (asked != told_.operations.end() && asked->ended == Ended::kOpen) return;
    wrong_("robbed: {} of {}, who was not killed, is over: {}", event.subject, lease.owner,
           text_of(payload_of(event), "why"));
  }

  void sentinels() {
    std::map<std::string, std::vector<const Operation*>> passed;
    const std::string reset = fmt::format("s{}", kSentinels - 1);
    for (const Operation& op : told_.operations) {
      const std::string on = text_of(op.facts, "on");
      const bool counts = op.verb == "sentinel" && op.ended == Ended::kMade && on != reset;
      if (counts) passed[on].push_back(&op);
    }
    constexpr std::int64_t kRounding = 2;
    for (auto& [name, list] : passed) {
      std::ranges::sort(list, {}, &Operation::ended_ns);
      for (std::size_t i = 1; i < list.size(); ++i) {
        const Operation& a = *list[i - 1];
        const Operation& b = *list[i];
        const std::int64_t apart = b.ended_ns - std::min(a.begun_ns, b.begun_ns);
        if (apart < (kEveryMs - kRounding) * kNsPerMs) {
          wrong_("passed twice: {} by {} and {} within {} ms", name, a.tag, b.tag,
                 apart / kNsPerMs);
        }
      }
    }
  }

  void usage() {
    std::set<std::string> items;
    for (const Event& event : told_.log) {
      if (event.type != event_type::kUsageReported) continue;
      const Json payload = payload_of(event);
      for (const Json& item : payload["items"]) {
        if (!items.insert(text_of(item, "id")).second) wrong_("counted twice: {}", dump_json(item));
      }
    }
  }

  void consumers() {
    std::map<int, std::int64_t> next;
    std::map<int, bool> unknown;  // somebody was killed at it
    for (const Operation& op : told_.operations) {
      const auto life = life_of(op.tag);
      if (op.verb != "tail" || !life) continue;
      const int place = life->first;
      if (op.ended != Ended::kMade) {
        unknown[place] = true;
        continue;
      }
      const std::int64_t from = number_of(op.facts, "from");
      const bool right =
          !next.contains(place) || from == next[place] || (unknown[place] && from > next[place]);
      if (!right) wrong_("consumer c{} was at {}, and is at {}", place, next[place], from);
      next[place] = number_of(op.facts, "to") + 1;
      unknown[place] = false;
    }
  }

  const Told& told_;
  Wrongs wrong_;
};

}  // namespace

Json payload_of(const Event& event) {
  return parse_json(event.payload).value_or(Json::object());
}

std::string text_of(const Json& json, const char* key) {
  return json[key].text_or("");
}

std::int64_t number_of(const Json& json, const char* key) {
  return json[key].integer_or(0);
}

std::vector<std::string> judge(const Told& told) {
  return Judge(told).all();
}

}  // namespace gittxn::hammer

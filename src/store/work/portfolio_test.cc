#include "store/work/portfolio.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/json.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "store/log/consumers.h"
#include "store/log/pruning.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"
#include "store/work/portfolio_relay.h"
#include "store/work/workflows.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

Member new_member(const std::string& name, const std::vector<std::string>& needs = {}) {
  return {name, "/somewhere/" + name, "urn:uuid:" + name, needs};
}

std::string order_of(const Store& store) {
  std::string names;
  const std::vector<Member> all = members(store).value();
  for (const Member& one : all) names += (names.empty() ? "" : " ") + one.name;
  return names;
}

TEST(Portfolio, WhatOthersNeedIsFirst) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(set_member(store, new_member("shared"), "Ada"));
  ASSERT_OK(set_member(store, new_member("api", {"shared"}), "Ada"));
  ASSERT_OK(set_member(store, new_member("all", {"shared", "api", "shared"}), "Ada"));
  ASSERT_OK(set_member(store, new_member("zoo"), "Ada"));
  EXPECT_EQ(order_of(store), "shared api all zoo");
  EXPECT_EQ(find_member(store, "all")->needs, (std::vector<std::string>{"api", "shared"}));
  const Seq head = store.head().value();
  ASSERT_OK(set_member(store, new_member("zoo"), "Bob"));
  EXPECT_EQ(store.head().value(), head) << "it is so already";
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Portfolio, ACircleIsRefusedAndNamed) {
  TempStore place;
  Store store = place.open();
  for (const char* name : {"api", "web", "app"}) {
    ASSERT_OK(set_member(store, new_member(name), "Ada"));
  }
  ASSERT_OK(set_member(store, new_member("web", {"api"}), "Ada"));
  ASSERT_OK(set_member(store, new_member("app", {"web"}), "Ada"));
  const auto circle = set_member(store, new_member("api", {"app"}), "Ada");
  EXPECT_CODE(circle, Code::kUsage);
  EXPECT_NE(circle.error().message.find("api needs app, app needs web, web needs api"),
            std::string::npos)
      << circle.error().message;
  EXPECT_CODE(set_member(store, new_member("api", {"api"}), "Ada"), Code::kUsage);
  EXPECT_CODE(store.append({events::member_set(new_member("api", {"app"}), "Ada")}), Code::kStale);
  EXPECT_EQ(order_of(store), "api web app");
}

TEST(Portfolio, AMemberIsKnownByItsNameAndItsLog) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(set_member(store, new_member("api"), "Ada"));
  Member other = new_member("api");
  other.log = "urn:uuid:another";
  EXPECT_CODE(set_member(store, other, "Ada"), Code::kExists);
  other = new_member("api");
  other.name = "renamed";
  EXPECT_CODE(set_member(store, other, "Ada"), Code::kExists);
  Member moved = new_member("api");
  moved.place = "/elsewhere/\xff/api";
  ASSERT_OK(set_member(store, moved, "Ada"));
  EXPECT_EQ(find_member(store, "api")->place, moved.place);
  EXPECT_CODE(set_member(store, new_member("web", {"nobody"}), "Ada"), Code::kUsage);
  EXPECT_CODE(set_member(store, new_member("no/name"), "Ada"), Code::kUsage);
  EXPECT_CODE(find_member(store, "web"), Code::kNotFound);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Portfolio, WhatIsNeededStays) {
  TempStore place;
  Store store = place.open();
  ASSERT_OK(set_member(store, new_member("api"), "Ada"));
  ASSERT_OK(set_member(store, new_member("web", {"api"}), "Ada"));
  EXPECT_CODE(remove_member(store, "api", "Ada"), Code::kRefused);
  EXPECT_CODE(store.append({events::member_removed("api", "Ada")}), Code::kStale);
  EXPECT_CODE(remove_member(store, "nobody", "Ada"), Code::kNotFound);
  ASSERT_OK(remove_member(store, "web", "Ada"));
  ASSERT_OK(remove_member(store, "api", "Ada"));
  EXPECT_EQ(order_of(store), "");
}

// Who read the list before it changed would write back what somebody else had changed.
TEST(Portfolio, AnEditSeesWhatOthersChangedBeforeIt) {
  TempStore place;
  Store store = place.open();
  Store other = place.open();
  ASSERT_OK(set_member(store, new_member("api"), "Ada"));
  ASSERT_OK(set_member(store, new_member("web"), "Ada"));
  const auto moves = [&](const std::vector<Member>& all) -> Result<Member> {
    Member web = *std::ranges::find(all, "web", &Member::name);
    web.place = "/elsewhere";
    return web;
  };
  ASSERT_OK(set_member(other, new_member("web", {"api"}), "Bob"));
  const auto edited = edit_member(store, moves, "Ada");
  ASSERT_OK(edited);
  EXPECT_EQ(edited->needs, (std::vector<std::string>{"api"}));
  EXPECT_EQ(*edited, find_member(store, "web").value());
  EXPECT_CODE(
      edit_member(
          store, [](const auto&) -> Result<Member> { return fail(Code::kUsage, "no"); }, "Ada"),
      Code::kUsage);
  Member fresh = new_member("new", {"nobody"});
  fresh.log = "";
  const Seq head = store.head().value();
  EXPECT_CODE(check_member(store, fresh), Code::kUsage);
  fresh.needs.clear();
  ASSERT_OK(check_member(store, fresh));
  EXPECT_EQ(store.head().value(), head);
}

// ---- random operations ------------------------------------------------------------------------

using Needs = std::map<std::string, std::set<std::string>>;

// Whether somebody reaches himself: every path tried, as long as there is one.
bool has_circle(const Needs& needs) {
  Needs reach = needs;
  for (bool more = true; more;) {
    more = false;
    for (auto& [name, there] : reach) {
      for (const std::string& next : std::set(there)) {
        for (const std::string& far : reach[next]) more = there.insert(far).second || more;
      }
    }
  }
  return std::ranges::any_of(reach, [](const auto& one) { return one.second.contains(one.first); });
}

TEST(Portfolio, RandomChangesAreAsOnPaper) {
  const std::uint64_t seed = gittxn::testing::told_seed();
  Random random(seed);
  TempStore place;
  Store store = place.open();
  Needs paper;
  const std::string names[] = {"a", "b", "c", "d", "e"};
  const auto any = [&] { return names[random.below(std::size(names))]; };
  for (int round = 0; round < gittxn::testing::campaign_rounds(150); ++round) {
    const std::string name = any();
    if (random.below(4) == 0) {
      const bool needed =
          std::ranges::any_of(paper, [&](const auto& one) { return one.second.contains(name); });
      const bool gone = remove_member(store, name, "Ada").has_value();
      EXPECT_EQ(gone, paper.contains(name) && !needed) << name;
      if (gone) paper.erase(name);
    } else {
      Member member = new_member(name);
      while (random.below(2) == 0) member.needs.push_back(any());
      Needs next = paper;
      next[name] = {member.needs.begin(), member.needs.end()};
      const bool known =
          std::ranges::all_of(member.needs, [&](const auto& need) { return next.contains(need); });
      const bool set = set_member(store, member, "Ada").has_value();
      EXPECT_EQ(set, known && !has_circle(next)) << name;
      if (set) paper = next;
    }
    const std::vector<Member> all = members(store).value();
    ASSERT_EQ(all.size(), paper.size());
    ASSERT_EQ(consumers(store)->size(), paper.size()) << "each holds back its own";
    std::set<std::string> before;
    for (const Member& one : all) {
      ASSERT_EQ(std::set(one.needs.begin(), one.needs.end()), paper.at(one.name));
      for (const std::string& need : one.needs) EXPECT_TRUE(before.contains(need)) << one.name;
      before.insert(one.name);
    }
    const auto report = store.verify_replay();
    ASSERT_TRUE(report->problems.empty()) << report->problems.front();
    if (::testing::Test::HasFailure()) return;
  }
}

// ---- relaying ---------------------------------------------------------------------------------

// Events of a log far away.
std::vector<Event> some_events(int n) {
  std::vector<Event> events;
  for (int i = 1; i <= n; ++i) {
    Event event;
    event.seq = 3 * i;
    event.time = "2026-01-01T00:00:00.000Z";
    event.type = event_type::kPhaseAdvanced;
    event.subject = fmt::format("w-{}", i % 2);
    event.payload = fmt::format("{{\"number\":{}}}", i);
    event.hash = Digest(fmt::format("{:064}", i));
    events.push_back(std::move(event));
  }
  return events;
}

std::vector<int> numbers_in(const Store& store) {
  std::vector<int> numbers;
  const std::vector<Event> told = store.events_of("urn:uuid:home").value();
  for (const Event& event : told) {
    numbers.push_back(parse_json(event.payload).value()["data"]["number"].get<int>());
  }
  return numbers;
}

TEST(Portfolio, AnEventIsToldOnceHoweverOftenItIsRelayed) {
  TempStore place;
  Store store = place.open();
  const std::vector<Event> all = some_events(6);
  const std::vector<Event> some(all.begin(), all.begin() + 3);
  EXPECT_EQ(relay(store, "urn:uuid:home", "/home", some).value(), 3);
  EXPECT_EQ(relay(store, "urn:uuid:home", "/home", some).value(), 0);
  EXPECT_EQ(relay(store, "urn:uuid:home", "/moved", all).value(), 3);
  EXPECT_EQ(numbers_in(store), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(relayed_until(store, "urn:uuid:home").value(), 18);
  EXPECT_EQ(relayed_until(store, "urn:uuid:other").value(), 0);
  EXPECT_EQ(relay(store, "urn:uuid:other", "/home", some).value(), 3) << "of another log";
  const std::vector<Relayed> last = relayed(store).value();
  ASSERT_EQ(last.size(), 4u);
  EXPECT_EQ(last[0].subject, "w-0");
  EXPECT_EQ(last[0].seq, 18);
  EXPECT_EQ(last[0].payload, "{\"number\":6}");
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

// Whoever appends it: the key, and the order, are the log's to keep.
TEST(Portfolio, TheLogTakesNoRelayedEventTwiceOrLate) {
  TempStore place;
  Store store = place.open();
  const std::vector<Event> all = some_events(3);
  const auto told_as = [&](std::size_t i) {
    return events::event_relayed({"urn:uuid:home", "/home", all[i].seq, all[i].time, all[i].type,
                                  all[i].subject, all[i].payload, all[i].hash.str()});
  };
  ASSERT_OK(store.append({told_as(1)}));
  ASSERT_OK(store.append({told_as(1)}));
  EXPECT_EQ(store.head().value(), 1);
  EXPECT_CODE(store.append({told_as(0)}), Code::kStale);
  NewEvent other = told_as(2);
  Json payload = parse_json(other.payload).value();
  payload["type"] = "txn.begun";
  other.payload = canonical_json(payload);
  EXPECT_CODE(store.append({other}), Code::kCorrupt);
  ASSERT_OK(store.append({told_as(2)}));
}

// What is told again for it is no repeat of what was told before, though that was pruned.
TEST(Portfolio, WhatIsToldAnewIsNoRepeat) {
  TempStore place;
  Store store = place.open();
  const std::vector<Event> all = some_events(4);
  std::vector<Event> other(all.begin(), all.begin() + 3);
  other.back().hash = Digest(fmt::format("{:064}", 333));
  const auto numbers_told = [&](const std::vector<Event>& events, Relay how) {
    PruneRequest request;
    request.before = store.head().value() + 1;
    EXPECT_TRUE(prune(store, request));
    EXPECT_TRUE(relay(store, "urn:uuid:home", "/home", events, how));
    return numbers_in(store);
  };
  EXPECT_EQ(numbers_told(all, Relay::kOn), (std::vector<int>{1, 2, 3, 4}));
  for (int round = 0; round < 2; ++round) {  // there and back again
    EXPECT_EQ(numbers_told(other, Relay::kAnew), (std::vector<int>{1, 2, 3}));
    EXPECT_EQ(last_told(store, "urn:uuid:home")->hash, other.back().hash.str());
    EXPECT_EQ(numbers_told(all, Relay::kAnew), (std::vector<int>{1, 2, 3, 4}));
    EXPECT_EQ(last_told(store, "urn:uuid:home")->hash, all.back().hash.str());
  }
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

// A log that went back: an older copy of it was put back, and it goes on from there.
TEST(Portfolio, WhatTheSourceLostIsTakenBack) {
  TempStore place;
  Store store = place.open();
  const std::vector<Event> all = some_events(6);
  ASSERT_OK(relay(store, "urn:uuid:home", "/home", all));
  EXPECT_EQ(last_told(store, "urn:uuid:home")->seq, 18);
  EXPECT_EQ(last_told(store, "urn:uuid:home")->hash, all.back().hash.str());
  EXPECT_EQ(last_told(store, "urn:uuid:other")->seq, 0);
  std::vector<Event> other(all.begin() + 3, all.begin() + 5);  // numbers that were told
  for (Event& event : other) {
    event.payload = fmt::format("{{\"number\":{}}}", event.seq * 100);
    event.hash = Digest(fmt::format("{:064}", event.seq * 100));
  }
  EXPECT_EQ(relay(store, "urn:uuid:home", "/home", other).value(), 0) << "passed over";
  EXPECT_EQ(relay(store, "urn:uuid:home", "/home", other, Relay::kAnew).value(), 2);
  EXPECT_EQ(numbers_in(store), (std::vector<int>{1, 2, 3, 4, 5, 6, 1200, 1500}));
  EXPECT_EQ(relayed_until(store, "urn:uuid:home").value(), 15);
  EXPECT_EQ(last_told(store, "urn:uuid:home")->hash, other.back().hash.str());
  const Seq head = store.head().value();
  EXPECT_EQ(relay(store, "urn:uuid:home", "/home", other, Relay::kAnew).value(), 0)
      << "the second of two at once";
  EXPECT_EQ(store.head().value(), head);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

TEST(Portfolio, TheSourceSaysWhetherItHasWhatWasTold) {
  TempStore home_place;
  Store home = home_place.open();
  for (const char* name : {"a", "b", "c"}) ASSERT_OK(set_member(home, new_member(name), "Ada"));
  const std::vector<Event> events = home.events(1, 3).value();
  EXPECT_TRUE(has_told(home, {}).value()) << "nothing was";
  EXPECT_TRUE(has_told(home, {2, events[1].hash.str()}).value());
  EXPECT_FALSE(has_told(home, {2, events[2].hash.str()}).value());
  EXPECT_FALSE(has_told(home, {4, events[2].hash.str()}).value());
}

// ---- what a log keeps for its members -----------------------------------------------------------

void create(Store& store, const std::string& id) {
  Workflow workflow;
  workflow.id = WorkflowId(id);
  workflow.name = "feature";
  workflow.branch = RefName("refs/heads/main");
  workflow.phases = {{.name = "plan", .state = PhaseState::kOpen}, {.name = "build"}};
  workflow.actor = "Ada";
  ASSERT_OK(store.append({events::workflow_created(workflow)}));
}

// All that nobody holds back.
Seq pruned_of(Store& store) {
  PruneRequest request;
  request.before = store.head().value() + 1;
  EXPECT_TRUE(prune(store, request));
  return pruned_until(store).value();
}

TEST(Portfolio, PruningKeepsWhatAMemberWasNotTold) {
  TempStore place;
  Store home = place.open();
  ASSERT_OK(set_member(home, new_member("api"), "Ada"));
  create(home, "w-1");
  const Seq created = home.head().value();
  ASSERT_OK(home.next_slot());
  EXPECT_EQ(first_to_tell(home, "api").value(), created);
  EXPECT_EQ(pruned_of(home), created - 1);
  ASSERT_OK(set_member(home, new_member("web"), "Ada"));
  ASSERT_OK(told_until(home, new_member("api"), 0, home.head().value()));
  EXPECT_EQ(first_to_tell(home, "api").value(), 0);
  EXPECT_EQ(pruned_of(home), created - 1) << "web was not told";
  ASSERT_OK(told_until(home, new_member("web"), 0, created));
  ASSERT_OK(told_until(home, new_member("web"), 0, created - 1));  // others had got further
  ASSERT_OK(home.next_slot());
  EXPECT_GT(pruned_of(home), created) << "what is not told holds nothing back";
  EXPECT_EQ(pruned_to_tell(home).value(), created);
  // Who comes now is told what comes now, and who goes holds nothing back.
  ASSERT_OK(set_member(home, new_member("new"), "Ada"));
  EXPECT_EQ(first_to_tell(home, "new").value(), 0);
  EXPECT_FALSE(lacks_pruned(home, "new", 0, created).value());
  create(home, "w-2");
  const Seq second = home.head().value();
  for (const char* name : {"api", "web"}) {
    ASSERT_OK(told_until(home, new_member(name), created, second));
  }
  EXPECT_LT(pruned_of(home), second);
  ASSERT_OK(remove_member(home, "new", "Ada"));
  EXPECT_GT(pruned_of(home), second);
  ASSERT_OK(told_until(home, new_member("new"), 0, second));  // it was removed meanwhile
  EXPECT_EQ(consumers(home)->size(), 2u);
  EXPECT_TRUE(home.verify_replay()->problems.empty());
}

TEST(Portfolio, AMemberOfAnOlderProgramIsKeptForToo) {
  TempStore place;
  Store home = place.open();
  ASSERT_OK(home.append({events::member_set(new_member("api"), "Ada")}));
  create(home, "w-1");
  const Seq created = home.head().value();
  EXPECT_LT(pruned_of(home), created);
  create(home, "w-2");
  ASSERT_OK(told_until(home, new_member("api"), created, home.head().value()));
  EXPECT_EQ(first_to_tell(home, "api").value(), 0);
  EXPECT_GT(pruned_of(home), created);
  EXPECT_TRUE(lacks_pruned(home, "api", created, pruned_to_tell(home).value()).value());
  EXPECT_FALSE(lacks_pruned(home, "api", created + 1, created + 1).value());
}

TEST(Portfolio, AMemberThatWentBackLacksWhatIsPruned) {
  TempStore place;
  Store home = place.open();
  ASSERT_OK(set_member(home, new_member("api"), "Ada"));
  create(home, "w-1");
  const Seq created = home.head().value();
  ASSERT_OK(told_until(home, new_member("api"), 0, created));
  ASSERT_OK(home.next_slot());
  EXPECT_GE(pruned_of(home), created);
  const Seq pruned = pruned_to_tell(home).value();
  EXPECT_EQ(pruned, created);
  EXPECT_FALSE(lacks_pruned(home, "api", created, pruned).value());
  EXPECT_TRUE(lacks_pruned(home, "api", 0, pruned).value());
  const Seq head = home.head().value();
  ASSERT_OK(told_until(home, new_member("api"), 0, head, Relay::kAnew));
  EXPECT_FALSE(lacks_pruned(home, "api", 0, pruned).value()) << "it is not to be told";
  const Seq after = home.head().value();
  ASSERT_OK(told_until(home, new_member("api"), 0, head, Relay::kAnew));
  EXPECT_EQ(home.head().value(), after) << "once";
}

// Of each subject the last event, though the one before it was told long ago.
TEST(Portfolio, WhatIsToldAnewLeavesNoSubjectWithoutItsLast) {
  TempStore home_place;
  TempStore member_place;
  Store home = home_place.open();
  Store member = member_place.open();
  const std::string uri = log_uri(home).value();
  for (const char* id : {"w-1", "w-2", "w-3"}) create(home, id);
  std::vector<Event> told = to_tell(home, 0)->events;
  Event lost = told.front();
  lost.seq = home.head().value() + 1;
  lost.hash = Digest(fmt::format("{:064}", 7));
  told.push_back(lost);
  ASSERT_OK(relay(member, uri, "/home", told));
  EXPECT_FALSE(has_told(home, last_told(member, uri).value()).value());
  EXPECT_EQ(told_and_there(member, home).value(), told[2].seq);
  const std::vector<Event> anew = to_tell_anew(home, member)->events;
  ASSERT_EQ(anew.size(), 3u) << "w-1 is the first of them";
  EXPECT_EQ(relay(member, uri, "/home", anew, Relay::kAnew).value(), 3);
  EXPECT_EQ(relayed(member)->size(), 3u);
  EXPECT_EQ(relayed_until(member, uri).value(), told[2].seq);
  // What was told and taken back counts no more, though another copy has it again.
  lost.subject = "w-9";
  ASSERT_OK(relay(member, uri, "/home", {lost}));
  const std::vector<Event> again = to_tell_anew(home, member)->events;
  ASSERT_EQ(again.size(), 1u) << "nobody is left without, and one has to say it";
  EXPECT_EQ(again.front().seq, told[2].seq);
  EXPECT_TRUE(member.verify_replay()->problems.empty());
}

TEST(Portfolio, ManyThatRelayAtOnceTellOnce) {
  TempStore place;
  Store(place.open()).now_ms().value();
  const std::vector<Event> all = some_events(40);
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      Store store = place.open();
      for (std::size_t n = 1; n <= all.size(); n += 1 + static_cast<std::size_t>(i)) {
        const std::vector<Event> some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        if (!relay(store, "urn:uuid:home", "/home", some)) ::_exit(1);
      }
      ::_exit(relay(store, "urn:uuid:home", "/home", all) ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const Store store = place.open();
  std::vector<int> expected;
  for (int i = 1; i <= 40; ++i) expected.push_back(i);
  EXPECT_EQ(numbers_in(store), expected);
  EXPECT_TRUE(store.verify_replay()->problems.empty());
}

}  // namespace
}  // namespace gittxn::store

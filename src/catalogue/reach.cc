#include "catalogue/reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

#include "base/bug.h"
#include "base/fs.h"
#include "catalogue/go_names.h"
#include "semantic/kinds.h"

namespace gittxn::catalogue {
namespace {

using semantic::is_any;

constexpr std::uint32_t kMostSteps = 6;   // of a way; a longer one is seldom taken when it runs
constexpr std::uint32_t kMostRounds = 8;  // further, for what has a value of a type
constexpr std::size_t kMostNodes = 4'000;
constexpr std::size_t kMostEdges = 200'000;
constexpr std::size_t kMostWays = 4;  // to one node, that differ in what has to hold

using Place = std::size_t;  // of a node
using Types = std::set<Place>;

// A use of one node in another.
struct Edge {
  Place from = 0;
  bool sure = false;
  std::uint32_t line = 0;
  std::string name;
  bool first = false;  // a test, before which its package is initialised
};

struct Node {
  Subject subject;
  std::optional<Place> type;  // that it is a member of
  std::vector<Edge> uses;
  bool test = false;
};

bool is_type(const Subject& subject) {
  return is_any(subject.kind, {"type", "class", "interface", "struct", "trait", "enum"});
}

// Go's methods do not stand in their type, and may stand in another file of its folder.
std::string key_of(const Subject& subject) {
  if (subject.language != "go" || !is_type(subject)) return subject.symbol;
  return parent_dir(subject.path) + "/" + subject.name + "#";
}

std::optional<Subject> type_of(const Subject& member) {
  if (!is_member(member)) return std::nullopt;
  Subject type;
  type.path = member.path;
  type.kind = "type";
  type.language = member.language;
  type.name = owner_of(member);
  type.defines = {type.name};
  type.symbol =
      member.language == "go" ? parent_dir(member.path) + "/" + type.name + "#" : member.container;
  if (type.name.empty()) return std::nullopt;
  return type;
}

// The graph of uses, as far as it was looked for.
class Closure {
 public:
  Closure(Catalogue& catalogue, const Oid& tree) : catalogue_(catalogue), tree_(tree) {}

  // `tests` are the paths of all tests.
  Status grow(const std::vector<Subject>& subjects, const std::vector<DirectUse>& direct,
              const std::vector<std::string>& tests) {
    std::vector<Place> asked;
    for (const Subject& subject : subjects) asked.push_back(node_of(subject));
    tests_ = tests;
    take(asked, direct);
    TRY(initialise());
    for (std::uint32_t step = 1; step < kMostRounds && !fresh_.empty() && !cut_; ++step) {
      asked = std::exchange(fresh_, {});
      std::vector<Subject> next;
      for (const Place place : asked) next.push_back(nodes_[place].subject);
      DirectUses uses(catalogue_, tree_, next, Uses::kAll, DirectUses::Finds::kNames);
      TRY(uses.find());
      take(asked, uses.take());
      TRY(initialise());
    }
    return {};
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  bool is_cut() const { return cut_; }

 private:
  Place node_of(const Subject& subject) {
    const auto [found, added] = places_.try_emplace(key_of(subject), nodes_.size());
    if (!added) return found->second;
    const Place place = found->second;
    nodes_.push_back({subject, std::nullopt, {}, is_test_path(subject.path)});
    if (!subject.symbol.ends_with('/') && !subject.symbol.empty()) fresh_.push_back(place);
    if (const auto type = type_of(subject)) {
      const Place of = node_of(*type);
      nodes_[place].type = of;
    }
    return place;
  }

  void take(const std::vector<Place>& asked, const std::vector<DirectUse>& uses) {
    // Those that were asked for from the beginning are asked no more.
    std::erase_if(fresh_,
                  [&](Place place) { return std::ranges::find(asked, place) != asked.end(); });
    for (const DirectUse& use : uses) {
      const Relation relation = use.affected.relation;
      if (use.in == nullptr || relation == Relation::kMention || relation == Relation::kOverride) {
        continue;
      }
      if (nodes_.size() >= kMostNodes || ++edges_ > kMostEdges) {
        cut_ = true;
        return;
      }
      const Place of = asked[use.subject];
      const Place from = node_of(*use.in);
      // A type's own members make nothing of it.
      if (from == of || nodes_[from].type == of) continue;
      nodes_[of].uses.push_back({from, use.affected.certainty == Certainty::kResolved,
                                 use.affected.line, use.affected.name});
    }
  }

  // Go runs them before any test of their package.
  Status initialise() {
    for (; initialised_ < nodes_.size(); ++initialised_) {
      const Subject subject = nodes_[initialised_].subject;
      const bool init = subject.kind == "function" && subject.name == "init";
      if (subject.language != "go" || !init || is_test_path(subject.path)) continue;
      for (const std::string& path : tests_) {
        if (same_package("go", subject.path, path)) TRY(add_tests_of(path, initialised_));
      }
    }
    return {};
  }

  Status add_tests_of(const std::string& path, Place initialiser) {
    const TreeEntry entry = TRY(catalogue_.objects().entry_at(tree_, path));
    const semantic::FileFacts facts = TRY(catalogue_.file(path, entry));
    for (std::size_t i = 1; i < facts.symbols.size() && nodes_.size() < kMostNodes; ++i) {
      const Subject test = subject_of(path, facts, i);
      if (test.kind != "function" || !test.name.starts_with("Test")) continue;
      const Place from = node_of(test);
      nodes_[initialiser].uses.push_back({from, true, test.line, "init", true});
    }
    return {};
  }

  Catalogue& catalogue_;
  const Oid& tree_;
  std::vector<std::string> tests_;
  std::size_t initialised_ = 0;  // nodes that were looked at for it
  std::vector<Node> nodes_;
  std::map<std::string, Place> places_;
  std::vector<Place> fresh_;  // not yet asked for
  std::size_t edges_ = 0;
  bool cut_ = false;
};

// A way from a subject to what reaches it.
struct Way {
  Place at = 0;
  Place subject = 0;
  std::uint32_t steps = 0;
  bool sure = true;
  bool unseen = false;  // it has a step that no name in the tree says
  Types types;          // that who takes it has to reach
  const Edge* last = nullptr;
  Place through = 0;

  auto rank() const { return std::make_tuple(unseen, !sure, types.size(), steps); }
};
struct Later {
  bool operator()(const Way& a, const Way& b) const {
    return std::tuple_cat(a.rank(), std::tie(a.at)) > std::tuple_cat(b.rank(), std::tie(b.at));
  }
};

class Search {
 public:
  Search(const std::vector<Node>& nodes, std::size_t subjects)
      : nodes_(nodes), ways_(nodes.size()) {
    for (Place place = 0; place < subjects && place < nodes.size(); ++place) {
      Way way;
      way.at = way.subject = place;
      queue_.push(std::move(way));
    }
  }

  Reach run() {
    while (!queue_.empty()) {
      const Way way = queue_.top();
      queue_.pop();
      if (!settle(way)) continue;
      for (const Edge& edge : nodes_[way.at].uses) follow(way, way.at, edge);
      if (is_called_unseen(way.at)) {
        for (const Edge& edge : nodes_[*nodes_[way.at].type].uses) {
          Way unseen = way;
          unseen.unseen = true;
          unseen.sure = false;
          follow(unseen, *nodes_[way.at].type, edge);
        }
      }
    }
    return std::move(reach_);
  }

 private:
  // Keeps it, unless a way that asks for no more is there.
  bool settle(const Way& way) {
    std::vector<Types>& kept = ways_[way.at];
    const auto covers = [&](const Types& types) { return std::ranges::includes(way.types, types); };
    if (kept.size() >= kMostWays || std::ranges::any_of(kept, covers)) return false;
    kept.push_back(way.types);
    if (way.last != nullptr) tell(way);
    return true;
  }

  void follow(const Way& way, Place used, const Edge& edge) {
    // An initialiser does not run what it hands on to others.
    if (way.steps == kMostSteps || (edge.first && way.steps > 1)) return;
    Way next = way;
    next.at = edge.from;
    next.steps += 1;
    next.through = used;
    next.last = &edge;
    if (!edge.sure) {
      next.sure = false;
      if (nodes_[used].type) next.types.insert(*nodes_[used].type);
    }
    queue_.push(std::move(next));
  }

  void tell(const Way& way) {
    const Node& node = nodes_[way.at];
    const bool tied =
        INJECTED_BUG("catalogue.tied") ||
        std::ranges::all_of(way.types, [&](Place type) { return reaching(type)[way.at]; });
    if (way.steps == 1) {
      if (!tied && is_first_of_all(node)) reach_.untied.insert(node.subject.symbol);
      if (tied) reach_.untied.erase(node.subject.symbol);
    }
    if (!node.test || !tied || !is_first_of_all(node)) return;
    if (!told_.insert(way.at).second) return;
    if (way.steps == 1 && !way.last->first) return;
    Affected test;
    test.relation = Relation::kTest;
    test.certainty = way.sure ? Certainty::kResolved : Certainty::kByName;
    test.path = node.subject.path;
    test.symbol = node.subject.symbol;
    test.line = way.last->line;
    test.name = way.last->name;
    test.of = nodes_[way.subject].subject.symbol;
    test.steps = way.steps;
    test.why = way.last->first ? "an init function of its package uses it"
                               : fmt::format("it uses it through '{}'", way.last->name);
    reach_.tests.push_back(std::move(test));
  }

  // Nothing of the tests uses it: it is one, and no helper of theirs.
  bool is_first_of_all(const Node& node) const {
    return std::ranges::none_of(node.uses,
                                [&](const Edge& edge) { return nodes_[edge.from].test; });
  }

  // A member that code outside of the tree calls, or the language.
  bool is_called_unseen(Place place) const {
    const Subject& member = nodes_[place].subject;
    if (!nodes_[place].type || member.kind == "field") return false;
    if (member.language == "python") return member.name.starts_with("__");
    return member.language == "go" && is_called_by_libraries_of_go(member.name);
  }

  // The nodes that reach something that names the type.
  const std::vector<bool>& reaching(Place type) {
    const auto [found, added] = reaching_.try_emplace(type, nodes_.size(), false);
    if (!added) return found->second;
    std::vector<Place> stack{type};
    while (!stack.empty()) {
      const Node& node = nodes_[stack.back()];
      stack.pop_back();
      // Whoever has a value of the type of a member may call it, by whatever name.
      if (node.type) enter(*node.type, &found->second, &stack);
      for (const Edge& edge : node.uses) {
        if (edge.sure || !node.type) enter(edge.from, &found->second, &stack);
      }
    }
    return found->second;
  }

  static void enter(Place place, std::vector<bool>* seen, std::vector<Place>* stack) {
    if ((*seen)[place]) return;
    (*seen)[place] = true;
    stack->push_back(place);
  }

  const std::vector<Node>& nodes_;
  std::priority_queue<Way, std::vector<Way>, Later> queue_;
  std::vector<std::vector<Types>> ways_;  // that were taken to each node
  std::map<Place, std::vector<bool>> reaching_;
  std::set<Place> told_;
  Reach reach_;
};

}  // namespace

Result<Reach> tests_reaching(Catalogue& catalogue, const Oid& tree,
                             const std::vector<Subject>& subjects,
                             const std::vector<DirectUse>& direct,
                             const std::vector<std::string>& tests) {
  Closure closure(catalogue, tree);
  TRY(closure.grow(subjects, direct, tests));
  Reach reach = Search(closure.nodes(), subjects.size()).run();
  reach.cut = closure.is_cut();
  return reach;
}

}  // namespace gittxn::catalogue

#include "land/judge/asking/ask_again.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "asking/ask.h"
#include "base/bug.h"
#include "base/fs.h"
#include "base/if_there.h"
#include "capture/git/git_settings.h"
#include "capture/interpret.h"
#include "land/judge/asking/answers.h"
#include "land/judge/asking/asking_trees.h"
#include "land/judge/asking/questions.h"
#include "questions/question.h"

namespace gittxn::land {
namespace {

using certify::Answer;

constexpr std::size_t kRunnerKeeps = 64u << 10;  // bytes of a runner's output

bool is_pure(const Question& question) {
  return question.kind == Question::Kind::kPure;
}

// The tree that it is asked on; `commit` is HEAD of a question of git, and empty for others.
struct Place {
  Oid tree, commit;
  auto operator<=>(const Place&) const = default;
};

// A question, and the places that it is asked on.
struct Put {
  const Question* question = nullptr;
  questions::Question known;
  RefName target;
  std::set<Look> looks;
  Place before, after;
  bool of_git() const { return is_pure(*question) && known.git != questions::GitState::kNone; }
};

}  // namespace

struct Askings::State {
  State(const Context& known, std::function<void(std::string_view)> phrase)
      : context(known), say(std::move(phrase)) {}

  bool possible() const { return !unsupported && !context.asks.root.empty(); }
  Status open_asker();
  Result<std::optional<Answer>> ask(const Footprint& footprint, const RefName& target,
                                    const Candidate& candidate, const Question& question);
  Result<std::optional<Put>> put(const Footprint& footprint, const Candidate& candidate,
                                 const Question& question) const;
  Result<bool> git_can_be_asked(const Put& put) const;
  Result<std::optional<Answer>> on_what_lands(const Footprint& footprint,
                                              const Candidate& candidate, const RefName& target,
                                              const Question& question);
  Result<const Said*> on(const Footprint& footprint, const Put& put, const Place& place);
  Result<asking::Asked> run(const Put& put, const Place& place);
  Result<asking::Asked> run_over(const asking::AskSpec& spec);
  std::int64_t now_ms() const { return context.clock->monotonic_ns() / kNsPerMs; }

  const Context& context;
  std::function<void(std::string_view)> say;
  Mode mode = Mode::kAsk;
  std::size_t open = 0;
  std::optional<asking::Asker> asker;
  bool unsupported = false;
  std::vector<std::string> hidden;
  std::map<std::pair<std::int64_t, Place>, Said> said;  // by question
  std::int64_t spent_ms = 0, spent_pure_ms = 0;
};

namespace {

// A command that policy declares is on no list.
questions::Question known_as(const Question& question) {
  auto known = questions::classify(question.argv);
  return known ? *std::move(known) : questions::Question();
}

// A file of the transaction's own as it landed, or would: what the head made of it as well.
Result<std::optional<TreeEntry>> finished(const repo::Objects& objects, const Footprint& footprint,
                                          const Candidate& candidate, const std::string& path) {
  if (!candidate.tree.empty()) return TRY(objects.entry_at(candidate.tree, path));
  const PathChange* own = certify::find_change(footprint.writes, path);
  const bool alone = certify::find_change(candidate.moved.changes, path) == nullptr;
  if (own == nullptr || !alone) return std::optional<TreeEntry>();
  return std::optional(own->after);
}

// nullopt: it would lack a directory.
Result<std::optional<Oid>> make_tree(const repo::Objects& objects, const Question& question,
                                     const AskingTree& tree, const Oid& commit) {
  Changes changes;
  for (const auto& [path, after] : tree.own) {
    const TreeEntry before = TRY(objects.entry_at(commit, path));
    if (before != after) changes.push_back({path, before, after});
  }
  const Oid made = TRY(objects.apply(commit, std::move(changes)));
  const auto has_directory = [&objects](const Oid& root) {
    return [&objects, root](const std::string& path) -> Result<bool> {
      return TRY(objects.entry_at(root, path)).mode == FileMode::kTree;
    };
  };
  const bool lost =
      TRY(lost_a_directory(question, tree, has_directory(commit), has_directory(made)));
  return lost ? std::nullopt : std::optional(made);
}

// The tree that the transaction left; nullopt: it would lack a directory.
Result<std::optional<Oid>> work_of(const repo::Objects& objects, const Footprint& footprint,
                                   const Question& question) {
  AskingTree tree;
  for (const PathChange& change : footprint.writes) {
    if (!change.is_directory()) tree.own.emplace_back(change.path, change.after);
  }
  return make_tree(objects, question, tree, TRY(objects.tree_of(footprint.base)));
}

// A file that the transaction appended to is a read of what the commit has of it, and on the tree
// of an asking it is the commit's: that it is looked at is what is the same.
Look look_at(const Read& read, const Question& question) {
  const bool own = std::ranges::binary_search(question.own, read.subject);
  return {read.kind, read.subject, own ? "" : read.digest};
}

// All that it looked at; nullopt: some of it is not known.
Result<std::optional<std::set<Look>>> looks_of(const Context& context, const Footprint& footprint,
                                               const Put& put, const Place& place,
                                               const std::string& record_file,
                                               const std::string& git_dir) {
  capture::InterpretInput input;
  input.places.tree = put.question->tree;
  input.places.private_git_dir = input.places.tree + "/.git";
  input.record_files = {record_file};
  input.snapshot = place.tree;
  if (put.of_git()) {  // what it shows of the commit is the commit's
    input.snapshot = place.commit;
    input.target = put.target;
    input.places.common_git_dir = asking::kRepositoryInside;
    input.places.git_dir_on_disk = git_dir;
    input.places.first_refs = git_dir;
  }
  input.writes = footprint.writes;
  const ReadSet reads = TRY(capture::interpret(context.repository->objects(), input));
  if (!reads.complete) return std::optional<std::set<Look>>();
  std::set<Look> looks;
  for (const Read& read : reads.reads) looks.insert(look_at(read, *put.question));
  return std::optional(std::move(looks));
}

Said said_of(asking::Asked asked, questions::Order order) {
  Said said;
  said.status = asked.status;
  said.out = printed(asked.out.digest, asked.out.bytes, std::move(asked.out.end), order);
  said.err = printed(asked.err.digest, asked.err.bytes, std::move(asked.err.end), order);
  said.no_answer = std::move(asked.no_answer);
  said.lost = std::move(asked.lost);
  said.wanted_hidden = std::move(asked.wanted_hidden);
  said.reached = std::move(asked.reached);
  return said;
}

}  // namespace

Status Askings::State::open_asker() {
  if (asker) return {};
  asker = TRY(asking::Asker::open(*context.repository, context.asks.root, context.asks.shared));
  hidden = {context.gates.worktree_root};
  for (const auto& checkout : TRY(context.repository->checkouts())) {
    hidden.push_back(checkout.worktree);
  }
  hidden.push_back(context.repository->place().common_dir);
  return {};
}

Result<std::optional<Put>> Askings::State::put(const Footprint& footprint,
                                               const Candidate& candidate,
                                               const Question& question) const {
  const repo::Objects& objects = context.repository->objects();
  Put put;
  put.question = &question;
  put.known = known_as(question);
  Oid commit;
  for (const Read& read : footprint.reads.reads) {
    if (read.question != question.number) continue;
    if (commit.empty()) commit = read.snapshot;
    if (read.snapshot != commit) return std::optional<Put>();
    // A search is what was asked, and the asking asks the same.
    const bool look = read.strength == Strength::kHard && read.kind != ReadKind::kSearch;
    if (look) put.looks.insert(look_at(read, question));
  }
  if (commit.empty()) commit = footprint.base;  // it looked at nothing but the transaction's own
  const auto trees = TRY(asking_trees(question, footprint.writes, [&](const std::string& path) {
    return finished(objects, footprint, candidate, path);
  }));
  if (!trees) return std::optional<Put>();
  const Oid snapshot = TRY(objects.tree_of(commit));
  const bool stays_there = trees->after.of == AskingTree::Of::kSnapshot;
  const Oid head = stays_there ? snapshot : candidate.head_tree;
  auto before = TRY(make_tree(objects, question, trees->before, snapshot));
  auto after = TRY(make_tree(objects, question, trees->after, head));
  if (!before || !after) return std::optional<Put>();
  put.before.tree = *std::move(before);
  put.after.tree = *std::move(after);
  if (put.of_git()) {
    const bool stays = INJECTED_BUG("land.git_stays_at_the_snapshot");
    put.before.commit = commit;
    put.after.commit = stays ? commit : candidate.head;
    if (!TRY(git_can_be_asked(put))) return std::optional<Put>();
  }
  return std::optional(std::move(put));
}

Result<bool> Askings::State::git_can_be_asked(const Put& put) const {
  if (put.known.git == questions::GitState::kMore) return false;
  if (!std::ranges::all_of(put.question->settings, capture::is_git_setting)) return false;
  // git looks into repositories of which nothing is there.
  for (const Place* place : {&put.before, &put.after}) {
    const repo::Objects& objects = context.repository->objects();
    if (TRY(objects.entry_at(place->tree, ".gitmodules")).present()) return false;
  }
  return true;
}

// The checkout below may have been collected meanwhile: then once more, over another one.
Result<asking::Asked> Askings::State::run_over(const asking::AskSpec& spec) {
  auto asked = asker->ask(spec);
  if (asked || asked.error().code != Code::kStale) return asked;
  asker.reset();
  TRY(open_asker());
  return asker->ask(spec);
}

Result<asking::Asked> Askings::State::run(const Put& put, const Place& place) {
  const Question& question = *put.question;
  TRY(open_asker());
  asking::AskSpec spec;
  spec.argv = question.argv;
  if (is_pure(question)) {
    spec.program = question.program;
    for (const std::string& one : question.env) {
      const std::size_t equals = std::min(one.find('='), one.size());
      spec.env[one.substr(0, equals)] = one.substr(std::min(equals + 1, one.size()));
    }
  } else {
    spec.env = context.gates.caller;
    spec.env["PWD"] = join_path(question.tree, question.directory);
    spec.env.erase("OLDPWD");
  }
  if (put.of_git()) {
    // Variables of git were allowed only if they do not change its answer, so they are dropped.
    std::erase_if(spec.env, [](const auto& one) { return one.first.starts_with("GIT_"); });
    spec.env["GIT_CONFIG_GLOBAL"] = "/dev/null";
    spec.env["GIT_CONFIG_NOSYSTEM"] = "1";
    spec.git = {place.commit, put.target, question.settings};
  }
  spec.at = question.tree;
  spec.cwd = join_path(question.tree, question.directory);
  spec.tree = place.tree;
  spec.input = question.input;
  spec.hidden = hidden;
  spec.trace = context.gates.trace;
  spec.timeout_ms =
      is_pure(question) ? context.asks.pure_ms - spent_pure_ms : context.asks.runner_ms;
  spec.keep_bytes = is_pure(question) ? kMostCompared : kRunnerKeeps;
  spec.interrupted = context.gates.interrupted;
  if (is_pure(question) && INJECTED_BUG("land.asks_for_ever")) spec.timeout_ms = 60'000;
  if (is_pure(question) && spec.timeout_ms <= 0) {
    asking::Asked none;
    none.no_answer = fmt::format("the {} ms for running commands again (txn.ask) are over",
                                 context.asks.pure_ms);
    return none;
  }
  if (say) say("running again: " + argv_text(question.argv));
  const std::int64_t from_ms = now_ms();
  auto asked = run_over(spec);
  const std::int64_t took_ms = now_ms() - from_ms;
  spent_ms += took_ms;
  if (is_pure(question)) spent_pure_ms += took_ms;
  return asked;
}

// Returns the outcome on a place, remembered if it was asked there before. Null: it was not, and
// may not be asked now.
Result<const Said*> Askings::State::on(const Footprint& footprint, const Put& put,
                                       const Place& place) {
  const std::pair key(put.question->number, place);
  const auto known = said.find(key);
  if (known != said.end() && !INJECTED_BUG("land.asks_twice")) return &known->second;
  if (mode == Mode::kRemember) {
    ++open;
    return nullptr;
  }
  const std::int64_t from_ms = spent_ms;
  auto ran = run(put, place);
  if (!ran) {
    const Code code = ran.error().code;
    const bool nothing_ran = code == Code::kUnsupported || code == Code::kInterrupted;
    if (nothing_ran) return std::unexpected(std::move(ran).error());
    asking::Asked none;
    none.no_answer = ran.error().message;
    ran = std::move(none);
  }
  const std::string record_file = ran->record_file;
  const std::string git_dir = ran->git_dir;
  Said one = said_of(*std::move(ran), put.known.order);
  const std::vector<std::string>& unsettled = put.question->unsettled;
  const bool wanted = !put.question->in_between && (place == put.before || !unsettled.empty());
  if (wanted && one.no_answer.empty() && one.lost.empty()) {
    const auto looks = TRY(looks_of(context, footprint, put, place, record_file, git_dir));
    one.repeats = looks && std::ranges::includes(*looks, put.looks);
    if (!looks && !unsettled.empty()) one.lost = "the trace of it is not complete";
    const auto met = looks ? met_unsettled(*put.question, *looks) : std::nullopt;
    if (met) {
      one.no_answer =
          fmt::format("it looks at '{}', which the transaction has changed since", *met);
    }
  }
  one.took_ms = spent_ms - from_ms;
  return &(said[key] = std::move(one));
}

// A run that cannot be asked as it was.
Result<std::optional<Answer>> Askings::State::on_what_lands(const Footprint& footprint,
                                                            const Candidate& candidate,
                                                            const RefName& target,
                                                            const Question& question) {
  const Put put{.question = &question, .known = known_as(question), .target = target};
  const Place place{candidate.tree, {}};
  const Said* now = TRY(on(footprint, put, place));
  if (now == nullptr) return std::optional<Answer>();
  const Said nothing;
  const Said* left = &nothing;
  if (asks_outside(*now)) {
    const auto work = TRY(work_of(context.repository->objects(), footprint, question));
    if (work) left = TRY(on(footprint, put, {*work, {}}));
    if (left == nullptr) return std::optional<Answer>();
  }
  Answer answer = passes(question, put.known, *left, *now);
  shorten(said.at({question.number, place}));
  return answer;
}

// nullopt: it is left open.
Result<std::optional<Answer>> Askings::State::ask(const Footprint& footprint, const RefName& target,
                                                  const Candidate& candidate,
                                                  const Question& question) {
  if (question.in_between) return on_what_lands(footprint, candidate, target, question);
  auto asked = TRY(put(footprint, candidate, question));
  if (!asked) {
    return refuse(question,
                  fmt::format("`{}` cannot be run again as it was", argv_text(question.argv)));
  }
  asked->target = target;
  const Said* before = TRY(on(footprint, *asked, asked->before));
  if (before == nullptr) return std::optional<Answer>();
  if (auto refused = refuse_first(question, *before)) return refused;
  const Said* now = TRY(on(footprint, *asked, asked->after));
  if (now == nullptr) return std::optional<Answer>();
  Answer answer = compare(question, asked->known, *before, *now);
  for (const Place* place : {&asked->before, &asked->after}) {
    shorten(said.at({question.number, *place}));
  }
  return answer;
}

Askings::Askings(const Context& context, std::function<void(std::string_view)> say)
    : state_(std::make_unique<State>(context, std::move(say))) {}
Askings::~Askings() = default;

void Askings::set_mode(Mode mode) {
  state_->mode = mode;
  state_->open = 0;
}

std::size_t Askings::left_open() const {
  return state_->open;
}

std::int64_t Askings::spent_ms() const {
  return state_->spent_ms;
}

Result<std::vector<Answer>> Askings::answers(const Footprint& footprint, const RefName& target,
                                             const Candidate& candidate,
                                             std::span<const std::int64_t> questions) {
  std::vector<Answer> answers;
  std::vector<const Question*> asked;
  for (const std::int64_t number : questions) {
    const Question* question = question_of(footprint.reads, number);
    if (question == nullptr) continue;
    if (may_be_asked(*question, candidate)) asked.push_back(question);
  }
  // The quick ones first: one that refuses spares all that come after it.
  std::ranges::stable_partition(asked, [](const Question* one) { return is_pure(*one); });
  for (const Question* question : asked) {
    if (!state_->possible()) return answers;
    auto answer = state_->ask(footprint, target, candidate, *question);
    if (!answer && answer.error().code == Code::kUnsupported) {
      state_->unsupported = true;
      return answers;
    }
    if (!answer && answer.error().code == Code::kInterrupted) {
      return std::unexpected(std::move(answer).error());
    }
    if (answer && !*answer) return answers;  // it is left open
    answers.push_back(
        answer ? **std::move(answer)
               : refuse(*question, fmt::format("`{}` cannot be run again: {}",
                                               argv_text(question->argv), answer.error().message)));
    if (answers.back().how == Answer::How::kOther) return answers;  // it is refused
  }
  return answers;
}

std::vector<std::string> commands_to_ask(const ReadSet& reads, const Candidate& candidate,
                                         std::span<const std::int64_t> questions) {
  std::vector<std::string> commands;
  for (const std::int64_t number : questions) {
    const Question* question = question_of(reads, number);
    if (question == nullptr || !may_be_asked(*question, candidate)) continue;
    std::string command = argv_text(question->argv);
    if (std::ranges::find(commands, command) == commands.end()) {
      commands.push_back(std::move(command));
    }
  }
  return commands;
}

}  // namespace gittxn::land

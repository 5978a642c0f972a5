// Asking questions again: each on the tree that it was asked on, where it has to say and to look at
// what it did, and on the tree that it would be asked on if the transaction had started at the
// head. Both hold what the transaction had finished by then (Question::own). What the two are worth
// is in answers.h; at exact levels a runner is asked only where the head's policy names it.
//
// One of git is asked with a git directory of its own, whose HEAD is the snapshot and then the
// head.
//
// It runs where it sees nothing but the tree (asking/ask.h), with the repository's checkouts and
// all worktrees hidden.
//
// One object for a landing: within it a question is asked once on each tree, whatever head, round
// or pass needs that, and all pure ones together take no longer than Asks::pure_ms. What does not
// fit does not hold.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "certify/certify.h"
#include "land/candidate.h"

namespace gittxn::land {

class Askings {
 public:
  // `context` is used as long as this lives. `say`: progress, one short phrase an asking.
  Askings(const Context& context, std::function<void(std::string_view)> say);
  Askings(const Askings&) = delete;
  Askings& operator=(const Askings&) = delete;
  ~Askings();

  // kRemember: only what was asked before is answered, and what would be asked is counted.
  enum class Mode { kAsk, kRemember };
  void set_mode(Mode mode);
  // The number of questions, since kRemember was set, that only kAsk would have answered.
  std::size_t left_open() const;

  // `target`: the branch that it lands on.
  // One answer for each, up to the first that refuses. None for those that cannot be asked here (no
  // place for it in the context, no namespaces on this machine): their looks decide.
  Result<std::vector<certify::Answer>> answers(const Footprint& footprint, const RefName& target,
                                               const Candidate& candidate,
                                               std::span<const std::int64_t> questions);
  std::int64_t spent_ms() const;  // for all askings until now

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The command lines of those of these questions that landing would ask, each once.
std::vector<std::string> commands_to_ask(const ReadSet& reads, const Candidate& candidate,
                                         std::span<const std::int64_t> questions);

}  // namespace gittxn::land

// Runs commands of a gate on the files of its candidate, several at a time, each where nothing that
// it writes stays (asking/ask.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "asking/ask.h"
#include "gates/gate.h"
#include "gates/units/unit_evidence.h"

namespace gittxn::gates {

// The directories of `caches`, as paths.
std::vector<std::string> cache_places(const GateSpec& gate, const Environment& env);

struct PartPlace {
  std::string at;   // where the files are seen
  Oid tree;         // the candidate's
  Outputs outputs;  // over it
  Oid files;        // both, in `trees`
  Environment env;
};

// One run of a command: what there is for a row of the table but for its name.
struct PartRan {
  std::size_t number = 0;  // of the command
  UnitSaid said;
  std::string printed;  // the end of it
  bool whole = true;    // or all of it
};

class PartRunner {
 public:
  PartRunner(const GateContext& context, const Policy& policy, const GateSpec& gate,
             const Candidate& candidate, UnitTrees& trees, PartPlace place)
      : context_(context),
        policy_(policy),
        gate_(gate),
        candidate_(candidate),
        trees_(trees),
        place_(std::move(place)) {}

  // Each command, started in their order, and `heard` as soon as one has ended; while it says true.
  // kUnsupported: this machine has no places to run them in, and none has run. kStale: the files
  // were collected meanwhile, and no more can be run.
  using Heard = std::function<Result<bool>(PartRan)>;
  Status run(const std::vector<std::vector<std::string>>& commands, int at_a_time,
             const Heard& heard);

 private:
  struct Running {
    std::size_t number = 0;
    std::int64_t start_wall_ms = 0;
    std::int64_t start_ns = 0;
    asking::Asker* asker = nullptr;
    asking::Asking asking;
  };
  asking::AskSpec spec_of(const std::vector<std::string>& command) const;
  Result<PartRan> heard_of(Running& running);
  Result<asking::Asker> open_asker() const;

  const GateContext& context_;
  const Policy& policy_;
  const GateSpec& gate_;
  const Candidate& candidate_;
  UnitTrees& trees_;
  PartPlace place_;
  std::vector<std::unique_ptr<asking::Asker>> idle_;  // with the trees that they have made
};

}  // namespace gittxn::gates

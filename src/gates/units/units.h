// A gate that is made of units: a suite of tests is many questions, of which a change touches few.
//
//   set-up and build   in the gate's checkout, as a gate without units runs; what they leave there
//                      is kept by its content and seen over the candidate's files (outputs.h)
//   the list           the names of the units: of a command, of globs, or as policy names them
//   each unit          the gate's command with the name for "{unit}", on these files, where nothing
//                      that it writes stays and no other unit is seen (asking/ask.h)
//
// Each of these is a part with looks and a survey of its own (table.h), and runs only where no
// earlier run of it counts. The gate passes when all units do. What is made by one part is an input
// of the next by content: a build that comes out the same changes nothing for its units.
//
// On a machine without namespaces units run one after the other in the checkout, and
// what they say counts for that run alone.
//
// If we die: a checkout or an asking's directory that the next run removes, no certificate.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gates/checkout.h"
#include "gates/evidence/evidence.h"
#include "gates/gate.h"
#include "gates/units/table.h"

namespace gittxn::gates {

class UnitGate {
 public:
  // `evidence` is of the candidate, and used for as long as this lives.
  static Result<UnitGate> open(const GateContext& context, const Policy& policy,
                               const GateSpec& gate, const Candidate& candidate,
                               Evidence& evidence);
  UnitGate(UnitGate&&) noexcept;
  UnitGate& operator=(UnitGate&&) noexcept;
  ~UnitGate();

  // Takes what is known. The report, not stored, if no part has to run.
  Result<std::optional<GateReport>> known();
  // kUpToAFailure: the parts that known() has not, up to one that does not pass; kWhatIsMissing:
  // all of these; kAll: every part, whatever is known. The certificate is stored before this
  // returns.
  enum class Runs { kUpToAFailure, kWhatIsMissing, kAll };
  Result<GateReport> run(GateLane lane, Runs runs);
  // Runs units again that were carried, where `picked`; after known() or run(). Nothing is stored.
  // kNotFound: what the build left is no longer there.
  struct Audited {
    UnitSaid carried, now;
  };
  using Picked = std::function<bool(const UnitSaid& carried)>;
  Result<std::vector<Audited>> audit(GateLane lane, const Picked& picked);
  // Tells people what known() found out.
  struct WouldRun {
    std::string unit;  // "": the set-up and build, or the list, before which units are not known
    std::string why;   // "": it is new
  };
  struct Explained {
    std::size_t units = 0;
    std::vector<WouldRun> would_run;
    Oid nearest;  // the tree of the certificate that was looked at first
  };
  Result<Explained> explained();

 private:
  struct State;
  explicit UnitGate(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gittxn::gates

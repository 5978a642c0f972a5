// Looks up what is known of the parts of a gate that is made of units: the tables of the
// certificates that Evidence finds, the nearest first. A part counts on a candidate when its looks
// see the same there, in the files and in what the build left over them; which tree the certificate
// is of does not matter then, and neither does whether the gate passed as a whole.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gates/evidence/evidence.h"
#include "gates/units/outputs.h"
#include "gates/units/table.h"

namespace gittxn::gates {

// The files that parts of a gate see, as a tree in memory.
class UnitTrees {
 public:
  static Result<UnitTrees> open(const GateContext& context);

  repo::Objects& objects() { return objects_; }
  // kStale: the outputs do not go with the tree.
  Result<Oid> with(const Oid& tree, const Outputs& outputs);
  // The same, of an inventory in the store. nullopt: it is no longer there, or does not go with it.
  Result<std::optional<Oid>> known(const Oid& tree, const Digest& outputs);

 private:
  UnitTrees(const GateContext& context, repo::Objects objects)
      : context_(&context), objects_(std::move(objects)) {}
  const GateContext* context_;
  repo::Objects objects_;
  std::map<std::pair<Oid, Digest>, std::optional<Oid>> known_;
};

class UnitEvidence {
 public:
  UnitEvidence(const GateContext& context, const GateSpec& gate, Evidence& evidence,
               UnitTrees& trees)
      : context_(context), gate_(gate), evidence_(evidence), trees_(trees) {}

  struct Where {
    Oid tree;        // the candidate's
    Digest outputs;  // that are seen over it
    Oid files;       // both, in UnitTrees
  };
  // Finds what counts of the part there; nullopt: it has to run, and `missed` says why nothing
  // counted that was known.
  Result<std::optional<UnitSaid>> find(UnitSaid::Part part, const std::string& unit,
                                       const Where& where, std::string* missed);
  // Tells whether it failed in the nearest table, and how long it took; nullopt: it is not there.
  struct Before {
    bool failed = false;
    std::int64_t duration_ms = 0;
  };
  Result<std::optional<Before>> before(const std::string& unit);
  Result<const Certificate*> nearest();  // null: there is none
  // Tells whether the table is one that find() has read, which the log names: so it is durable.
  bool has_read(const Digest& table) const;
  Result<std::optional<std::string>> environment_differs(const Digest& survey) {
    return evidence_.environment_differs(gate_, survey);
  }

 private:
  using Parts = std::map<std::pair<UnitSaid::Part, std::string>, UnitSaid>;
  struct Known {
    Certificate certificate;
    bool landed = false;         // or of the candidate's own tree
    std::optional<Parts> parts;  // once they were looked for
  };
  Result<std::vector<Known>*> known();
  const UnitSaid* part_of(Known& one, UnitSaid::Part part, const std::string& unit);
  Result<std::optional<std::string>> misses(const UnitSaid& said, const Where& where);
  Result<std::optional<std::string>> looks_differ(const UnitSaid& said, const Where& where);

  const GateContext& context_;
  const GateSpec& gate_;
  Evidence& evidence_;
  UnitTrees& trees_;
  std::optional<std::vector<Known>> known_;
  std::map<std::pair<Oid, Oid>, Changes> differences_;
  std::map<std::tuple<Digest, Oid, Oid>, std::optional<std::string>> looks_;
};

}  // namespace gittxn::gates

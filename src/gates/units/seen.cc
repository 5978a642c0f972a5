#include "gates/units/seen.h"

#include <map>
#include <utility>

#include "gates/evidence/carry.h"
#include "gates/evidence/evidence.h"
#include "gates/units/table.h"

namespace gittxn::gates {
namespace {

constexpr std::size_t kMostUnits = 5'000;

}  // namespace

Result<std::vector<UnitLooked>> units_that_looked(const store::Store& store,
                                                  const std::set<std::string>& files) {
  std::map<std::pair<GateName, std::string>, UnitLooked> units;
  std::set<Digest> tables;
  for (const Certificate& certificate : TRY(store.newest_certificates(kNewest))) {
    if (certificate.units.empty() || !tables.insert(certificate.units).second) continue;
    const auto text = store.artifact(certificate.units);
    const auto table = text ? units_from_lines(*text) : Result<UnitTable>(UnitTable());
    if (!text || !table) continue;  // gc may have taken it
    for (const UnitSaid& said : *table) {
      if (said.part != UnitSaid::Part::kUnit || said.looks.empty()) continue;
      const std::pair key{certificate.gate, said.unit};
      if (units.size() >= kMostUnits || units.contains(key)) continue;
      const auto rows = store.artifact(said.looks);
      const auto looks = rows ? looks_from_lines(*rows) : Result<Looks>(Looks());
      if (!rows || !looks) continue;
      UnitLooked one{certificate.gate, said.unit, said.tree, {}};
      for (const Look& look : *looks) {
        const bool into = look.kind == ReadKind::kContent && files.contains(look.path);
        if (into) one.files.push_back(look.path);
      }
      units.emplace(key, std::move(one));
    }
  }
  std::vector<UnitLooked> all;
  for (auto& [key, unit] : units) all.push_back(std::move(unit));
  return all;
}

}  // namespace gittxn::gates

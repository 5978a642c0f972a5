// Outputs of --json that are long, or that several commands have: one list of fields each, of which
// the JSON and its schema are made. Fields are a promise; names and paths are written by
// encode_path.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/kernel.h"
#include "api/work.h"
#include "cli/commands.h"

namespace gittxn::cli {

// With what undoes its effects elsewhere, where there is something.
template <typename T>
using WithCompensations = std::pair<T, std::vector<Compensation>>;

extern const Printed<Txn> kTxnJson;
extern const Printed<WithCompensations<Txn>> kAbortedJson;
extern const Printed<api::Resumed> kResumedJson;
extern const Printed<Error> kErrorJson;
extern const Printed<api::Outcome> kOutcomeJson;
extern const Printed<WithCompensations<api::Outcome>> kShowJson;
extern const Printed<api::StatusReport> kStatusJson;
extern const Printed<api::QueueLine> kQueueJson;
extern const Printed<api::WhyReport> kWhyJson;
extern const Printed<api::LogLine> kLogJson;
extern const Printed<GateSpec> kGateJson;
extern const Printed<std::vector<gates::GateReport>> kGatesJson;
extern const Printed<Read> kReadJson;
extern const Printed<Read> kReadExplainedJson;
extern const Printed<api::ImpactReport> kImpactJson;
// Either a symbol, or how many more there are.
extern const Printed<std::variant<api::SymbolLine, std::size_t>> kSymbolJson;
extern const Printed<std::pair<PathChange, std::vector<semantic::Write>>> kChangeJson;

void removed_fields(FieldIo& io, const std::string& name);  // of what is called so
std::string symbols_json_lines(const api::SymbolsReport& report);
std::string footprint_json_lines(const api::FootprintReport& report);
std::string reads_json_lines(const ReadSet& reads, const Printed<Read>& printed);

}  // namespace gittxn::cli

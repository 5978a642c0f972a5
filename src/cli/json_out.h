// Output of --json beside the outcome of a transaction (api::to_json): one object a command, or one
// a line for lists that may be long. Fields are a promise; names and paths are written by
// encode_path.
#pragma once

#include <string>
#include <vector>

#include "api/kernel.h"
#include "api/work.h"
#include "base/json.h"

namespace gittxn::cli {

using api::or_null;
using api::texts_json;

Json txn_json(const Txn& txn);
// What is said of a transaction, with its compensations where it has any.
Json with_compensations(Json said, const std::vector<Compensation>& all);
Json error_json(const Error& error);
Json status_json(const api::StatusReport& report);
Json why_json(const api::WhyReport& report);
Json landing_json(const api::LogLine& line);  // of git txn log
Json gate_json(const GateSpec& gate);
std::string symbols_json_lines(const api::SymbolsReport& report);
Json impact_json(const api::ImpactReport& report);
std::string footprint_json_lines(const api::FootprintReport& report);
Json policy_json(const Policy& policy);
Json doctor_json(const std::vector<api::DoctorLine>& lines);
Json gc_json(const api::GcReport& report);
Json verification_json(const audit::Report& verification);
// What `make` makes of each of them.
template <typename All, typename Make>
Json each_of(const All& all, Make make) {
  Json made = Json::array();
  for (const auto& one : all) made.push_back(make(one));
  return made;
}
enum class Explained { kNo, kYes };  // by why_it_counts() and who_made_it()
std::string reads_json_lines(const ReadSet& reads, Explained explained = Explained::kNo);

}  // namespace gittxn::cli

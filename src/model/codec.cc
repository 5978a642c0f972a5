#include "model/codec.h"

#include <fmt/format.h>

#include "base/json_value.h"
#include "model/fields.h"

namespace gittxn {

Json texts_to_json(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(encode_path(text));
  return out;
}

Status each_json_line(std::string_view lines, std::string_view what,
                      const std::function<Status(const Json&)>& visit) {
  std::size_t number = 0;
  while (!lines.empty()) {
    ++number;
    const std::string context = fmt::format("{}, line {}", what, number);
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) {
      return fail(Code::kCorrupt, context + ": the line is cut off");
    }
    const Json json = TRY_IN(context, parse_json(lines.substr(0, end)));
    TRY_IN(context, visit(json));
    lines.remove_prefix(end + 1);
  }
  return {};
}

Json to_json(const PathChange& value) {
  return json_of(field_list(value));
}
Json to_json(const Read& value) {
  return json_of(field_list(value));
}
Json to_json(const Identity& value) {
  return json_of(field_list(value));
}
Json to_json(const Attempt& value) {
  return json_of(field_list(value));
}
Json to_json(const Conflict& value) {
  return json_of(field_list(value));
}
Json to_json(const Txn& value) {
  return json_of(field_list(value));
}
Json to_json(const Certificate& value) {
  return json_of(field_list(value));
}
Json to_json(const Compensation& value) {
  return json_of(field_list(value));
}
Json to_json(const Workflow& value) {
  return json_of(field_list(value));
}
Json to_json(const PhaseEvidence& value) {
  return json_of(field_list(value));
}
Json to_json(const PhaseVerdict& value) {
  return json_of(field_list(value));
}
Json to_json(const PhaseMember& value) {
  return json_of(field_list(value));
}
Result<PathChange> change_from_json(const Json& json) {
  return read_fields<PathChange>(json);
}
Result<Read> read_from_json(const Json& json) {
  return read_fields<Read>(json);
}
Result<Identity> identity_from_json(const Json& json) {
  return read_fields<Identity>(json);
}
Result<Attempt> attempt_from_json(const Json& json) {
  return read_fields<Attempt>(json);
}
Result<Conflict> conflict_from_json(const Json& json) {
  return read_fields<Conflict>(json);
}
Result<Txn> txn_from_json(const Json& json) {
  return read_fields<Txn>(json);
}
Result<Certificate> certificate_from_json(const Json& json) {
  return read_fields<Certificate>(json);
}
Result<Compensation> compensation_from_json(const Json& json) {
  return read_fields<Compensation>(json);
}
Result<Workflow> workflow_from_json(const Json& json) {
  return read_fields<Workflow>(json);
}
Result<PhaseEvidence> phase_evidence_from_json(const Json& json) {
  return read_fields<PhaseEvidence>(json);
}
Result<PhaseVerdict> phase_verdict_from_json(const Json& json) {
  return read_fields<PhaseVerdict>(json);
}
Result<PhaseMember> phase_member_from_json(const Json& json) {
  return read_fields<PhaseMember>(json);
}
Result<Summary> summary_from_json(const Json& json) {
  return read_fields<Summary>(json);
}

}  // namespace gittxn

#include "txn/serve/kernel_reads.h"

#include "base/fs.h"
#include "base/json_value.h"
#include "model/codec.h"
#include "store/workflows.h"
#include "txn/attempt.h"

namespace gittxn::api {

namespace {

constexpr const char* kFile = "kernel.jsonl";
constexpr std::size_t kMaxBytes = 64u << 20;

Read read_of(const Json& json) {
  Fields fields(json, "what the kernel showed");
  Read read;
  read.kind = ReadKind::kKernel;
  read.source = ReadSource::kDeclared;
  fields.text("subject", read.subject);
  fields.text("version", read.digest);
  fields.text("op", read.op);
  if (!fields.done()) read.subject = "(a line that makes no sense)";  // it has no version
  return read;
}

}  // namespace

Status note_kernel_reads(State& state, const store::View& view,
                         const std::vector<std::string>& subjects, std::string_view shown_by) {
  const std::string observed = state.variable("GIT_TXN_OBSERVED");
  if (observed.empty()) return {};
  const TxnId reader(state.variable("GIT_TXN_ID"));
  for (const std::string& subject : subjects) {
    const auto version = TRY(store::kernel_version(view, subject, reader));
    const Json line{{"subject", encode_path(subject)},
                    {"version", encode_path(version.value_or(""))},
                    {"op", shown_by}};
    TRY_IN("recording what was shown",
           append_line_durable(join_path(observed, kFile), canonical_json(line)));
  }
  return {};
}

Result<std::vector<Read>> kernel_reads(const Attempt& attempt, const Oid& snapshot) {
  std::vector<Read> reads;
  const auto text = read_file(join_path(observed_dir(attempt), kFile), kMaxBytes);
  if (!text && text.error().code == Code::kNotFound) return reads;
  if (!text) return std::unexpected(text.error());
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const auto json = parse_json(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    Read read = read_of(json ? *json : Json(nullptr));
    read.snapshot = snapshot;
    reads.push_back(std::move(read));
  }
  return reads;
}

}  // namespace gittxn::api

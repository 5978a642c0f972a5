#include "txn/serve/kernel_reads.h"

#include "base/fields.h"
#include "base/fs.h"
#include "store/work/workflows.h"
#include "txn/attempt.h"

namespace gittxn::api {

namespace {

constexpr const char* kFile = "kernel.jsonl";
constexpr std::size_t kMaxBytes = 64u << 20;

// What was shown, and by what.
struct Shown {
  std::string subject;
  std::string version;
  std::string op;
};
void fields(FieldIo& io, Shown& shown) {
  io.text("subject", shown.subject);
  io.text("version", shown.version);
  io.text("op", shown.op);
}

Read read_of(std::string_view line) {
  Shown shown;
  Read read;
  read.kind = ReadKind::kKernel;
  read.source = ReadSource::kDeclared;
  const Status told = read_text(line, "what the kernel showed", field_list(shown));
  if (!told) shown = {.subject = "(a line that makes no sense)", .version = "", .op = ""};
  read.subject = std::move(shown.subject);
  read.digest = std::move(shown.version);  // of such a line there is none
  read.op = std::move(shown.op);
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
    const Shown shown{subject, version.value_or(""), std::string(shown_by)};
    TRY_IN("recording what was shown",
           append_line_durable(join_path(observed, kFile), canonical_text(field_list(shown))));
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
    Read read = read_of(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    read.snapshot = snapshot;
    reads.push_back(std::move(read));
  }
  return reads;
}

}  // namespace gittxn::api

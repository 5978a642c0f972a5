// merge-file, merge-driver.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/merge_file.h"
#include "base/json_value.h"
#include "cli/session.h"

namespace gittxn::cli {
namespace {

Result<std::string> needed(const Session& session, const std::string& flag) {
  if (auto value = session.flag(flag)) return *value;
  return fail(Code::kUsage, fmt::format("git txn merge-file needs {}", flag),
              "git txn merge-file --base FILE --left FILE --right FILE -o FILE");
}

void take_text_options(const Session& session, api::MergeFileRequest* request) {
  request->marker_size =
      static_cast<int>(std::min<std::int64_t>(session.args.number("--marker-size", 7), 1'000'000));
  request->with_base = session.args.has("--diff3");
  request->base_label = session.flag("--base-label").value_or("");
  request->left_label = session.flag("--left-label").value_or("");
  request->right_label = session.flag("--right-label").value_or("");
}

Json report_json(const api::MergeFileReport& report, const std::string& output) {
  return {{"clean", report.clean},          {"rule", report.rule},
          {"why", encode_path(report.why)}, {"language", report.language},
          {"conflicts", report.conflicts},  {"output", encode_path(output)}};
}

}  // namespace

Result<int> merge_file_command(Session& session) {
  api::MergeFileRequest request;
  request.base = TRY(needed(session, "--base"));
  request.left = TRY(needed(session, "--left"));
  request.right = TRY(needed(session, "--right"));
  request.out = TRY(needed(session, "--output"));
  request.names = {request.out, request.left, request.right, request.base};
  request.language = session.flag("--lang").value_or("");
  if (request.language.empty() &&
      std::none_of(request.names.begin(), request.names.end(), api::tells_language)) {
    return fail(Code::kUsage, fmt::format("the name '{}' does not tell a language", request.left),
                fmt::format("say it with --lang: {}", fmt::join(api::merge_languages(), ", ")));
  }
  take_text_options(session, &request);
  if (request.left_label.empty()) request.left_label = request.left;
  if (request.base_label.empty()) request.base_label = request.base;
  if (request.right_label.empty()) request.right_label = request.right;
  const api::MergeFileReport report = TRY(api::merge_file(session.host, request));
  if (session.json()) {
    session.out->json(report_json(report, request.out));
  } else if (!report.clean) {
    Printer(2).text(fmt::format("git txn: {} in '{}': {}\n", counted(report.conflicts, "conflict"),
                                clean(request.out), clean(report.why)));
  } else if (!session.quiet()) {
    const std::string made = report.why.empty() ? "" : fmt::format(" ({})", clean(report.why));
    session.out->text(fmt::format("merged '{}': {}{}\n", clean(request.out), report.rule, made));
  }
  return report.clean ? kExitDone : kExitNo;
}

Result<int> merge_driver_command(Session& session) {
  const std::vector<std::string>& operands = session.args.operands;
  api::MergeFileRequest request;
  request.base = operands[0];
  request.left = operands[1];
  request.right = operands[2];
  request.out = operands[1];
  request.names = {operands[3]};
  take_text_options(session, &request);
  if (request.base_label.empty()) request.base_label = "base";
  if (request.left_label.empty()) request.left_label = "ours";
  if (request.right_label.empty()) request.right_label = "theirs";
  const api::MergeFileReport report = TRY(api::merge_file(session.host, request));
  if (session.json()) {
    session.out->json(report_json(report, operands[3]));
  } else if (!report.clean && !session.quiet()) {  // git says that there is one, we say why
    Printer(2).text(fmt::format("git txn: '{}': {}\n", clean(operands[3]), clean(report.why)));
  }
  return report.clean ? kExitDone : kExitNo;
}

}  // namespace gittxn::cli

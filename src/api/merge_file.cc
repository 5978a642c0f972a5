#include "api/merge_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/failpoint.h"
#include "base/fs.h"
#include "base/text.h"
#include "repo/git.h"
#include "semantic/merge/entries.h"
#include "semantic/syntax.h"

namespace gittxn::api {
namespace {

FAILPOINT(fp_before_write, "api.merge_file.before_write");

Result<std::string> read_version(const Host& host, const std::string& name) {
  const std::string path = join_path(host.cwd, name);
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      return fail(Code::kUsage, fmt::format("'{}' is a directory", name),
                  "name three versions of one file");
    }
    if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) > kMaxMergedBytes) {
      return fail(Code::kUsage,
                  fmt::format("'{}' has {} MiB; a version of a file may have {}", name,
                              status.st_size >> 20, kMaxMergedBytes >> 20),
                  "take one side of it: git checkout --ours or --theirs");
    }
  }
  return read_file(path, kMaxMergedBytes);
}

// Where to write, and with which mode: a link is written through.
struct Target {
  std::string path;
  mode_t mode = 0;
};

Result<Target> target_of(const Host& host, const MergeFileRequest& request) {
  Target target{join_path(host.cwd, request.out), 0};
  struct stat status{};
  if (::stat(target.path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) {
      return fail(Code::kUsage, fmt::format("'{}' is not a regular file", request.out),
                  "name a file for the result, with -o FILE");
    }
    target.path = TRY(real_path(target.path));
    target.mode = status.st_mode & 07777;
    return target;
  }
  const std::string folder = parent_dir(target.path);
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return fail(Code::kUsage, fmt::format("there is no directory for '{}'", request.out),
                "make it first, or name another file with -o FILE");
  }
  // A new file is as executable as the left one.
  const std::string left = join_path(host.cwd, request.left);
  const bool executable = ::stat(left.c_str(), &status) == 0 && (status.st_mode & 0100) != 0;
  target.mode = executable ? 0777 : 0666;  // and the umask
  return target;
}

std::unexpected<Error> unknown_language(const std::string& name) {
  return fail(Code::kUsage, fmt::format("'{}' is not a language that is known", name),
              fmt::format("known are {}", fmt::join(merge_languages(), ", ")));
}

// A name of TypeScript's own for files with JSX, in which some programs are something else.
const semantic::Language* dialect(const semantic::Language* language,
                                  const MergeFileRequest& request) {
  if (language == nullptr || language->name != "typescript") return language;
  const bool tsx = std::any_of(request.names.begin(), request.names.end(),
                               [](const std::string& name) { return name.ends_with(".tsx"); });
  return tsx ? semantic::find_language("tsx") : language;
}

Result<const semantic::Language*> language_for(const MergeFileRequest& request,
                                               const std::string& text) {
  const semantic::Language* language = nullptr;
  if (!request.language.empty() && request.language != kLinesAlone) {
    language = dialect(semantic::find_language(request.language), request);
    if (language == nullptr) return unknown_language(request.language);
  }
  for (const std::string& name : request.names) {
    if (language == nullptr && request.language.empty()) {
      language = semantic::language_of(name, text);
    }
  }
  if (language != nullptr && !language->fault.empty()) {
    return fail(Code::kFault, fmt::format("{}: {}", language->name, language->fault));
  }
  return language;
}

semantic::MergeLabels labels_of(const MergeFileRequest& request) {
  semantic::MergeLabels labels;
  if (!request.base_label.empty()) labels.base = request.base_label;
  if (!request.left_label.empty()) labels.left = request.left_label;
  if (!request.right_label.empty()) labels.right = request.right_label;
  if (request.style) labels.style = *request.style;
  labels.marker_size = static_cast<std::uint16_t>(request.marker_size);
  return labels;
}

// The style that git's configuration has for conflicts; nothing where it has none.
Result<std::optional<semantic::ConflictText>> configured_style(const Host& host) {
  const repo::Git git(host.env);
  const Output said = TRY(git.run({"config", "--get", "merge.conflictStyle"},
                                  {.dir = host.cwd, .extra = repo::caller_config(host.env)}));
  if (!said.exit.success()) return std::nullopt;
  const std::string_view name = trimmed(said.out);
  auto style = semantic::conflict_style(name);
  if (!style) {
    return fail(Code::kUsage, fmt::format("git's merge.conflictStyle is '{}'", name),
                "set it to merge, diff3 or zdiff3: git config merge.conflictStyle zdiff3");
  }
  return style;
}

// A measure of what the name of a file says of its content.
int tells(std::string_view name) {
  const semantic::TextKind kind = semantic::text_kind_of(name);
  if (kind == semantic::TextKind::kPlain) return name.empty() ? 0 : 1;
  return kind == semantic::TextKind::kCode ? 2 : 3;
}

}  // namespace

std::vector<std::string> merge_languages() {
  std::vector<std::string> names;
  for (const semantic::Language* each : semantic::all_languages()) names.emplace_back(each->name);
  names.emplace_back(kLinesAlone);
  return names;
}

Result<MergeFileReport> merge_file(const Host& host, const MergeFileRequest& request) {
  if (request.marker_size < 1 || request.marker_size > 1000) {
    return fail(Code::kUsage, fmt::format("a marker of {} characters", request.marker_size),
                "a number from 1 to 1000; git's own is 7");
  }
  semantic::Sides<std::string> texts;
  texts[semantic::kBase] = TRY(read_version(host, request.base));
  texts[semantic::kLeft] = TRY(read_version(host, request.left));
  texts[semantic::kRight] = TRY(read_version(host, request.right));
  const Target target = TRY(target_of(host, request));
  const auto* language = TRY(language_for(request, texts[semantic::kLeft]));
  semantic::MergeAs as(language);
  for (const std::string& name : request.names) {
    if (request.language.empty() && tells(name) > tells(as.path)) as.path = name;
  }
  semantic::MergeLabels labels = labels_of(request);
  MergeFileReport report{TRY(semantic::merge_file(as, texts, labels)),
                         language == nullptr ? kLinesAlone : language->name};
  if (!report.merged.clean() && !request.style) {
    // The style decides nothing but how a conflict is shown.
    const auto style = TRY(configured_style(host));
    if (style && *style != labels.style) {
      labels.style = *style;
      report.merged = TRY(semantic::merge_file(as, texts, labels));
    }
  }
  TRY(fp_before_write.hit());
  TRY(write_file(target.path, report.merged.text, Sync::kNo, target.mode));
  return report;
}

}  // namespace gittxn::api

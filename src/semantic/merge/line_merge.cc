#include "semantic/merge/line_merge.h"

#include <git2.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "semantic/merge/runs.h"

namespace gittxn::semantic {
namespace {

git_merge_file_input input(std::string_view text, const char* label) {
  git_merge_file_input in = GIT_MERGE_FILE_INPUT_INIT;
  in.ptr = text.empty() ? "" : text.data();
  in.size = text.size();
  in.path = label;
  return in;
}

std::string_view line_end(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

// --- the text of a conflict. Where the runs do not give the merged text again, nothing is known of
// places, and the sides are shown whole ---

// First and last run of each conflict, in order, none touching another.
std::vector<LineRange> conflicts_in(const std::vector<TextRun>& runs,
                                    const std::vector<LineRange>& merged_at,
                                    const Sides<TextLines>& lines, const std::vector<Span>& spans) {
  std::vector<LineRange> found;
  for (const Span& span : spans) {
    const bool merged = span.version == kMergedText;
    LineRange at{span.from, span.to};
    if (!merged) at = {lines[span.version].at(span.from), lines[span.version].at(span.to) + 1};
    LineRange touched{runs.size(), 0};
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!runs[i].changed) continue;
      const LineRange has = merged ? merged_at[i] : runs[i].lines[span.version];
      if (has.from > at.to || has.to < at.from) continue;
      if (has.from < has.to && (has.from == at.to || has.to == at.from)) continue;
      touched = {std::min(touched.from, i), i + 1};
    }
    if (touched.from < touched.to) found.push_back(touched);
  }
  std::ranges::sort(found, {}, &LineRange::from);
  std::vector<LineRange> apart;
  for (const LineRange& range : found) {
    if (!apart.empty() && range.from < apart.back().to) {
      apart.back().to = std::max(apart.back().to, range.to);
    } else {
      apart.push_back(range);
    }
  }
  return apart;
}

}  // namespace

std::optional<ConflictText> conflict_style(std::string_view name) {
  if (name == "merge") return ConflictText::kMarkers;
  if (name == "diff3") return ConflictText::kDiff3;
  if (name == "zdiff3") return ConflictText::kZdiff3;
  return std::nullopt;
}

std::string between_markers(const Sides<std::string_view>& parts, const MergeLabels& labels) {
  const std::string_view eol = line_end(parts[kLeft].empty() ? parts[kRight] : parts[kLeft]);
  std::string out;
  const auto mark = [&](char sign, const std::string& label) {
    if (!out.empty() && out.back() != '\n') out += eol;
    out += std::string(labels.marker_size, sign);
    if (!label.empty()) out += " " + label;
    out += eol;
  };
  mark('<', labels.left);
  out += parts[kLeft];
  if (labels.style == ConflictText::kDiff3 || labels.style == ConflictText::kZdiff3) {
    mark('|', labels.base);
    out += parts[kBase];
  }
  mark('=', {});
  out += parts[kRight];
  mark('>', labels.right);
  return out;
}

Result<LineMerge> merge_lines(const Sides<std::string_view>& sides, const MergeLabels& labels) {
  const git_merge_file_input base = input(sides[kBase], labels.base.c_str());
  const git_merge_file_input left = input(sides[kLeft], labels.left.c_str());
  const git_merge_file_input right = input(sides[kRight], labels.right.c_str());
  git_merge_file_options options = GIT_MERGE_FILE_OPTIONS_INIT;
  options.ancestor_label = labels.base.c_str();
  options.our_label = labels.left.c_str();
  options.their_label = labels.right.c_str();
  if (labels.style == ConflictText::kDiff3) options.flags |= GIT_MERGE_FILE_STYLE_DIFF3;
  if (labels.style == ConflictText::kZdiff3) options.flags |= GIT_MERGE_FILE_STYLE_ZDIFF3;
  if (labels.style == ConflictText::kUnion) options.favor = GIT_MERGE_FILE_FAVOR_UNION;
  options.marker_size = labels.marker_size;
  // `git merge` looks for lines that are there once, too (histogram); git's plain algorithm puts a
  // paragraph that moved elsewhere at times.
  options.flags |= GIT_MERGE_FILE_DIFF_PATIENCE;
  git_merge_file_result result = {};
  TRY(by_libgit2("merging lines",
                 [&] { return git_merge_file(&result, &base, &left, &right, &options); }));
  LineMerge merged;
  merged.clean = result.automergeable != 0;
  if (result.ptr != nullptr) merged.text.assign(result.ptr, result.len);
  git_merge_file_result_free(&result);
  const std::string marker = std::string(labels.marker_size, '<') + " " + labels.left;
  if (merged.clean) return merged;
  merged.conflicts =
      static_cast<int>(std::ranges::count_if(lines_of(merged.text), [&](std::string_view line) {
        return line == marker || line.starts_with(marker + "\r");
      }));
  // Both sides may have made the same of what they seemed to change differently, and git's merge
  // finds that out only where it does not show the base.
  if (labels.style == ConflictText::kDiff3 || labels.style == ConflictText::kZdiff3) {
    MergeLabels without_base = labels;
    without_base.style = ConflictText::kMarkers;
    LineMerge split = TRY(merge_lines(sides, without_base));
    if (split.clean) return split;
  }
  return merged;
}

Result<ConflictedText> conflict_at(const Sides<std::string>& texts, const std::string& merged,
                                   const std::vector<Span>& spans, const MergeLabels& labels) {
  const ConflictedText whole{between_markers({texts[0], texts[1], texts[2]}, labels), 1};
  const Sides<TextLines> lines = {TextLines(texts[0]), TextLines(texts[1]), TextLines(texts[2])};
  const std::vector<TextRun> runs = TRY(runs_of(texts));
  std::string again;
  std::vector<LineRange> merged_at;  // bytes of the merged text, for each run
  for (const TextRun& run : runs) {
    if (run.clashes) return whole;
    merged_at.push_back({again.size(), again.size() + run.texts[run.taken].size()});
    again += run.texts[run.taken];
  }
  if (again != merged) return whole;
  const std::vector<LineRange> conflicts = conflicts_in(runs, merged_at, lines, spans);
  if (conflicts.empty()) return whole;
  ConflictedText out;
  std::size_t at = 0;
  for (const LineRange& range : conflicts) {
    const TextRun& first = runs[range.from];
    const TextRun& last = runs[range.to - 1];
    Sides<std::string_view> parts;
    for (std::size_t i = 0; i < 3; ++i) {
      parts[i] = lines[i].of({first.lines[i].from, last.lines[i].to});
    }
    if (parts[kLeft] == parts[kRight]) continue;
    out.text += std::string_view(merged).substr(at, merged_at[range.from].from - at);
    out.text += between_markers(parts, labels);
    at = merged_at[range.to - 1].to;
    ++out.conflicts;
  }
  if (out.conflicts == 0) return whole;
  out.text += std::string_view(merged).substr(at);
  return out;
}

}  // namespace gittxn::semantic

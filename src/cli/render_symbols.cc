// Symbols, what depends on them and what a change did to them, as text and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fields.h"
#include "base/json.h"
#include "cli/json_out.h"
#include "cli/render.h"

namespace gittxn::cli {
namespace {

std::string lines_text(std::uint32_t first, std::uint32_t last) {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

std::string plural(catalogue::Relation relation) {
  if (relation == catalogue::Relation::kTarget) return "build targets";
  return std::string(relation_name(relation)) + "s";
}

enum class Of { kOne, kMany };  // symbols that were asked about

std::string affected_line(const catalogue::Affected& line, Of of, const Style& style) {
  const bool sure = line.certainty == catalogue::Certainty::kResolved;
  const std::string certainty = padded(certainty_name(line.certainty), 8);
  const std::string place =
      line.line > 0 ? fmt::format("{}:{}", clean(line.path), line.line) : clean(line.path);
  std::string out = fmt::format(
      "  {}  {}", style.paint(sure ? Colour::kGreen : Colour::kYellow, certainty), place);
  const bool whole_file = line.symbol == line.path + "/";
  if (!whole_file && line.symbol.starts_with(line.path + "/")) {
    out += "  " + clean(line.symbol.substr(line.path.size() + 1));
  } else if (!whole_file) {
    out += "  " + clean(line.symbol);
  }
  if (of == Of::kMany && !line.name.empty() && line.relation != catalogue::Relation::kImporter) {
    out += "  " + style.paint(Colour::kBold, clean(line.name));
  }
  out += "  " + style.paint(Colour::kDim, clean(line.why));
  return out + "\n";
}

Json subject_json(const catalogue::Subject& subject) {
  return {{"path", encode_path(subject.path)},
          {"symbol", or_null(subject.symbol)},
          {"kind", subject.symbol.empty() ? "file" : subject.kind},
          {"line", subject.line}};
}

std::string subject_line(const catalogue::Subject& subject, const Style& style) {
  if (subject.symbol.empty()) return style.paint(Colour::kBold, clean(subject.path)) + "\n";
  return fmt::format("{}  {}, line {}\n", style.paint(Colour::kBold, clean(subject.symbol)),
                     clean(subject.kind), subject.line);
}

std::string what_of(const semantic::Write& change) {
  if (change.opaque) return "all of it; it could not be looked into";
  if (!change.renamed_from.empty()) return fmt::format("was {}", clean(change.renamed_from));
  if (!change.renamed_to.empty()) return fmt::format("is now {}", clean(change.renamed_to));
  return fmt::format("{}", fmt::join(api::capabilities_of(change), ", "));
}

Json change_json(const semantic::Write& change) {
  return {{"symbol", encode_path(change.symbol)},
          {"kind", change.kind},
          {"language", or_null(change.language)},
          {"change", semantic::change_name(change.change)},
          {"capabilities", texts_json(api::capabilities_of(change))},
          {"renamed_from", or_null(change.renamed_from)},
          {"renamed_to", or_null(change.renamed_to)},
          {"opaque", change.opaque}};
}

constexpr std::size_t kMostSubjects = 20;

}  // namespace

std::string symbols_lines(const api::SymbolsReport& report, const Style& style) {
  std::string out;
  for (const api::SymbolLine& line : report.lines) {
    out += fmt::format("{} {} {}", padded(lines_text(line.first, line.last), 11),
                       style.paint(Colour::kDim, padded(clean(line.kind), 11)), clean(line.id));
    if (!line.opaque.empty()) out += style.paint(Colour::kYellow, fmt::format("  {}", line.opaque));
    out += "\n";
  }
  if (report.more > 0) {
    out += fmt::format("and {} more; --limit 0 shows all\n", report.more);
  } else if (report.lines.empty()) {
    out += fmt::format("no such symbol in {}\n", counted(report.files, "file"));
  }
  return out;
}

std::string symbols_json_lines(const api::SymbolsReport& report) {
  std::string out;
  for (const api::SymbolLine& line : report.lines) {
    Json hashes = Json::object();
    for (const auto& [capability, digest] : line.hashes) hashes[capability] = digest.str();
    const Json one{{"path", encode_path(line.path)},
                   {"symbol", encode_path(line.id)},
                   {"kind", line.kind},
                   {"name", encode_path(line.name)},
                   {"language", or_null(line.language)},
                   {"lines", Json::array({line.first, line.last})},
                   {"opaque", or_null(line.opaque)},
                   {"hashes", std::move(hashes)}};
    out += dump_json(one) + "\n";
  }
  if (report.more > 0) out += dump_json(Json{{"more", report.more}}) + "\n";
  return out;
}

std::string subjects_lines(const api::ImpactReport& report, const Style& style) {
  std::string out;
  for (const catalogue::Subject& subject : report.subjects) out += subject_line(subject, style);
  return out;
}

std::string impact_lines(const api::ImpactReport& report, const Style& style) {
  const auto told = [&](const catalogue::Subject& one) { return subject_line(one, style); };
  std::string out = first_of(report.subjects, kMostSubjects, told, "");
  const bool one = report.subjects.size() == 1 && !report.subjects.front().symbol.empty();
  std::optional<catalogue::Relation> relation;
  for (const catalogue::Affected& line : report.lines) {
    if (line.relation != relation) out += fmt::format("\n{}\n", plural(line.relation));
    relation = line.relation;
    out += affected_line(line, one ? Of::kOne : Of::kMany, style);
  }
  if (report.lines.empty()) out += "nothing in this commit has its name\n";
  if (report.more > 0) out += fmt::format("\nand {} more; --limit 0 shows all\n", report.more);
  for (const std::string& note : report.notes) out += fmt::format("\n{}\n", clean(note));
  return out;
}

Json impact_json(const api::ImpactReport& report) {
  const auto affected = [](const catalogue::Affected& line) {
    return Json{{"relation", relation_name(line.relation)},
                {"certainty", certainty_name(line.certainty)},
                {"path", encode_path(line.path)},
                {"symbol", encode_path(line.symbol)},
                {"line", line.line > 0 ? Json(line.line) : Json(nullptr)},
                {"name", or_null(line.name)},
                {"of", encode_path(line.of)},
                {"why", encode_path(line.why)}};
  };
  return {{"commit", report.commit.str()},
          {"ambiguous", report.ambiguous},
          {"subjects", each_of(report.subjects, subject_json)},
          {"affected", each_of(report.lines, affected)},
          {"more", report.more},
          {"notes", texts_json(report.notes)}};
}

std::string footprint_lines(const api::FootprintReport& report, const Style& style) {
  std::string out;
  for (const PathChange& change : report.changes) {
    out += change_line(change, style);
    for (const semantic::Write& symbol : report.symbols) {
      if (symbol.path != change.path || symbol.language.empty()) continue;
      const std::string id =
          symbol.symbol.substr(std::min(symbol.symbol.size(), symbol.path.size() + 1));
      const std::string what = what_of(symbol);
      const std::string_view change_word = semantic::change_name(symbol.change);
      out += fmt::format("      {} {}",
                         style.paint(colour_of_change(change_word), padded(change_word, 8)),
                         id.empty() ? "the file itself" : clean(id));
      if (!what.empty()) out += "  " + style.paint(Colour::kDim, what);
      out += "\n";
    }
  }
  for (const std::string& note : report.notes) out += fmt::format("  note: {}\n", clean(note));
  return out;
}

std::string footprint_json_lines(const api::FootprintReport& report) {
  std::string out;
  for (const PathChange& change : report.changes) {
    Json one = to_json(change);
    Json symbols = Json::array();
    for (const semantic::Write& symbol : report.symbols) {
      if (symbol.path == change.path) symbols.push_back(change_json(symbol));
    }
    one["symbols"] = std::move(symbols);
    out += dump_json(one) + "\n";
  }
  return out;
}

}  // namespace gittxn::cli

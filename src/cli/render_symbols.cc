// Symbols, what depends on them and what a change did to them, as text and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/fields.h"
#include "cli/json_out.h"
#include "cli/render.h"
#include "cli/session.h"

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
  const bool sure = line.certainty == catalogue::Certainty::kResolved ||
                    line.certainty == catalogue::Certainty::kSeen;
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

void subject_fields(FieldIo& io, const catalogue::Subject& subject) {
  io.text("path", subject.path);
  io.text_or_null("symbol", subject.symbol);
  io.text("kind", subject.symbol.empty() ? "file" : subject.kind);
  io.integer("line", subject.line, kNotNegative);
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

void symbol_change_fields(FieldIo& io, const semantic::Write& change) {
  io.each_text({{"symbol", change.symbol}, {"kind", change.kind}});
  io.text_or_null("language", change.language);
  io.choice("change", change.change, semantic::change_name);
  io.list_of(
      "capabilities", api::capabilities_of(change), [](FieldIo& each, const std::string& one) {
        each.word("", one, {"signature", "visibility", "body", "contract", "build", "comments"});
      });
  io.text_or_null("renamed_from", change.renamed_from);
  io.text_or_null("renamed_to", change.renamed_to);
  io.boolean("opaque", change.opaque);
}

void symbol_fields(FieldIo& io, const api::SymbolLine& line) {
  io.each_text(
      {{"path", line.path}, {"symbol", line.id}, {"kind", line.kind}, {"name", line.name}});
  io.text_or_null("language", line.language);
  const std::vector<std::uint32_t> lines{line.first, line.last};
  const auto number = [](FieldIo& each, std::uint32_t one) { each.integer("", one, kNotNegative); };
  io.list_of({"lines", "the first and the last"}, lines, number, {.least = 2, .most = 2});
  io.text_or_null("opaque", line.opaque);
  io.group("hashes", [&](FieldIo& hashes) {
    for (const char* capability : {"signature", "visibility", "body", "contract", "build"}) {
      const auto found =
          std::ranges::find(line.hashes, capability, &std::pair<std::string, Digest>::first);
      const std::string digest = found == line.hashes.end() ? "" : found->second.str();
      if (hashes.maybe(capability, digest)) {
        hashes.text({capability, "", "^[0-9a-f]{64}$"}, std::string_view(digest));
      }
    }
  });
}

void impact_line_fields(FieldIo& io, const catalogue::Affected& line) {
  io.word("relation", relation_name(line.relation),
          {"caller", "user", "importer", "subtype", "override", "test", "target", "mention"});
  io.word("certainty", certainty_name(line.certainty), {"resolved", "seen", "by name", "governed"});
  io.each_text({{"path", line.path}, {"symbol", line.symbol}});
  io.integer_or_null("line", line.line, kPositive);
  io.text_or_null("name", line.name);
  io.each_text({{"of", line.of}, {"why", line.why}});
  io.integer_or_null("steps", line.steps, kPositive);
}

constexpr std::size_t kMostSubjects = 20;

}  // namespace

std::string no_symbols_sentence(const api::SymbolsReport& report, const std::string& kind,
                                const std::string& name) {
  const std::string files = counted(report.files, "file");
  if (name.empty()) return fmt::format("nothing is a {} in {}", clean(kind), files);
  const std::string what = kind.empty() ? "nothing" : "no " + clean(kind);
  return fmt::format("{} is called '{}' in {}", what, clean(name), files);
}

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

constinit const Printed<std::variant<api::SymbolLine, std::size_t>> kSymbolJson{
    "symbol",
    "One symbol of a file, one a line; after the last of them how many more there are, when there "
    "are more.",
    [](FieldIo& io, const std::variant<api::SymbolLine, std::size_t>& one) {
      io.either(one.index(), {[&](FieldIo& symbol) {
                                const auto* line = std::get_if<api::SymbolLine>(&one);
                                symbol_fields(symbol, line ? *line : api::SymbolLine());
                              },
                              [&](FieldIo& rest) {
                                const auto* more = std::get_if<std::size_t>(&one);
                                rest.integer("more", more ? *more : 0, kPositive);
                              }});
    }};

std::string symbols_json_lines(const api::SymbolsReport& report) {
  std::vector<std::variant<api::SymbolLine, std::size_t>> all(report.lines.begin(),
                                                              report.lines.end());
  if (report.more > 0) all.emplace_back(report.more);
  return json_lines(all, kSymbolJson);
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

constinit const Printed<api::ImpactReport> kImpactJson{
    "impact", "Who may be affected when a symbol changes.",
    [](FieldIo& io, const api::ImpactReport& report) {
      io.text({"commit", "", "^[0-9a-f]{40}$"}, report.commit.str());
      io.boolean("ambiguous", report.ambiguous);
      io.list_of("subjects", report.subjects, subject_fields);
      io.list_of("affected", report.lines, impact_line_fields);
      io.integer("more", report.more, kNotNegative);
      io.texts("notes", report.notes);
    }};

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

constinit const Printed<std::pair<PathChange, std::vector<semantic::Write>>> kChangeJson{
    "change", "One path that a transaction changes, with what changed in it by symbol. One a line.",
    [](FieldIo& io, const std::pair<PathChange, std::vector<semantic::Write>>& change) {
      fields_of(io, change.first);
      io.list_of("symbols", change.second, symbol_change_fields);
    }};

std::string footprint_json_lines(const api::FootprintReport& report) {
  std::string out;
  for (const PathChange& change : report.changes) {
    std::vector<semantic::Write> symbols;
    std::ranges::copy_if(report.symbols, std::back_inserter(symbols),
                         [&](const auto& symbol) { return symbol.path == change.path; });
    out += json_line(kChangeJson({change, std::move(symbols)}));
  }
  return out;
}

}  // namespace gittxn::cli

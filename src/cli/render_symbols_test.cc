#include <gtest/gtest.h>

#include "base/json.h"
#include "cli/json_out.h"
#include "cli/render.h"

namespace gittxn::cli {
namespace {

api::SymbolsReport symbols() {
  api::SymbolsReport report;
  report.files = 1;
  api::SymbolLine line;
  line.path = "src/a\n.py";
  line.id = "src/a\n.py/f\x1b[31m().";
  line.kind = "function";
  line.name = "f";
  line.language = "python";
  line.first = 3;
  line.last = 4;
  line.hashes = {{"signature", Digest("aa")}, {"body", Digest("bb")}};
  report.lines.push_back(line);
  return report;
}

TEST(RenderSymbols, NamesCannotActOnTheTerminal) {
  const std::string text = symbols_lines(symbols(), {});
  EXPECT_EQ(text, "3-4         function    src/a\\n.py/f\\x1b[31m().\n");
}

TEST(RenderSymbols, JsonHasTheHashesAndSaysWhatIsLeftOut) {
  api::SymbolsReport report = symbols();
  report.more = 7;
  const std::string lines = symbols_json_lines(report);
  const std::size_t end = lines.find('\n');
  const Json one = parse_json(lines.substr(0, end)).value();
  EXPECT_EQ(one["hashes"]["body"], "bb");
  EXPECT_EQ(one["lines"], Json::array({3, 4}));
  EXPECT_TRUE(one["opaque"].is_null());
  EXPECT_EQ(parse_json(lines.substr(end + 1)).value()["more"], 7);
  EXPECT_NE(symbols_lines(report, {}).find("and 7 more; --limit 0 shows all\n"), std::string::npos);
}

TEST(RenderSymbols, WhereNothingHasTheNameASentenceSaysSo) {
  api::SymbolsReport report;
  report.files = 2;
  EXPECT_EQ(no_symbols_sentence(report, "", "pay"), "nothing is called 'pay' in 2 files");
  EXPECT_EQ(no_symbols_sentence(report, "type", "pay"), "no type is called 'pay' in 2 files");
  EXPECT_EQ(no_symbols_sentence(report, "macro", ""), "nothing is a macro in 2 files");
}

TEST(RenderSymbols, ImpactByRelation) {
  api::ImpactReport report;
  report.subjects = {{.path = "a.py", .symbol = "a.py/f().", .kind = "function", .line = 3}};
  using enum catalogue::Relation;
  using enum catalogue::Certainty;
  report.lines = {
      {kCaller, kResolved, "b.py", "b.py/g().", 5, "f", "a.py/f().", "the one definition"},
      {kCaller, kByName, "c.py", "c.py/", 1, "f", "a.py/f().", "nothing says"},
      {kTarget, kGoverned, "CMakeLists.txt", "shop", 0, "", "a.py", "the manifest"}};
  EXPECT_EQ(impact_lines(report, {}),
            "a.py/f().  function, line 3\n"
            "\ncallers\n"
            "  resolved  b.py:5  g().  the one definition\n"
            "  by name   c.py:1  nothing says\n"
            "\nbuild targets\n"
            "  governed  CMakeLists.txt  shop  the manifest\n");
  const Json json = json_of(kImpactJson(report));
  EXPECT_EQ(json["affected"].size(), 3u);
  EXPECT_TRUE(json["affected"][2]["line"].is_null());
  report.lines.clear();
  EXPECT_NE(impact_lines(report, {}).find("nothing in this commit"), std::string::npos);
}

TEST(RenderSymbols, FootprintBelowItsPath) {
  api::FootprintReport report;
  const TreeEntry before{FileMode::kFile, Oid(std::string(40, '1'))};
  const TreeEntry after{FileMode::kFile, Oid(std::string(40, '2'))};
  report.changes = {{"a.py", before, after}, {"b.txt", {}, after}};
  report.symbols.resize(3);
  const auto is = [&](std::size_t i, const std::string& path, const std::string& id) {
    report.symbols[i].path = path;
    report.symbols[i].symbol = path + "/" + id;
    report.symbols[i].kind = id.empty() ? "file" : "function";
    report.symbols[i].language = id.empty() ? "" : "python";
    report.symbols[i].change = i == 0 ? semantic::Change::kChanged : semantic::Change::kAdded;
  };
  is(0, "a.py", "f().");
  is(1, "a.py", "g().");
  is(2, "b.txt", "");
  report.symbols[0].what.of[static_cast<std::size_t>(semantic::Capability::kBody)] = 1;
  report.symbols[0].what.comments = true;
  report.symbols[1].renamed_from = "a.py/h().";
  report.symbols[2].opaque = true;
  EXPECT_EQ(footprint_lines(report, {}),
            "  changed  a.py\n"
            "      changed  f().  body, comments\n"
            "      added    g().  was a.py/h().\n"
            "  added    b.txt\n");
  const std::string lines = footprint_json_lines(report);
  const Json one = parse_json(lines.substr(0, lines.find('\n'))).value();
  EXPECT_EQ(one["symbols"][0]["capabilities"], Json::array({"body", "comments"}));
  EXPECT_EQ(one["path"], "a.py");
}

}  // namespace
}  // namespace gittxn::cli

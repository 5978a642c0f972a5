#include "txn/footprints.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace gittxn::api {
namespace {

TreeEntry blob(char digit) {
  return {FileMode::kFile, Oid(std::string(40, digit))};
}
PathChange changed_file(const std::string& path) {
  return {path, blob('1'), blob('2')};
}
PathChange added_file(const std::string& path) {
  return {path, {}, blob('3')};
}
PathChange removed_file(const std::string& path) {
  return {path, blob('3'), {}};
}
semantic::Write symbol_in(const std::string& path, const std::string& id, semantic::Change what) {
  semantic::Write change;
  change.path = path;
  change.symbol = path + "/" + id;
  change.kind = "function";
  change.language = "javascript";
  change.change = what;
  return change;
}

TEST(ChangeMessage, NamesTheSymbolThatChanged) {
  FootprintReport report;
  report.changes = {changed_file("src/price.js")};
  report.symbols = {symbol_in("src/price.js", "gross(number).", semantic::Change::kChanged)};
  EXPECT_EQ(subject_of(report), "Change gross() in src/price.js");
  report.changes.push_back(changed_file("src/tax.js"));
  report.changes.push_back(added_file("a.md"));
  EXPECT_EQ(subject_of(report), "Change gross() in src/price.js and 2 more files");
}

TEST(ChangeMessage, SaysWhatHappenedToIt) {
  FootprintReport report;
  report.changes = {changed_file("a.py")};
  report.symbols = {symbol_in("a.py", "Token#validate(int).", semantic::Change::kAdded)};
  EXPECT_EQ(subject_of(report), "Add Token.validate() to a.py");
  report.symbols.front().change = semantic::Change::kRemoved;
  EXPECT_EQ(subject_of(report), "Remove Token.validate() from a.py");
  report.symbols.push_back(symbol_in("a.py", "other().", semantic::Change::kChanged));
  EXPECT_EQ(subject_of(report), "Change Token.validate() and other() in a.py");
  report.symbols.push_back(symbol_in("a.py", "third().", semantic::Change::kChanged));
  EXPECT_EQ(subject_of(report), "Change Token.validate(), other() and 1 more in a.py");
}

TEST(ChangeMessage, MembersOfWhatWasAddedAreNotNamedBesideIt) {
  FootprintReport report;
  report.changes = {changed_file("a.py")};
  report.symbols = {symbol_in("a.py", "Token#", semantic::Change::kAdded),
                    symbol_in("a.py", "Token#validate().", semantic::Change::kAdded)};
  EXPECT_EQ(subject_of(report), "Add Token to a.py");
}

TEST(ChangeMessage, WhatAFunctionGivesIsNotNamedBesideIt) {
  FootprintReport report;
  report.changes = {changed_file("a.py")};
  report.symbols = {symbol_in("a.py", "load().", semantic::Change::kChanged),
                    symbol_in("a.py", "load().`{load!KeyError}`.", semantic::Change::kRemoved)};
  report.symbols.back().kind = "given";
  EXPECT_EQ(subject_of(report), "Change load() in a.py");
}

TEST(ChangeMessage, WithoutSymbolsThePathsSayIt) {
  FootprintReport report;
  report.changes = {added_file("src/new.txt")};
  EXPECT_EQ(subject_of(report), "Add src/new.txt");
  report.changes = {added_file("a"), added_file("b")};
  EXPECT_EQ(subject_of(report), "Add a and 1 more file");
  report.changes = {removed_file("a"), removed_file("b"), removed_file("c")};
  EXPECT_EQ(subject_of(report), "Remove a and 2 more files");
  report.changes = {added_file("a"), changed_file("b")};
  EXPECT_EQ(subject_of(report), "Change b and 1 more file");
  report.changes = {removed_file("old"), added_file("new")};
  EXPECT_EQ(subject_of(report), "Rename old to new");
  report.changes = {{"run.sh", blob('1'), {FileMode::kExecutable, blob('1').oid}}};
  EXPECT_EQ(subject_of(report), "Change the mode of run.sh");
  report.changes.clear();
  EXPECT_EQ(subject_of(report), "Change nothing");
}

TEST(ChangeMessage, IsOneLineOfSeventyTwoColumnsWhateverTheNamesAre) {
  FootprintReport report;
  const std::string deep = std::string(60, 'd') + "/" + std::string(20, 'f') + ".js";
  report.changes = {changed_file(deep)};
  EXPECT_EQ(subject_of(report), "Change " + std::string(20, 'f') + ".js");
  report.symbols = {symbol_in(deep, "gross().", semantic::Change::kChanged)};
  EXPECT_EQ(subject_of(report), "Change gross() in " + std::string(20, 'f') + ".js");
  report.changes = {changed_file(std::string(100, 'f')), changed_file("z")};
  report.symbols.clear();
  EXPECT_EQ(subject_of(report), "Change 2 files");
  // No name of a file can begin a line of its own: a trailer, say.
  report.changes = {added_file("a\n\nTxn-Id: t-1")};
  const std::string subject = subject_of(report);
  EXPECT_EQ(std::ranges::count(subject, '\n'), 0) << subject;
  // A column is a character, however many bytes it has.
  std::string wide;
  for (int i = 0; i < 60; ++i) wide += "ü";
  report.changes = {added_file(wide)};
  EXPECT_EQ(subject_of(report), "Add " + wide);
}

}  // namespace
}  // namespace gittxn::api

#include "gates/evidence/carry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gittxn::gates {
namespace {

const Oid kBefore(std::string(40, '1'));
const Oid kAfter(std::string(40, '2'));

TreeEntry file(const Oid& oid, FileMode mode = FileMode::kFile) {
  return {mode, oid};
}
PathChange edited(const std::string& path) {
  return {path, file(kBefore), file(kAfter)};
}
std::string broken_by(const Look& look, const Changes& diff) {
  const auto changed = first_changed({look}, diff);
  return changed ? changed->cause : "";
}

TEST(Carry, ALookHoldsWhileItSeesTheSame) {
  const Look content{ReadKind::kContent, "src/a", kBefore.str()};
  EXPECT_EQ(broken_by(content, {}), "");
  EXPECT_EQ(broken_by(content, {edited("src/b")}), "");
  EXPECT_EQ(broken_by(content, {edited("src/a")}), "src/a");
  const Look absence{ReadKind::kAbsence, "src/new", ""};
  EXPECT_EQ(broken_by(absence, {edited("src/a")}), "");
  EXPECT_EQ(broken_by(absence, {{"src/new", {}, file(kBefore)}}), "src/new");
  const Look listing{ReadKind::kListing, "src", "names"};
  EXPECT_EQ(broken_by(listing, {edited("src/a")}), "");
  EXPECT_EQ(broken_by(listing, {{"src/new", {}, file(kBefore)}}), "src/new");
  const Look tree{ReadKind::kTree, "src", kBefore.str()};
  EXPECT_EQ(broken_by(tree, {edited("src/a")}), "src/a");
  EXPECT_EQ(broken_by(tree, {edited("docs/a")}), "");
}

TEST(Carry, TheModeOfAFileThatItLookedIntoCounts) {
  const Changes diff = {{"run.sh", file(kBefore), file(kBefore, FileMode::kExecutable)}};
  EXPECT_EQ(broken_by({ReadKind::kContent, "run.sh", kBefore.str()}, diff), "run.sh");
  EXPECT_EQ(broken_by({ReadKind::kMetadata, "run.sh", "100644"}, diff), "run.sh");
}

TEST(Carry, AttributesDecideWhatACheckoutHas) {
  const Look look{ReadKind::kContent, "a", kBefore.str()};
  EXPECT_EQ(broken_by(look, {{".gitattributes", {}, file(kBefore)}}), ".gitattributes");
  EXPECT_EQ(broken_by(look, {edited("lib/.gitattributes")}), "lib/.gitattributes");
  EXPECT_EQ(broken_by(look, {edited("lib/my.gitattributes")}), "");
}

TEST(Carry, TheFirstThatChangedIsNamed) {
  const Looks looks = {{ReadKind::kContent, "a", kBefore.str()},
                       {ReadKind::kContent, "b", kBefore.str()}};
  const auto changed = first_changed(looks, {edited("b"), edited("c")});
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->look, looks[1]);
}

ReadSet reads_of(std::vector<Read> reads) {
  ReadSet set;
  for (Read& read : reads) {
    if (read.snapshot.empty()) read.snapshot = kBefore;
    set.reads.push_back(std::move(read));
  }
  return set;
}

TEST(Carry, LooksAreTheReadsOfTheTree) {
  std::string why;
  const auto looks = looks_of(reads_of({{.kind = ReadKind::kContent, .subject = "b", .digest = "x"},
                                        {.kind = ReadKind::kListing, .subject = "", .digest = "y"},
                                        {.kind = ReadKind::kContent, .subject = "b", .digest = "x"},
                                        {.kind = ReadKind::kEnvironment, .subject = "PATH"}}),
                              kBefore, &why);
  ASSERT_TRUE(looks.has_value());
  EXPECT_EQ(*looks, (Looks{{ReadKind::kContent, "b", "x"}, {ReadKind::kListing, "", "y"}}));
}

TEST(Carry, WhatIsNotOfTheTreeBindsItToTheTree) {
  const std::vector<Read> all = {
      {.kind = ReadKind::kRef, .subject = "refs/heads/main", .digest = "x"},
      {.kind = ReadKind::kKernel, .subject = "policy", .digest = "x"},
      {.kind = ReadKind::kSearch, .subject = "", .digest = "x", .query = "{}"},
      {.kind = ReadKind::kContent, .subject = "a", .digest = "x", .snapshot = kAfter},
      {.kind = ReadKind::kContent, .subject = "a", .digest = "x", .lines = {1, 2}},
      {.kind = ReadKind::kContent, .subject = "a", .digest = std::string(kUncommitted) + "x"},
  };
  std::string said;
  for (const Read& one : all) {
    std::string why;
    EXPECT_EQ(looks_of(reads_of({one}), kBefore, &why), std::nullopt);
    said += why + "\n";
  }
  EXPECT_EQ(said,
            "it asked git for refs/heads/main\n"
            "it read kernel policy\n"
            "it read search \n"
            "it read a of another commit\n"
            "it read a of another commit\n"
            "it read a, which is not committed\n");
}

TEST(Carry, LinesAreReadAsTheyWereWritten) {
  const Looks looks = {{ReadKind::kContent, "a b\n\xff\t\\n", "x"}, {ReadKind::kAbsence, "c", ""}};
  const std::string lines = looks_to_lines(looks);
  EXPECT_EQ(looks_from_lines(lines).value(), looks);
  EXPECT_EQ(looks_from_lines(looks_to_lines({})).value(), Looks());
  for (std::size_t cut = 0; cut < lines.size(); ++cut) {
    EXPECT_EQ(looks_from_lines(lines.substr(0, cut)).error().code, Code::kCorrupt) << cut;
  }
}

TEST(Carry, SaysInWordsWhatHasChanged) {
  EXPECT_EQ(in_words({{ReadKind::kContent, "a", "x"}, "a"}), "a has changed");
  EXPECT_EQ(in_words({{ReadKind::kTree, "lib", "x"}, "lib/a"}), "lib/a has changed");
  EXPECT_EQ(in_words({{ReadKind::kAbsence, "lib/a", ""}, "lib/a"}),
            "lib/a was looked for, and lib/a is there now");
  EXPECT_EQ(in_words({{ReadKind::kListing, "", "x"}, "new"}),
            "the top of the tree was listed and has other entries now (new)");
}

TEST(Carry, TheyAreUnitedOnce) {
  const Look a{ReadKind::kContent, "a", "x"};
  const Look b{ReadKind::kAbsence, "b", ""};
  EXPECT_EQ(united({b, a}, {a}), (Looks{a, b}));
}

TEST(Looks, ThatAPolicySaysDoNotCountAreLeftOut) {
  const std::string file = "100644 " + std::string(40, 'a');
  const Looks looks = {
      {ReadKind::kContent, "docs/a", "x"},      {ReadKind::kListing, "", "x"},
      {ReadKind::kListing, "docs", "x"},        {ReadKind::kListing, "docs/deep", "x"},
      {ReadKind::kMetadata, "README.md", file}, {ReadKind::kMetadata, "src/a.c", file}};
  const auto left = [&](const std::vector<std::string>& rules) {
    std::string text;
    for (const Look& look : seen_by(united(looks, {}), rules)) {
      const bool mode_alone = look.kind == ReadKind::kMetadata && look.digest == "100644";
      text +=
          std::string(read_kind_name(look.kind)) + " " + look.path + (mode_alone ? "!" : "") + ";";
    }
    return text;
  };
  const std::string all = left({});
  EXPECT_EQ(left({"list:src"}), all);
  EXPECT_EQ(left({"list:docs"}),
            "content docs/a;metadata README.md;metadata src/a.c;listing ;listing docs/deep;");
  EXPECT_EQ(left({"list:.", "list:docs/"}),
            "content docs/a;metadata README.md;metadata src/a.c;listing docs;");
  EXPECT_EQ(left({"stat:**/*.md"}),
            "content docs/a;metadata README.md!;metadata src/a.c;listing ;listing docs;listing "
            "docs/deep;");
  EXPECT_EQ(left({"stat:**"}),
            "content docs/a;metadata README.md!;metadata src/a.c!;listing ;listing docs;listing "
            "docs/deep;");
  EXPECT_EQ(blind_problem("list:docs"), std::nullopt);
  EXPECT_NE(blind_problem("read:docs"), std::nullopt);
  EXPECT_NE(blind_problem("list:../x"), std::nullopt);
}

}  // namespace
}  // namespace gittxn::gates

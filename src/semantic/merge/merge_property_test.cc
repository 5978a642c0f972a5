// Random edits of the languages' samples: what must hold of every merge, whatever the edits are.
// SEED=n replays a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/fs.h"
#include "base/random.h"
#include "base/testing/campaign.h"
#include "semantic/merge.h"
#include "semantic/syntax.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

namespace fs = std::filesystem;
using testing::joined_lines;
using testing::split_lines;

std::map<std::string, std::string> language_samples() {
  std::map<std::string, std::string> texts;
  for (const auto& folder :
       fs::directory_iterator(fs::path(__FILE__).parent_path().parent_path() / "languages")) {
    for (const auto& file : fs::directory_iterator(folder.path())) {
      if (file.path().stem() == "sample") {
        texts[folder.path().filename().string()] = *read_file(file.path().string());
      }
    }
  }
  return texts;
}

// Removes, doubles, moves and renames; often it still parses.
std::string edited(const std::string& text, Random& random, const std::string& mark) {
  std::vector<std::string> lines = split_lines(text);
  for (std::uint64_t n = 1 + random.below(3); n > 0 && !lines.empty(); --n) {
    const std::size_t at = random.below(lines.size());
    switch (random.below(4)) {
      case 0:
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1: {
        std::string line = lines[at];
        const std::size_t word = line.find_first_of("abcdefghijklmnopqrstuvwxyz");
        if (word != std::string::npos) line.insert(word, mark);
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), line);
        break;
      }
      case 2:
        std::swap(lines[at], lines[random.below(lines.size())]);
        break;
      default: {
        const std::size_t word = lines[at].find_last_of("abcdefghijklmnopqrstuvwxyz");
        if (word != std::string::npos) lines[at].insert(word, mark);
      }
    }
  }
  return joined_lines(lines);
}

// Words with the mark of one side are nowhere else, so that losing them is seen.
std::map<std::string, int> marked_words(const std::string& text, const std::string& mark) {
  std::map<std::string, int> words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      word += c;
    } else {
      if (word.find(mark) != std::string::npos) ++words[word];
      word.clear();
    }
  }
  return words;
}

// What it is made of, separators aside.
std::string letters(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) out += c;
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Markers stand in their order, none within another conflict, and as many as there are conflicts.
void expect_balanced(const Merged& merged) {
  std::size_t conflicts = 0;
  char last = '>';
  for (const std::string& line : split_lines(merged.text)) {
    const bool marker = line.starts_with("<<<<<<< left") || line.starts_with("||||||| base") ||
                        line == "=======" || line.starts_with(">>>>>>> right");
    if (!marker) continue;
    const char sign = line[0];
    const bool follows = (sign == '<' && last == '>') || (sign == '|' && last == '<') ||
                         (sign == '=' && (last == '<' || last == '|')) ||
                         (sign == '>' && last == '=');
    EXPECT_TRUE(follows) << merged.text;
    last = sign;
    conflicts += sign == '<' ? 1 : 0;
  }
  EXPECT_EQ(last, '>') << merged.text;
  EXPECT_EQ(conflicts, merged.conflicts.size()) << merged.text;
}

void expect_same_in_every_style(const Language* language, const Sides<std::string>& texts,
                                const Merged& merged) {
  for (const ConflictText style : {ConflictText::kDiff3, ConflictText::kZdiff3}) {
    const auto shown = merge_file(language, texts, {.style = style});
    ASSERT_TRUE(shown);
    EXPECT_EQ(shown->clean(), merged.clean());
    expect_balanced(*shown);
  }
}

TEST(MergeProperty, NoSideIsLostAndTheSameEditsMergeTheSame) {
  Random random(gittxn::testing::told_seed());
  const auto texts = language_samples();
  int clean = 0, structured = 0, mirrored = 0;
  for (int round = 0; round < gittxn::testing::campaign_rounds(40); ++round) {
    for (const auto& [name, base] : texts) {
      const Language* language = find_language(name);
      const std::string left = edited(base, random, "qlq"), right = edited(base, random, "zrz");
      const auto merged = merge_file(language, {base, left, right}, {});
      ASSERT_TRUE(merged);
      const auto again = merge_file(language, {base, left, right}, {});
      EXPECT_EQ(merged->text, again->text);
      for (const auto& [text, mark] : {std::pair(left, "qlq"), std::pair(right, "zrz")}) {
        const auto before = marked_words(text, mark), after = marked_words(merged->text, mark);
        for (const auto& [word, times] : before) {
          EXPECT_TRUE(after.contains(word)) << name << ": '" << word << "' is lost by "
                                            << rule_name(merged->rule) << "\n--- base\n"
                                            << base << "--- left\n"
                                            << left << "--- right\n"
                                            << right << "--- merged\n"
                                            << merged->text;
        }
      }
      expect_balanced(*merged);
      // The other way round it is clean in the same cases, and made of the same parts.
      const auto turned = merge_file(language, {base, right, left}, {});
      ASSERT_TRUE(turned);
      EXPECT_EQ(turned->clean(), merged->clean())
          << name << ": " << merged->why << " | " << turned->why << "\n--- base\n"
          << base << "--- left\n"
          << left << "--- right\n"
          << right << "--- merged\n"
          << merged->text << "--- turned\n"
          << turned->text;
      expect_same_in_every_style(language, {base, left, right}, *merged);
      if (!merged->clean()) continue;
      ++clean;
      structured += merged->rule == MergeRule::kStructure ? 1 : 0;
      if (merged->rule == MergeRule::kStructure && turned->rule == MergeRule::kStructure) {
        ++mirrored;
        EXPECT_EQ(letters(turned->text), letters(merged->text)) << name << "\n--- base\n"
                                                                << base << "--- left\n"
                                                                << left << "--- right\n"
                                                                << right << "--- merged\n"
                                                                << merged->text << "--- turned\n"
                                                                << turned->text;
      }
      // What a side has is already in the result.
      const auto with_left = merge_file(language, {base, merged->text, merged->text}, {});
      EXPECT_EQ(with_left->text, merged->text);
    }
  }
  EXPECT_GT(clean, 0);
  EXPECT_GT(structured, 0);
  EXPECT_GT(mirrored, structured / 2);
}

TEST(MergeProperty, OneSideAloneIsAlwaysTaken) {
  Random random(gittxn::testing::told_seed());
  for (const auto& [name, base] : language_samples()) {
    for (int round = 0; round < 20; ++round) {
      const std::string side = edited(base, random, "qlq");
      const Language* language = find_language(name);
      EXPECT_EQ(merge_file(language, {base, side, base}, {})->text, side);
      EXPECT_EQ(merge_file(language, {base, base, side}, {})->text, side);
      EXPECT_EQ(merge_file(language, {base, side, side}, {})->text, side);
    }
  }
}

}  // namespace
}  // namespace gittxn::semantic

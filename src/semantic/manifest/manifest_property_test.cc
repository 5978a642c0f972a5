// Random edits of manifests. Any edit of a token is a change of a symbol, whatever the reader makes
// of it; white space and comments are none; nothing is a change of itself. SEED=n replays a run.
#include <gtest/gtest.h>

#include <string_view>

#include "base/random.h"
#include "base/testing/campaign.h"
#include "semantic/manifest/manifest.h"
#include "semantic/manifest/testing/manifests.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using testing::joined_lines;
using testing::split_lines;

struct ManifestSample {
  const char* path;
  std::string text;
  std::string comment;  // how one begins; empty: there are none
};

std::vector<ManifestSample> manifest_samples() {
  return {{"package.json", kPackageJson, ""},
          {"Cargo.toml", kCargoToml, "#"},
          {"go.mod", kGoMod, "//"},
          {"pom.xml", kPom, "<!--"},
          {"CMakeLists.txt", kCMakeLists, "#"},
          {"BUILD", kBazelBuild, "#"}};
}

// How much of a line is code; white space at its end is none.
std::size_t code_of(const ManifestSample& sample, const std::string& line) {
  const std::size_t comment =
      sample.comment.empty() ? std::string::npos : line.find(sample.comment);
  const std::string code = line.substr(0, comment);
  return code.find_last_not_of(" \t") + 1;
}

// One edit of a token, or nothing when the line has none.
std::string edited(const ManifestSample& sample, Random& random) {
  std::vector<std::string> lines = split_lines(sample.text);
  const std::size_t at = random.below(lines.size());
  std::string& line = lines[at];
  const std::size_t code = code_of(sample, line);
  if (code == 0) return {};
  std::size_t place = random.below(code);
  while (line[place] == ' ' || line[place] == '\t') ++place;
  switch (random.below(5)) {
    case 0:
      line.insert(place, 1, static_cast<char>('a' + random.below(26)));
      break;
    case 1:
      line.erase(place, 1);
      break;
    case 2: {
      const char was = line[place];
      line[place] = "0aZ_.=-"[random.below(7)];
      if (line[place] == was) return {};
      break;
    }
    case 3:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    default:
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), std::string(line));
  }
  return joined_lines(lines);
}

// Cargo takes "[dev_dependencies]" for "[dev-dependencies]", and so does the reader: one name of
// two spellings, which no reader of the manifest tells apart.
bool spelled_otherwise(const ManifestSample& sample, std::string text) {
  constexpr std::string_view kOld = "_dependencies]", kNew = "-dependencies]";
  const std::size_t at = text.find(kOld);
  if (at == std::string::npos || sample.path != std::string_view("Cargo.toml")) return false;
  return text.replace(at, kOld.size(), kNew) == sample.text;
}

TEST(ManifestProperty, AnyEditOfATokenIsAChangeOfASymbol) {
  Random random(gittxn::testing::told_seed());
  int opaque = 0, read = 0;
  for (const ManifestSample& sample : manifest_samples()) {
    const Manifest before = read_manifest(sample.path, sample.text);
    ASSERT_EQ(before.opaque, "") << sample.path;
    for (int round = 0; round < 500; ++round) {
      const std::string text = edited(sample, random);
      if (text.empty()) continue;
      const Manifest after = read_manifest(sample.path, text);
      ++(after.opaque.empty() ? read : opaque);
      const bool same = spelled_otherwise(sample, text);
      EXPECT_EQ(manifest_changes(before, after).empty(), same) << sample.path << "\n" << text;
      EXPECT_EQ(manifest_changes(after, before).empty(), same) << sample.path << "\n" << text;
      EXPECT_TRUE(manifest_changes(after, after).empty()) << sample.path << "\n" << text;
    }
  }
  EXPECT_GT(read, opaque / 4);
  EXPECT_GT(opaque, 0);
}

TEST(ManifestProperty, WhiteSpaceAndCommentsAreNoChange) {
  Random random(gittxn::testing::told_seed());
  for (const ManifestSample& sample : manifest_samples()) {
    const Manifest before = read_manifest(sample.path, sample.text);
    for (int round = 0; round < 200; ++round) {
      std::vector<std::string> lines = split_lines(sample.text);
      for (int edits = 0; edits < 5; ++edits) {
        const std::size_t at = random.below(lines.size());
        const bool words = random.below(2) == 0 && !sample.comment.empty();
        const std::string end = sample.comment == "<!--" ? " x -->" : " x";
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at == 0 ? 1 : at),
                     words ? "  " + sample.comment + end : "\t ");
        lines[random.below(lines.size())] += "  ";
      }
      const Manifest after = read_manifest(sample.path, joined_lines(lines));
      EXPECT_EQ(after.opaque, "") << sample.path << "\n" << joined_lines(lines);
      EXPECT_TRUE(manifest_changes(before, after).empty()) << sample.path << "\n"
                                                           << joined_lines(lines);
    }
  }
}

}  // namespace
}  // namespace gittxn::semantic

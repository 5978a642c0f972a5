#include "api/merge_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fs.h"
#include "base/testing/temp_dir.h"

namespace gittxn::api {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class MergeFile : public ::testing::Test {
 protected:
  void SetUp() override {
    host_.cwd = dir_.path();
    request_.base = "base";
    request_.left = "left";
    request_.right = "right";
    request_.out = "out";
  }
  void versions(const std::string& base, const std::string& left, const std::string& right) {
    ASSERT_TRUE(write_file(join_path(dir_.path(), "base"), base, Sync::kNo));
    ASSERT_TRUE(write_file(join_path(dir_.path(), "left"), left, Sync::kNo));
    ASSERT_TRUE(write_file(join_path(dir_.path(), "right"), right, Sync::kNo));
  }
  std::string out() const { return read_file(join_path(dir_.path(), "out")).value_or("absent"); }

  gittxn::testing::TempDir dir_;
  Host host_;
  MergeFileRequest request_;
};

TEST_F(MergeFile, TheFirstNameThatTellsIsTheLanguage) {
  versions("int a;\n", "int a;\nint b;\n", "int a;\nint c;\n");
  request_.names = {"notes", "a.c", "b.py"};
  const auto report = merge_file(host_, request_);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->merged.clean());
  EXPECT_EQ(report->language, "c");
  EXPECT_EQ(rule_name(report->merged.rule), "structure");
  EXPECT_EQ(out(), "int a;\nint b;\nint c;\n");
}

TEST_F(MergeFile, WithoutALanguageLinesAlone) {
  versions("int a;\n", "int a;\nint b;\n", "int a;\nint c;\n");
  for (const bool named : {false, true}) {
    request_.language = named ? std::string(kLinesAlone) : "";
    request_.names = {named ? "a.c" : "notes"};
    const auto report = merge_file(host_, request_);
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->merged.clean());
    EXPECT_EQ(report->language, kLinesAlone);
    EXPECT_EQ(report->merged.conflicts.size(), 1u);
    EXPECT_EQ(out(), "int a;\n<<<<<<< left\nint b;\n=======\nint c;\n>>>>>>> right\n");
  }
}

TEST_F(MergeFile, TheFirstNameThatTellsWhatItsLinesAreIsTaken) {
  versions("a=1\n", "a=1\nb=2\n", "a=1\nc=3\n");
  request_.names = {"out", "app.properties", "notes"};
  const auto report = merge_file(host_, request_);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->merged.clean());
  EXPECT_EQ(out(), "a=1\nb=2\nc=3\n");
}

TEST_F(MergeFile, TypeScriptInATsxFileIsTsx) {
  versions("const a = 1\n", "const a = 1\nconst b = <b>x</b>\n", "const a = 1\nconst c = 3\n");
  request_.language = "typescript";
  request_.names = {"a.tsx"};
  const auto report = merge_file(host_, request_);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->language, "tsx");
}

TEST_F(MergeFile, EveryNameItTellsIsALanguage) {
  versions("", "a = 1\n", "");
  EXPECT_THAT(merge_languages(), Contains("rust"));
  for (const std::string& name : merge_languages()) {
    request_.language = name;
    EXPECT_TRUE(merge_file(host_, request_)) << name;
  }
  request_.language = "cobol";
  const auto report = merge_file(host_, request_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::kUsage);
  EXPECT_THAT(report.error().hint, HasSubstr("rust"));
}

TEST_F(MergeFile, AnErrorLeavesTheOutputAsItWas) {
  versions("a\n", "b\n", "a\n");
  ASSERT_TRUE(write_file(join_path(dir_.path(), "out"), "kept", Sync::kNo));
  request_.marker_size = 1001;
  EXPECT_FALSE(merge_file(host_, request_));
  request_.marker_size = 7;
  request_.right = "absent";
  const auto report = merge_file(host_, request_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Code::kNotFound);
  EXPECT_EQ(out(), "kept");
}

}  // namespace
}  // namespace gittxn::api

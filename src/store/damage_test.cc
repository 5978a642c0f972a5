// Files that are damaged or not ours, and stores that were lost.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "store/schema.h"
#include "store/state.h"
#include "store/testing/check.h"
#include "store/testing/stories.h"
#include "store/testing/temp_store.h"

namespace gittxn::store {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

TEST(Damage, AVersionThatWasNeverReleasedIsRefusedBeforeItIsCopied) {
  TempStore place;
  fill_place(place);
  for (const int version : {0, -5}) {
    ASSERT_OK(place.shell().execute(fmt::format(
        "{}{}",
        place.on_server() ? "UPDATE layout SET version = " : "PRAGMA user_version = ", version)));
    for (const Create create : {Create::kYes, Create::kNo}) {
      const auto refused = open_with_plan(place.place(), place.clock, create, current_plan());
      EXPECT_CODE(refused, Code::kCorrupt);
      EXPECT_THAT(refused.error().message,
                  ::testing::HasSubstr(fmt::format("schema version {}, which was never", version)));
      EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("docs/BACKUPS.md"));
      if (place.on_server()) continue;
      EXPECT_THAT(refused.error().message, ::testing::HasSubstr(place.database()));
      EXPECT_FALSE(exists(fmt::format("{}.v{}.bak", place.database(), version)).value());
    }
  }
}

TEST(Damage, WhatIsNoFolderOrNoFileIsNotOpened) {
  TempStore place;
  ASSERT_OK(write_file(place.txn_dir(), "", Sync::kNo));
  EXPECT_CODE(Store::open(place.place(), place.clock), Code::kCorrupt);
  const auto looked = Store::open_existing(place.place(), place.clock);
  EXPECT_CODE(looked, Code::kCorrupt);
  EXPECT_THAT(looked.error().message, ::testing::HasSubstr("is not a folder"));
  EXPECT_FALSE(looked.error().hint.empty());
  NEEDS_A_FILE(place);
  ASSERT_OK(remove_file(place.txn_dir()));
  ASSERT_OK(make_dirs(place.txn_dir()));
  ASSERT_EQ(::mkfifo(place.database().c_str(), 0600), 0);
  const auto waits = Store::open(place.place(), place.clock);
  EXPECT_CODE(waits, Code::kCorrupt);
  EXPECT_THAT(waits.error().message, ::testing::HasSubstr("is not a file"));
}

TEST(Damage, IsSaidAndChangesNothing) {
  TempStore place;
  NEEDS_A_FILE(place);
  fill_place(place);
  // SQLite would read the pages in the log instead of those in the file.
  ASSERT_OK(place.shell().execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  const std::string whole = read_file(place.database()).value();
  const std::vector<std::string> broken{
      "this is no database at all, but long enough to be looked at as one" + std::string(96, '.'),
      whole.substr(0, 700),
      whole.substr(0, whole.size() / 2),
      std::string(whole.size(), '\0'),
      whole.substr(0, 4096) + std::string(whole.size() - 4096, '\xff'),
  };
  for (const std::string& bytes : broken) {
    ASSERT_OK(write_file(place.database(), bytes, Sync::kNo));
    const auto refused = Store::open(place.place(), place.clock);
    EXPECT_CODE(refused, Code::kCorrupt);
    EXPECT_TRUE(refused || !refused.error().hint.empty());
    EXPECT_EQ(read_file(place.database()).value(), bytes);
  }
  ASSERT_OK(write_file(place.database(), whole, Sync::kNo));
  EXPECT_TRUE(place.open().verify()->problems.empty());
}

TEST(Damage, AForeignDatabaseIsLeftAlone) {
  TempStore place;
  NEEDS_A_FILE(place);
  ASSERT_OK(make_dirs(place.txn_dir()));
  {
    db::Database foreign =
        db::Database::open(place.database(), {.mode = db::OpenMode::kCreate}).value();
    ASSERT_OK(foreign.execute("CREATE TABLE music (song TEXT)"));
  }
  const std::string before = read_file(place.database()).value();
  EXPECT_CODE(Store::open(place.place(), place.clock), Code::kCorrupt);
  EXPECT_EQ(read_file(place.database()).value(), before);
}

TEST(Damage, ATableThatIsMissingIsNamedOnOpening) {
  TempStore place;
  fill_place(place);
  const std::vector<std::string> tables = tables_of(place.shell()).value();
  for (const std::string& table : tables) {
    db::Database shell = place.shell();
    ASSERT_OK(shell.execute(fmt::format("ALTER TABLE {} RENAME TO aside", table)));
    for (const Create create : {Create::kYes, Create::kNo}) {
      const auto refused = open_with_plan(place.place(), place.clock, create, current_plan());
      EXPECT_CODE(refused, Code::kCorrupt);
      EXPECT_THAT(refused.error().message, ::testing::HasSubstr("'" + table + "'"));
      EXPECT_THAT(refused.error().hint, ::testing::HasSubstr("docs/BACKUPS.md"));
    }
    ASSERT_OK(shell.execute(fmt::format("ALTER TABLE aside RENAME TO {}", table)));
  }
  EXPECT_THAT(place.open().verify_replay()->problems, ::testing::IsEmpty());
}

TEST(Damage, ATableThatGoesMissingLaterIsAFaultWithANextStep) {
  TempStore place;
  fill_place(place);
  const Store store = place.open();
  ASSERT_OK(place.shell().execute("DROP TABLE certificates"));
  const auto asked = store.certificates(oid(1));
  EXPECT_CODE(asked, Code::kFault);
  EXPECT_THAT(asked.error().message, ::testing::HasSubstr("certificates"));
  EXPECT_THAT(asked.error().hint, ::testing::HasSubstr("docs/BACKUPS.md"));
}

TEST(Damage, ALostDatabaseIsNotMadeAnewBesideItsArtifacts) {
  TempStore place;
  NEEDS_A_FILE(place);
  fill_place(place);
  ASSERT_OK(remove_file(place.database()));
  EXPECT_CODE(Store::open(place.place(), place.clock), Code::kCorrupt);
  EXPECT_FALSE(exists(place.database()).value());
  ASSERT_OK(write_file(place.database(), "", Sync::kNo));
  EXPECT_CODE(Store::open(place.place(), place.clock), Code::kCorrupt);
}

}  // namespace
}  // namespace gittxn::store

// References of a transaction, moved by whoever holds it; and drafts of references.
#include <gtest/gtest.h>

#include "base/fs.h"
#include "repo/refs.h"
#include "repo/repository.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo {
namespace {

using testing::must;
using testing::ScratchRepo;

TEST(HeldRefs, WhoHoldsATransactionRemovesWhatAKilledProcessLeft) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Repository opened = repo.open();
  const Refs& refs = opened.refs();
  const auto held = [&](const std::string& ref, const std::string& bytes) {
    repo.write(".git/" + ref + ".lock", bytes);
    RefUpdate update;
    update.ref = RefName(ref);
    update.desired = two;
    update.lock_deadline_ms = 10;
    return refs.update_held(update);
  };
  EXPECT_TRUE(held("refs/txn/t-1/1", one.str() + "\n"));
  EXPECT_EQ(repo.oid("refs/txn/t-1/1"), two);
  EXPECT_FALSE(must(exists(repo.git_dir() + "/refs/txn/t-1/1.lock")));
  for (const std::string& other : {std::string(), one.str(), std::string(300, 'x') + "\n"}) {
    const Status busy = held("refs/txn/t-2/1", other);
    ASSERT_FALSE(busy);
    EXPECT_EQ(busy.error().code, Code::kBusy) << "not of our form";
  }
  EXPECT_FALSE(held("refs/heads/other", one.str() + "\n")) << "not ours alone";
}

TEST(RefDrafts, OneThatWasSyncedBeforeBecomesTheReference) {
  const ScratchRepo repo;
  const Oid one = repo.commit("one");
  const Oid two = repo.commit("two");
  const Repository opened = repo.open();
  const Refs& refs = opened.refs();
  RefUpdate back;
  back.ref = RefName("refs/heads/main");
  back.expected = two;
  back.desired = one;
  std::string path;
  {
    const RefDraft draft = must(refs.draft(back));
    path = draft.path();
    EXPECT_EQ(must(read_file(path)), one.str() + "\n");
    back.draft = &draft;
    must(refs.update(back));
  }
  EXPECT_EQ(must(refs.read(back.ref)), one);
  EXPECT_FALSE(must(exists(path)));
  const std::string unused = must(refs.draft(back)).path();
  EXPECT_FALSE(must(exists(unused))) << "one that nobody took is gone";
}

}  // namespace
}  // namespace gittxn::repo

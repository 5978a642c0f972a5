// Places of members are copied from a description of types, and nothing else is believed of it.
#ifdef GIT_TXN_BPF

#include "capture/trace/bpf/kernel_types.h"

#include <bpf/btf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/fs.h"

namespace gittxn::capture {
namespace {

// A description that is put together here.
class Types {
 public:
  Types() = default;
  explicit Types(std::string_view raw)
      : btf_(::btf__new(raw.data(), static_cast<std::uint32_t>(raw.size()))) {}
  btf* get() const { return btf_.get(); }
  int integer(std::size_t bytes) { return ::btf__add_int(get(), "number", bytes, 0); }
  int pointer() { return ::btf__add_ptr(get(), 0); }
  int structure(const char* name, std::uint32_t bytes) {
    return ::btf__add_struct(get(), name, bytes);
  }
  void member(const char* name, int type, std::uint32_t bit) {
    ASSERT_EQ(::btf__add_field(get(), name, type, bit, 0), 0);
  }
  std::string raw() const {
    std::uint32_t size = 0;
    const void* data = ::btf__raw_data(get(), &size);
    return {static_cast<const char*>(data), size};
  }
  // "member@bit" of each structure of this name.
  std::vector<std::vector<std::string>> members(std::string_view name) const {
    std::vector<std::vector<std::string>> all;
    for (std::uint32_t i = 1; i < ::btf__type_cnt(get()); ++i) {
      const btf_type* type = ::btf__type_by_id(get(), i);
      if (!::btf_is_struct(type) || name != ::btf__name_by_offset(get(), type->name_off)) continue;
      auto& found = all.emplace_back();
      for (std::uint32_t m = 0; m < ::btf_vlen(type); ++m) {
        const char* member = ::btf__name_by_offset(get(), ::btf_members(type)[m].name_off);
        found.push_back(std::string(member) + "@" +
                        std::to_string(::btf_member_bit_offset(type, m)));
      }
    }
    return all;
  }

 private:
  struct Free {
    void operator()(btf* types) const { ::btf__free(types); }
  };
  std::unique_ptr<btf, Free> btf_{::btf__new_empty()};
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class KernelTypes : public ::testing::Test {
 protected:
  // What the programs declare: struct task { int pid; void* files; int absent; struct { int n; }
  // count; };
  void SetUp() override {
    const int number = used_.integer(4);
    const int pointer = used_.pointer();
    const int count = used_.structure("", 4);
    used_.member("n", number, 0);
    used_.structure("task", 24);
    used_.member("pid", number, 0);
    used_.member("files", pointer, 64);
    used_.member("absent", number, 128);
    used_.member("count", count, 160);
  }
  Types used_;
};

TEST_F(KernelTypes, MembersAreWhereTheKernelHasThem) {
  Types kernel;
  const int number = kernel.integer(4);
  const int pointer = kernel.pointer();
  const int fixed =
      ::btf__add_const(kernel.get(), ::btf__add_typedef(kernel.get(), "pid_t", number));
  const int count = kernel.structure("", 12);
  kernel.member("unused", number, 0);
  kernel.member("n", number, 64);
  const int inner = ::btf__add_union(kernel.get(), "", 8);
  kernel.member("other", number, 0);
  kernel.member("files", pointer, 0);
  kernel.structure("nobody_asks", 4);
  kernel.structure("task", 100);
  kernel.member("first", number, 0);
  kernel.member("", inner, 320);
  kernel.member("pid", fixed, 480);
  kernel.member("count", count, 512);
  const Result<std::string> found = used_kernel_types(used_.get(), kernel.raw());
  ASSERT_TRUE(found) << found.error().message;
  const Types out(*found);
  ASSERT_NE(out.get(), nullptr);
  EXPECT_THAT(out.members("task"), ElementsAre(ElementsAre("pid@480", "files@320", "count@512")));
  EXPECT_THAT(out.members(""), ElementsAre(ElementsAre("n@64")));
  EXPECT_THAT(out.members("nobody_asks"), IsEmpty());
}

TEST_F(KernelTypes, WhatIsOfAnotherKindIsLeftOut) {
  Types kernel;
  const int number = kernel.integer(4);
  const int pointer = kernel.pointer();
  kernel.structure("task", 16);
  kernel.member("pid", pointer, 0);
  kernel.member("files", number, 64);
  kernel.member("count", number, 96);
  kernel.structure("task", 8);
  kernel.member("pid", number, 32);
  const Result<std::string> found = used_kernel_types(used_.get(), kernel.raw());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(Types(*found).members("task"), ElementsAre(IsEmpty(), ElementsAre("pid@32")));
}

TEST_F(KernelTypes, ADamagedDescriptionIsAnErrorAndDoesNoHarm) {
  Types kernel;
  const int number = kernel.integer(4);
  kernel.structure("task", 16);
  kernel.member("pid", number, 0);
  const std::string whole = kernel.raw();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(used_kernel_types(used_.get(), whole.substr(0, size))) << size;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int change : {1, 4, 0x80, 0xff}) {
      std::string bent = whole;
      bent[at] = static_cast<char>(bent[at] ^ change);
      if (const auto found = used_kernel_types(used_.get(), bent)) {
        EXPECT_FALSE(found->empty());
      }
    }
  }
}

TEST_F(KernelTypes, AStructureInItselfEnds) {
  Types kernel;
  const int number = kernel.integer(4);
  kernel.structure("task", 16);
  kernel.member("pid", number, 0);
  ASSERT_EQ(::btf__add_field(kernel.get(), "", 2, 0, 0), 0);
  const Result<std::string> found = used_kernel_types(used_.get(), kernel.raw());
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_THAT(Types(*found).members("task"), ElementsAre(ElementsAre("pid@0")));
}

TEST_F(KernelTypes, TheRunningKernelIsUnderstood) {
  if (!exists("/sys/kernel/btf/vmlinux").value_or(false)) {
    GTEST_SKIP() << "the kernel does not tell its types";
  }
  Types used;
  const int number = used.integer(4);
  used.structure("task_struct", 8);
  used.member("tgid", number, 0);
  used.member("pid", number, 32);
  const Result<std::string> found = used_kernel_types(used.get());
  ASSERT_TRUE(found) << found.error().message;
  const auto tasks = Types(*found).members("task_struct");
  ASSERT_EQ(tasks.size(), 1u);
  ASSERT_EQ(tasks[0].size(), 2u);
  EXPECT_TRUE(tasks[0][0].starts_with("tgid@"));
  EXPECT_NE(tasks[0][0], "tgid@0") << "not ours";
}

}  // namespace
}  // namespace gittxn::capture

#endif

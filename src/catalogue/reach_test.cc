#include "catalogue/reach.h"

#include <gtest/gtest.h>

#include <string>

#include "catalogue/testing/world.h"

namespace gittxn::catalogue {
namespace {

using testing::must;
using testing::World;

class Reaches : public ::testing::Test {
 protected:
  // "1 resolved a_test.go TestA().", the surest first; tests by their symbol alone.
  std::string tests_of(const std::string& text) { return told(text, Relation::kTest); }
  std::string told(const std::string& text, Relation relation) {
    const Oid tree = world_.repo().tree();
    const auto catalogue = world_.open();
    const FoundSubjects found = must(find_subjects(*catalogue, tree, text));
    EXPECT_EQ(found.subjects.size(), 1u) << text;
    if (found.subjects.size() != 1) return {};
    std::string said;
    for (const Affected& one :
         must(impact_of(*catalogue, tree, found.subjects, Uses::kAll)).affected) {
      if (one.relation != relation || one.symbol.ends_with('/')) continue;
      said += std::to_string(one.steps) + " " + std::string(certainty_name(one.certainty)) + " " +
              one.symbol + "\n";
    }
    return said;
  }
  void commit(const std::vector<std::pair<std::string, std::string>>& files) {
    world_.commit({{"go.mod", "module example.com/shop\n"}});
    for (const auto& file : files) world_.commit({file});
  }

  World world_;
};

TEST_F(Reaches, ATestThatCallsWhatCallsIt) {
  commit({
      {"a.go",
       "package a\n\nfunc low() int { return 1 }\nfunc mid() int { return low() }\n"
       "func High() int { return mid() }\n"},
      {"a_test.go",
       "package a\n\nimport \"testing\"\n\nfunc help() int { return High() }\n"
       "func TestMid(t *testing.T) { mid() }\n"
       "func TestHigh(t *testing.T) { help() }\n"
       "func TestOther(t *testing.T) { t.Log(1) }\n"},
  });
  EXPECT_EQ(tests_of("low"), "2 resolved a_test.go/TestMid().\n4 resolved a_test.go/TestHigh().\n");
  EXPECT_EQ(tests_of("mid"), "1 resolved a_test.go/TestMid().\n3 resolved a_test.go/TestHigh().\n");
}

TEST_F(Reaches, ByValuesTablesAndVariables) {
  commit({
      {"a.go",
       "package a\n\nfunc low() int { return 1 }\n"
       "var table = map[string]func() int{\"low\": low}\n"
       "func run(name string) int { return table[name]() }\n"
       "func given(f func() int) int { return f() }\n"
       "func both() int { return given(low) }\n"},
      {"a_test.go",
       "package a\n\nimport \"testing\"\n\n"
       "func TestTable(t *testing.T) { run(\"low\") }\n"
       "func TestGiven(t *testing.T) { both() }\n"},
  });
  EXPECT_EQ(tests_of("low"),
            "2 resolved a_test.go/TestGiven().\n3 resolved a_test.go/TestTable().\n");
}

TEST_F(Reaches, AMemberOnlyByWhoHasAValueOfItsType) {
  commit({
      {"a.go",
       "package a\n\ntype Till struct{ n int }\n\nfunc New() *Till { return &Till{} }\n"
       "func (t *Till) Pay() int { return t.count() }\n"
       "func (t *Till) count() int { return t.n }\n"},
      {"b.go",
       "package a\n\ntype Bank struct{}\n\nfunc Open() *Bank { return &Bank{} }\n"
       "func (b *Bank) Pay() int { return 2 }\n"},
      {"a_test.go",
       "package a\n\nimport \"testing\"\n\n"
       "func TestTill(t *testing.T) { x := New(); x.Pay() }\n"
       "func TestBank(t *testing.T) { x := Open(); x.Pay() }\n"},
  });
  // The receiver says whose count() it is, nothing does whose Pay().
  EXPECT_EQ(tests_of("count"), "2 by name a_test.go/TestTill().\n");
  EXPECT_EQ(tests_of("Till.Pay"), "1 by name a_test.go/TestTill().\n");
  // A use that is not told as a test is still told as a use.
  EXPECT_EQ(told("Till.Pay", Relation::kUser), "0 by name a_test.go/TestBank().\n");
  EXPECT_EQ(told("count", Relation::kCaller), "0 resolved a.go/Pay(*Till).\n");
}

TEST_F(Reaches, WhatALibraryCallsByWhoHasTheType) {
  commit({
      {"a.go",
       "package a\n\nimport \"sort\"\n\ntype rows []int\n\n"
       "func (r rows) Len() int { return len(r) }\n"
       "func (r rows) odd() int { return 1 }\n"
       "func Sorted(r []int) { sort.Sort(rows(r)) }\n"},
      {"a_test.go",
       "package a\n\nimport \"testing\"\n\n"
       "func TestSorted(t *testing.T) { Sorted(nil) }\n"},
  });
  EXPECT_EQ(tests_of("Len"), "2 by name a_test.go/TestSorted().\n");
  EXPECT_EQ(tests_of("odd"), "");  // nobody calls it
}

TEST_F(Reaches, AnInitialiserRunsBeforeEachTestOfItsPackage) {
  commit({
      {"a/a.go",
       "package a\n\nvar n = 0\n\nfunc low() int { return 1 }\nfunc deep() { low() }\n"
       "func lower() { deep() }\nfunc init() { deep() }\n"},
      {"a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n"},
      {"b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {}\n"},
  });
  EXPECT_EQ(tests_of("init"), "1 resolved a/a_test.go/TestA().\n");
  EXPECT_EQ(tests_of("deep"), "2 resolved a/a_test.go/TestA().\n");
  EXPECT_EQ(tests_of("low"), "");  // what it hands on may run later, or never
}

TEST_F(Reaches, NoFurtherThanSixSteps) {
  std::string code = "package a\n\nfunc f0() {}\n";
  for (int i = 1; i < 8; ++i) {
    code += "func f" + std::to_string(i) + "() { f" + std::to_string(i - 1) + "() }\n";
  }
  commit({{"a.go", code},
          {"a_test.go",
           "package a\n\nimport \"testing\"\n\nfunc TestFive(t *testing.T) { f5() }\n"
           "func TestSix(t *testing.T) { f6() }\n"}});
  EXPECT_EQ(tests_of("f0"), "6 resolved a_test.go/TestFive().\n");
}

TEST_F(Reaches, ClassesOfPython) {
  commit({
      {"shop/till.py",
       "class Till:\n    def pay(self):\n        return self.count()\n\n"
       "    def count(self):\n        return 1\n\n    def __len__(self):\n"
       "        return 2\n\n\nclass Near(Till):\n    pass\n\n\n"
       "class Far:\n    pass\n"},
      {"tests/test_till.py",
       "from shop.till import Near, Far\n\n\ndef test_near():\n    assert Near().pay()\n\n\n"
       "def test_far():\n    assert Far().pay()\n"},
  });
  EXPECT_EQ(tests_of("count"), "2 by name tests/test_till.py/test_near().\n");
  EXPECT_EQ(tests_of("pay"), "1 by name tests/test_till.py/test_near().\n");
  EXPECT_EQ(tests_of("__len__"), "2 by name tests/test_till.py/test_near().\n");
}

TEST_F(Reaches, AFixtureOfPytestByTheParameterThatIsCalledSo) {
  commit({
      {"shop/till.py", "class Till:\n    def pay(self):\n        return 1\n"},
      {"tests/conftest.py",
       "import pytest\nfrom shop.till import Till\n\n\n@pytest.fixture\ndef till():\n"
       "    return Till()\n\n\ndef plain(till):\n    return till\n"},
      {"tests/test_till.py",
       "def test_pay(till):\n    assert till.pay()\n\n\n"
       "def test_other(x):\n    assert x.pay()\n"},
  });
  EXPECT_EQ(tests_of("till"), "1 by name tests/test_till.py/test_pay().\n");
  EXPECT_EQ(tests_of("pay"), "1 by name tests/test_till.py/test_pay().\n");
}

TEST_F(Reaches, WhatANameCannotMeanInGo) {
  commit({
      {"a/a.go",
       "package a\n\nimport \"sync\"\n\ntype Mux struct{ pool *sync.Pool }\n\n"
       "func (m *Mux) Put(x any) {}\nfunc (m *Mux) take() {}\n"
       "func (m *Mux) serve() { m.pool.Put(m) }\nfunc Find() int { return 1 }\n"
       "func use(m *Mux) { m.Put(1) }\n"},
      {"a/o.go",
       "package a\n\ntype Other struct{}\n\nfunc (o *Other) Put(x any) {}\n"
       "func two(o *Other) { o.Put(2) }\n"},
      {"b/b.go",
       "package b\n\nimport (\n\t\"example.com/shop/a\"\n\t\"strings\"\n)\n\n"
       "func Find() int { return a.Find() }\nfunc three(x thing) { x.take() }\n"
       "func four() int { return Find() }\nfunc five(x *strings.Reader) { x.Put(1) }\n"
       "func six(m *a.Mux) { m.Put(1) }\n"},
  });
  EXPECT_EQ(told("Mux.Put", Relation::kCaller),
            "0 resolved a/a.go/use().\n0 resolved b/b.go/six().\n");
  EXPECT_EQ(told("take", Relation::kCaller), "");
  EXPECT_EQ(told("a/a.go/Find().", Relation::kCaller), "0 by name b/b.go/Find().\n");
}

}  // namespace
}  // namespace gittxn::catalogue

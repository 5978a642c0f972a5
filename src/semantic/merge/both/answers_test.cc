// Functions to which one side gave another answer, and that the other side calls anew as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/testing/merging.h"

namespace gittxn::semantic {
namespace {

using ::testing::HasSubstr;

TEST(Answers, OneThatIsAwaitedSinceOneSideChangedIt) {
  const CalledAnew all[] = {
      {"python", "", "def get(url):\n    return read(url)\n",
       "async def get(url):\n    return await read(url)\n", "\n\ndef size():\n    return 1\n",
       "\n\ndef two(url):\n    return parse(get(url))\n",
       "\n\ndef two(url):\n    return parse(b.get(url))\n"},
      {"javascript", "", "function get(path) {\n  return read(path);\n}\n",
       "async function get(path) {\n  return await read(path);\n}\n",
       "\nfunction size() {\n  return 1;\n}\n",
       "\nfunction port(path) {\n  return get(path).port;\n}\n",
       "\nfunction port(path) {\n  get(path);\n  return 1;\n}\n"},
      {"typescript", "", "export const get = (path: string) => {\n  return read(path);\n};\n",
       "export const get = async (path: string) => {\n  return await read(path);\n};\n",
       "\nexport function size() {\n  return 1;\n}\n",
       "\nexport function port(path: string) {\n  const all = get(path);\n  return all.port;\n}\n",
       "\nexport async function port(path: string) {\n  const all = await get(path);\n"
       "  return all.port;\n}\n"},
  };
  for (const CalledAnew& each : all) {
    EXPECT_NE(why_not_as(each.language, each.sides(each.call)), "") << each.call;
    EXPECT_TRUE(merged_as(each.language, each.sides(each.apart)).clean()) << each.apart;
  }
}

TEST(Answers, OneWhoseAnswerIsInSomethingElseSinceOneSideChangedIt) {
  const CalledAnew all[] = {
      {"go", "package a\n\nfunc load(id int) ", "User {\n\treturn a(id)\n}\n",
       "(User, error) {\n\treturn a(id), nil\n}\n", "\nfunc size() int {\n\treturn 1\n}\n",
       "\nfunc name(id int) string {\n\treturn load(id).Name\n}\n",
       "\nfunc name(id int) {\n\tload(id)\n}\n"},
      {"rust", "", "fn load(id: u32) -> User {\n    a(id)\n}\n",
       "fn load(id: u32) -> Result<User, Error> {\n    Ok(a(id))\n}\n",
       "\nfn size() -> u32 {\n    1\n}\n", "\nfn name(id: u32) -> String {\n    load(id).name\n}\n",
       "\nfn name(id: u32) -> String {\n    b::load(id).name\n}\n"},
      {"java", "class A {\n", "  User load(int id) {\n    return a(id);\n  }\n",
       "  Optional<User> load(int id) {\n    return Optional.of(a(id));\n  }\n",
       "\n  int size() {\n    return 1;\n  }\n",
       "\n  String name(int id) {\n    return load(id).name;\n  }\n",
       "\n  String name(int id) {\n    return b.load(id).name;\n  }\n", "}\n"},
  };
  for (const CalledAnew& each : all) {
    EXPECT_THAT(why_not_as(each.language, each.sides(each.call)),
                HasSubstr("wrapped the result of"))
        << each.call;
    EXPECT_TRUE(merged_as(each.language, each.sides(each.apart)).clean()) << each.apart;
  }
  // A type that says more of what it was is still that.
  const auto list = [](const std::string& type, const std::string& more) {
    return "class A {\n  " + type +
           " load() {\n    return a;\n  }\n\n  int size() {\n    return 1;\n"
           "  }\n" +
           more + "}\n";
  };
  EXPECT_TRUE(merged_as("java", {list("List", ""), list("List<User>", ""),
                                 list("List", "\n  Object one() {\n    return load();\n  }\n")})
                  .clean());
}

}  // namespace
}  // namespace gittxn::semantic

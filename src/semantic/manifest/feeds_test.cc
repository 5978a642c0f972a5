#include "semantic/manifest/feeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gittxn::semantic {
namespace {

std::string_view name_of(Feeds feeds) {
  constexpr std::string_view kNames[] = {"nothing", "importers", "everything"};
  return kNames[static_cast<std::size_t>(feeds)];
}

// What each change between two texts feeds, "dependency serde: importers".
std::vector<std::string> fed(const std::string& path, const std::string& before,
                             const std::string& after) {
  const Manifest was = read_manifest(path, before), is = read_manifest(path, after);
  std::vector<std::string> said;
  for (const BuildChange& change : manifest_changes(was, is)) {
    said.push_back(title_of(change) + ": " + std::string(name_of(feeds_of(path, is, change))));
  }
  return said;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Feeds, OfNpm) {
  const auto in = [](const std::string& more) { return "{\"name\": \"a\"" + more + "}\n"; };
  const auto adds = [&](const std::string& more) { return fed("package.json", in(""), in(more)); };
  EXPECT_THAT(adds(", \"dependencies\": {\"pad\": \"1\"}"),
              ElementsAre("dependency pad: importers"));
  EXPECT_THAT(adds(", \"devDependencies\": {\"typescript\": \"5\"}"),
              ElementsAre("dependency typescript (dev): everything"));
  EXPECT_THAT(adds(", \"overrides\": {\"pad\": \"1\"}"),
              ElementsAre("dependency pad (overrides): everything"));
  EXPECT_THAT(adds(", \"engines\": {\"node\": \"20\"}"),
              ElementsAre("toolchain engines.node: everything"));
  EXPECT_THAT(adds(", \"scripts\": {\"lint\": \"x\"}"), ElementsAre("script lint: nothing"));
  EXPECT_THAT(adds(", \"scripts\": {\"prebuild\": \"x\"}"),
              ElementsAre("script prebuild: everything"));
  EXPECT_THAT(adds(", \"description\": \"b\""), ElementsAre("option description: nothing"));
  EXPECT_THAT(adds(", \"type\": \"module\""), ElementsAre("option type: everything"));
  EXPECT_THAT(adds("  "), IsEmpty());
}

TEST(Feeds, OfCargo) {
  const auto adds = [&](const std::string& more) {
    return fed("Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n" + more);
  };
  EXPECT_THAT(adds("[dependencies]\nserde = \"1\"\n"), ElementsAre("dependency serde: importers"));
  EXPECT_THAT(adds("[build-dependencies]\ncc = \"1\"\n"),
              ElementsAre("dependency cc (build): everything"));
  EXPECT_THAT(adds("edition = \"2021\"\n"), ElementsAre("toolchain package.edition: everything"));
  EXPECT_THAT(adds("version = \"2\"\n"), ElementsAre("option package.version: nothing"));
  EXPECT_THAT(adds("# said\n"), IsEmpty());
}

TEST(Feeds, OfTheOthers) {
  EXPECT_THAT(fed("go.mod", "module a\n", "module a\n\ngo 1.22\n"),
              ElementsAre("toolchain go: everything"));
  EXPECT_THAT(fed("go.mod", "module a\n", "module a\n\nrequire x.y/z v1.0.0\n"),
              ElementsAre("dependency x.y/z: importers"));
  EXPECT_THAT(fed("CMakeLists.txt", "add_library(a a.c)\n", "add_library(a a.c b.c)\n"),
              ElementsAre("target add_library a: nothing"));
  EXPECT_THAT(fed("CMakeLists.txt", "", "find_package(X)\n"),
              ElementsAre("dependency find_package X: everything"));
  EXPECT_THAT(fed("CMakeLists.txt", "", "set(CMAKE_CXX_STANDARD 23)\n"),
              ElementsAre("option set CMAKE_CXX_STANDARD: everything"));
  EXPECT_THAT(fed("yarn.lock", "a\n", "b\n"), ElementsAre("option yarn.lock: everything"));
}

TEST(Feeds, TheNameThatASourceKnows) {
  const auto name = [](Ecosystem ecosystem, const std::string& said,
                       const std::string& target = "") {
    return imported_as(ecosystem, {BuildKind::kDependency, said, "", target});
  };
  EXPECT_EQ(name(Ecosystem::kCargo, "serde-json"), "serde_json");
  EXPECT_EQ(name(Ecosystem::kCargo, "serde[2]"), "serde");
  EXPECT_EQ(name(Ecosystem::kCargo, "crates-io.serde", "patch"), "serde");
  EXPECT_EQ(name(Ecosystem::kNpm, "node_modules/a/node_modules/@s/p"), "@s/p");
  EXPECT_EQ(name(Ecosystem::kNpm, "@types/pad"), "pad");
  EXPECT_EQ(name(Ecosystem::kNpm, "@types/s__p"), "@s/p");
  EXPECT_EQ(name(Ecosystem::kGo, "x.y/z v1.0.0", "replace"), "x.y/z");
  EXPECT_EQ(name(Ecosystem::kGo, "x.y/z@v1.0.0/go.mod"), "x.y/z");
}

std::string relies(Ecosystem ecosystem, const std::string& imported, const std::string& path,
                   const std::optional<std::string>& before,
                   const std::optional<std::string>& after) {
  constexpr std::string_view kNames[] = {"none", "kept", "new"};
  const Reliance got = reliance_on(ecosystem, imported, {path, before, after}, {});
  return std::string(kNames[static_cast<std::size_t>(got)]);
}

TEST(Reliance, OnAPackage) {
  const auto js = [](const std::string& before, const std::string& after) {
    return relies(Ecosystem::kNpm, "pad", "a.ts", before, after);
  };
  const std::string base =
      "import { left } from 'pad';\nimport x from 'padding';\nexport function f() {\n"
      "  return left(1);\n}\n";
  EXPECT_EQ(js("", base), "new");
  EXPECT_EQ(js(base, base + "export function g() {\n  return 1;\n}\n"), "kept");
  EXPECT_EQ(js(base, base + "export function g() {\n  return left(2);\n}\n"), "new");
  EXPECT_EQ(js(base, base + "export function g() {\n  return x(2);\n}\n"), "kept");
  EXPECT_EQ(js("", "import x from 'padding';\n"), "none");
  EXPECT_EQ(js("", "const p = require(\"pad/lib\");\n"), "new");
  EXPECT_EQ(js(base, "export const a = 1;\n"), "none") << "it uses it no more";
  EXPECT_EQ(relies(Ecosystem::kNpm, "pad", "a.ts", base, std::nullopt), "none");
}

TEST(Reliance, OnACrate) {
  const auto rust = [](const std::string& before, const std::string& after) {
    return relies(Ecosystem::kCargo, "serde", "a.rs", before, after);
  };
  const std::string base = "use serde::{Deserialize, Serialize};\n\nstruct A;\n\nfn f() {}\n";
  EXPECT_EQ(rust("", base), "new");
  EXPECT_EQ(rust(base, base + "fn g() {}\n"), "kept");
  EXPECT_EQ(rust(base, base + "#[derive(Serialize)]\nstruct B;\n"), "new");
  EXPECT_EQ(rust("fn f() {}\n", "fn f() { serde::x() }\n"), "new");
  EXPECT_EQ(rust("", "fn serde() {}\n"), "none") << "a name of its own";
  EXPECT_EQ(rust("", "use serde_json::Value;\n"), "none");
}

TEST(Reliance, OnAModule) {
  const auto go = [](const std::string& before, const std::string& after) {
    return relies(Ecosystem::kGo, "x.y/z", "a.go", before, after);
  };
  const std::string base =
      "package p\n\nimport (\n\t\"fmt\"\n\n\t\"x.y/z/deep\"\n)\n\nfunc f() {\n\tdeep.F()\n}\n";
  EXPECT_EQ(go("", base), "new");
  EXPECT_EQ(go(base, base + "\nfunc g() {\n\tfmt.Println()\n}\n"), "kept");
  EXPECT_EQ(go(base, base + "\nfunc g() {\n\tdeep.G()\n}\n"), "new");
  EXPECT_EQ(go("", "package p\n\nimport \"x.y/zebra\"\n"), "none");
  // What does not parse may use anything that it imports.
  EXPECT_EQ(go(base, base + "\nfunc g( {\n"), "new");
}

TEST(Reliance, WhatATextMayImport) {
  EXPECT_THAT(imports_in(Ecosystem::kNpm, "import a from '@s/p/x';\nrequire(\"pad\")\n"),
              ::testing::IsSupersetOf({"@s", "@s/p", "@s/p/x", "pad"}));
  EXPECT_THAT(imports_in(Ecosystem::kCargo, "use serde::X;\nfn f() { rand::y(z) }\n"),
              ::testing::IsSupersetOf({"rand", "serde"}));
  EXPECT_THAT(imports_in(Ecosystem::kGo, "import \"x.y/z/deep\"\n"), ::testing::Contains("x.y/z"));
}

TEST(Feeds, WhatIsASource) {
  EXPECT_TRUE(is_source_of(Ecosystem::kNpm, "a/b.tsx"));
  EXPECT_FALSE(is_source_of(Ecosystem::kNpm, "a/b.py"));
  EXPECT_FALSE(is_source_of(Ecosystem::kNpm, "a/b.json"));
  EXPECT_FALSE(is_source_of(Ecosystem::kCargo, "README.md"));
  EXPECT_TRUE(is_source_of(Ecosystem::kBazel, "a.py"));
  EXPECT_FALSE(is_source_of(Ecosystem::kBazel, "a.yaml"));
}

}  // namespace
}  // namespace gittxn::semantic

#include "semantic/manifest/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "semantic/manifest/testing/manifests.h"
#include "semantic/testing/edits.h"

namespace gittxn::semantic {
namespace {

using ::testing::ElementsAre;
using ::testing::IsSupersetOf;
using testing::replaced_once;
using ::testing::UnorderedElementsAre;

std::string said(const BuildSymbol& symbol) {
  const std::string version = symbol.version.substr(0, symbol.version.find('#'));
  return std::string(build_kind_name(symbol.kind)) + " " + symbol.name +
         (version.empty() ? "" : " " + version) +
         (symbol.target.empty() ? "" : " -> " + symbol.target);
}

std::vector<std::string> said(const Manifest& manifest) {
  EXPECT_EQ(manifest.opaque, "");
  std::vector<std::string> all;
  for (const BuildSymbol& symbol : manifest.symbols) all.push_back(said(symbol));
  return all;
}

std::vector<std::string> changes(std::string_view path, std::string_view before,
                                 std::string_view after) {
  constexpr std::string_view kMarks = "+-~>";
  std::vector<std::string> all;
  for (const BuildChange& change :
       manifest_changes(read_manifest(path, before), read_manifest(path, after))) {
    const auto& symbol = change.what == BuildChangeKind::kRemoved ? change.before : change.after;
    all.push_back(std::string(1, kMarks[static_cast<std::size_t>(change.what)]) + " " +
                  said(symbol));
  }
  return all;
}

void expect_opaque(std::string_view path, std::string_view text, std::string_view why) {
  const Manifest manifest = read_manifest(path, text);
  EXPECT_EQ(manifest.opaque, why) << path << ": " << text.substr(0, 80);
  EXPECT_EQ(manifest.symbols.size(), 1u);
  EXPECT_FALSE(manifest.ordered);
}

TEST(Manifest, PackageJson) {
  EXPECT_THAT(said(read_manifest("web/package.json", kPackageJson)),
              IsSupersetOf({"option name shop", "dependency express ^4.18.2",
                            "dependency @scope/a.b ~1.0.0", "dependency jest ^29.0.0 -> dev",
                            "dependency react >=17 -> peer", "toolchain engines.node >=18",
                            "toolchain packageManager pnpm@8.6.0", "script test jest",
                            "script build", "target bin.shop ./cli.js", "option private =true",
                            "dependency lodash 4.17.21 -> overrides", "option files"}));
  EXPECT_THAT(
      changes("package.json", kPackageJson, replaced_once(kPackageJson, "^4.18.2", "^5.0.0")),
      ElementsAre("~ dependency express ^5.0.0"));
  EXPECT_THAT(
      changes("package.json", kPackageJson, replaced_once(kPackageJson, "\"jest\"", "\"jest -i\"")),
      ElementsAre("~ script test"));
  EXPECT_THAT(changes("package.json", R"({"a": 1})", R"({"a": "1"})"), ElementsAre("~ option a 1"));
  EXPECT_THAT(changes("package.json", R"({"a": 1, "b": {}})", R"({ "b":{},
    "a":1})"),
              ElementsAre());
  EXPECT_THAT(changes("package.json", R"({"a": {"b": 1}})", R"({"a.b": 1})"),
              ElementsAre("+ option \"a.b\" =1", "- option a.b =1"));
}

TEST(Manifest, PackageLock) {
  const std::string lock = R"({"name": "x", "lockfileVersion": 3, "packages": {
    "": {"name": "x"},
    "node_modules/a": {"version": "1.0.0", "integrity": "sha512-AA"},
    "node_modules/b": {"version": "2.0.0", "integrity": "sha512-BB"}}})";
  EXPECT_THAT(said(read_manifest("package-lock.json", lock)),
              ElementsAre("option name x", "option lockfileVersion =3", "dependency ",
                          "dependency node_modules/a 1.0.0", "dependency node_modules/b 2.0.0"));
  EXPECT_THAT(changes("package-lock.json", lock, replaced_once(lock, "sha512-BB", "sha512-BC")),
              ElementsAre("~ dependency node_modules/b 2.0.0"));
}

TEST(Manifest, CargoToml) {
  EXPECT_THAT(
      said(read_manifest("Cargo.toml", kCargoToml)),
      IsSupersetOf({"option package.name shop", "toolchain package.edition 2021",
                    "toolchain package.rust-version 1.70", "script package.build build.rs",
                    "dependency serde 1.0", "dependency log 0.4", "dependency tokio 1.2",
                    "dependency proptest 1 -> dev", "dependency cc 1.0 -> build",
                    "dependency nix 0.27 -> target cfg(unix)", "option features.default",
                    "target bin shop", "target bin tool", "option profile.release.lto =true"}));
  EXPECT_THAT(changes("Cargo.toml", kCargoToml, replaced_once(kCargoToml, "\"derive\"", "\"rc\"")),
              ElementsAre("~ dependency serde 1.0"));
  EXPECT_THAT(changes("Cargo.toml", "[dependencies]\na = \"1\"\n", "dependencies.a = \"1\" # a\n"),
              ElementsAre());
}

TEST(Manifest, CargoLock) {
  const std::string lock =
      "version = 3\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"11\"\n\n"
      "[[package]]\nname = \"b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"b\"\nversion = "
      "\"2.0.0\"\n";
  EXPECT_THAT(said(read_manifest("Cargo.lock", lock)),
              ElementsAre("option version =3", "dependency a 1.0.0", "dependency b 1.0.0",
                          "dependency b[2] 2.0.0"));
  EXPECT_THAT(changes("Cargo.lock", lock, replaced_once(lock, "\"11\"", "\"12\"")),
              ElementsAre("~ dependency a 1.0.0"));
}

TEST(Manifest, GoMod) {
  EXPECT_THAT(
      said(read_manifest("go.mod", kGoMod)),
      ElementsAre("option module example.org/shop", "toolchain go 1.21",
                  "toolchain toolchain go1.21.3", "dependency github.com/a/b v1.2.3",
                  "dependency golang.org/x/net v0.17.0", "dependency golang.org/x/sys v0.13.0",
                  "dependency github.com/a/b ../b -> replace",
                  "dependency github.com/c/d v1.0.0 -> exclude"));
  EXPECT_THAT(changes("go.mod", kGoMod, replaced_once(kGoMod, "v0.17.0", "v0.18.0")),
              ElementsAre("~ dependency golang.org/x/net v0.18.0"));
  EXPECT_THAT(changes("go.mod", kGoMod, replaced_once(kGoMod, " // indirect", "")), ElementsAre());
  EXPECT_THAT(changes("go.sum", "a v1 h1:x=\n", "a v1 h1:y=\nb v1 h1:z=\n"),
              ElementsAre("~ dependency a@v1 h1:y=", "+ dependency b@v1 h1:z="));
}

TEST(Manifest, Pom) {
  EXPECT_THAT(
      said(read_manifest("pom.xml", kPom)),
      IsSupersetOf({"option groupId org.example", "dependency org.example:parent 1.0 -> parent",
                    "toolchain maven.compiler.release 17", "option guava.version 32.1",
                    "dependency com.google.guava:guava ${guava.version}",
                    "dependency junit:junit 4.13 -> test",
                    "dependency org.a:bom:pom 2.0 -> managed import",
                    "toolchain org.apache.maven.plugins:maven-compiler-plugin 3.11.0",
                    "target module core", "option build/finalName shop", "option profile ci",
                    "dependency org.b:b 1 -> profile ci"}));
  EXPECT_THAT(changes("pom.xml", kPom, replaced_once(kPom, "4.13", "4.14")),
              ElementsAre("~ dependency junit:junit 4.14 -> test"));
  EXPECT_THAT(
      changes("pom.xml", kPom, replaced_once(kPom, "<arg>-Xlint</arg>", "<arg>-Werror</arg>")),
      ElementsAre("~ toolchain org.apache.maven.plugins:maven-compiler-plugin 3.11.0"));
  EXPECT_THAT(changes("pom.xml", kPom, replaced_once(kPom, "<!-- tests -->", "")), ElementsAre());
  EXPECT_THAT(
      changes("pom.xml", "<project><a>1</a></project>", "<project>\n <a> 1 </a>\n</project>"),
      ElementsAre());
}

TEST(Manifest, CMakeLists) {
  EXPECT_THAT(
      said(read_manifest("CMakeLists.txt", kCMakeLists)),
      ElementsAre("toolchain cmake_minimum_required VERSION 3.20", "toolchain project shop",
                  "option set CMAKE_CXX_STANDARD 20", "dependency find_package fmt REQUIRED",
                  "option if WITH_TESTS", "dependency add_subdirectory tests", "option endif",
                  "target add_library core", "option target_compile_options -> core",
                  "dependency target_link_libraries -> core", "script add_custom_command OUTPUT"));
  EXPECT_THAT(changes("CMakeLists.txt", kCMakeLists, replaced_once(kCMakeLists, " # no more", "")),
              ElementsAre());
  EXPECT_THAT(changes("a.cmake", "set(A 1)\nset(B 2)\n", "set(B 2)\nset(A 1)\n"),
              ElementsAre("> option set A 1", "> option set B 2"));
  EXPECT_THAT(changes("a.cmake", "SET( A\n 1)", "set(A 1)#[[ x ]]"), ElementsAre());
  EXPECT_THAT(changes("a.cmake", "set(A 1)", "set(A \"1\")"), ElementsAre("~ option set A \"1\""));
  EXPECT_THAT(changes("a.cmake", "set(A)\nset(A)", "set(A)"), ElementsAre("- option set A"));
}

TEST(Manifest, Bazel) {
  EXPECT_THAT(said(read_manifest("lib/BUILD.bazel", kBazelBuild)),
              ElementsAre("dependency load @rules_cc//cc:defs.bzl", "option package", "target core",
                          "dependency :util deps -> core", "dependency @fmt//:fmt deps -> core",
                          "dependency core.cc srcs -> core", "option statement"));
  EXPECT_THAT(changes("BUILD", kBazelBuild, replaced_once(kBazelBuild, "\":util\", ", "")),
              ElementsAre("- dependency :util deps -> core", "~ target core"));
  EXPECT_THAT(
      said(read_manifest("MODULE.bazel",
                         "module(name = \"x\")\nbazel_dep(name = \"fmt\", version = \"10\")\n")),
      ElementsAre("option module", "dependency bazel_dep fmt"));
}

TEST(Manifest, AFileWithOneVersion) {
  EXPECT_THAT(changes(".nvmrc", "v18.1\n", "v20\n"), ElementsAre("~ toolchain version v20"));
  expect_opaque(".nvmrc", "v18\nv20\n", "it is not one version alone");
  expect_opaque("yarn.lock", "a", "files of this name are not looked into");
  expect_opaque("Makefile", "a:\n", "it is no manifest that is known");
}

TEST(Manifest, WhatIsMalformedIsOneSymbol) {
  expect_opaque("package.json", "{\"a\": 1, \"a\": 2}", "the key 'a' is there twice");
  expect_opaque("package.json", "{\"a\\u0062\": 1}", "a key is written with an escape");
  expect_opaque("package.json", "{\"a\": 1,}", "it is no JSON");
  expect_opaque("package.json", "{\"a\": 1} {}", "it is no JSON object");
  expect_opaque("package.json", "[1]", "it is no JSON object");
  expect_opaque("package.json", "{} // x", "JSON has no comments");
  expect_opaque("package.json", "", "it is no JSON object");
  expect_opaque("Cargo.toml", "[a]\nb = 1\nb = 2\n", "the key 'a.b' is there twice");
  expect_opaque("Cargo.toml", "[a]\nb = 1\n[a]\nc = 2\n", "the table 'a' is there twice");
  expect_opaque("Cargo.toml", "[a\nb = 1\n", "it is no TOML");
  expect_opaque("go.mod", "module a\nrequire (\n b v1\n", "the block 'require' does not end");
  expect_opaque("go.mod", "modul a\n", "'modul' is not known");
  expect_opaque("go.mod", "module \"a\"\n", "a string is quoted");
  expect_opaque("go.sum", "a v1\n", "a line is not a module, a version and a hash");
  expect_opaque("pom.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><project/>", "a name is missing");
  expect_opaque("pom.xml", "<project><a></project>", "an element ends that did not begin");
  expect_opaque("pom.xml", "<project><a>", "an element does not end");
  expect_opaque("pom.xml", "<html/>", "it is no project of Maven");
  expect_opaque("pom.xml", "<project/><project/>", "something stands behind the document");
  expect_opaque("pom.xml", "<project a='1' a='2'/>", "an attribute is there twice");
  expect_opaque("CMakeLists.txt", "set(A", "a command does not end");
  expect_opaque("CMakeLists.txt", "set(A \"b)", "a string does not end");
  expect_opaque("CMakeLists.txt", "set(A [[b)", "a bracket does not end");
  expect_opaque("CMakeLists.txt", "set A", "something is no command");
  expect_opaque("BUILD", "cc_library(name = ", "it does not parse");
}

TEST(Manifest, HostileInputIsBounded) {
  const auto times = [](int count, const std::string& text) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
  };
  for (const char* path : {"package.json", "Cargo.toml", "go.mod", "pom.xml", "CMakeLists.txt",
                           "BUILD", "package-lock.json", "Cargo.lock", "go.sum", ".nvmrc"}) {
    for (const std::string& text :
         {times(2'000, "["), times(2'000, "{\"a\":"), times(2'000, "<a>"), times(2'000, "f("),
          times(2'000, "a = [{"), times(2'000, "a.") + "b = 1\n", std::string("a\0b", 3),
          std::string("\xff\xfe\xff"), std::string(kMaxManifest + 1, ' ')}) {
      const Manifest manifest = read_manifest(path, text);
      EXPECT_TRUE(manifest.opaque.empty() || manifest.symbols.size() == 1u) << path;
    }
    EXPECT_EQ(read_manifest(path, std::string(kMaxManifest + 1, ' ')).opaque, "it is too large");
  }
  expect_opaque("pom.xml", times(40, "<project>") + times(40, "</project>"),
                "it is nested too deep");
}

TEST(Manifest, WhatGovernsASource) {
  const std::vector<std::string> all = {
      "package.json", "package-lock.json", "web/package.json",   "Cargo.toml",        "go.mod",
      "tools/go.mod", "CMakeLists.txt",    "src/CMakeLists.txt", "cmake/flags.cmake", "src/BUILD",
      "WORKSPACE",    "README.md"};
  EXPECT_THAT(manifests_governing("web/src/a.ts", all),
              ElementsAre("package-lock.json", "web/package.json", "WORKSPACE"));
  EXPECT_THAT(manifests_governing("tools/a.go", all), ElementsAre("tools/go.mod", "WORKSPACE"));
  EXPECT_THAT(manifests_governing("src/b/a.cc", all),
              ElementsAre("Cargo.toml", "go.mod", "CMakeLists.txt", "src/CMakeLists.txt",
                          "cmake/flags.cmake", "src/BUILD", "WORKSPACE"));
  EXPECT_THAT(manifests_governing("srcs/a.rs", all), ElementsAre("Cargo.toml", "WORKSPACE"));
  EXPECT_THAT(manifests_governing("web/logo.svg", all),
              ElementsAre("package-lock.json", "web/package.json", "Cargo.toml", "go.mod",
                          "CMakeLists.txt", "cmake/flags.cmake", "WORKSPACE"));
  EXPECT_THAT(manifests_governing("a.go", {}), ElementsAre());
}

}  // namespace
}  // namespace gittxn::semantic

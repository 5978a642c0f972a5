// Whether what a file imports is a certain file of the tree. Pure.
//
// kYes only where the language's own rules leave no other file of the tree: a path that is written
// out, a package that its manifest names. What a search path or another package might also mean is
// kPerhaps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "semantic/file_facts.h"

namespace gittxn::catalogue {

enum class Link : std::uint8_t { kNo, kPerhaps, kYes };

// What of the tree has to be known for it.
struct Layout {
  const std::vector<std::string>& namesakes;  // paths whose last part is that of the imported file
  const std::map<std::string, std::string, std::less<>>& go_modules;  // folder -> its go.mod's name
};

struct ImportedFile {
  std::string_view path;
  Layout layout;
};

Link link_of(std::string_view language, std::string_view from, const semantic::Import& import,
             const ImportedFile& to);

// Files of one package see each other without an import: Go's folders, packages in Java and Kotlin.
bool same_package(std::string_view language, std::string_view a, std::string_view b);

// The words by which imports can name a file: "auth", of index.js, __init__.py, mod.rs and of a
// file in Go that of its folder too.
std::vector<std::string> names_of_module(std::string_view path);

// Languages that use each other's definitions have one: "c" of C++.
std::string family_of(std::string_view language);
bool same_family(std::string_view a, std::string_view b);
bool is_data_language(std::string_view language);

// By the habits of test files: their names, or the folder they are in.
bool is_test_path(std::string_view path);
// "auth" for test_auth.py, auth_test.go, AuthTest.java, auth.spec.ts; empty when it says nothing.
std::string tested_stem(std::string_view path);

}  // namespace gittxn::catalogue

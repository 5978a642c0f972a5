// Common parts of the readers of manifests. Each fills in the symbols of a text or says why it is
// opaque.
#pragma once

#include <string>
#include <string_view>

#include "semantic/manifest/manifest.h"
#include "semantic/syntax.h"

namespace gittxn::semantic {

// `text` when it can be shown as it is, else a digest of it.
std::string shown(std::string_view text);
// The tokens of a node, apart, without comments.
std::string tokens_of(const Tree& tree, const Node& node);
// Without double quotes around it.
std::string unquoted(std::string_view text);

// Each fills `manifest->symbols` from a text without a byte 0; not empty: why the text is opaque.
std::string read_package_json(std::string_view text, Manifest* manifest);
std::string read_package_lock(std::string_view text, Manifest* manifest);
std::string read_cargo_toml(std::string_view text, Manifest* manifest);
std::string read_cargo_lock(std::string_view text, Manifest* manifest);
std::string read_rust_toolchain(std::string_view text, Manifest* manifest);
std::string read_go_mod(std::string_view text, Manifest* manifest);
std::string read_go_sum(std::string_view text, Manifest* manifest);
std::string read_pom(std::string_view text, Manifest* manifest);
std::string read_cmake_lists(std::string_view text, Manifest* manifest);
std::string read_bazel(std::string_view text, Manifest* manifest);
// A file that holds one version and nothing else, such as .nvmrc.
std::string read_toolchain_version(std::string_view text, Manifest* manifest);

}  // namespace gittxn::semantic

// Trees in memory, and the texts of their files. For tests.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "model/testing/trees.h"

namespace gittxn::land::testing {

using gittxn::testing::entry_of;
using gittxn::testing::is_directory;
using gittxn::testing::Tree;

// Texts by the names of their blobs, shared by all trees of a test.
class Texts {
 public:
  using Namer = std::function<Oid(const std::string& text)>;
  Texts() : namer_([](const std::string& text) { return Oid(sha256(text).str().substr(0, 40)); }) {}
  explicit Texts(Namer namer) : namer_(std::move(namer)) {}

  TreeEntry file(const std::string& text) {
    const auto [at, fresh] = names_.try_emplace(text);
    if (fresh) {
      at->second = namer_(text);
      texts_[at->second] = text;
    }
    return {FileMode::kFile, at->second};
  }
  void learn(const Oid& oid, const std::string& text) {
    names_[text] = oid;
    texts_[oid] = text;
  }
  bool knows(const Oid& oid) const { return texts_.contains(oid); }
  const std::string& of(const Oid& oid) const { return texts_.at(oid); }

 private:
  Namer namer_;
  std::map<std::string, Oid> names_;
  std::map<Oid, std::string> texts_;
};

// Both changes of a base, path by path; the usual case without looking at each.
inline std::optional<Tree> together(const Tree& base, const Tree& work, const Tree& head) {
  if (base == head) return work;
  if (base == work) return head;
  return gittxn::testing::merge(base, work, head);
}

// A commit of the branch.
struct Place {
  const Tree* tree = nullptr;
  Oid commit;
};

inline constexpr const char* kIgnoreFile = ".ignore";

inline const std::vector<std::string>& texts_for(const std::string& path) {
  static const std::vector<std::string> kRules = {"b\n", "d/\n", "a.py\n"};
  static const std::vector<std::string> kFiles = {"p = 0\nq = 0\nr = 0\n", "p = 1\nq = 0\nr = 0\n",
                                                  "p = 0\nq = 1\nr = 0\n", "p = 0\nq = 0\nr = 1\n",
                                                  "p  = 0\nq = 0\nr = 0\n"};
  return path == kIgnoreFile ? kRules : kFiles;
}

}  // namespace gittxn::land::testing

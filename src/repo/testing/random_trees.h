// Random trees and small histories, made by git itself (fast-import), with the names that trees get
// wrong: "a", "a.b", "a-b" and "a/b" sort differently as files and as directories.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::repo::testing {

struct RandomFile {
  std::string mode;  // "100644", "100755", "120000"
  std::string bytes;
};
using RandomTree = std::map<std::string, RandomFile>;

class TreeMaker {
 public:
  explicit TreeMaker(std::uint64_t seed) : random_(seed) {}

  RandomTree tree(int files) {
    RandomTree made;
    for (int i = 0; i < files; ++i) put(made, path());
    return made;
  }

  RandomTree mutated(const RandomTree& from, int edits) {
    RandomTree to = from;
    for (int i = 0; i < edits; ++i) {
      const std::string known = to.empty() ? path() : pick(to);
      switch (random_.below(7)) {
        case 0:
          to.erase(known);
          break;
        case 1:
          put(to, known);  // when the tree was empty, it is not there
          break;
        case 2:
          put(to, known + "/" + component());
          break;  // a file becomes a directory
        case 3:
          put(to, known.substr(0, known.find('/')));
          break;  // a directory becomes a file
        case 4:
          to[known] = {mode(), bytes(known)};
          break;
        default:
          put(to, path());
          break;
      }
    }
    return to;
  }

  Random& random() { return random_; }

 private:
  std::string pick(const RandomTree& tree) {
    auto at = tree.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(tree.size())));
    return at->first;
  }
  std::string component() {
    static const std::vector<std::string> kNames = {"a",  "a.b",  "a-b", "a0", "b",
                                                    "a!", "\xff", "ab",  "A"};
    return kNames[random_.below(kNames.size())];
  }
  std::string path() {
    std::string made = component();
    while (random_.below(2) == 0 && made.size() < 12) made += "/" + component();
    return made;
  }
  std::string mode() {
    const std::uint64_t which = random_.below(8);
    return which == 0 ? "120000" : which == 1 ? "100755" : "100644";
  }
  // One of a few versions of this path. No other path has these bytes, so that nothing looks
  // renamed.
  std::string bytes(const std::string& path) {
    return sha256(path + std::to_string(random_.below(6))).str() + "\n";
  }
  // Removes what is in the way: the path as a directory, and its parents as files.
  void put(RandomTree& tree, const std::string& path) {
    std::erase_if(tree, [&](const auto& file) {
      return file.first.starts_with(path + "/") || path.starts_with(file.first + "/");
    });
    tree[path] = {mode(), bytes(path)};
  }

  Random random_;
};

// Commits in one fast-import run. Numbers are given in order, from 0.
class Importer {
 public:
  int add(const RandomTree& tree, const std::vector<int>& parents = {}) {
    const int number = count_++;
    stream_ += "commit refs/import/" + std::to_string(number) +
               "\nmark :" + std::to_string(number + 1) + "\ncommitter T <t@example.com> " +
               std::to_string(1'700'000'000 + number) + " +0000\n" + data("c\n");
    for (std::size_t i = 0; i < parents.size(); ++i) {
      stream_ += (i == 0 ? "from :" : "merge :") + std::to_string(parents[i] + 1) + "\n";
    }
    stream_ += "deleteall\n";
    for (const auto& [path, file] : tree) {
      stream_ += "M " + file.mode + " inline " + quoted(path) + "\n" + data(file.bytes);
    }
    stream_ += "\n";
    return number;
  }

  // The commits, by number; they stay under refs/import/.
  std::vector<Oid> run(const ScratchRepo& repo) const { return run(repo, repo.path()); }
  std::vector<Oid> run(const ScratchRepo& repo, const std::string& dir) const {
    const std::string marks = repo.root() + "/marks";
    repo.git_in(dir, {"fast-import", "--quiet", "--force", "--export-marks=" + marks}, stream_);
    std::vector<Oid> commits(static_cast<std::size_t>(count_));
    std::string text = must(read_file(marks));
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      const std::size_t space = text.find(' ');
      const auto mark = static_cast<std::size_t>(std::stoul(text.substr(1, space)));
      commits[mark - 1] = Oid(text.substr(space + 1, 40));
      text.erase(0, end + 1);
    }
    return commits;
  }

 private:
  static std::string data(const std::string& bytes) {
    return "data " + std::to_string(bytes.size()) + "\n" + bytes + "\n";
  }
  static std::string quoted(const std::string& path) {
    std::string text = "\"";
    for (const char c : path) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    return text + "\"";
  }

  std::string stream_;
  int count_ = 0;
};

}  // namespace gittxn::repo::testing

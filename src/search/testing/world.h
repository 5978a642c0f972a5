// Random trees in memory and on disk, and random command lines, for tests that compare the
// evaluator with the real programs.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <string>
#include <vector>

#include "base/fs.h"
#include "base/hash.h"
#include "base/random.h"
#include "model/testing/trees.h"
#include "search/tree.h"

namespace gittxn::search::testing {

using gittxn::testing::entry_of;
using Files = gittxn::testing::Tree;

// Contents by digest, shared by all trees of a test.
class Store {
 public:
  Oid put(const std::string& bytes) {
    const Oid oid(sha256(bytes).str().substr(0, 40));
    blobs_[oid] = bytes;
    return oid;
  }
  const std::string& get(const Oid& oid) const { return blobs_.at(oid); }

 private:
  std::map<Oid, std::string> blobs_;
};

class MapTree : public Tree {
 public:
  MapTree(const Files& files, const Store& store) : files_(files), store_(store) {}
  Result<TreeEntry> entry(const std::string& path) const override { return entry_of(files_, path); }
  Result<std::vector<NamedEntry>> list(const std::string& path) const override {
    std::map<std::string, TreeEntry> names;
    const std::string prefix = path.empty() ? "" : path + "/";
    for (auto at = files_.lower_bound(prefix); at != files_.end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      const std::string name = at->first.substr(prefix.size());
      names[name.substr(0, name.find('/'))] =
          entry_of(files_, prefix + name.substr(0, name.find('/')));
    }
    std::vector<NamedEntry> list;
    for (const auto& [name, entry] : names) list.push_back({name, entry});
    return list;
  }
  Result<std::string> blob(const Oid& oid) const override { return store_.get(oid); }

 private:
  const Files& files_;
  const Store& store_;
};

inline void write_tree(const Files& files, const Store& store, const std::string& top) {
  for (const auto& [path, entry] : files) {
    const std::string at = join_path(top, path);
    if (!make_dirs(parent_dir(at), 0755)) std::abort();
    if (entry.mode == FileMode::kLink) {
      if (::symlink(store.get(entry.oid).c_str(), at.c_str()) != 0) std::abort();
      continue;
    }
    const mode_t mode = entry.mode == FileMode::kExecutable ? 0755 : 0644;
    if (!write_file(at, store.get(entry.oid), Sync::kNo, mode)) std::abort();
  }
}

class Maker {
 public:
  Maker(Random& random, Store& store) : random_(random), store_(store) {}

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[random_.below(from.size())];
  }
  bool chance(std::uint64_t in) { return random_.below(in) == 0; }

  std::string path() {
    static const std::vector<std::string> kDirs = {"",         "src/",    "src/sub/", "lib/",
                                                   "docs/",    ".hid/",   "build/",   "src/build/",
                                                   "lib/a/b/", "src/x y/"};
    static const std::vector<std::string> kNames = {
        "main.cc", "util.h", "x.py",  "README",  ".env", "a_test.go", "Makefile", "Foo.TXT",
        "foo.rs",  "foo.c",  "y.pyi", "log.txt", "sub",  "build",     "b",        "na\xc3\xafve.c"};
    return pick(kDirs) + pick(kNames);
  }

  std::string line() {
    static const std::vector<std::string> kWords = {
        "foo",  "Foo",     "FOO",         "bar",    "baz_1",  "int",   "main()",
        "x->y", "a.b",     "axb",         "foobar", "fooBar", "",      "\t",
        "f.o",  "1234",    "-e",          "[x]",    "a*b",    "(foo)", "return",
        "foo;", "foo bar", "caf\xc3\xa9", "aab",    "NOTE:",  "x+y",   "end\\"};
    std::string text;
    for (std::uint64_t n = random_.below(4); n > 0; --n) {
      std::string word = pick(kWords);
      if (word[0] == 'c' && !chance(4)) word = "bar";
      text += (text.empty() ? "" : " ") + word;
    }
    if (chance(60)) text += "\r";
    if (chance(250)) text += std::string(1, '\0');
    if (chance(250)) text += "\xff";
    return text;
  }

  std::string text() {
    std::string all;
    for (std::uint64_t n = random_.below(9); n > 0; --n) all += line() + "\n";
    if (chance(5)) all += line();
    return all;
  }

  std::string rules() {
    static const std::vector<std::string> kRules = {
        "*.py",   "build/", "/src/sub", "!x.py", "docs/**", "# note", "",
        "**/sub", "!.env",  "lib/*",    "*.c",   "!.hid",   "b",      "src/**/b",
        "/build", "!*.c",   "[xy]",     "log.*", "!build/"};
    std::string all;
    for (std::uint64_t n = random_.below(4) + 1; n > 0; --n) {
      const std::string& rule = pick(kRules);
      if (rule != "[xy]" || chance(3)) all += rule + "\n";
    }
    return all;
  }

  void put(Files& files, const std::string& path, const TreeEntry& entry) {
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      files.erase(path.substr(0, slash));
    }
    std::erase_if(files, [&](const auto& item) { return item.first.starts_with(path + "/"); });
    files[path] = entry;
  }

  void put_random(Files& files) {
    if (chance(12)) {
      static const std::vector<std::string> kIgnores = {
          ".gitignore",     ".ignore",     ".rgignore",     ".fdignore",
          "src/.gitignore", "src/.ignore", "lib/.gitignore"};
      put(files, pick(kIgnores), {FileMode::kFile, store_.put(rules())});
    } else if (chance(14)) {
      static const std::vector<std::string> kTargets = {"src", "main.cc", "nothing", "../lib"};
      put(files, path(), {FileMode::kLink, store_.put(pick(kTargets))});
    } else {
      put(files, path(), {chance(8) ? FileMode::kExecutable : FileMode::kFile, store_.put(text())});
    }
  }

  Files tree() {
    Files files;
    for (std::uint64_t n = 5 + random_.below(25); n > 0; --n) put_random(files);
    return files;
  }

  Files edit(const Files& from) {
    Files files = from;
    for (std::uint64_t n = 1 + random_.below(3); n > 0; --n) {
      auto at = files.begin();
      std::advance(at, static_cast<std::ptrdiff_t>(random_.below(files.size())));
      if (at == files.end() || chance(3)) {
        put_random(files);
      } else if (chance(5)) {
        files.erase(at);
      } else if (at->second.mode != FileMode::kLink) {
        const bool governs = at->first.ends_with("ignore");
        std::string text = store_.get(at->second.oid);
        const std::string more = governs ? rules() : line() + "\n";
        text = chance(3) ? more + text : text + more;
        at->second.oid = store_.put(text);
      }
    }
    return files;
  }

  std::vector<std::string> command(const std::string& tool);
  void add_own(const std::string& tool,
               std::vector<std::string>& words);  // options that it alone has

 private:
  void add(std::vector<std::string>& words, std::uint64_t in,
           const std::vector<std::string>& more) {
    if (chance(in)) words.insert(words.end(), more.begin(), more.end());
  }
  std::vector<std::string> roots();
  std::vector<std::string> find_expression();

  Random& random_;
  Store& store_;
};

inline std::vector<std::string> Maker::roots() {
  static const std::vector<std::string> kRoots = {
      "src", ".", "src/", "lib", "docs", "main.cc", "./src", "src/sub", "build", "nothing", ".hid"};
  std::vector<std::string> all;
  while (all.size() < 3 && !chance(2)) all.push_back(pick(kRoots));
  return all;
}

inline std::vector<std::string> Maker::find_expression() {
  static const std::vector<std::vector<std::string>> kTests = {
      {"-name", "*.cc"}, {"-name", "foo*"},         {"-type", "f"},       {"-type", "d"},
      {"-type", "l"},    {"-path", "*/sub*"},       {"-path", "./src/*"}, {"-name", "."},
      {"-name", "*"},    {"-not", "-name", "*.py"}, {"!", "-type", "d"},  {"-iname", "FOO*"}};
  std::vector<std::string> words;
  add(words, 5, {"-maxdepth", pick(std::vector<std::string>{"1", "2"})});
  add(words, 6, {"-mindepth", pick(std::vector<std::string>{"1", "2"})});
  add(words, 4,
      {"(", "-name", pick(std::vector<std::string>{"sub", "build", ".hid"}), "-prune", ")", "-o"});
  add(words, 6, {"-path", "./src", "-prune", "-o"});
  for (int n = 0; n < 3 && (n == 0 || !chance(2)); ++n) {
    if (n > 0) add(words, 3, {pick(std::vector<std::string>{"-o", "-a"})});
    const auto& test = pick(kTests);
    words.insert(words.end(), test.begin(), test.end());
  }
  add(words, 3, {"-print"});
  return words;
}

inline void Maker::add_own(const std::string& tool, std::vector<std::string>& words) {
  if (tool == "grep") {
    if (!chance(6)) words.emplace_back("-r");
    add(words, 3, {pick(std::vector<std::string>{"-E", "-F", "-G", "-P"})});
    add(words, 6,
        {pick(std::vector<std::string>{"--include=*.c", "--include=*.py", "--exclude=*.cc",
                                       "--exclude-dir=sub"})});
  } else if (tool == "git") {
    words.emplace_back("grep");
    add(words, 3, {pick(std::vector<std::string>{"-E", "-F", "-G"})});
  } else if (tool == "rg") {
    add(words, 3, {"-F"});
    add(words, 4,
        {"-g", pick(std::vector<std::string>{"*.cc", "!*.py", "src/**", "!build/", "!src/sub",
                                             "README"})});
    add(words, 6, {"-t", pick(std::vector<std::string>{"py", "rust", "go"})});
    add(words, 6, {"--max-depth", "2"});
    add(words, 4,
        {pick(std::vector<std::string>{"--hidden", "--no-ignore", "-S", "--files", "-u", "-uu",
                                       "-j2", "--sort=path"})});
  } else if (tool == "fd") {
    add(words, 4, {"-F"});
    add(words, 4, {pick(std::vector<std::string>{"-H", "-I", "-u"})});
    add(words, 4, {"-t", pick(std::vector<std::string>{"f", "d", "l"})});
    add(words, 4, {"-e", pick(std::vector<std::string>{"c", "py", "TXT"})});
    add(words, 4, {pick(std::vector<std::string>{"--max-depth", "--min-depth"}), "2"});
  }
}

inline std::vector<std::string> Maker::command(const std::string& tool) {
  static const std::vector<std::string> kPatterns = {
      "foo",         "Foo",       "bar",       "a.b",       "^foo",      "foo$",
      "^$",          "fo*",       "[fx]o",     "x->y",      "foo.*bar",  "baz_1",
      "[a-c]b",      "[^f]oo",    "a\\*b",     "\\bfoo\\b", "\\w\\w\\w", "caf\xc3\xa9",
      "1234",        "main()",    "x+y",       "(foo)",     "foo|bar",   "fo+",
      "(a|x).b",     "a{2}b",     "\\(foo\\)", "foo\\|bar", "fo\\+",     "[[:digit:]]\\{2\\}",
      "[[:upper:]]", "\\d+",      "^.*$",      "f?o",       "\\s",       "fo(?:ob)?",
      "o(?=b)",      "\\<foo\\>", "end\\\\",   "o+?",       "x*"};
  if (tool == "find") {
    std::vector<std::string> words = roots();
    const std::vector<std::string> rest = find_expression();
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
  }
  std::vector<std::string> words;
  std::vector<std::string> paths = roots();
  if (tool == "ls") {
    for (const char* option : {"-a", "-A", "-R", "-1", "-p"}) add(words, 3, {option});
    words.insert(words.end(), paths.begin(), paths.end());
    return words;
  }
  const bool fd = tool == "fd";
  add_own(tool, words);
  add(words, 5, {"-i"});
  if (!fd) {
    for (const char* option : {"-n", "-v", "-w", "-h", "-H"})
      add(words, option[1] == 'n' ? 2 : 7, {option});
    add(words, 3, {pick(std::vector<std::string>{"-l", "-c", "-o", "-L", "-x"})});
    add(words, 5, {pick(std::vector<std::string>{"-A", "-B", "-C"}), "1"});
    add(words, 9, {"-m", "1"});
    add(words, 8, {"-e", pick(kPatterns)});
  }
  if (std::find(words.begin(), words.end(), "-e") == words.end() || fd) {
    if (!(fd && paths.empty() && chance(2)) &&
        std::find(words.begin(), words.end(), "--files") == words.end()) {
      words.push_back(pick(kPatterns));
    }
  }
  if (tool == "git") words.emplace_back("--");
  words.insert(words.end(), paths.begin(), paths.end());
  return words;
}

}  // namespace gittxn::search::testing

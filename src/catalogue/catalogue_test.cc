#include "catalogue/catalogue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/fs.h"
#include "base/hash.h"
#include "base/random.h"
#include "catalogue/footprints.h"
#include "catalogue/testing/world.h"
#include "semantic/language.h"

namespace gittxn::catalogue {
namespace {

namespace fs = std::filesystem;
using semantic::Opaque;
using testing::must;
using testing::told;
using testing::World;

std::map<std::string, std::string> samples() {
  std::map<std::string, std::string> all;
  const fs::path languages = fs::path(__FILE__).parent_path() / "../semantic/languages";
  for (const auto& folder : fs::directory_iterator(languages)) {
    for (const auto& file : fs::directory_iterator(folder)) {
      const std::string name = file.path().filename();
      if (!name.starts_with("sample.")) continue;
      all[folder.path().filename().string() + "/" + name] = must(read_file(file.path()));
    }
  }
  return all;
}

// One line: the number, the queries it was made with, and a digest of all that is kept of the
// samples.
TEST(Analysis, IsRaisedWhenWhatIsKeptChanges) {
  std::string kept;
  for (const auto& [path, text] : samples()) {
    kept += path + "\n" + encode(semantic::facts_of(path, text, {}));
    // Every second line gone is a change of nearly every kind.
    std::string edited;
    for (std::size_t at = 0, line = 0; at < text.size(); ++line) {
      const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      if (line % 2 == 0) edited += text.substr(at, end - at);
      at = end;
    }
    kept += encode({{}, semantic::footprint_of_file(semantic::FileChange{path, text, edited}, {})});
  }
  const std::string number = std::to_string(kAnalysis);
  const std::string inputs(analysis_inputs());
  const std::string said = number + " " + inputs + " " + sha256(kept).str() + "\n";
  const std::string golden = (fs::path(__FILE__).parent_path() / "golden/analysis.txt").string();
  const std::string before = read_file(golden).value_or("");
  const std::string now_made = number + " " + inputs + " ";
  ASSERT_TRUE(before == said || !before.starts_with(now_made))
      << "what is kept of a file has changed: raise kAnalysis in codec.h";
  const char* mode = std::getenv("GIT_TXN_GOLDEN");
  if (mode != nullptr && std::string(mode) == "write") {
    must(write_file(golden, said, Sync::kNo, 0644));
  } else {
    EXPECT_EQ(said, before) << "write it anew with GIT_TXN_GOLDEN=write";
  }
}

TEST(Codec, GivesBackWhatWasPut) {
  for (const auto& [path, text] : samples()) {
    const semantic::FileFacts facts = semantic::facts_of(path, text, {});
    EXPECT_FALSE(facts.symbols.empty());
    const std::string bytes = encode(facts);
    const semantic::FileFacts back = must(decode_facts(bytes));
    EXPECT_EQ(encode(back), bytes);
    ASSERT_EQ(back.symbols.size(), facts.symbols.size());
    for (std::size_t i = 0; i < facts.symbols.size(); ++i) {
      EXPECT_EQ(back.symbols[i].id, facts.symbols[i].id);
      EXPECT_EQ(back.symbols[i].container, facts.symbols[i].container);
      EXPECT_EQ(back.symbols[i].hashes, facts.symbols[i].hashes);
      EXPECT_EQ(back.symbols[i].raw, facts.symbols[i].raw);
      EXPECT_EQ(back.symbols[i].defines, facts.symbols[i].defines);
      EXPECT_EQ(back.symbols[i].extents, facts.symbols[i].extents);
    }
    EXPECT_EQ(back.references, facts.references);
    EXPECT_EQ(back.imports, facts.imports);
    EXPECT_EQ(back.lines, facts.lines);
    EXPECT_EQ(must(decode_names(bytes)), names_in(facts));
  }
}

// The seal keeps damage out; that decoding is bounded all the same is for what a seal cannot know.
TEST(Codec, RefusesWhatDoesNotFit) {
  const std::string bytes = encode(semantic::facts_of("a.py", samples()["python/sample.py"], {}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_facts(std::string_view(bytes).substr(0, size)));
  }
  Random random(3);
  for (int round = 0; round < 800; ++round) {
    std::string damaged = bytes;
    for (int n = 0; n < 4; ++n) {
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    }
    const auto facts = decode_facts(damaged);
    EXPECT_TRUE(!facts || !facts->symbols.empty());
    static_cast<void>(decode_directory(damaged));
  }
}

TEST(Catalogue, SaysOfAFileWhatIsInIt) {
  World world;
  world.commit(
      {{"src/auth.py",
        "import os\nfrom .keys import load as fetch\n\n\n"
        "class Token(Base):\n    def validate(self):\n        return fetch(self.name)\n"}});
  const auto catalogue = world.open();
  const auto facts = must(catalogue->file("src/auth.py", world.entry("src/auth.py")));
  EXPECT_EQ(facts.language, "python");
  EXPECT_EQ(facts.opaque, Opaque::kNo);
  std::string ids;
  for (const auto& symbol : facts.symbols) ids += semantic::id_in("src/auth.py", symbol.id) + "\n";
  EXPECT_NE(ids.find("src/auth.py/Token#validate().\n"), std::string::npos) << ids;
  ASSERT_EQ(facts.imports.size(), 2u);
  EXPECT_EQ(facts.imports[0].module, "os");
  EXPECT_EQ(facts.imports[1].module, ".keys");
  EXPECT_EQ(facts.imports[1].binds, (std::vector<semantic::Binding>{{"fetch", "load"}}));
  bool super = false, call = false;
  for (const auto& use : facts.references) {
    super |= use.name == "Base" && use.role == semantic::UseRole::kSuper && use.line == 5;
    call |= use.name == "fetch" && use.role == semantic::UseRole::kCall && use.arity == 1 &&
            use.line == 7 && facts.symbols[use.symbol].name == "validate";
  }
  EXPECT_TRUE(super);
  EXPECT_TRUE(call);
}

TEST(Catalogue, WhatIsOpaqueIsSaidWithTheReason) {
  World world;
  std::string large(50u << 20, ' ');
  for (std::size_t at = 0; at < large.size(); at += 80) large[at] = '\n';
  world.commit(
      {{"a.xyz", "no language but load_all words"},
       {"binary.c", std::string("int a;\0int b;", 13)},
       {"large.c", large},
       {"broken.py", "def f(:\n  return ((\n"},
       {"latin1.py", "name = 'caf\xe9'\n"},
       {"utf16.py", std::string("\xff\xfe"
                                "a\0=\0001\0\n\0",
                                10)},
       {"empty.py", ""},
       {"c.h", "struct a { int b; };\nint f(struct a *x);\n"},
       {"cpp.h", "namespace n {\nclass A { public: template <class T> int f() const; };\n}\n"},
       {"tool", "#!/usr/bin/env python3\ndef main():\n    pass\n"}});
  ASSERT_EQ(::symlink("a.xyz", world.repo().file("link.c").c_str()), 0);
  world.repo().commit("link");
  const auto catalogue = world.open();
  const auto of = [&](const std::string& path) {
    return must(catalogue->file(path, world.entry(path)));
  };
  const auto is = [&](const std::string& path) {
    const auto facts = of(path);
    EXPECT_EQ(facts.symbols.front().opaque, facts.opaque != Opaque::kNo) << path;
    EXPECT_EQ(semantic::opaque_reason(facts.opaque).empty(), facts.opaque == Opaque::kNo);
    return facts.opaque;
  };
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(is("a.xyz"), Opaque::kUnknownLanguage);
    EXPECT_EQ(is("binary.c"), Opaque::kBinary);
    EXPECT_EQ(is("large.c"), Opaque::kTooLarge);
    EXPECT_EQ(is("broken.py"), Opaque::kNotParsed);
    EXPECT_EQ(is("utf16.py"), Opaque::kBinary);
    EXPECT_EQ(is("latin1.py"), Opaque::kNo);
    EXPECT_EQ(is("empty.py"), Opaque::kNo);
    EXPECT_EQ(is("link.c"), Opaque::kNotAFile);
    EXPECT_EQ(of("c.h").language, "c");
    EXPECT_EQ(of("cpp.h").language, "cpp");
    EXPECT_EQ(of("tool").language, "python");
  }
  const auto words = of("a.xyz");
  EXPECT_TRUE(std::any_of(words.references.begin(), words.references.end(),
                          [](const auto& use) { return use.name == "load_all"; }));
  EXPECT_EQ(must(catalogue->fill(world.repo().tree())).directories, 1u);
}

TEST(Catalogue, NameOfAFileTellsTheSameLanguageAsItsHint) {
  for (const auto& [path, text] : samples()) {
    EXPECT_EQ(semantic::language_of_path(path), semantic::language_of_path(language_hint(path)));
  }
  for (const std::string_view path :
       {"a/Rakefile", "SConstruct", "x.tar.gz", "b/.bashrc", "README", "a.b/c", "lib.d.ts", "a.H",
        ".profile", "x.", "Gemfile.lock", "wscript"}) {
    EXPECT_EQ(semantic::language_of_path(path), semantic::language_of_path(language_hint(path)))
        << path;
  }
}

TEST(Catalogue, OnlyWhatChangedIsLookedAt) {
  World world;
  std::map<std::string, std::string> files;
  for (int n = 0; n < 60; ++n) {
    files["d" + std::to_string(n % 6) + "/f" + std::to_string(n) + ".py"] =
        "def f" + std::to_string(n) + "():\n    pass\n";
  }
  world.commit(files);
  const Oid before = world.repo().tree();
  const auto first = must(world.open()->fill(before));
  EXPECT_EQ(first.files, 60u);
  EXPECT_EQ(first.directories, 7u);
  const auto again = must(world.open()->fill(before));
  EXPECT_EQ(again.files + again.directories, 0u);
  world.commit({{"d1/f1.py", "def g():\n    pass\n"},
                {"d1/copy.py", files["d2/f2.py"]},
                {"d9/new.py", "def h():\n    pass\n"}});
  const auto after = must(world.open()->fill(world.repo().tree()));
  EXPECT_EQ(after.files, 2u);  // what is there by another name is known
  EXPECT_EQ(after.directories, 3u);
  const auto back = must(world.open()->fill(before));
  EXPECT_EQ(back.files + back.directories, 0u);
}

std::string random_source(Random* random, const std::map<std::string, std::string>& from,
                          std::string* ending) {
  auto sample = from.begin();
  std::advance(sample, static_cast<std::ptrdiff_t>(random->below(from.size())));
  *ending = sample->first.substr(sample->first.rfind('.'));
  std::string text = sample->second;
  const std::size_t at = random->below(text.size() + 1);
  switch (random->below(4)) {
    case 0:
      return text.substr(0, at);
    case 1:
      return text.insert(at, "\nx" + std::to_string(random->below(100)) + "\n");
    case 2:
      return text.insert(0, "\xff\x00"[random->below(2)] + std::string("z"));
    default:
      return text;
  }
}

// However it came about, the catalogue of a tree says the same: step by step in one cache, with the
// cache gone in between, in one that was never there, and all at once.
TEST(CatalogueProperty, StepByStepIsAsAllAtOnce) {
  const char* given = std::getenv("SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 17;
  SCOPED_TRACE("SEED=" + std::to_string(seed));
  Random random(seed);
  const auto sources = samples();
  World world;
  World scratch;  // a place for caches that begin empty
  world.commit({{"README", "prose"}});
  for (int step = 0; step < 6; ++step) {
    for (int edit = 0; edit < 5; ++edit) {
      std::string ending;
      const std::string text = random_source(&random, sources, &ending);
      const std::string path = "d" + std::to_string(random.below(3)) + "/e" +
                               std::to_string(random.below(3)) + "/f" +
                               std::to_string(random.below(4)) + ending;
      if (random.below(5) == 0) {
        world.repo().remove(path);
      } else {
        world.repo().write(path, text);
      }
    }
    world.repo().commit("step");
    const Oid tree = world.repo().tree();
    if (random.below(4) == 0) must(remove_tree(world.directory()));
    const std::string stepwise = told(*world.open(), tree);
    auto anew = world.options();
    anew.cache.directory = scratch.directory() + std::to_string(step);
    anew.threads = 1;
    ASSERT_EQ(told(*world.open(anew), tree), stepwise);
    anew.cache.directory.clear();
    anew.threads = 3;
    ASSERT_EQ(told(*world.open(anew), tree), stepwise);
  }
}

TEST(Catalogue, TinyBoundChangesNoAnswer) {
  World world;
  world.commit(samples());
  const std::string whole = told(*world.open(), world.repo().tree());
  auto options = world.options();
  options.cache.directory += "-small";
  options.cache.limit_bytes = 200'000;
  EXPECT_EQ(told(*world.open(options), world.repo().tree()), whole);
  EXPECT_EQ(told(*world.open(options), world.repo().tree()), whole);
}

TEST(Catalogue, TwoProcessesFillAtOnce) {
  World world;
  world.commit(samples());
  const Oid tree = world.repo().tree();
  std::vector<pid_t> children;
  for (int who = 0; who < 2; ++who) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    auto options = world.options();
    options.threads = 1;
    const repo::Objects objects = world.repo().objects();
    Catalogue catalogue(objects, world.repo().runner(), options);
    const auto filled = catalogue.fill(tree);
    ::_exit(filled && catalogue.trouble().empty() ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(must(world.open()->fill(tree)).files, 0u);
}

TEST(Catalogue, InterruptEndsAFillAndKeepsWhatWasDone) {
  World world;
  world.commit(samples());
  int asked = 0;
  auto options = world.options();
  options.interrupted = [&] { return ++asked > 5; };
  const auto filled = world.open(options)->fill(world.repo().tree());
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().code, Code::kInterrupted);
  const std::size_t rest = must(world.open()->fill(world.repo().tree())).files;
  EXPECT_LT(rest, samples().size());
  EXPECT_GT(rest, 0u);
}

TEST(Catalogue, MissingObjectIsAnErrorAndNotAnEmptyFile) {
  World world;
  world.commit({{"a.py", "def f():\n    pass\n"}});
  const std::string oid = world.entry("a.py").oid.str();
  must(remove_file(world.repo().git_dir() + "/objects/" + oid.substr(0, 2) + "/" + oid.substr(2)));
  EXPECT_FALSE(world.open()->fill(world.repo().tree()));
}

}  // namespace
}  // namespace gittxn::catalogue

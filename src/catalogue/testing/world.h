// A repository with a catalogue of it, for tests.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "catalogue/catalogue.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::catalogue::testing {

using repo::testing::must;

class FakeClock final : public Clock {
 public:
  std::int64_t wall_ms() const override { return now_ms; }
  std::int64_t monotonic_ns() const override { return now_ms * 1'000'000; }
  std::int64_t boot_ms() const override { return now_ms; }
  std::string boot_id() const override { return "test"; }
  void sleep_ms(std::int64_t ms) override { now_ms += ms; }
  std::int64_t now_ms = 1'700'000'000'000;
};

class World {
 public:
  World() : objects_(repo_.objects()) {}

  repo::testing::ScratchRepo& repo() { return repo_; }
  const repo::Objects& objects() const { return objects_; }
  FakeClock& clock() { return clock_; }
  std::string directory() const { return repo_.git_dir() + "/txn/catalogue"; }
  std::string file() const { return directory() + "/cache.db"; }

  CatalogueOptions options() {
    CatalogueOptions options;
    options.cache.directory = directory();
    options.cache.clock = &clock_;
    options.threads = 2;
    return options;
  }
  std::unique_ptr<Catalogue> open() { return open(options()); }
  std::unique_ptr<Catalogue> open(CatalogueOptions options) {
    return std::make_unique<Catalogue>(objects_, repo_.runner(), std::move(options));
  }

  Oid commit(const std::map<std::string, std::string>& files) {
    for (const auto& [path, text] : files) repo_.write(path, text);
    return repo_.commit("files");
  }
  TreeEntry entry(const std::string& path) const {
    return must(objects_.entry_at(repo_.tree(), path));
  }

 private:
  repo::testing::ScratchRepo repo_;
  repo::Objects objects_;
  FakeClock clock_;
};

// All that a catalogue says of a tree, for comparing.
inline std::string told(Catalogue& catalogue, const Oid& tree) {
  std::string out;
  const Status visited =
      catalogue.visit(tree, [&](const std::string& path, const FileNames& file) -> Status {
        auto facts = catalogue.file(path, file.entry);
        if (!facts) return std::unexpected(facts.error());
        out += path + " " + std::to_string(file.names.size()) + "\n" + encode(*facts);
        return {};
      });
  must(visited);
  return out;
}

}  // namespace gittxn::catalogue::testing

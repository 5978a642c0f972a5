// Answers of the model and the resolver from memory, beside those without.
#include "capture/paths/tree_model.h"

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/testing/campaign.h"
#include "capture/paths/path_resolver.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::capture {
namespace {

using repo::testing::must;

class Remembered {
 public:
  explicit Remembered(std::uint64_t seed) : random_(seed) {
    for (const std::string dir : {"", "a/", "a/b/", "c/"}) {
      for (const std::string name : {"x", "y", "z"}) repo_.write(dir + name, dir + name);
    }
    objects_ = std::make_unique<repo::Objects>(repo_.objects());
    tree_ = must(objects_->tree_of(repo_.commit("base")));
    model_ = std::make_unique<TreeModel>(*objects_, tree_);
    places_.tree = "/wt";
    resolver_ = std::make_unique<PathResolver>(places_, *model_, Aliases());
  }

  // One change of the tree, or none.
  void change() {
    Node* const node = model_->at(path());
    const bool there = node != nullptr && node->parent != nullptr;
    Node* const to = model_->at(directory());
    if (to == nullptr || !to->directory()) return;
    switch (random_.next() % 6) {
      case 0:
        if (there) model_->detach(*node);
        break;
      case 1:
        model_->make(*to, name(), random_.next() % 2 == 0 ? FileMode::kFile : FileMode::kTree,
                     Origin::kOwn);
        break;
      case 2:
        if (!there || node->directory()) return;
        model_->detach(*node);
        model_->attach(*to, name(), *node);
        break;
      case 3:
        model_->restore(*to, name());
        break;
      default:
        break;
    }
  }

  void expect_the_same() {
    const std::string path = this->path();
    const Resolved kept = resolver_->resolve("/wt/" + path, LastLink::kFollow);
    const Resolved fresh =
        PathResolver(places_, *model_, Aliases()).resolve("/wt/" + path, LastLink::kFollow);
    EXPECT_EQ(kept.node, fresh.node) << path;
    EXPECT_EQ(kept.node, model_->at(path)) << path;
    EXPECT_EQ(kept.dir, fresh.dir) << path;
    EXPECT_EQ(model_->snapshot_entry(path), must(objects_->entry_at(tree_, path))) << path;
    if (kept.node != nullptr && kept.node->origin == Origin::kSnapshot) {
      const std::string from = kept.node->snapshot_path();  // wherever it is now
      EXPECT_EQ(kept.node->entry(), must(objects_->entry_at(tree_, from))) << path;
      EXPECT_EQ(kept.node->entry_mode(), kept.node->entry().mode) << path;
    }
    const Node* const whole = model_->whole_directory(path);
    if (whole == nullptr) return;
    std::vector<std::string> names;
    whole->children.each([&](const Node& node) { names.emplace_back(node.name); });
    std::vector<std::string> listed;
    for (const repo::NamedEntry& entry :
         must(objects_->list(must(objects_->entry_at(tree_, path)).oid))) {
      listed.push_back(entry.name);
    }
    EXPECT_EQ(names, listed) << path;
  }

 private:
  std::string name() {
    static constexpr const char* kNames[] = {"x", "y", "a", "b", "new"};
    return kNames[random_.next() % std::size(kNames)];
  }
  std::string directory() {
    static constexpr const char* kDirectories[] = {"a", "a/b", "c", "a/new"};
    return kDirectories[random_.next() % std::size(kDirectories)];
  }
  std::string path() { return directory() + "/" + name(); }

  Random random_;
  repo::testing::ScratchRepo repo_;
  std::unique_ptr<repo::Objects> objects_;
  Oid tree_;
  Places places_;
  std::unique_ptr<TreeModel> model_;
  std::unique_ptr<PathResolver> resolver_;
};

TEST(TreeModelProperty, WhatIsRememberedIsWhatIsThere) {
  const std::uint64_t seed = gittxn::testing::campaign_seed(20261128);
  SCOPED_TRACE("SEED=" + std::to_string(seed));
  for (std::uint64_t story = 0; story < 8; ++story) {
    Remembered remembered(seed + story);
    for (int step = 0; step < 1000 && !::testing::Test::HasFailure(); ++step) {
      remembered.change();
      remembered.expect_the_same();
    }
  }
}

}  // namespace
}  // namespace gittxn::capture

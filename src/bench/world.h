// A repository of a given size for measuring, and the statistics of what was measured.
//
// Ratios are paired: in each round both ways run one after the other, and the median of the rounds'
// ratios is what is reported, because this kind of machine is noisy.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "model/read.h"
#include "repo/repository.h"
#include "store/store.h"

namespace gittxn::bench {

struct Measured {
  std::vector<double> ms;
  double median() const;
};
double median_of(std::vector<double> values);
double median_ratio(const Measured& ours, const Measured& theirs);  // pairwise by round
Result<double> time_ms(const std::function<Status()>& work);

class World {
 public:
  // A bare repository with `files` files of about 4 KiB in a two-level tree, below `dir`.
  static Result<World> create(const std::string& dir, int files, const Environment& caller);

  repo::Repository& repository() { return *repository_; }
  store::Store& store() { return *store_; }
  SystemClock& clock() { return *clock_; }
  Random& dice() { return dice_; }
  const std::string& dir() const { return dir_; }
  const std::string& git_dir() const { return git_dir_; }
  const Oid& base() const { return base_; }
  int files() const { return files_; }
  std::string path_of(int file) const;

  // A tree with three files of the base changed, no two `n` the same files, and its changes.
  struct Edit {
    Oid tree;
    Changes changes;
  };
  Result<Edit> edit(int n);
  // A transaction that asks to land `edit`, having read `reads` files of the base.
  Result<TxnId> prepared(int n, const Edit& edit, int reads);
  // A reader's footprint: content reads of the base, spread over the tree.
  Result<ReadSet> reads(int count, int offset);

 private:
  World() = default;
  std::string dir_, git_dir_;
  int files_ = 0;
  Oid base_;
  std::unique_ptr<SystemClock> clock_;
  std::unique_ptr<repo::Repository> repository_;
  std::unique_ptr<store::Store> store_;
  Random dice_{1};
};

}  // namespace gittxn::bench

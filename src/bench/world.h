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
#include "land/land.h"
#include "model/read.h"
#include "repo/repository.h"
#include "store/store.h"

namespace gittxn::bench {

// What a time is of. Of processor time all threads of this process count, or its children that
// ended: other programs on the machine do not.
enum class Of { kClock, kProcess, kChildren };
double now_ms(Of of);

// Of work that gives a Result.
template <typename Work>
Result<double> time_ms(const Work& work, Of of = Of::kClock) {
  const double begun = now_ms(of);
  TRY(work());
  return now_ms(of) - begun;
}

struct Measured {
  std::vector<double> ms;
  template <typename Work>
  Status time(const Work& work, Of of = Of::kClock) {
    ms.push_back(TRY(time_ms(work, of)));
    return {};
  }
  double median() const;
};
double median_ratio(const Measured& ours, const Measured& theirs);  // pairwise by round

struct SourceFile {
  std::string path, text;
};
// A new bare repository, whose branch main has so many files.
Result<repo::Repository> make_repository(const std::string& git_dir, std::size_t files,
                                         const std::function<SourceFile(std::size_t)>& file,
                                         const Environment& caller);

struct World {
  // A bare repository with `files` files of about 4 KiB in a two-level tree, below `dir`.
  static Result<World> create(const std::string& dir, int files, const Environment& caller);

  std::string dir, git_dir;
  int files = 0;
  Oid base;
  std::unique_ptr<SystemClock> clock;
  std::unique_ptr<repo::Repository> repository;
  std::unique_ptr<store::Store> store;
  Random dice{1};
  std::string path_of(int file) const;
  land::Context landing(const Environment& caller);

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
};

}  // namespace gittxn::bench

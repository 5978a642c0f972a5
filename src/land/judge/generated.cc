// Files that the policy says are made from others (gates/generated.h), in landing.
//
//   one changed the file, the other what it is made from   BLOCKS: it has to be made again
//   one changed what it is made from and not the file,
//   the other edited a file that names it                  NEEDS CHECKS
//
// and who read such a file has read what it is made from.
#include "land/judge/symbols.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "gates/generated.h"

namespace gittxn::land {
namespace {

using certify::SymbolClash;
using File = gates::Generated::File;

template <typename Is>
const PathChange* first_file(const Changes& changes, Is is) {
  for (const PathChange& change : changes) {
    if (!change.is_directory() && is(change.path)) return &change;
  }
  return nullptr;
}

const PathChange* change_of(const File& file, const Changes& changes) {
  return first_file(changes, [&](const std::string& path) { return file.is(path); });
}

const PathChange* source_in(const gates::Generated& generated, const File& file,
                            const Changes& changes) {
  return first_file(changes, [&](const std::string& path) {
    return !file.is(path) && generated.is_made_from(file, path);
  });
}

// By what other files name it: its own name, of a directory that of the directory.
std::string_view name_of(const File& file) {
  std::string_view path = file.artifact;
  if (path.ends_with('/')) path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

class GeneratedLooker {
 public:
  GeneratedLooker(const repo::Objects& objects, const Policy& policy, SymbolFindings& findings)
      : objects_(objects), generated_(policy), findings_(findings) {}

  Status look(const Changes& head, const Changes& work) {
    for (const File& file : generated_.files()) {
      const PathChange* head_made = change_of(file, head);
      const PathChange* work_made = change_of(file, work);
      const PathChange* head_source = source_in(generated_, file, head);
      const PathChange* work_source = source_in(generated_, file, work);
      if (head_source != nullptr && work_made != nullptr) {
        add(SymbolClash::Weight::kBlocks, work_made->path, head_source->path, file,
            fmt::format("'{}' was made here from what '{}' was, which changed on the branch: make "
                        "it again",
                        work_made->path, head_source->path));
      } else if (work_source != nullptr && head_made != nullptr) {
        add(SymbolClash::Weight::kBlocks, work_source->path, head_made->path, file,
            fmt::format("'{}' was changed here, and '{}', which is made from it, was made on the "
                        "branch without that: make it again",
                        work_source->path, head_made->path));
      }
      const PathChange* user = nullptr;
      if (head_source != nullptr && head_made == nullptr) user = TRY(user_in(file, work));
      if (user != nullptr) {
        add(SymbolClash::Weight::kNeedsChecks, user->path, head_source->path, file,
            fmt::format("'{}' uses '{}', and '{}', which that is made from, changed on the branch",
                        user->path, file.artifact, head_source->path));
      }
      user = nullptr;
      if (work_source != nullptr && work_made == nullptr) user = TRY(user_in(file, head));
      if (user != nullptr) {
        add(SymbolClash::Weight::kNeedsChecks, work_source->path, user->path, file,
            fmt::format("'{}' was changed here, and '{}' on the branch uses '{}', which is made "
                        "from it",
                        work_source->path, user->path, file.artifact));
      }
    }
    return {};
  }

 private:
  void add(SymbolClash::Weight weight, const std::string& path, const std::string& cause,
           const File& file, std::string why) {
    SymbolClash clash{weight, path, cause, file.artifact, std::move(why)};
    clash.tie = SymbolClash::Tie::kBuild;
    findings_.symbols.clashes.push_back(std::move(clash));
  }

  // The first edited file that names it. Past the budget everything may.
  Result<const PathChange*> user_in(const File& file, const Changes& changes) {
    for (const PathChange& change : changes) {
      if (!change.after.is_file()) continue;
      if (file.is(change.path) || generated_.is_made_from(file, change.path)) continue;
      if (bytes_ > kMostBytes) return &change;
      const std::string text = TRY(objects_.blob(change.after.oid, kMostBytes));
      bytes_ += text.size();
      if (text.find(name_of(file)) != std::string::npos) return &change;
    }
    return static_cast<const PathChange*>(nullptr);
  }

  const repo::Objects& objects_;
  const gates::Generated generated_;
  SymbolFindings& findings_;
  std::size_t bytes_ = 0;
};

}  // namespace

Status look_at_generated(const repo::Objects& objects, const Policy& policy, const Changes& head,
                         const Changes& work, SymbolFindings& findings) {
  if (policy.generated.empty()) return {};
  return GeneratedLooker(objects, policy, findings).look(head, work);
}

certify::FindOutOfDate find_out_of_date(const Policy& policy) {
  if (policy.generated.empty()) return {};
  const auto generated = std::make_shared<const gates::Generated>(policy);
  return [generated](const Changes& changes) {
    std::vector<certify::OutOfDate> files;
    for (const File& file : generated->files()) {
      const PathChange* source = source_in(*generated, file, changes);
      if (source == nullptr) continue;
      files.push_back({file.artifact, source->path, source->after.oid.str()});
    }
    return files;
  };
}

}  // namespace gittxn::land

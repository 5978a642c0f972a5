#include "repo/rerere.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/fs.h"

namespace gittxn::repo {
namespace {

constexpr std::size_t kMostBytes = 4u << 20;  // of a file that is looked at, and of one recorded
constexpr std::size_t kMostVariants = 16;     // of resolutions of one conflict
constexpr std::int64_t kTimeoutMs = 10'000;   // of each git
constexpr const char* kFile = "file";         // what is resolved is called so in the scratch place

bool is_plain_of_ours(const struct stat& info) {
  return S_ISREG(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & S_IWOTH) == 0;
}

// A folder that nobody else may change; links are not followed.
UniqueFd open_folder(int at, const std::string& name) {
  UniqueFd folder(::openat(at, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!folder.valid() || ::fstat(folder.get(), &info) != 0) return {};
  const bool ours = info.st_uid == ::geteuid() && (info.st_mode & S_IWOTH) == 0;
  return ours ? std::move(folder) : UniqueFd();
}

// Nothing where it is not there, or not to be believed.
std::optional<std::string> read_ours(int folder, const std::string& name) {
  const UniqueFd file(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info{};
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !is_plain_of_ours(info)) return {};
  auto text = read_fd(file.get(), kMostBytes);
  // Not an error: what cannot be read is not used.
  return text ? std::optional(*std::move(text)) : std::nullopt;
}

bool has_marker(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    for (const std::string_view marker : {"<<<<<<<", "|||||||", ">>>>>>>"}) {
      if (!line.starts_with(marker)) continue;
      if (line.size() == marker.size() || line[marker.size()] == ' ') return true;
    }
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return false;
}

bool is_text(const std::string& text) {
  return text.size() <= kMostBytes && !text.contains('\0');
}

// A repository for one file that is in conflict, which no configuration of anybody's reaches.
class Scratch {
 public:
  Scratch(Repository& repository, std::string path)
      : repository_(repository), path_(std::move(path)) {}

  Status make() {
    TRY(make_dirs(path_));
    TRY(git({"init", "-q", "--template=", "--object-format=sha1"}));
    return {};
  }

  // The conflict as git has it, in the file and in the index. False: there is none.
  Result<bool> put(const ConflictTexts& texts) {
    for (const auto& [name, text] : {std::pair("base", &texts.base), std::pair("ours", &texts.ours),
                                     std::pair("theirs", &texts.theirs)}) {
      TRY(write_file(path_ + "/" + name, *text, Sync::kNo));
    }
    const Output merged =
        TRY(repository_.git().run({"merge-file", "-p", "ours", "base", "theirs"}, options()));
    const bool conflict = merged.exit.status > 0 && merged.exit.status < 128;
    if (!conflict) return false;
    conflict_ = merged.out;
    std::string index;
    const Objects& objects = repository_.objects();
    int stage = 0;
    for (const std::string* text : {&texts.base, &texts.ours, &texts.theirs}) {
      index += fmt::format("100644 {} {}\t{}\n", TRY(objects.blob_id(*text)).str(), ++stage, kFile);
    }
    TRY(repository_.git().feed({"update-index", "--index-info"}, options(), index));
    return true;
  }

  // The name under which git records this conflict. Empty: git cannot tell.
  Result<std::string> name_of_conflict() {
    TRY(rerere());
    const auto said = read_file(path_ + "/.git/MERGE_RR", kMostBytes);
    if (!said) return std::string();
    std::string name = said->substr(0, said->find_first_of("\t."));
    const bool hex = name.size() == 40 && name.find_first_not_of("0123456789abcdef") == name.npos;
    return hex ? name : std::string();
  }

  // Lets git resolve it with these files in the folder of that name.
  Result<std::string> resolved_by(const std::string& name,
                                  const std::map<std::string, std::string>& files) {
    const std::string folder = path_ + "/.git/rr-cache/" + name;
    TRY(remove_tree(path_ + "/.git/rr-cache"));
    TRY(remove_file(path_ + "/.git/MERGE_RR"));
    TRY(make_dirs(folder));
    for (const auto& [file, text] : files) TRY(write_file(folder + "/" + file, text, Sync::kNo));
    TRY(rerere());
    return read_file(path_ + "/" + kFile, 2 * kMostBytes);
  }

  const std::string& conflict() const { return conflict_; }

 private:
  GitOptions options() const {
    return {.dir = path_,
            .extra = {{"GIT_DIR", path_ + "/.git"},
                      {"GIT_WORK_TREE", path_},
                      {"GIT_CONFIG_NOSYSTEM", "1"},
                      {"GIT_CONFIG_GLOBAL", "/dev/null"},
                      {"GIT_ATTR_NOSYSTEM", "1"},
                      {"XDG_CONFIG_HOME", path_},
                      {"HOME", path_}},
            .timeout_ms = kTimeoutMs};
  }
  Status git(std::vector<std::string> args) {
    TRY(repository_.git().must(std::move(args), options()));
    return {};
  }
  Status rerere() {
    TRY(write_file(path_ + "/" + kFile, conflict_, Sync::kNo));
    return git({"-c", "rerere.enabled=true", "-c", "rerere.autoUpdate=false", "rerere"});
  }

  Repository& repository_;
  std::string path_;
  std::string conflict_;
};

// Recorded files of that conflict that are to be believed: "preimage" and "postimage", and those of
// others that git tells apart by a number behind a dot.
std::map<std::string, std::string> recorded_files(const std::string& cache,
                                                  const std::string& name) {
  std::map<std::string, std::string> files;
  const UniqueFd all = open_folder(AT_FDCWD, cache);
  if (!all.valid()) return files;
  const UniqueFd folder = open_folder(all.get(), name);
  if (!folder.valid()) return files;
  for (std::size_t variant = 0; variant < kMostVariants; ++variant) {
    const std::string behind = variant == 0 ? "" : fmt::format(".{}", variant);
    auto before = read_ours(folder.get(), "preimage" + behind);
    auto after = read_ours(folder.get(), "postimage" + behind);
    if (!before || !after || !is_text(*before) || !is_text(*after) || has_marker(*after)) continue;
    files.emplace("preimage" + behind, *std::move(before));
    files.emplace("postimage" + behind, *std::move(after));
  }
  return files;
}

Result<std::optional<std::string>> look_up(Scratch& scratch, const std::string& cache,
                                           const ConflictTexts& texts) {
  TRY(scratch.make());
  if (!TRY(scratch.put(texts))) return std::nullopt;
  const std::string name = TRY(scratch.name_of_conflict());
  if (name.empty()) return std::nullopt;
  const auto files = recorded_files(cache, name);
  if (files.empty()) return std::nullopt;
  std::string resolved = TRY(scratch.resolved_by(name, files));
  if (resolved == scratch.conflict() || has_marker(resolved)) return std::nullopt;
  return resolved;
}

}  // namespace

Result<bool> records_resolutions(Repository& repository) {
  const auto enabled = TRY(repository.config().flag("rerere.enabled"));
  if (enabled) return *enabled;
  return exists(repository.place().common_dir + "/rr-cache");
}

Result<std::optional<std::string>> recorded_resolution(Repository& repository,
                                                       const ConflictTexts& texts, Random& random) {
  if (!is_text(texts.base) || !is_text(texts.ours) || !is_text(texts.theirs)) return std::nullopt;
  if (!TRY(records_resolutions(repository))) return std::nullopt;
  const std::string cache = repository.place().common_dir + "/rr-cache";
  if (!TRY(exists(cache))) return std::nullopt;
  const std::string path = repository.txn_dir() + "/tmp/rerere-" + random.name(12);
  Scratch scratch(repository, path);
  auto resolved = look_up(scratch, cache, texts);
  TRY(remove_tree(path));
  return resolved;
}

}  // namespace gittxn::repo

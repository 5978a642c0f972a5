#include "capture/git/git_standing.h"

#include <algorithm>

#include "base/bug.h"
#include "base/fs.h"

namespace gittxn::capture {
namespace {

using questions::GitState;

constexpr std::size_t kMostReferences = 64u << 20;

bool is_objects(std::string_view file) {
  return file == "objects" || file.starts_with("objects/");
}

std::string_view short_name(std::string_view branch) {
  constexpr std::string_view kHeads = "refs/heads/";
  return branch.starts_with(kHeads) ? branch.substr(kHeads.size()) : branch;
}

bool is_index(std::string_view file) {
  return file == "index" || file.starts_with("index.lock");
}

}  // namespace

// Notes are shown with commits, and an asking has none.
bool GitStanding::has_notes() {
  if (!has_notes_) {
    const Places& places = input_.places;
    const std::string& dir = places.first_refs.empty() ? places.private_git_dir : places.first_refs;
    const auto text = read_file(join_path(dir, "packed-refs"), kMostReferences);
    const bool none = !text && text.error().code == Code::kNotFound;
    has_notes_ = !none && (!text || text->contains(" refs/notes/"));
  }
  return *has_notes_;
}

std::string GitStanding::trouble(const Record& exec, const questions::Question& question) {
  if (question.git == GitState::kMore && !INJECTED_BUG("capture.git_asks_for_more")) {
    return "its answer has more of the repository than a commit and its files";
  }
  if (question.git == GitState::kNone) return {};
  if (!is_plain_for_git(exec.env)) return "a variable tells git something";
  constexpr std::size_t kOutput = 1;
  const bool known = exec.given.size() > kOutput;
  const auto output = known ? exec.given[kOutput].kind : Given::Kind::kUnknown;
  if (output == Given::Kind::kUnknown || output == Given::Kind::kTerminal) {
    return "git prints something else to a terminal";
  }
  if (model_.snapshot_entry(".gitmodules").present()) return "the repository has submodules";
  if (!input_.search_settings) return "git's settings are not known";
  const SearchSettings& settings = searches_.settings();
  if (!settings.known) return "git's settings are not known";
  for (const auto& [name, value] : settings.variables) {
    const std::string line = name + "=" + value;
    const bool same = std::ranges::find(exec.env, line) != exec.env.end();
    const bool none = std::ranges::none_of(
        exec.env, [&](const std::string& one) { return one.starts_with(name + "="); });
    if (!same && !(none && value.empty())) return "a variable says where git's settings are";
  }
  const GitSettings& answers = settings.git_answers;
  if (!answers.unknown.empty()) return "the setting " + answers.unknown + " may change its answer";
  const bool attributes = model_.snapshot_entry(".gitattributes").present();
  if (answers.filters && attributes) return "files may be filtered";
  const bool history = question.history != questions::History::kNone;
  if (answers.upstream && question.name == "git status" && history) {
    return "it compares the branch with the one of a remote";
  }
  if (history && has_notes()) return "commits have notes";
  return {};
}

std::string GitStanding::trouble_with(std::string_view file) const {
  if (is_objects(file) || is_index(file)) return {};
  constexpr std::string_view kFiles[] = {
      "HEAD", "config", "packed-refs", "info/exclude", "info/attributes", "info/grafts", "shallow"};
  if (std::ranges::find(kFiles, file) != std::end(kFiles)) return {};
  // git looks for replacements in the directory of all references, where no reference has its name.
  if (file == "refs" || file == input_.target.str()) return {};
  // The target as it was fetched last: while no reference was changed, where the transaction began.
  constexpr std::string_view kFetched = "refs/remotes/txn-target/";
  const std::string_view branch = short_name(input_.target.str());
  if (file.starts_with(kFetched) && file.substr(kFetched.size()) == branch) return {};
  return "it read '.git/" + std::string(file) + "'";
}

void GitStanding::changed(std::string_view file, Writer writer) {
  if (is_objects(file)) return;
  if (is_index(file)) {
    // One that reads writes what it found out about the files, and stages nothing.
    if (writer == Writer::kOther) staged_ = true;
  } else if (changed_.empty()) {
    changed_ = file.empty() ? "." : file;
  }
}

std::string GitStanding::trouble_until_now(GitState state) const {
  if (state == GitState::kNone || INJECTED_BUG("capture.git_stands_still")) return {};
  if (!changed_.empty()) return "'.git/" + changed_ + "' was changed before";
  if (state == GitState::kWorktree && staged_) return "the index was changed before";
  return {};
}

bool GitStanding::is_settings_file(std::string_view real) {
  return real.ends_with("/.gitconfig") || real.ends_with("/gitconfig") ||
         real.ends_with("/git/config");
}

}  // namespace gittxn::capture

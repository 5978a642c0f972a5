// Commit objects as bytes. git reads headers leniently; what lands is written strictly, and what is
// read must at least name its tree and people, or it is kCorrupt.
#include <algorithm>

#include "repo/objects/object_store.h"
#include "repo/refs.h"

namespace gittxn::repo::internal {
namespace {

std::unexpected<Error> malformed(const Oid& oid, const std::string& why) {
  return fail(Code::kCorrupt, "the commit " + oid.str() + " is malformed: " + why,
              "check the repository with: git fsck");
}

// The line at the front of `rest`, without its end; nullopt when it does not end.
std::optional<std::string_view> take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  if (end == rest.npos) return std::nullopt;
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return line;
}

bool take_header(std::string_view line, std::string_view name, std::string* value) {
  if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ' ')
    return false;
  *value = line.substr(name.size() + 1);
  return true;
}

}  // namespace

Result<CommitInfo> parse_commit(const Oid& oid, std::string_view bytes) {
  CommitInfo info;
  info.oid = oid;
  std::string_view rest = bytes;
  bool ended = false;
  while (auto line = take_line(rest)) {
    if (line->empty()) {
      ended = true;
      break;
    }
    std::string value;
    if (take_header(*line, "tree", &value)) {
      if (!info.tree.empty() || !is_oid(value)) return malformed(oid, "its tree line");
      info.tree = Oid(value);
    } else if (take_header(*line, "parent", &value)) {
      if (!is_oid(value)) return malformed(oid, "a parent line");
      info.parents.emplace_back(value);
    } else if (take_header(*line, "author", &value)) {
      if (info.author.empty()) info.author = value;
    } else if (take_header(*line, "committer", &value)) {
      if (info.committer.empty()) info.committer = value;
    } else if (take_header(*line, "encoding", &value)) {
      info.encoding = value;
    }
  }
  if (info.tree.empty()) return malformed(oid, "it has no tree");
  if (info.author.empty() || info.committer.empty()) return malformed(oid, "it has no author");
  // A commit may end with its headers, then it has no message; but not in the middle of one.
  if (!ended && !rest.empty()) return malformed(oid, "its headers do not end");
  info.message = rest;
  return info;
}

}  // namespace gittxn::repo::internal

namespace gittxn::repo {

using internal::checked_oid;
using internal::empty_tree_oid;
using internal::parse_commit;
using internal::same;
using internal::to_oid;

std::string Objects::commit_bytes(const NewCommit& commit) const {
  std::string bytes = "tree " + commit.tree.str() + "\n";
  for (const Oid& parent : commit.parents) bytes += "parent " + parent.str() + "\n";
  bytes += "author " + commit.author + "\ncommitter " + commit.committer + "\n";
  if (!commit.encoding.empty()) bytes += "encoding " + commit.encoding + "\n";
  return bytes + "\n" + commit.message;
}

Result<Oid> Objects::write_commit(const NewCommit& commit) {
  for (const std::string* field : {&commit.author, &commit.committer, &commit.encoding}) {
    if (field->find_first_of(std::string_view("\n\0", 2)) == field->npos) continue;
    return fail(Code::kUsage, "a commit's author, committer or encoding has a line break in it");
  }
  return write_raw_commit(commit_bytes(commit));
}

Result<Oid> Objects::write_raw_commit(std::string_view bytes) {
  const CommitInfo info = TRY_IN("writing a commit", parse_commit(Oid(), bytes));
  if (bytes.find('\0') != bytes.npos) return fail(Code::kUsage, "a commit has a NUL byte in it");
  std::vector<Oid> needed = info.parents;
  needed.push_back(info.tree);
  for (const Oid& oid : needed) {
    if (TRY(contains(oid)) || same(checked_oid(oid), empty_tree_oid())) continue;
    return fail(Code::kNotFound, "a commit would name " + oid.str() + ", which is not here");
  }
  const git_oid written = TRY(state_->store.write(GIT_OBJECT_COMMIT, bytes));
  return to_oid(written);
}

}  // namespace gittxn::repo

// The signature of a landing commit. Only git's own configured program signs (gpg.program,
// gpg.format, user.signingkey), with the environment of the owner whose process lands; nobody signs
// for anybody else. By git's own `commit-tree -S`.
#include <fmt/format.h>

#include "land/landing.h"
#include "repo/git.h"

namespace gittxn::land {

namespace {

// A pass phrase prompt must not hold the turn for ever: then the landing waits without any lock.
constexpr std::int64_t kSignTimeoutMs = 30'000;

struct RawIdentity {
  std::string name, email, date;
};

// "Name <mail> 1700000000 +0100"
Result<RawIdentity> split_identity(const std::string& raw) {
  const std::size_t open = raw.find('<');
  const std::size_t close = raw.find('>', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos || close + 2 > raw.size()) {
    return fail(Code::kCorrupt, "not an identity: '" + raw + "'");
  }
  RawIdentity parts;
  parts.name = raw.substr(0, open > 0 ? open - 1 : 0);
  parts.email = raw.substr(open + 1, close - open - 1);
  parts.date = "@" + raw.substr(close + 2);  // '@': seconds, never guessed as anything else
  return parts;
}

std::string first_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const std::size_t from = text.find_first_not_of('\n');
  if (from == std::string::npos) return "the signing program said nothing";
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

Result<bool> signing_required(const repo::Repository& repository) {
  return TRY(repository.config().flag("commit.gpgsign")).value_or(false);
}

Result<Signed> sign_commit(const repo::Repository& repository, const repo::NewCommit& commit) {
  const RawIdentity author = TRY(split_identity(commit.author));
  const RawIdentity committer = TRY(split_identity(commit.committer));
  std::vector<std::string> args{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S"};
  for (const Oid& parent : commit.parents) {
    args.emplace_back("-p");
    args.push_back(parent.str());
  }
  args.emplace_back("-F");
  args.emplace_back("-");
  args.push_back(commit.tree.str());
  repo::GitOptions options;
  options.dir = repository.place().common_dir;
  options.extra = {
      {"GIT_AUTHOR_NAME", author.name},         {"GIT_AUTHOR_EMAIL", author.email},
      {"GIT_AUTHOR_DATE", author.date},         {"GIT_COMMITTER_NAME", committer.name},
      {"GIT_COMMITTER_EMAIL", committer.email}, {"GIT_COMMITTER_DATE", committer.date}};
  options.input = commit.message;
  options.timeout_ms = kSignTimeoutMs;
  const Output output = TRY_IN("signing the landing", repository.git().run(args, options));
  if (output.exit.timed_out) return Signed{{}, "the signing program did not answer in time"};
  if (!output.exit.success()) return Signed{{}, first_line(output.err)};
  std::string oid = output.out.substr(0, output.out.find('\n'));
  if (oid.size() != 40) return fail(Code::kFault, "git commit-tree answered '" + oid + "'");
  return Signed{Oid(std::move(oid)), {}};
}

}  // namespace gittxn::land

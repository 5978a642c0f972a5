#include "txn/serve/ask.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>

#include "base/fields.h"
#include "base/fs.h"
#include "base/hash.h"

namespace gittxn::api {

static void fields(FieldIo& io, Ask& asked) {
  constexpr std::array<std::pair<Ask::Verb, std::string_view>, 4> kVerbs{
      {{Ask::Verb::kJoin, "join"},
       {Ask::Verb::kWorktree, "worktree"},
       {Ask::Verb::kCompensate, "compensate"},
       {Ask::Verb::kWrite, "write"}}};
  io.choice("verb", asked.verb, kVerbs);
  io.text("name", asked.name);
  if (io.maybe("argv", asked.argv)) io.texts("argv", asked.argv);
}

namespace {

constexpr std::size_t kMaxAskedName = 256;
constexpr std::size_t kMaxAskedPath = 4096;
constexpr std::size_t kMaxAsk = 512u << 10;  // the words of a compensation, with escapes
constexpr std::size_t kMaxAnswered = 512;    // of an error
constexpr std::size_t kMaxAtOnce = 64;
constexpr std::string_view kPrefix = "ask.";
constexpr std::string_view kAskEnd = ".json";
constexpr std::string_view kPipeEnd = ".fifo";

std::string hash_of(const std::string& name) {
  return sha256(name).str().substr(0, 16);
}

struct Answer {
  std::string said;
  std::string error;
};
void fields(FieldIo& io, Answer& answer) {
  io.text("said", answer.said);
  io.text("error", answer.error);
}

// A compensation needs no name, and has a command; the others are the other way round.
bool makes_sense(const Ask& asked) {
  const bool compensates = asked.verb == Ask::Verb::kCompensate;
  const bool write = asked.verb == Ask::Verb::kWrite;
  const std::size_t most = write ? kMaxAskedPath : kMaxAskedName;
  if (asked.name.size() > most || asked.argv.empty() == compensates) return false;
  return compensates || !asked.name.empty();
}

Result<Ask> ask_from(const std::string& file) {
  const std::string text = TRY(read_file(file, kMaxAsk));
  Ask told;
  TRY(read_text(text, "ask", field_list(told)));
  if (makes_sense(told)) return told;
  return fail(Code::kUsage, "an ask without a name, or with too long a one");
}

Result<std::string> answer_from(std::string_view line) {
  Answer told;
  TRY(read_text(line, "answer", field_list(told)));
  if (!told.error.empty()) return fail(Code::kFault, told.error);
  return std::move(told.said);
}

Result<std::string> wait_for_answer(int pipe, std::int64_t timeout_ms) {
  pollfd waiting{pipe, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&waiting, 1, static_cast<int>(timeout_ms));
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return fail_errno(errno, "wait for an answer");
  if (ready == 0) return fail(Code::kTimeout, "git txn run gave no answer in time");
  std::array<char, PIPE_BUF> line;
  const ssize_t got = ::read(pipe, line.data(), line.size());
  if (got < 0) return fail_errno(errno, "read an answer");
  return answer_from(std::string_view(line.data(), static_cast<std::size_t>(got)));
}

}  // namespace

Result<std::string> ask(const std::string& observed, const Ask& asked, std::int64_t timeout_ms) {
  if (!makes_sense(asked)) {
    return fail(Code::kUsage, "something was asked for without a name, or with too long a one");
  }
  const std::string base =
      join_path(observed, fmt::format("{}{}.{}", kPrefix, ::getpid(), hash_of(asked.name)));
  const std::string pipe = base + std::string(kPipeEnd);
  if (::mkfifo(pipe.c_str(), 0600) != 0) return fail_errno(errno, "make '" + pipe + "'");
  // Both ends in one descriptor: it neither blocks in open nor ends before the answer is there.
  auto fd = open_fd(pipe, O_RDWR | O_NONBLOCK);
  Result<std::string> result = std::string();
  if (!fd) {
    result = std::unexpected(std::move(fd).error());
  } else {
    const std::string line = canonical_text(field_list(asked)) + "\n";
    const Status written = write_file(base + std::string(kAskEnd), line, Sync::kNo);
    result = written ? wait_for_answer(fd->get(), timeout_ms) : std::unexpected(written.error());
  }
  TRY(remove_file(base + std::string(kAskEnd)));
  TRY(remove_file(pipe));
  return result;
}

Result<std::vector<Waiting>> waiting_asks(const std::string& observed) {
  std::vector<Waiting> found;
  for (const DirEntry& entry : TRY(list_dir(observed))) {
    if (!entry.name.starts_with(kPrefix) || !entry.name.ends_with(kAskEnd)) continue;
    Waiting waiting{{}, join_path(observed, entry.name)};
    auto asked = ask_from(waiting.file);
    if (asked) {
      waiting.asked = *std::move(asked);
      found.push_back(std::move(waiting));
    } else {
      TRY(answer(waiting, std::unexpected(asked.error())));
    }
    if (found.size() == kMaxAtOnce) break;
  }
  return found;
}

Status answer(const Waiting& waiting, const Result<std::string>& result) {
  TRY(remove_file(waiting.file));
  Answer told;
  if (result) {
    told.said = *result;
  } else {
    told.error = result.error().message.substr(0, kMaxAnswered);
  }
  const std::string line = canonical_text(field_list(told)) + "\n";
  if (line.size() > PIPE_BUF) return fail(Code::kUnsupported, "an answer longer than a pipe takes");
  const std::string pipe =
      waiting.file.substr(0, waiting.file.size() - kAskEnd.size()) + std::string(kPipeEnd);
  const auto fd = open_fd(pipe, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!fd) return {};  // whoever asked has died
  struct stat info = {};
  if (::fstat(fd->get(), &info) != 0 || !S_ISFIFO(info.st_mode)) return {};  // nobody asked so
  return write_all(fd->get(), line);
}

Status mark_child(const std::string& observed, const std::string& name) {
  return write_file(join_path(observed, "child." + hash_of(name)), "", Sync::kNo);
}

Result<bool> is_child(const std::string& observed, const std::string& name) {
  return exists(join_path(observed, "child." + hash_of(name)));
}

namespace {

constexpr std::string_view kTells = "tell ", kDenies = "deny ";
constexpr std::int64_t kWritePatienceMs = 5'000;  // less than hooks of tool calls are given

std::string told_file(const std::string& observed, std::string_view hash) {
  return join_path(observed, fmt::format("write.{}", hash));
}

}  // namespace

Result<std::string> answer_of_write(const std::string& observed, const std::string& path,
                                    const WriteAnswer& told) {
  if (told.text.empty()) return std::string();
  const std::string hash = hash_of(path);
  TRY(write_file(told_file(observed, hash), told.text.substr(0, kMaxSaid), Sync::kNo));
  return std::string(told.deny ? kDenies : kTells) + hash;
}

Result<WriteAnswer> written_answer(const std::string& observed, std::string_view answer) {
  WriteAnswer told;
  if (answer.empty()) return told;
  told.deny = answer.starts_with(kDenies);
  if (!told.deny && !answer.starts_with(kTells))
    return fail(Code::kCorrupt, "no answer of a write");
  const std::string_view hash = answer.substr(kTells.size());
  if (hash.find_first_not_of("0123456789abcdef") != hash.npos) {
    return fail(Code::kCorrupt, "no answer of a write");
  }
  told.text = TRY(read_file(told_file(observed, hash), kMaxSaid));
  return told;
}

Result<WriteAnswer> ask_before_write(const std::string& observed, const std::string& path) {
  const std::string mark = join_path(observed, "wrote." + hash_of(path));
  if (TRY(exists(mark))) return WriteAnswer{};
  const std::string said = TRY(ask(observed, {Ask::Verb::kWrite, path}, kWritePatienceMs));
  WriteAnswer answer = TRY(written_answer(observed, said));
  if (!answer.deny) TRY(write_file(mark, "", Sync::kNo));
  return answer;
}

Status say(const std::string& observed, int number, const std::string& text) {
  return write_file(join_path(observed, fmt::format("say.{:04}", number)), text.substr(0, kMaxSaid),
                    Sync::kNo);
}

Result<std::string> said(const std::string& observed) {
  std::string all;
  for (const DirEntry& entry : TRY(list_dir(observed))) {
    if (!entry.name.starts_with("say.") || entry.name.find(".tmp-") != entry.name.npos) continue;
    const std::string from = join_path(observed, entry.name);
    const std::string to = join_path(observed, "said." + entry.name.substr(4));
    // Of two hooks at once one has it.
    const Status taken = rename_noreplace(from, to);
    if (!taken && taken.error().code == Code::kNotFound) continue;
    TRY(taken);
    all += TRY(read_file(to, kMaxSaid));
  }
  return all;
}

}  // namespace gittxn::api

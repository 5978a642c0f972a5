#include "api/output.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>

#include "base/fields.h"
#include "base/if_there.h"
#include "base/text.h"
#include "txn/attempt.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kPiece = 64u << 10;  // that is read at a time
constexpr std::size_t kMostEnd = 64u << 20;
constexpr int kEndFormat = 1;

struct EndRecord {
  int format = kEndFormat;
  RunEnd is;
};
void fields(FieldIo& io, EndRecord& record) {
  io.thing("end of a run");
  io.integer("format", record.format, {.least = kEndFormat, .most = kEndFormat});
  io.integer("exit", record.is.exit, {.least = 0, .most = 255});
  io.text("result", record.is.result);
  io.text("lost", record.is.lost);
}

std::string end_file(const std::string& folder) {
  return join_path(folder, "end");
}

std::string process_file(const std::string& folder) {
  return join_path(folder, "process");
}

std::string part_file(const std::string& folder, std::uint64_t number) {
  return join_path(folder, std::to_string(number));
}

std::optional<std::uint64_t> part_number(const std::string& name) {
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || rest != end) return std::nullopt;
  return number;
}

}  // namespace

Result<OutputWriter> OutputWriter::open(std::string folder, OutputBound bound) {
  OutputWriter writer;
  writer.process_ = TRY(mark_process(process_file(folder)));
  writer.folder_ = std::move(folder);
  writer.bound_ = bound;
  TRY(writer.begin_part());
  return writer;
}

Status OutputWriter::begin_part() {
  const std::uint64_t number = at_ / bound_.part_bytes;
  part_ = TRY(open_fd(part_file(folder_, number), O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600));
  if (number < bound_.parts) return {};
  return remove_file(part_file(folder_, number - bound_.parts));
}

Status OutputWriter::append(std::string_view bytes) {
  if (!part_.valid()) return fail(Code::kFault, "what it prints is not kept any more");
  while (!bytes.empty()) {
    const std::uint64_t left = bound_.part_bytes - at_ % bound_.part_bytes;
    const std::string_view now = bytes.substr(0, std::min<std::uint64_t>(left, bytes.size()));
    Status done = write_all(part_.get(), now);
    bytes.remove_prefix(now.size());
    at_ += now.size();
    // A part is begun when the one before is full, so that readers may go on to it.
    if (done && now.size() == left) done = begin_part();
    if (done) continue;
    part_.reset();
    return done;
  }
  return {};
}

void OutputWriter::let_go() {
  process_.reset();
}

Result<std::pair<std::uint64_t, std::uint64_t>> OutputReader::parts() const {
  std::uint64_t first = UINT64_MAX;
  std::uint64_t end = 0;
  for (const DirEntry& entry : TRY(list_dir(folder_))) {
    const auto number = part_number(entry.name);
    if (!number) continue;
    first = std::min(first, *number);
    end = std::max(end, *number + 1);
  }
  return std::pair(std::min(first, end), end);
}

Result<std::string> OutputReader::read_at(std::uint64_t at) const {
  const UniqueFd part =
      TRY(open_fd(part_file(folder_, at / bound_.part_bytes), O_RDONLY | O_CLOEXEC));
  std::string bytes(kPiece, '\0');
  const ssize_t got =
      ::pread(part.get(), bytes.data(), bytes.size(), static_cast<off_t>(at % bound_.part_bytes));
  if (got < 0) return fail_errno(errno, "read what the run printed");
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

Result<OutputPiece> OutputReader::next() {
  OutputPiece piece;
  auto bytes = TRY(if_there(read_at(at_)));
  if (!bytes) {
    const auto [first, end] = TRY(parts());
    const std::uint64_t oldest = first * bound_.part_bytes;
    if (first == end || oldest <= at_) return piece;
    piece.cut = oldest - at_;
    at_ = oldest;
    bytes = TRY(if_there(read_at(at_)));
  }
  piece.bytes = std::move(bytes).value_or("");
  at_ += piece.bytes.size();
  return piece;
}

Status OutputReader::go_to_last(std::size_t lines) {
  const auto [first, end] = TRY(parts());
  if (first == end) return {};
  struct stat info = {};
  if (::stat(part_file(folder_, end - 1).c_str(), &info) != 0) return {};
  const std::uint64_t oldest = first * bound_.part_bytes;
  const std::uint64_t size =
      (end - 1) * bound_.part_bytes + static_cast<std::uint64_t>(info.st_size);
  at_ = std::max(oldest, size - std::min<std::uint64_t>(size, kPiece));
  const bool whole = at_ == 0;
  std::string last;
  for (OutputPiece piece = TRY(next()); !piece.bytes.empty(); piece = TRY(next())) {
    last += piece.bytes;
  }
  const std::vector<std::string_view> all = lines_of(last);
  // The first of them may have begun before these bytes.
  std::size_t from = whole ? 0 : std::min<std::size_t>(1, all.size());
  if (all.size() > lines) from = std::max(from, all.size() - lines);
  for (std::size_t i = from; i < all.size(); ++i) at_ -= all[i].size() + 1;
  if (from < all.size() && !last.ends_with('\n')) ++at_;
  return {};
}

Status write_run_end(const std::string& folder, const RunEnd& end) {
  const EndRecord record{.is = end};
  return write_file(end_file(folder), canonical_text(field_list(record)), Sync::kNo);
}

Result<std::optional<RunEnd>> run_end(const std::string& folder) {
  const auto text = TRY(if_there(read_file(end_file(folder), kMostEnd)));
  if (!text) return std::nullopt;
  EndRecord record;
  TRY(read_text(*text, "the end of a run", field_list(record)));
  return std::optional(std::move(record.is));
}

bool is_written(const std::string& folder) {
  return process_at(process_file(folder)) != 0;
}

Result<std::string> make_output_folder(State& state, const TxnId& id) {
  std::string folder = output_folder(state, id);
  TRY(remove_tree(folder));
  TRY_IN("making the folder for what it prints", make_dirs(folder));
  return folder;
}

Result<KeptOutput> find_output(State& state, const std::string& id_or_name) {
  KeptOutput kept{TRY(state.find(id_or_name)), ""};
  TRY(state.require_here(kept.txn));
  const std::string& id = kept.txn.id.str();
  kept.folder = output_folder(state, kept.txn.id);
  if (TRY(exists(kept.folder))) return kept;
  const int process = running_now(kept.txn).process;
  if (process == 0) {
    return fail(Code::kUsage, "no output of " + id + " is kept",
                fmt::format("git txn run --detach keeps it, until git txn gc some days after the "
                            "end; what became of it: git txn show {}",
                            id));
  }
  return fail(Code::kUsage,
              fmt::format("{} was not started with --detach: what it prints goes where it was "
                          "started (pid {})",
                          id, process),
              fmt::format("see what it does with: git txn status; what it has changed with: "
                          "git txn diff {0}; end it with: git txn stop {0}",
                          id));
}

}  // namespace gittxn::api

#include "capture/trace/record_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gittxn::capture {

namespace {

constexpr std::string_view kMagic("GTXNTRC\x04", 8);
constexpr char kWithoutLooks = 3;  // the version before
constexpr char kTellingFrame = 'R', kLookFrame = 'L', kTimeFrame = 'T', kEndFrame = 'E';
constexpr std::size_t kFlushBytes = 64u << 10;
constexpr std::uint64_t kMaxFileBytes = 4ull << 30;
constexpr std::uint32_t kMaxPayload = 4u << 20;
constexpr std::size_t kFrameHead = 8;

constexpr std::uint64_t kMaxTimeMs = 1ull << 53;
constexpr std::size_t kDigestSize = 64;  // in hex

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ull;
  return hash ^ (hash >> 29);
}

std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  hash = mix(hash, text.size());
  while (text.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    hash = mix(hash, word);
    text.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, text.data(), text.size());
  return mix(hash, word);
}

// Another hash of a text, half of which does not wait for the other half: in no file, so it may
// change. Halves are mixed by different numbers, or texts with equal halves would be near each
// other.
std::uint64_t mix_by_halves(std::uint64_t hash, std::string_view text) {
  hash = mix(hash, text.size());
  std::uint64_t other = hash + 0x632be59bd9b4e019ull;
  while (text.size() >= 16) {
    std::uint64_t words[2];
    std::memcpy(words, text.data(), 16);
    hash = mix(hash, words[0]);
    other = (other ^ words[1]) * 0xff51afd7ed558ccdull;
    other ^= other >> 32;
    text.remove_prefix(16);
  }
  return mix(mix(hash, text), other);
}

std::uint32_t checksum(std::string_view bytes) {
  const std::uint64_t hash = mix(0x6774786eu, bytes);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

void put_u32(char* out, std::uint32_t value) {
  for (unsigned at = 0; at < 4; ++at) out[at] = static_cast<char>(value >> 8 * at);
}

std::uint32_t get_u32(const unsigned char* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) | static_cast<std::uint32_t>(bytes[1]) << 8 |
         static_cast<std::uint32_t>(bytes[2]) << 16 | static_cast<std::uint32_t>(bytes[3]) << 24;
}

// Fields that not every record has, and lists. The texts keep the room that they have.
Record& cleared(Record& record) {
  record.argv.clear();
  record.env.clear();
  record.env_digest.clear();
  record.given.clear();
  return record;
}

struct Lists {
  bool digest = false;
  bool given = false;
};

// True for a plain look without lists, which takes fewer bytes in the file.
bool is_packed_look(const Record& record, const Lists& has) {
  return is_plain_look(record) && record.argv.empty() && !record.env_known && !has.digest &&
         !has.given;
}

// The parts of a record, for a Packer and an Unpacker, which is given one without lists: all that
// has no texts, and the rest.
template <typename Io>
Lists head_parts(Io& io, Record& record) {
  io.byte(record.op);
  Lists has{!record.env_digest.empty(), !record.given.empty()};
  io.bits(record.assumed, record.predicted, record.nofollow, record.again, record.env_known,
          record.argv_cut, has.digest, has.given);
  io(record.seq, record.pid, record.parent, record.result, record.flags, record.mode, record.dev,
     record.ino);
  return has;
}

// The texts and lists of a record that is not packed as a plain look.
template <typename Io>
void other_parts(Io& io, const Lists& has, Record& record) {
  io(record.path, record.path2, record.argv);
  if (record.env_known) io(record.env);
  if (has.digest) io(record.env_digest);
  if (!has.given) return;
  record.given.resize(kGiven012);
  for (auto& one : record.given) {
    io.byte(one.kind);
    io(one.dev, one.ino, one.path, one.at, one.flags);
  }
}

bool is_sound(const Record& record) {
  const std::string& digest = record.env_digest;
  const bool hex = digest.find_first_not_of("0123456789abcdef") == digest.npos;
  const bool kinds = std::ranges::all_of(
      record.given, [](const Given& one) { return one.kind <= Given::Kind::kOther; });
  return record.op <= Op::kWasLink && kinds && hex &&
         (digest.empty() || digest.size() == kDigestSize);
}

// Reads exactly `size` bytes through a buffer; false at the end of the file. What was given out
// before is gone with the next call.
class Source {
 public:
  explicit Source(int fd) : fd_(fd) {}
  Result<bool> take(std::size_t size, std::string_view* out) {
    if (end_ - start_ < size && !TRY(fill(size))) return false;
    *out = {buffer_.data() + start_, size};
    start_ += size;
    return true;
  }
  bool empty() const { return start_ == end_; }

 private:
  Result<bool> fill(std::size_t size) {
    std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(start_),
              buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
    end_ -= std::exchange(start_, 0);
    if (buffer_.size() < size + kChunk) buffer_.resize(size + kChunk);
    while (end_ < size) {
      const ssize_t got = ::read(fd_, buffer_.data() + end_, buffer_.size() - end_);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return fail_errno(errno, "read the trace records");
      if (got == 0) return false;
      end_ += static_cast<std::size_t>(got);
    }
    return true;
  }

  static constexpr std::size_t kChunk = 64u << 10;
  int fd_;
  std::vector<char> buffer_;
  std::size_t start_ = 0, end_ = 0;  // of what was read and not given out
};

struct Frame {
  enum class Kind { kPayload, kEnd, kDamaged } kind = Kind::kDamaged;
  std::uint32_t sum = 0;
  std::string_view payload;
  bool is_sound() const { return checksum(payload) == sum; }
};

Result<Frame> next_frame(Source* source) {
  Frame frame;
  std::string_view head;
  if (!TRY(source->take(kFrameHead, &head))) {
    frame.kind = source->empty() ? Frame::Kind::kEnd : Frame::Kind::kDamaged;
    return frame;
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(head.data());
  const std::uint32_t size = get_u32(bytes);
  frame.sum = get_u32(bytes + 4);
  if (size == 0 || size > kMaxPayload) return frame;
  if (TRY(source->take(size, &frame.payload))) frame.kind = Frame::Kind::kPayload;
  return frame;
}

}  // namespace

void Packer::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) byte(value | 0x80);
  byte(value);
}

// Eight bytes at once, where there are: those of the number end with the first that has no high
// bit, and their groups of seven bits are moved together in three steps.
std::uint64_t Unpacker::long_number() {
  if (end_ - at_ >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at_, 8);
    const std::uint64_t ends = ~bytes & 0x8080808080808080;
    if (ends != 0) {
      const int last = std::countr_zero(ends);
      at_ += last / 8 + 1;
      bytes &= 0x7f7f7f7f7f7f7f7f & (~std::uint64_t{0} >> (63 - last));
      bytes = (bytes & 0x007f007f007f007f) | (bytes & 0x7f007f007f007f00) >> 1;
      bytes = (bytes & 0x00003fff00003fff) | (bytes & 0x3fff00003fff0000) >> 2;
      return (bytes & 0x000000000fffffff) | (bytes & 0x0fffffff00000000) >> 4;
    }
  }
  std::uint64_t value = 0;
  for (unsigned shift = 0; at_ != end_ && shift < 64; shift += 7) {
    const auto part = static_cast<unsigned char>(*at_++);
    value |= static_cast<std::uint64_t>(part & 0x7fu) << shift;
    if ((part & 0x80u) == 0) return value;
  }
  spoil();
  return 0;
}

RecordWriter::RecordWriter(int fd, const Clock* clock) : fd_(fd), clock_(clock), buffer_(kMagic) {}

bool RecordWriter::repeated(Record& record) {
  if (changes_something(record) || record.op == Op::kExec || record.op == Op::kFork) {
    ++salt_;
    return false;
  }
  // Salt and process are both small and count up together: put into one word, they would stand for
  // each other, and a read would be taken for that of another process before.
  std::uint64_t hash = mix(std::uint64_t{0}, salt_);
  hash = mix(hash,
             static_cast<std::uint64_t>(record.op) << 32 | static_cast<std::uint32_t>(record.pid));
  hash = mix_by_halves(hash, record.path);
  hash = mix_by_halves(hash, record.path2);
  hash = mix(hash, static_cast<std::uint64_t>(record.flags) << 32 | record.mode);
  hash = mix(hash, record.ino);
  hash = mix(hash, static_cast<std::uint64_t>(static_cast<std::uint32_t>(record.result)) << 8 |
                       (record.assumed ? 1u : 0u) | (record.predicted ? 2u : 0u) |
                       (record.nofollow ? 4u : 0u));
  hash &= ~std::uint64_t{1};  // the last bit of a slot says that the repetition is recorded too
  std::uint64_t& slot = seen_[(hash >> 1) % kSlots];
  if (slot == (hash | 1)) return true;
  if (slot == hash) {
    if (record.op != Op::kOpenRead || record.result < 0) return true;
    record.again = true;
    slot = hash | 1;
    return false;
  }
  slot = hash;
  return false;
}

void RecordWriter::mark_time(const Record& record) {
  if (clock_ == nullptr) return;
  const std::int64_t now = record.time_ms != 0 ? record.time_ms : clock_->wall_ms();
  if (now == marked_ms_) return;
  marked_ms_ = now;
  const std::size_t begin = begin_frame(kTimeFrame);
  Packer{&buffer_}(static_cast<std::uint64_t>(now));
  end_frame(begin);
}

void RecordWriter::add(Record&& record) {
  const std::lock_guard lock(mutex_);
  if (finished_ || broken_ || repeated(record)) return;
  mark_time(record);
  record.seq = ++count_;
  pack(record);
}

void RecordWriter::pack(Record& record) {
  const bool look = is_packed_look(record, {!record.env_digest.empty(), !record.given.empty()});
  const std::size_t begin = begin_frame(look ? kLookFrame : kTellingFrame);
  Packer packer(&buffer_);
  const Lists has = head_parts(packer, record);
  if (look) {
    packer.text_after(last_path_, record.path);
    packer.text_after(last_path2_, record.path2);
  } else {
    other_parts(packer, has, record);
  }
  end_frame(begin);
}

void RecordWriter::keep_reason(std::string reason) {
  if (lost_.empty()) lost_ = std::move(reason);
}

void RecordWriter::lose(std::string reason) {
  const std::lock_guard lock(mutex_);
  keep_reason(std::move(reason));
}

std::string RecordWriter::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

void RecordWriter::show() {
  const std::lock_guard lock(mutex_);
  if (!buffer_.empty()) flush();
}

void RecordWriter::finish() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(finished_, true)) return;
  const std::size_t begin = begin_frame(kEndFrame);
  Packer{&buffer_}(count_, lost_);
  end_frame(begin);
  flush();
}

// Begins a frame: its payload is what is packed into the buffer from here on.
std::size_t RecordWriter::begin_frame(char type) {
  const std::size_t begin = buffer_.size();
  buffer_.append(kFrameHead, '\0');
  buffer_.push_back(type);
  return begin;
}

void RecordWriter::end_frame(std::size_t begin) {
  const std::string_view payload = std::string_view(buffer_).substr(begin + kFrameHead);
  put_u32(buffer_.data() + begin, static_cast<std::uint32_t>(payload.size()));
  put_u32(buffer_.data() + begin + 4, checksum(payload));
  if (buffer_.size() >= kFlushBytes) flush();
}

void RecordWriter::flush() {
  if (!broken_) {
    bytes_ += buffer_.size();
    if (const Status wrote = write_all(fd_, buffer_); !wrote) {
      broken_ = true;
      keep_reason("the trace records could not be written: " + wrote.error().message);
    } else if (bytes_ > kMaxFileBytes) {
      broken_ = true;
      keep_reason("the trace records grew beyond 4 GiB");
    }
  }
  buffer_.clear();
}

namespace {

enum class RecordsRead { kAll, kTelling };

// Records out of payloads, one after the other. The texts keep the room that they have.
class RecordUnpacker {
 public:
  // Returns false when the payload holds no record, or not the next one.
  bool unpack(char type, Unpacker& in, std::uint64_t seq) {
    const Lists has = head_parts(in, cleared(record_));
    if (type == kLookFrame) {
      if (!is_packed_look(record_, has)) return false;
      record_.path = in.text_after(path_);
      record_.path2 = in.text_after(path2_);
    } else {
      other_parts(in, has, record_);
    }
    return in.good() && in.at_end() && record_.seq == seq && is_sound(record_);
  }
  const Record& at(std::int64_t time_ms) {
    record_.time_ms = time_ms;
    return record_;
  }

 private:
  Record record_;
  std::string path_, path2_;  // the texts of the last plain look
};

Result<RecordSummary> read_each(const std::string& record_file, RecordsRead what,
                                const std::function<void(const Record&)>& sink) {
  const UniqueFd fd = TRY(open_fd(record_file, O_RDONLY | O_CLOEXEC));
  Source source(fd.get());
  RecordSummary summary;
  std::int64_t time_ms = 0;
  RecordUnpacker record;
  std::string_view magic;
  const std::size_t version = kMagic.size() - 1;  // its place in the header
  if (!TRY(source.take(kMagic.size(), &magic)) ||
      magic.substr(0, version) != kMagic.substr(0, version)) {
    summary.reason = "the trace record file is damaged at its start";
    return summary;
  }
  if (magic != kMagic && magic[version] != kWithoutLooks) {
    return fail(Code::kNewer, "'" + record_file + "' was written by another version",
                "use the version of git-txn that ran the command");
  }
  while (true) {
    const Frame frame = TRY(next_frame(&source));
    if (frame.kind == Frame::Kind::kEnd) {
      summary.reason = "the trace has no end mark: its monitor was killed";
      return summary;
    }
    Unpacker in(frame.payload);
    char type = 0;
    if (frame.kind == Frame::Kind::kPayload) in.byte(type);
    if (type == kLookFrame && what == RecordsRead::kTelling) {
      ++summary.records;
      continue;
    }
    const bool sound = frame.kind == Frame::Kind::kPayload && frame.is_sound();
    if (sound && (type == kTellingFrame || type == kLookFrame)) {
      if (record.unpack(type, in, summary.records + 1)) {
        ++summary.records;
        sink(record.at(time_ms));
        continue;
      }
    }
    std::uint64_t number = 0;  // the time, or how many records there are
    const auto whole = [&in] { return in.good() && in.at_end(); };
    if (sound && type == kTimeFrame) {
      in(number);
      if (whole() && number > 0 && number < kMaxTimeMs) {
        time_ms = static_cast<std::int64_t>(number);
        continue;
      }
    }
    if (sound && type == kEndFrame) {
      in(number, summary.reason);
      if (whole() && number == summary.records) {
        summary.complete = summary.reason.empty();
        return summary;
      }
    }
    summary.reason =
        fmt::format("the trace record file is damaged after record {}", summary.records);
    return summary;
  }
}

}  // namespace

Result<RecordSummary> read_records(const std::string& record_file,
                                   const std::function<void(const Record&)>& sink) {
  return read_each(record_file, RecordsRead::kAll, sink);
}

Result<RecordSummary> read_telling_records(const std::string& record_file,
                                           const std::function<void(const Record&)>& sink) {
  return read_each(record_file, RecordsRead::kTelling, sink);
}

}  // namespace gittxn::capture

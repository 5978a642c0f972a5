#include "cli/reporter.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <functional>

#include "base/duration.h"
#include "base/fs.h"

namespace gittxn::cli {
namespace {

constexpr std::int64_t kQuietNs = 1'000'000'000;  // shorter times need no number
constexpr std::int64_t kRedrawNs = 200'000'000;
constexpr std::size_t kLongestPart = 8192;  // of a line without an end

std::size_t columns_of(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

// Standard error is the last resort: when it cannot be written there is nobody to tell.
void write_out(int fd, std::string_view bytes) {
  static_cast<void>(write_all(fd, bytes));
}

}  // namespace

std::string Reporter::answered() {
  const int asked_to_stop = options_.pending->load();
  constexpr std::size_t kLongestAnswer = 100;
  constexpr int kLookMs = 100;
  std::string answer;
  while (answer.size() < kLongestAnswer) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, kLookMs);
    if (options_.pending->load() != asked_to_stop) return "";
    if (ready <= 0) continue;
    char c = 0;
    if (read(STDIN_FILENO, &c, 1) != 1 || c == '\n') break;
    answer += c;
  }
  return answer;
}

void Reporter::clear() {
  if (!drawn_) return;
  write_out(options_.fd, "\r\x1b[K");
  drawn_ = false;
}

void Reporter::finish() {
  end_gate_lines();
  clear();
}

void Reporter::print(const std::string& line) {
  clear();
  write_out(options_.fd, line + "\n");
}

void Reporter::draw() {
  if (!options_.terminal || options_.loudness == Loudness::kQuiet) return;
  std::string text = waiting_.empty() ? phase_ : waiting_;
  if (text.empty() || text == "running") return;
  std::int64_t now = options_.clock->monotonic_ns();
  std::int64_t elapsed = now - phase_start_ns_;
  if (drawn_ && now - drawn_ns_ < kRedrawNs) return;
  if (elapsed >= kQuietNs) {
    std::int64_t seconds = elapsed / 1'000'000'000;
    text += "  " + (seconds < 60 ? fmt::format("{} s", seconds) : format_duration(seconds * 1000));
  }
  if (drawn_ && text == shown_) return;
  shown_ = text;
  std::string shown = options_.style.paint(Colour::kDim, cut(text, columns_of(options_.fd) - 1));
  write_out(options_.fd, "\r\x1b[K" + shown);
  drawn_ = true;
  drawn_ns_ = now;
}

void Reporter::phase(std::string_view text) {
  end_gate_lines();
  clear();
  phase_ = clean(text);
  phase_start_ns_ = options_.clock->monotonic_ns();
  waiting_.clear();
  draw();  // now: not every long phase asks whether it was interrupted
}

void Reporter::note(std::string_view text) {
  if (options_.loudness == Loudness::kQuiet) return;
  print("note: " + clean(text));
}

void Reporter::wait(WaitReason reason, std::string_view subject) {
  if (reason == WaitReason::kNone) {
    clear();
    waiting_.clear();
    phase_start_ns_ = options_.clock->monotonic_ns();
    return;
  }
  std::string text = wait_line(reason, subject);
  if (text == waiting_) return;
  waiting_ = text;
  phase_start_ns_ = options_.clock->monotonic_ns();
  // Said once in full, because a wait is something to act on.
  if (options_.loudness != Loudness::kQuiet) print(text);
}

void Reporter::gate_output(std::string_view gate, std::string_view bytes) {
  if (options_.loudness == Loudness::kQuiet) return;
  std::string& line = partial_[std::string(gate)];
  std::string prefix = options_.style.paint(Colour::kDim, clean(gate) + ":") + " ";
  std::string out;
  for (char c : bytes) {
    if (c != '\n') line += c;
    if (c == '\n' || line.size() >= kLongestPart) {
      if (line.ends_with('\r')) line.pop_back();
      out += prefix + clean_lines(line) + "\n";
      line.clear();
    }
  }
  if (out.empty()) return;
  clear();
  write_out(options_.fd, out);
}

void Reporter::end_gate_lines() {
  for (const auto& [gate, line] : partial_) {
    if (!line.empty()) {
      print(options_.style.paint(Colour::kDim, clean(gate) + ":") + " " + clean_lines(line));
    }
  }
  partial_.clear();
}

bool Reporter::answered_yes() {
  const std::string answer = answered();
  return answer == "y" || answer == "Y" || answer == "yes";
}

char Reporter::ask(std::string_view question, const std::vector<api::Choice>& choices) {
  clear();
  std::string text = clean(question) + "\n";
  std::string keys;
  for (const api::Choice& choice : choices) {
    text += fmt::format("  {}  {}\n", choice.key, clean(choice.words));
    keys += (keys.empty() ? "" : "/") + std::string(1, choice.key);
  }
  const char otherwise = choices.back().key;
  write_out(options_.fd, fmt::format("{}{} [{}]: ", text, keys, otherwise));
  const std::string answer = answered();
  const auto chosen = std::ranges::find(choices, answer.substr(0, 1),
                                        [](const api::Choice& c) { return std::string(1, c.key); });
  return chosen == choices.end() ? otherwise : chosen->key;
}

bool Reporter::poll() {
  draw();
  int pending = options_.pending->load();
  while (pending > 0) {
    if (options_.pending->compare_exchange_weak(pending, pending - 1)) return true;
  }
  return false;
}

api::Progress Reporter::progress() {
  api::Progress progress;
  progress.on_phase = std::bind_front(&Reporter::phase, this);
  progress.on_gate_output = std::bind_front(&Reporter::gate_output, this);
  progress.on_wait = std::bind_front(&Reporter::wait, this);
  progress.on_note = std::bind_front(&Reporter::note, this);
  if (options_.asks && options_.loudness != Loudness::kQuiet) {
    progress.on_ask = std::bind_front(&Reporter::ask, this);
  }
  progress.interrupted = std::bind_front(&Reporter::poll, this);
  return progress;
}

}  // namespace gittxn::cli

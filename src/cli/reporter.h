// Progress of what runs, on standard error: notes, waits, the output of gates, and on a terminal
// one line that says what is being done and for how long.
//
// There is no thread behind the line: the facade polls `interrupted` at least every 50 ms whenever
// it waits for something long, and a poll draws. It is not drawn while the command of a transaction
// runs, because the terminal is the command's then.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <string_view>

#include "api/kernel.h"
#include "cli/text.h"

namespace gittxn::cli {

enum class Loudness { kQuiet, kPlain };

struct ReporterOptions {
  int fd = 2;
  bool terminal = false;  // fd is one
  Loudness loudness = Loudness::kPlain;
  Style style;
  const Clock* clock = nullptr;
  std::atomic<int>* pending = nullptr;  // how often we were asked to stop; taken one by one
  bool asks = false;                    // a person is at standard input, and sees fd
};

class Reporter {
 public:
  explicit Reporter(ReporterOptions options) : options_(options) {}
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;
  ~Reporter() { clear(); }

  api::Progress progress();  // calls back into this object, which must outlive it
  void note(std::string_view text);
  void finish();  // prints what gates left without a line end, and clears the line
  void clear();   // the line, before something else is printed
  // One line of an answer from standard input; "" also when we are asked to stop.
  std::string answered();
  bool answered_yes();  // true only for a yes

 private:
  void phase(std::string_view text);
  void gate_output(std::string_view gate, std::string_view bytes);
  void wait(WaitReason reason, std::string_view subject);
  char ask(std::string_view question, const std::vector<api::Choice>& choices);
  bool poll();
  void draw();
  void print(const std::string& line);
  void end_gate_lines();

  ReporterOptions options_;
  std::string phase_;
  std::int64_t phase_start_ns_ = 0;
  std::int64_t drawn_ns_ = 0;
  bool drawn_ = false;
  std::string shown_;                           // the line as it is drawn
  std::map<std::string, std::string> partial_;  // of gates: a line without its end
  std::string waiting_;
};

}  // namespace gittxn::cli

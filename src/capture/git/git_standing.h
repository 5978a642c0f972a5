// Finds what stands in the way of asking git again (asked/asked.h). An asking has a git directory
// of its own: HEAD is the target branch at the commit that it is asked of, the index is the tree of
// that, and nothing else is there. So a git process is a question only where its own git directory
// was like that when it answered, and where its answer depends on nothing else.
//
// Fails closed: a file of the git directory, a variable or a setting that is on no list is a
// reason.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "capture/interpret.h"
#include "capture/searches.h"
#include "questions/question.h"

namespace gittxn::capture {

class GitStanding {
 public:
  GitStanding(const InterpretInput& input, TreeModel& model, Searches& searches)
      : input_(input), model_(model), searches_(searches) {}

  // Called when git starts. Returns the reason why it is no question, or "".
  std::string trouble(const Record& exec, const questions::Question& question);
  // The settings that its answer depends on; after trouble() said nothing.
  const std::vector<std::string>& settings() { return searches_.settings().git_answers.matter; }
  // It read that file of the git directory. "" is fine.
  std::string trouble_with(std::string_view file) const;
  // Somebody changed that file of the git directory: a git that only reads, or anybody else.
  enum class Writer { kReader, kOther };
  void changed(std::string_view file, Writer writer);
  // Called when git has ended. Returns what was changed until then and spoils it, or "".
  std::string trouble_until_now(questions::GitState state) const;
  // Outside of the tree: its settings, which are listed another way.
  static bool is_settings_file(std::string_view real);

 private:
  bool has_notes();

  const InterpretInput& input_;
  TreeModel& model_;
  Searches& searches_;
  std::string changed_;  // the first file of the git directory beside index and objects
  bool staged_ = false;
  std::optional<bool> has_notes_;
};

}  // namespace gittxn::capture

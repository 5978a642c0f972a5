#include "land/judge/asking/answers.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bug.h"
#include "base/hash.h"
#include "base/text.h"
#include "questions/output.h"

namespace gittxn::land {
namespace {

using certify::Answer;
using How = Answer::How;

constexpr std::size_t kMostKept = 64u << 10;
constexpr std::size_t kMostNamed = 2;  // tests that failed

std::string command_of(const Question& question) {
  return "`" + questions::plain(argv_text(question.argv), 200) + "`";
}

std::string sorted_lines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(text)) lines.emplace_back(line);
  std::ranges::sort(lines);
  std::string sorted;
  for (const std::string& line : lines) sorted += line + "\n";
  return sorted;
}

bool is_same(const Printed& before, const Printed& now) {
  if (before.digest == now.digest && before.bytes == now.bytes) return true;
  return !before.sorted.empty() && before.sorted == now.sorted && before.bytes == now.bytes;
}

// All of it is at hand.
bool is_whole(const Printed& one) {
  return one.text.size() == one.bytes;
}

std::string prints_otherwise(const Question& question, const Printed& before, const Printed& now,
                             questions::Order order, std::string_view where) {
  if (is_whole(before) && is_whole(now)) {
    return fmt::format("{} prints something else now{}: {}", command_of(question), where,
                       questions::first_difference(before.text, now.text, order));
  }
  return fmt::format("{} prints something else now{}: {} bytes, which were {}",
                     command_of(question), where, now.bytes, before.bytes);
}

// Files of the tree by their names in it: where it was seen says nothing to anybody.
std::string in_tree(std::string text, const Question& question) {
  if (question.tree.empty()) return text;
  const std::string top = question.tree + "/";
  for (std::size_t at = text.find(top); at != text.npos; at = text.find(top, at)) {
    text.erase(at, top.size());
  }
  return text;
}

// The stream that says why it failed.
struct Failure {
  std::string what;  // " (test_login)"
  std::string shown;
};
Failure failure_of(const Question& question, const Said& now) {
  const std::string out = in_tree(now.out.text, question), err = in_tree(now.err.text, question);
  for (const std::string* text : {&out, &err}) {
    const std::vector<std::string> names = questions::failed(*text);
    if (names.empty()) continue;
    return {fmt::format(" ({})", listed(names, kMostNamed)), questions::failure_lines(*text)};
  }
  const std::string& text = questions::last_lines(err).empty() ? out : err;
  const std::string last = questions::last_lines(text, 1);
  return {last.empty() ? "" : fmt::format(" ({})", last), questions::last_lines(text)};
}

Answer fails(const Question& question, const questions::Question& known, const Said& now) {
  Failure failure = failure_of(question, now);
  Answer answer =
      refuse(question, fmt::format("{}{} fails now{}", known.tests ? "the test run " : "",
                                   command_of(question), failure.what));
  answer.shown = std::move(failure.shown);
  return answer;
}

// The first of `now` that is not among `before`; both sorted.
const std::string* new_among(const std::vector<std::string>& now,
                             const std::vector<std::string>& before) {
  const auto found = std::ranges::find_if(
      now, [&](const std::string& one) { return !std::ranges::binary_search(before, one); });
  return found == now.end() ? nullptr : &*found;
}

std::optional<Answer> asks_for_more(const Question& question, const Said& before, const Said& now) {
  for (const auto& [is, was] : {std::pair(&now.wanted_hidden, &before.wanted_hidden),
                                std::pair(&now.reached, &before.reached)}) {
    const std::string* more = new_among(*is, *was);
    if (more == nullptr) continue;
    return refuse(question, fmt::format("{} asks for '{}' now, outside of the repository, and did "
                                        "not before",
                                        command_of(question), questions::plain(*more)));
  }
  return std::nullopt;
}

}  // namespace

Printed printed(Digest digest, std::uint64_t bytes, std::string end, questions::Order order) {
  Printed one{std::move(digest), {}, bytes, std::move(end)};
  if (order == questions::Order::kAny && is_whole(one)) one.sorted = sha256(sorted_lines(one.text));
  return one;
}

void shorten(Said& said) {
  for (Printed* one : {&said.out, &said.err}) {
    if (one->text.size() > kMostKept) one->text = one->text.substr(one->text.size() - kMostKept);
  }
}

bool asks_outside(const Said& said) {
  return !said.wanted_hidden.empty() || !said.reached.empty();
}

Answer refuse(const Question& question, std::string why) {
  return {.question = question.number, .how = How::kOther, .why = std::move(why)};
}

std::optional<Answer> refuse_first(const Question& question, const Said& before) {
  const std::string again = command_of(question) + " cannot be run again to compare: ";
  if (!before.no_answer.empty()) return refuse(question, again + before.no_answer);
  if (!before.lost.empty()) {
    return refuse(question, again + "what it looks at is not known, " + before.lost);
  }
  if (before.status != question.status) {
    Answer answer =
        refuse(question, again + fmt::format("alone, on what the transaction started from, it "
                                             "ends with status {} instead of {}",
                                             before.status, question.status));
    answer.shown = failure_of(question, before).shown;
    return answer;
  }
  if (!before.repeats && !INJECTED_BUG("land.looks_unrepeated")) {
    return refuse(question,
                  again + "alone, on what the transaction started from, it looks at other files");
  }
  return std::nullopt;
}

Answer passes(const Question& question, const questions::Question& known, const Said& left,
              const Said& now) {
  const std::string again = command_of(question) + " was run again on what would land: ";
  if (!now.no_answer.empty()) return refuse(question, again + now.no_answer);
  if (!now.lost.empty()) {
    return refuse(question, again + "what it looks at is not known, " + now.lost);
  }
  if (now.status != 0) return fails(question, known, now);
  if (auto more = asks_for_more(question, left, now)) return *std::move(more);
  return {.question = question.number, .how = How::kCandidate, .took_ms = now.took_ms};
}

Answer compare(const Question& question, const questions::Question& known, const Said& before,
               const Said& now) {
  const std::string again = command_of(question) + " was run again on the branch: ";
  if (!now.no_answer.empty()) return refuse(question, again + now.no_answer);
  if (!now.lost.empty()) {
    return refuse(question, again + "what it looks at is not known, " + now.lost);
  }
  const bool pure = question.kind == Question::Kind::kPure;
  if (now.status != before.status && !pure) return fails(question, known, now);
  if (auto more = asks_for_more(question, before, now)) return *std::move(more);
  if (pure && !is_same(before.out, now.out)) {
    return refuse(question, prints_otherwise(question, before.out, now.out, known.order, ""));
  }
  if (pure && !is_same(before.err, now.err)) {
    return refuse(question, prints_otherwise(question, before.err, now.err, known.order,
                                             " on standard error"));
  }
  if (now.status != before.status) {
    return refuse(question, fmt::format("{} ends with status {} now, and did with {}",
                                        command_of(question), now.status, before.status));
  }
  return {.question = question.number, .how = How::kSame, .took_ms = before.took_ms + now.took_ms};
}

}  // namespace gittxn::land

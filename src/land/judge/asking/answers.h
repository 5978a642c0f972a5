// Two askings of one question compared, and what is told of the difference.
//
//   pure     the same status and the same bytes
//   runner   the same status, which is 0
//
// An uncertain answer is none: an asking that came to no end, records that are not
// complete, other looks than when it was asked first, something hidden that it asked for on the
// second tree alone. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "certify/certify.h"
#include "model/read.h"
#include "questions/question.h"

namespace gittxn::land {

// The output on one stream of an asking: its digest, and as much of the text as is compared line by
// line or shown.
struct Printed {
  Digest digest;
  Digest sorted;  // of its lines, where their order says nothing; empty: not known
  std::uint64_t bytes = 0;
  std::string text;  // the end of it
};

// The outcome of one asking on one tree.
struct Said {
  int status = 0;
  Printed out, err;
  std::string no_answer;  // why it is none; "" it is one
  std::string lost;       // why what it looked at is not known
  std::vector<std::string> wanted_hidden, reached;
  bool repeats = false;  // it looked at all that the question looked at
  std::int64_t took_ms = 0;
};

// `before`: on the tree that it was asked on; null: it cannot be asked there as it was.
certify::Answer refuse(const Question& question, std::string why);
// Refuses an asking on the first tree that cannot be compared with anything; nullopt: it can.
std::optional<certify::Answer> refuse_first(const Question& question, const Said& before);
// True if it asked for something hidden, or reached somebody.
bool asks_outside(const Said& said);
// The answer of a run on what would land: that it passed, and asked for nothing hidden that it does
// not ask for on what the transaction left (`left`).
certify::Answer passes(const Question& question, const questions::Question& known, const Said& left,
                       const Said& now);
certify::Answer compare(const Question& question, const questions::Question& known,
                        const Said& before, const Said& now);

Printed printed(Digest digest, std::uint64_t bytes, std::string end, questions::Order order);
// Keeps only the end of its texts; they were compared and are needed no more.
void shorten(Said& said);
// More of what it printed than that cannot be compared line by line.
inline constexpr std::size_t kMostCompared = 4u << 20;

}  // namespace gittxn::land

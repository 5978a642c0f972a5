#include "questions/options.h"

#include <algorithm>
#include <cctype>
#include <ranges>

#include "base/bug.h"
#include "base/text.h"

namespace gittxn::questions {
namespace {

constexpr std::size_t kMaxWords = 65'536;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

OptionRow parse_row(std::string_view item) {
  OptionRow row;
  const std::size_t equals = item.find('=');
  row.names = pieces_of(item.substr(0, equals), '|');
  if (equals == std::string_view::npos) return row;
  std::string_view kind = item.substr(equals + 1);
  row.takes = Takes::kValue;
  if (kind == "=") {
    row.takes = Takes::kTwo;
  } else if (kind == "+") {
    row.takes = Takes::kNext;
  } else {
    if (kind.starts_with('?')) {
      row.takes = Takes::kOptional;
      kind.remove_prefix(1);
    }
    row.values = pieces_of(kind, ',');
  }
  return row;
}

struct Found {
  OptionRow row;
  std::string_view why;  // not empty: refused
};

bool find_in(std::string_view options, std::string_view name, OptionRow& row) {
  for (const std::string_view item : pieces_of(options, ' ')) {
    if (!item.substr(0, item.find('=')).contains(name)) continue;
    row = parse_row(item);
    if (std::ranges::find(row.names, name) != row.names.end()) return true;
  }
  return false;
}

class Splitter {
 public:
  Splitter(const Program& program, std::string_view name, Words words)
      : program_(program), name_(name), words_(words) {}

  Asked<Arguments> split() {
    if (words_.size() > kMaxWords) return no_question(said("has too many arguments"));
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        out_.dashes = true;
        const Words rest = words_.subspan(at_ + 1);
        out_.after_dashes.assign(rest.begin(), rest.end());
        break;
      }
      if (word.size() < 2 || word[0] != '-') {
        out_.operands.push_back(word);
      } else if (program_.digits == Digits::kNumber && is_number(word.substr(1))) {
        out_.options.push_back({"NUMBER", word.substr(1)});
      } else if (word[1] == '-' || program_.dashes == Dashes::kWords) {
        TRY(whole(word));
      } else {
        TRY(letters(word));
      }
    }
    if (out_.operands.size() + out_.after_dashes.size() > program_.most_operands) {
      return no_question(said("with one operand more writes files"));
    }
    return std::move(out_);
  }

 private:
  std::string said(std::string_view what) const { return name_ + " " + std::string(what); }

  Asked<Found> find(std::string_view name, std::string_view shown) const {
    Found found;
    for (const std::string_view options : program_.options) {
      if (find_in(options, name, found.row)) return found;
    }
    const std::string option = "with the option " + std::string(shown) + " ";
    for (const Refused& refused : program_.refused) {
      if (find_in(refused.options, name, found.row))
        return no_question(said(option + std::string(refused.why)));
    }
    if (INJECTED_BUG("questions.any_option")) {
      found.row.names = {"any"};
      return found;
    }
    return no_question(said(option + "is not on the list"));
  }

  Asked<void> take(const OptionRow& row, std::string value) {
    const bool listed =
        row.values.empty() || std::ranges::find(row.values, value) != row.values.end();
    if (!listed) {
      return no_question(said("with the value '" + value + "' of the option " +
                              std::string(row.names.front()) + " is not on the list"));
    }
    out_.options.push_back({row.names.front(), std::move(value)});
    return {};
  }

  Asked<std::string> next_word(std::string_view shown) {
    if (at_ + 1 >= words_.size())
      return no_question(said("lacks the value of the option " + std::string(shown)));
    const std::string& value = words_[++at_];
    // Some programs take such a word for an option of its own.
    if (program_.next == NextWord::kWithoutDash && value.starts_with('-'))
      return no_question(said("with a value that begins with a dash is not understood"));
    return value;
  }

  // The value behind an option that stood alone.
  Asked<void> take_next(const OptionRow& row, std::string_view shown) {
    std::string value;
    switch (row.takes) {
      case Takes::kNothing:
        out_.options.push_back({row.names.front(), {}});
        return {};
      case Takes::kOptional:
        out_.options.push_back({row.names.front(), {}});
        return {};
      case Takes::kNext:
        if (at_ + 1 < words_.size()) value = TRY(next_word(shown));
        break;
      case Takes::kValue:
        value = TRY(next_word(shown));
        break;
      case Takes::kTwo:
        value = TRY(next_word(shown)) + "=";
        value += TRY(next_word(shown));
        break;
    }
    return take(row, std::move(value));
  }

  // "--name", "--name=value", "-name".
  Asked<void> whole(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::size_t begin = word[1] == '-' ? 2 : 1;
    const std::string shown = word.substr(0, equals);
    const std::string_view name = std::string_view(shown).substr(begin);
    const bool one_letter = name.size() == 1 && begin == 2 && program_.dashes != Dashes::kWords;
    if (name.empty() || one_letter)
      return no_question(said("with the word " + word + " is not understood"));
    if (begin == 1 && attached(word)) return take_letter_value(word);
    const Found found = TRY(find(name, shown));
    if (equals == std::string::npos) return take_next(found.row, shown);
    const bool may = found.row.takes == Takes::kValue || found.row.takes == Takes::kOptional ||
                     found.row.takes == Takes::kNext;
    if (!may)
      return no_question(said("with a value of the option " + shown + " is not understood"));
    return take(found.row, word.substr(equals + 1));
  }

  // True for "-j4" of kWords, where there is no option of that name.
  bool attached(const std::string& word) const {
    if (word.size() < 3 || word[2] == '=') return false;
    OptionRow row;
    const std::string_view name = std::string_view(word).substr(1, word.find('=') - 1);
    const auto known = [&](std::string_view options) { return find_in(options, name, row); };
    if (std::ranges::any_of(program_.options, known)) return false;
    for (const Refused& refused : program_.refused)
      if (known(refused.options)) return false;
    const std::string_view letter = std::string_view(word).substr(1, 1);
    for (const std::string_view options : program_.options) {
      if (find_in(options, letter, row) && row.takes != Takes::kNothing) return true;
    }
    return false;
  }

  Asked<void> take_letter_value(const std::string& word) {
    const Found found = TRY(find(std::string_view(word).substr(1, 1), word.substr(0, 2)));
    return take(found.row, word.substr(2));
  }

  // "-nE", "-n5", "-n 5".
  Asked<void> letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string_view letter = std::string_view(word).substr(i, 1);
      const std::string shown = "-" + std::string(letter);
      const bool digit = letter[0] >= '0' && letter[0] <= '9';
      OptionRow own;
      const auto known = [&](std::string_view options) { return find_in(options, letter, own); };
      if (digit && program_.digits == Digits::kNumber &&
          std::ranges::none_of(program_.options, known))
        continue;
      const Found found = TRY(find(letter, shown));
      const std::string rest = word.substr(i + 1);
      const Takes takes = found.row.takes;
      if (rest.empty()) return take_next(found.row, shown);
      if (takes == Takes::kValue || takes == Takes::kOptional || takes == Takes::kNext)
        return take(found.row, rest);
      if (takes == Takes::kTwo || program_.dashes == Dashes::kSingle)
        return no_question(said("with the word " + word + " is not understood"));
      TRY(take(found.row, {}));
    }
    return {};
  }

  const Program& program_;
  std::string name_;
  Words words_;
  std::size_t at_ = 0;
  Arguments out_;
};

}  // namespace

bool Arguments::has(std::string_view name) const {
  return count(name) != 0;
}

bool Arguments::has_any(std::string_view names) const {
  return std::ranges::any_of(pieces_of(names, ' '), [&](std::string_view one) { return has(one); });
}

std::size_t Arguments::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(options, [&](const Given& one) { return one.name == name; }));
}

std::vector<std::string> Arguments::all() const {
  std::vector<std::string> words = operands;
  words.insert(words.end(), after_dashes.begin(), after_dashes.end());
  return words;
}

bool among(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = pieces_of(list, ' ');
  return std::ranges::find(words, word) != words.end();
}

const Program* find_program(std::span<const Program> table, std::string_view name) {
  const auto row =
      std::ranges::find_if(table, [&](const Program& one) { return among(one.names, name); });
  return row == table.end() ? nullptr : &*row;
}

std::vector<OptionRow> rows_of(std::string_view options) {
  std::vector<OptionRow> rows;
  for (const std::string_view item : pieces_of(options, ' ')) rows.push_back(parse_row(item));
  return rows;
}

Asked<Arguments> split_words(const Program& program, std::string_view name, Words words) {
  return Splitter(program, name, words).split();
}

Classified ask(const Program& program, const std::string& name, Words words) {
  Question question;
  question.name = name;
  question.history = program.history;
  question.order = program.order;
  question.tests = program.tests;
  question.none_ran = program.none_ran;
  if (program.parse != nullptr) {
    TRY(program.parse(words, question));
    return question;
  }
  const Arguments arguments = TRY(split_words(program, name, words));
  if (program.check != nullptr) TRY(program.check(arguments, question));
  return question;
}

}  // namespace gittxn::questions

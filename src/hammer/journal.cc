#include "hammer/journal.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <sstream>

#include "model/names.h"

namespace gittxn::hammer {
namespace {

constexpr std::size_t kMostJournal = 1u << 30;

constexpr NameTable<Ended, 3> kEnded{{
    {Ended::kMade, "made"},
    {Ended::kRefused, "refused"},
    {Ended::kOpen, "open"},
}};

std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), std::istream_iterator<std::string>()};
}

}  // namespace

std::string tag_of(const Who& who, int count) {
  return fmt::format("h{}g{}-{}", who.place, who.life, count);
}

Result<Journal> Journal::open(const std::string& dir, const Who& who) {
  const std::string path = fmt::format("{}/{}.{}.journal", dir, who.place, who.life);
  return Journal(TRY(open_fd(path, O_WRONLY | O_CREAT | O_APPEND | O_EXCL, 0600)), who);
}

Result<std::string> Journal::begin(std::string_view verb, std::int64_t now_ns) {
  std::string tag = tag_of(who_, ++count_);
  TRY(write_all(fd_.get(), fmt::format("begin {} {} {}\n", tag, verb, now_ns)));
  return tag;
}

Status Journal::end(const Operation& operation) {
  std::string line = fmt::format("end {} {} {} {}", operation.tag, operation.ended_ns,
                                 name_in(kEnded, operation.ended), operation.seq);
  for (const auto& [name, value] : operation.facts) line += fmt::format(" {}={}", name, value);
  return write_all(fd_.get(), line + "\n");
}

Result<std::vector<Operation>> read_journal(const std::string& path) {
  const std::string text = TRY(read_file(path, kMostJournal));
  std::vector<Operation> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.size() == 4 && words[0] == "begin") {
      Operation fresh;
      fresh.tag = words[1];
      fresh.verb = words[2];
      fresh.begun_ns = number_in(words[3]);
      all.push_back(std::move(fresh));
      continue;
    }
    if (words.size() < 5 || words[0] != "end" || all.empty() || all.back().tag != words[1]) {
      return fail(Code::kCorrupt, fmt::format("'{}': '{}' is no line of a journal", path, line));
    }
    Operation& last = all.back();
    last.ended_ns = number_in(words[2]);
    last.ended = words[3] == "made" ? Ended::kMade : Ended::kRefused;
    last.seq = number_in(words[4]);
    for (std::size_t i = 5; i < words.size(); ++i) {
      const std::size_t equals = words[i].find('=');
      if (equals == std::string::npos) continue;
      last.facts[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
  }
  return all;
}

Result<std::vector<Operation>> read_journals(const std::string& dir) {
  std::vector<Operation> all;
  for (const DirEntry& entry : TRY(list_dir(dir))) {
    if (!entry.name.ends_with(".journal")) continue;
    std::vector<Operation> one = TRY(read_journal(dir + "/" + entry.name));
    all.insert(all.end(), std::make_move_iterator(one.begin()), std::make_move_iterator(one.end()));
  }
  std::ranges::sort(all, {}, &Operation::begun_ns);
  return all;
}

}  // namespace gittxn::hammer

// The scenarios of tests/meaning: small trees, and what two transactions do to them. Their format
// is said in tests/meaning/scenarios.py, which asks compilers about the same files. For tests.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fs.h"
#include "base/text.h"

namespace gittxn::land::testing {

using SmallTree = std::map<std::string, std::string>;

struct Scenario {
  std::string language, name;
  bool lands = false;  // what it has to be
  bool today = false;  // what it is
  std::vector<std::string> reads;
  SmallTree base, a, b;
};

// A text with its hunks in it, or what the lines say it is.
inline std::string changed(const std::string& text, const std::vector<std::string>& lines) {
  std::string whole;
  for (const std::string& line : lines)
    whole += line.substr(std::min<std::size_t>(2, line.size())) + "\n";
  if (lines.front().starts_with("  ")) return whole;
  std::string out = "\n" + text;
  for (std::size_t at = 0; at < lines.size();) {
    std::string was = "\n", now = "\n";
    for (; at < lines.size() && lines[at][0] == '-'; ++at) was += lines[at].substr(2) + "\n";
    for (; at < lines.size() && lines[at][0] == '+'; ++at) {
      if (lines[at].size() > 1) now += lines[at].substr(2) + "\n";
    }
    const std::size_t found = out.find(was);
    if (was == "\n" || found == std::string::npos) throw std::runtime_error("no lines " + was);
    out.replace(found, was.size(), now);
  }
  return out.substr(1);
}

// The scenarios of one file of the folder.
inline std::vector<Scenario> scenarios_in(const std::filesystem::path& path) {
  std::vector<Scenario> all;
  std::string side, file;
  std::vector<std::string> lines;
  const auto finish = [&]() {
    if (lines.empty()) return;
    Scenario& one = all.back();
    for (auto* tree : {&one.base, &one.a, &one.b}) {
      const bool its = side == "base" || tree == (side == "a" ? &one.a : &one.b);
      if (its) (*tree)[file] = changed((*tree)[file], lines);
    }
    lines.clear();
  };
  for (const std::string_view line : lines_of(*read_file(path.string()))) {
    const std::size_t blank = line.find(' ');
    const std::string word(line.substr(0, blank));
    const std::string rest(blank == line.npos ? "" : line.substr(blank + 1));
    if (line.empty()) continue;
    if (word.empty() || word == "-" || word == "+") {
      lines.emplace_back(line);
      continue;
    }
    finish();
    if (word == "=") {
      Scenario& one = all.emplace_back();
      const std::string stem = path.stem().string();
      one.language = stem.substr(0, stem.find('-'));
      one.name = rest;
    } else if (word == "expect") {
      all.back().lands = all.back().today = rest == "lands";
    } else if (word == "today") {
      all.back().today = rest == "lands";
    } else if (word == "reads") {
      for (const std::string_view read : pieces_of(rest, ' ')) {
        all.back().reads.emplace_back(read);
      }
    } else {
      side = word;
      file = rest;
    }
  }
  finish();
  return all;
}

inline std::vector<Scenario> scenarios() {
  const auto top = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
  std::vector<Scenario> all;
  for (const auto& file :
       std::filesystem::directory_iterator(top.parent_path() / "tests/meaning")) {
    if (file.path().extension() != ".txt") continue;
    for (Scenario& one : scenarios_in(file.path())) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace gittxn::land::testing

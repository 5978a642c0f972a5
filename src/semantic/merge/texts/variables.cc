#include "semantic/merge/texts/variables.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "semantic/kinds.h"

namespace gittxn::semantic {
namespace {

enum class Variables { kNone, kOfStyles, kOfMake };

Variables variables_of(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  if (file == "Makefile" || file == "GNUmakefile" || file.ends_with(".mk")) {
    return Variables::kOfMake;
  }
  const bool styles = file.ends_with(".css") || file.ends_with(".scss") || file.ends_with(".less");
  return styles ? Variables::kOfStyles : Variables::kNone;
}

bool is_of_variable(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// The length of the name that begins at `at`; 0 where none does.
std::size_t variable_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_of_variable(text[end])) ++end;
  return end - at;
}

struct Said {
  bool given = false;        // a value, somewhere
  std::vector<Span> places;  // of which the version is not known yet
};

using SaidVariables = std::map<std::string, Said, std::less<>>;

// "--gap" and "$gap"; with a colon behind it, it is given a value.
SaidVariables said_in_styles(std::string_view text) {
  SaidVariables said;
  for (std::size_t at = 0; at < text.size();) {
    const bool dashes = text.substr(at).starts_with("--");
    const std::size_t sign = dashes ? 2 : text[at] == '$' ? 1 : 0;
    const std::size_t name = sign == 0 ? 0 : variable_at(text, at + sign);
    if (name == 0) {
      at += std::max<std::size_t>(variable_at(text, at), 1);
      continue;
    }
    const std::size_t end = at + sign + name;
    Said& each = said[std::string(text.substr(at, end - at))];
    each.places.push_back({kBase, at, end});
    each.given = each.given || text.substr(end).starts_with(':');
    at = end;
  }
  return said;
}

// "CFLAGS" of "$(CFLAGS)", "${CFLAGS}" and "CFLAGS += -g".
SaidVariables said_in_makefile(std::string_view text) {
  SaidVariables said;
  const auto say = [&](std::size_t at, std::size_t size, bool given) {
    Said& each = said[std::string(text.substr(at, size))];
    each.places.push_back({kBase, at, at + size});
    each.given = each.given || given;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t name = variable_at(text, at);
    const bool line = at == 0 || text[at - 1] == '\n';
    const std::string_view before = text.substr(0, at), behind = text.substr(at + name);
    if (name > 0 && line) {
      std::string_view sign =
          behind.substr(std::min(behind.find_first_not_of(" \t"), behind.size()));
      sign = sign.substr(0, sign.find_first_not_of(":+?!="));
      if (sign.ends_with('=')) say(at, name, true);
    } else if (name > 0 && (before.ends_with("$(") || before.ends_with("${")) && !behind.empty() &&
               (behind[0] == ')' || behind[0] == '}' || behind[0] == ':')) {
      say(at, name, false);
    }
    if (name > 0) at += name - 1;
  }
  return said;
}

}  // namespace

GoneVariable gone_variable(std::string_view path, const Sides<std::string>& texts) {
  const Variables kind = variables_of(path);
  if (kind == Variables::kNone) return {};
  Sides<SaidVariables> said;
  for (std::size_t i = 0; i < 3; ++i) {
    said[i] = kind == Variables::kOfMake ? said_in_makefile(texts[i]) : said_in_styles(texts[i]);
  }
  for (const auto& [name, base] : said[kBase]) {
    for (const Side side : {kLeft, kRight}) {
      const auto there = said[other(side)].find(name);
      if (!base.given || said[side].contains(name) || there == said[other(side)].end()) continue;
      if (there->second.places.size() <= base.places.size()) continue;
      GoneVariable gone{name, there->second.places};
      for (Span& place : gone.places) place.version = other(side);
      return gone;
    }
  }
  return {};
}

}  // namespace gittxn::semantic

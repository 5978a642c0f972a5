#include "semantic/merge/code_blocks.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"

namespace gittxn::semantic {
namespace {

// A line that opens code: what closes it, and the word that tells the language.
struct Opening {
  std::string_view close;
  std::string_view language;
};

std::optional<Opening> opens_fence(std::string_view line) {
  const std::string_view bare = trimmed(line);
  const bool ticks = bare.starts_with("```");
  if (!ticks && !bare.starts_with("~~~")) return std::nullopt;
  const std::size_t end = bare.find_first_not_of(bare[0]);
  const std::string_view info = end == bare.npos ? std::string_view() : trimmed(bare.substr(end));
  // "```a```" is code within a line.
  if (ticks && info.contains('`')) return std::nullopt;
  return Opening{bare.substr(0, end), info.substr(0, info.find_first_of(" \t{,"))};
}

std::optional<Opening> opens_element(std::string_view line) {
  const std::string_view bare = trimmed(line);
  if (!line.starts_with(bare) || !bare.ends_with('>') || bare.contains("</")) return std::nullopt;
  if (bare.starts_with("<style")) return Opening{"</style>", ""};
  if (!bare.starts_with("<script")) return std::nullopt;
  const bool typed = bare.contains("lang=\"ts") || bare.contains("lang='ts");
  return Opening{"</script>", typed ? "typescript" : "javascript"};
}

const Language* language_called(std::string_view word) {
  if (word.empty()) return nullptr;
  if (const Language* language = find_language(lower_ascii(word))) return language;
  return language_of_path("a." + lower_ascii(word));
}

// A fence is closed by one that is as long or longer.
bool closes(std::string_view line, std::string_view close) {
  const std::string_view bare = trimmed(line);
  if (close.starts_with('<')) return bare == close;
  return bare.starts_with(close) && bare.find_first_not_of(close[0]) == bare.npos;
}

}  // namespace

std::vector<TextBlock> blocks_of(std::string_view path, std::string_view text) {
  const bool words = path.ends_with(".md") || path.ends_with(".markdown");
  if (!words && !path.ends_with(".vue") && !path.ends_with(".svelte")) return {};
  std::vector<TextBlock> blocks;
  std::optional<Opening> open;
  std::size_t from = 0;
  const auto end_block = [&](std::size_t to, const Language* language) {
    blocks.push_back({text.substr(from, to - from), open.has_value(), language});
    from = to;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, next - at);
    if (open) {
      if (closes(line, open->close)) {
        end_block(at, language_called(open->language));
        open.reset();
      }
    } else if (auto opening = words ? opens_fence(line) : opens_element(line)) {
      if (words) end_block(at, nullptr);
      end_block(next, nullptr);
      open = opening;
    }
    at = next;
  }
  if (open) return {};
  end_block(text.size(), nullptr);
  return blocks;
}

}  // namespace gittxn::semantic

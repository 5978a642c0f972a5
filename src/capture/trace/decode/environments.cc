#include "capture/trace/decode/environments.h"

#include <algorithm>
#include <vector>

#include "base/bug.h"
#include "base/fs.h"
#include "base/hash.h"
#include "base/text.h"
#include "capture/trace/preload_file.h"

namespace gittxn::capture {

namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";

std::string_view name_in(std::string_view word) {
  return word.substr(0, word.find('='));
}

bool is_left_out(std::string_view name) {
  switch (name.empty() ? '\0' : name.front()) {
    case '_':
      return name == "_";
    case 'G':
      return name.starts_with("GIT_TXN_");
    case 'O':
      return name == "OLDPWD";
    case 'P':
      return name == "PWD" || (name == "PATH" && INJECTED_BUG("trace.digest_without_path"));
    case 'S':
      return name == "SHLVL";
    case 'T':
      return name == "TMPDIR";
    default:
      return false;
  }
}

// The first of equal names counts, so these stay in their order.
std::string digest_of(std::string_view text) {
  std::vector<std::string_view> words = pieces_of(text, '\0');
  std::ranges::stable_sort(words, {}, name_in);
  Sha256 hash;
  for (const std::string_view word : words) {
    hash.update(word);
    hash.update(std::string_view("\0", 1));
  }
  return hash.finish().str();
}

}  // namespace

const std::string& Environments::digest() {
  for (const Known& known : known_) {
    if (known.words == words_ && !known.digest.empty()) return known.digest;
  }
  Known& next = known_[oldest_++ % known_.size()];
  next.words = words_;
  next.digest = digest_of(words_);
  return next.digest;
}

void Environments::describe(std::string_view words, Record* exec) {
  // A program may run another that is built into it, by the name of that one.
  const bool searches = asks_for_settings(base_name(exec->path)) ||
                        (!exec->argv.empty() && asks_for_settings(base_name(exec->argv.front())));
  if (!last_.env_digest.empty() && searches == last_.searches &&
      (words == last_.words || INJECTED_BUG("trace.digest_of_the_last"))) {
    exec->env = last_.env;
    exec->env_known = last_.env_known;
    exec->env_digest = last_.env_digest;
    return;
  }
  last_.words = words;
  last_.searches = searches;
  bool known = true;
  words_.clear();
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find('\0'));
    words.remove_prefix(std::min(word.size() + 1, words.size()));
    const std::string_view name = name_in(word);
    if (searches && known && is_setting(name)) {
      known = word.size() <= kMaxSetting && exec->env.size() < kMaxSettings;
      if (known) exec->env.emplace_back(word);
    }
    if (is_left_out(name)) continue;
    if (!word.starts_with(kPreload)) {
      words_.append(word).push_back('\0');
    } else if (const std::string others = without_preload(word.substr(kPreload.size()));
               !others.empty()) {
      words_.append(kPreload).append(others).push_back('\0');
    }
  }
  if (searches && !known) exec->env.clear();
  exec->env_known = searches && known;
  exec->env_digest = digest();
  last_.env = exec->env;
  last_.env_known = exec->env_known;
  last_.env_digest = exec->env_digest;
}

}  // namespace gittxn::capture

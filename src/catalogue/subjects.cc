#include "catalogue/subjects.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "semantic/kinds.h"
#include "semantic/names.h"

namespace gittxn::catalogue {
namespace {

using semantic::FileFacts;
using semantic::is_any;

constexpr std::size_t kMostNear = 8;
constexpr std::size_t kLongestName = 64;  // of those that are compared letter by letter
constexpr std::size_t kMostSubjects = 2'000;

Subject whole_file(std::string_view path, const FileFacts& facts) {
  Subject file;
  file.path = path;
  file.language = facts.language;
  return file;
}

bool is_member_of_c(const Subject& subject) {
  return is_any(subject.language, {"c", "cpp"}) &&
         is_any(subject.kind, {"function", "prototype", "constructor", "field", "variable"});
}

// Parameter types behind the name, where the language has them in ids.
std::string_view detail_of(std::string_view id) {
  const std::size_t open = id.rfind('(');
  return open == std::string_view::npos || !id.ends_with(").") ? "" : id.substr(open);
}

// The words of what it is in, outermost first: "shop Cart".
std::vector<std::string> chain_of(const Subject& subject) {
  std::vector<std::string> chain;
  std::string_view in = subject.container;
  in.remove_prefix(std::min(in.size(), subject.path.size()));
  for (const std::string_view word : semantic::words_of(in)) chain.emplace_back(word);
  const auto words = semantic::words_of(subject.name);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) chain.emplace_back(words[i]);
  const std::string_view receiver = subject.language == "go" ? detail_of(subject.symbol) : "";
  for (const std::string_view word : semantic::words_of(receiver)) chain.emplace_back(word);
  return chain;
}

std::string joined_chain(const Subject& subject) {
  std::string out;
  for (const std::string& part : chain_of(subject)) out += part + " ";
  return out;
}

// Called as the type it makes; a destructor is, too.
bool is_constructor(const Subject& subject) {
  if (!is_any(subject.kind, {"function", "prototype", "constructor"})) return false;
  return !subject.defines.empty() && subject.defines.back() == owner_of(subject);
}

// A type is written with the namespaces that are needed where it stands.
std::string unqualified(std::string_view types) {
  std::string out;
  for (std::size_t at = 0; at < types.size(); ++at) {
    if (types.substr(at).starts_with("::")) {
      while (!out.empty() && semantic::is_identifier("x" + out.substr(out.size() - 1))) {
        out.pop_back();
      }
      ++at;
    } else {
      out += types[at];
    }
  }
  return out;
}

bool has_name(const Subject& subject, std::string_view name) {
  return subject.name == name || std::ranges::find(subject.defines, name) != subject.defines.end();
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t before = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = before + (a[i - 1] == b[j - 1] ? 0 : 1);
      before = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

class Finder {
 public:
  Finder(Catalogue& catalogue, const Oid& tree) : catalogue_(catalogue), tree_(tree) {}

  Result<FoundSubjects> find(std::string_view text) {
    while (text.starts_with("./")) text.remove_prefix(2);
    FoundSubjects found;
    const TreeEntry whole = TRY(catalogue_.objects().entry_at(tree_, text));
    if (whole.present() && whole.mode != FileMode::kTree) {
      found.subjects.push_back(whole_file(text, TRY(catalogue_.file(text, whole))));
      return found;
    }
    found.subjects = TRY(by_id(text));
    if (found.subjects.empty()) found.subjects = TRY(by_name(text));
    if (found.subjects.empty()) found.near = TRY(near(text));
    return found;
  }

 private:
  // The file that an id begins with is the longest path in front that there is.
  Result<std::vector<Subject>> by_id(std::string_view text) {
    std::vector<Subject> subjects;
    for (std::size_t slash = text.rfind('/'); slash != std::string_view::npos && slash > 0;
         slash = text.rfind('/', slash - 1)) {
      const std::string_view path = text.substr(0, slash);
      const TreeEntry entry = TRY(catalogue_.objects().entry_at(tree_, path));
      if (!entry.present() || entry.mode == FileMode::kTree) continue;
      const FileFacts facts = TRY(catalogue_.file(path, entry));
      for (std::size_t i = 0; i < facts.symbols.size(); ++i) {
        Subject subject = subject_of(path, facts, i);
        const bool it =
            subject.symbol == text || (i > 0 && has_name(subject, text.substr(slash + 1)));
        if (it && i > 0) subjects.push_back(std::move(subject));
      }
      const auto exact = std::ranges::find(subjects, text, &Subject::symbol);
      if (exact != subjects.end()) return std::vector<Subject>{*exact};
      return subjects;
    }
    return subjects;
  }

  Result<std::vector<Subject>> by_name(std::string_view text) {
    const std::vector<std::string_view> words = semantic::words_of(text);
    std::vector<Subject> subjects;
    if (words.empty()) return subjects;
    const std::string_view name = words.size() > 1 ? words.back() : text;
    const std::uint32_t hash = name_hash(name);
    const auto look = [&](const std::string& path, const FileNames& file) -> Status {
      if (!contains(file.names, hash) || subjects.size() >= kMostSubjects) return {};
      const FileFacts facts = TRY(catalogue_.file(path, file.entry));
      for (std::size_t i = 1; i < facts.symbols.size(); ++i) {
        Subject subject = subject_of(path, facts, i);
        if (subject.kind == "import" || !has_name(subject, name)) continue;
        if (is_in(words, subject)) subjects.push_back(std::move(subject));
      }
      return {};
    };
    TRY(catalogue_.visit(tree_, look));
    return joined(std::move(subjects));
  }

  // What stands before the name is what it is in, read from the end.
  static bool is_in(const std::vector<std::string_view>& words, const Subject& subject) {
    const std::vector<std::string> chain = chain_of(subject);
    std::size_t at = chain.size();
    for (std::size_t i = words.size() - 1; i-- > 0;) {
      while (at > 0 && chain[at - 1] != words[i]) --at;
      if (at == 0) return false;
      --at;
    }
    return true;
  }

  // Definitions before declarations, types before what makes them; of one thing in several places
  // the first.
  static std::vector<Subject> joined(std::vector<Subject> subjects) {
    const auto rank = [](const Subject& subject) {
      if (is_constructor(subject)) return 2;
      return subject.kind == "prototype" ? 1 : 0;
    };
    std::ranges::stable_sort(subjects, {}, rank);
    std::set<std::string> seen;
    std::vector<Subject> each;
    for (Subject& subject : subjects) {
      if (seen.insert(entity_of(subject)).second) each.push_back(std::move(subject));
    }
    return each;
  }

  Result<std::vector<std::string>> near(std::string_view text) {
    const auto words = semantic::words_of(text);
    const std::string name = lower_ascii(words.empty() ? text : words.back());
    const std::string file = lower_ascii(text.substr(text.rfind('/') + 1));
    std::map<std::pair<std::size_t, std::string>, int> ranked;
    const auto offer = [&](std::string_view other, const std::string& asked, std::string shown) {
      if (other.size() > kLongestName || asked.size() > kLongestName || asked.empty()) return;
      const std::string small = lower_ascii(other);
      std::size_t far = distance(small, asked);
      if (far > 0 && asked.size() >= 4 && small.contains(asked)) far = 1;
      if (far > 1 + asked.size() / 4) return;
      ranked.emplace(std::pair{far, std::move(shown)}, 0);
      if (ranked.size() > kMostNear) ranked.erase(std::prev(ranked.end()));
    };
    const auto look = [&](const std::string& path, const FileNames& each) -> Status {
      offer(each.name, file, path);
      const FileFacts facts = TRY(catalogue_.file(path, each.entry));
      for (std::size_t i = 1; i < facts.symbols.size(); ++i) {
        const semantic::Symbol& symbol = facts.symbols[i];
        if (symbol.kind == "import") continue;
        for (const std::string& defined : symbol.defines) {
          offer(defined, name, semantic::id_in(path, symbol.id));
        }
      }
      return {};
    };
    TRY(catalogue_.visit(tree_, look));
    std::vector<std::string> near;
    for (const auto& [rank, unused] : ranked) near.push_back(rank.second);
    return near;
  }

  Catalogue& catalogue_;
  const Oid& tree_;
};

}  // namespace

Subject subject_of(std::string_view path, const FileFacts& facts, std::size_t symbol) {
  const semantic::Symbol& from = facts.symbols[symbol];
  Subject subject;
  subject.path = path;
  subject.symbol = semantic::id_in(path, from.id);
  if (!from.container.empty()) subject.container = semantic::id_in(path, from.container);
  subject.kind = from.kind;
  subject.name = from.name;
  subject.language = facts.language;
  subject.defines = from.defines;
  subject.line = facts.lines[symbol].first;
  return subject;
}

Result<FoundSubjects> find_subjects(Catalogue& catalogue, const Oid& tree, std::string_view text) {
  return Finder(catalogue, tree).find(text);
}

Result<std::vector<Subject>> subjects_in(Catalogue& catalogue, std::string_view path,
                                         const TreeEntry& entry) {
  const FileFacts facts = TRY(catalogue.file(path, entry));
  std::vector<Subject> subjects{whole_file(path, facts)};
  for (std::size_t i = 1; i < facts.symbols.size(); ++i) {
    if (facts.symbols[i].kind != "import") subjects.push_back(subject_of(path, facts, i));
  }
  return subjects;
}

std::string owner_of(const Subject& subject) {
  // "impl#[Cart][Priced]": of the type, and not of the trait.
  constexpr std::string_view kImpl = "impl#[";
  const std::size_t impl = subject.container.rfind(kImpl);
  if (impl != std::string::npos) {
    const std::string_view behind = std::string_view(subject.container).substr(impl + kImpl.size());
    if (const auto type = semantic::first_word(behind); !type.empty()) return std::string(type);
  }
  const std::vector<std::string> chain = chain_of(subject);
  return chain.empty() ? std::string() : chain.back();
}

std::string entity_of(const Subject& subject) {
  const bool c = is_any(subject.language, {"c", "cpp"});
  if (is_constructor(subject)) return c ? "c type " + joined_chain(subject) : subject.container;
  if (c && subject.kind == "type") return "c type " + joined_chain(subject) + subject.name + " ";
  if (!is_member_of_c(subject) || subject.defines.empty()) return subject.symbol;
  return "c " + owner_of(subject) + " " + subject.defines.back() + " " +
         unqualified(detail_of(subject.symbol));
}

}  // namespace gittxn::catalogue

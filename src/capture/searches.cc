#include "capture/searches.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/fs.h"
#include "base/hash.h"
#include "search/evaluate.h"
#include "search/walk.h"

namespace gittxn::capture {
namespace {

using search::not_refined;
using search::Refined;
using search::Vouched;

// A file that came with the system. One of the same name in somebody's home may be anything.
bool installed(std::string_view program) {
  const bool system = program.starts_with("/usr/") || program.starts_with("/bin/");
  return system && !program.starts_with("/usr/local/");
}

std::map<std::string, std::string> variables(const std::vector<std::string>& settings) {
  std::map<std::string, std::string> env;
  for (const std::string& setting : settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    const std::size_t value = std::min(equals + 1, setting.size());
    env.emplace(setting.substr(0, equals), setting.substr(value));
  }
  return env;
}

// The deepest directory, or the one path, that all roots are at or below.
std::string shared_root(const search::Query& query) {
  std::string shared = query.roots.front().path;
  for (const search::Root& root : query.roots) {
    while (!shared.empty() && !path_below(root.path, shared, nullptr)) {
      shared = shared.contains('/') ? parent_dir(shared) : "";
    }
  }
  return shared;
}

bool is_attributes(std::string_view path) {
  constexpr std::string_view kName = ".gitattributes";
  return path == kName || (path.ends_with(kName) && path[path.size() - kName.size() - 1] == '/');
}

// The place of a path in a sorted list, or where it would be: mostly near the last one.
std::size_t place_near(std::size_t last, const std::vector<std::string>& sorted,
                       const std::string& path) {
  constexpr std::size_t kNear = 32;
  const std::size_t low = last - std::min(last, kNear);
  const std::size_t high = std::min(last + kNear, sorted.size());
  const bool after = low == 0 || sorted[low] <= path;
  const bool before = high == sorted.size() || path < sorted[high];
  const auto begin = sorted.begin();
  const auto at =
      std::lower_bound(after ? begin + static_cast<std::ptrdiff_t>(low) : begin,
                       before ? begin + static_cast<std::ptrdiff_t>(high) : sorted.end(), path);
  return static_cast<std::size_t>(at - begin);
}

// The paths of looks, most of which are in the directory of the one before.
class LookPaths {
 public:
  const std::string& of(const HeldLooks::Look& look) {
    const Node* const node = look.node;
    if (node == nullptr || node->listed == nullptr) {
      directory_ = nullptr;
      return path_ = look.path();
    }
    if (node->listed_in == directory_) {
      path_.resize(begin_);
      return path_ += node->listed->name;
    }
    directory_ = node->listed_in;
    path_ = look.path();
    begin_ = path_.size() - node->listed->name.size();
    return path_;
  }

 private:
  const Node* directory_ = nullptr;
  std::size_t begin_ = 0;  // of the name in the path
  std::string path_;
};

}  // namespace

Result<std::vector<search::NamedEntry>> KnownTree::list(const std::string& path) const {
  const Node* directory = model_.whole_directory(path);
  if (directory == nullptr) return tree_.list(path);
  std::vector<search::NamedEntry> entries;
  entries.reserve(directory->children.size());
  directory->children.each(
      [&](const Node& node) { entries.push_back({std::string(node.name), node.entry()}); });
  return entries;
}

Result<std::vector<search::NamedEntry>> KnownTree::list_modes(const std::string& path) const {
  const Node* directory = model_.whole_directory(path);
  if (directory == nullptr) return tree_.list(path);
  std::vector<search::NamedEntry> entries;
  entries.reserve(directory->children.size());
  directory->children.each([&](const Node& node) {
    entries.push_back({std::string(node.name), {node.entry_mode(), Oid()}});
  });
  return entries;
}

const SearchSettings& Searches::settings() {
  if (!settings_) settings_ = input_.search_settings ? input_.search_settings() : SearchSettings{};
  return *settings_;
}

Refined<search::Query> Searches::query_of(const Record& exec, const Resolved& program,
                                          Vouched named) {
  if (!exec.env_known) return not_refined("its environment is not known");
  const bool vouched = named == Vouched::kYes || installed(program.real);
  if (program.place != Place::kOutside || !vouched) {
    return not_refined("a program that did not come with the system");
  }
  if (exec.argv_cut) return not_refined("its arguments are not kept whole");
  search::Surroundings around;
  around.top = input_.places.tree;
  if (!path_below(exec.path2, around.top, &around.cwd)) return not_refined("it ran elsewhere");
  if (around.cwd == ".git" || around.cwd.starts_with(".git/")) return not_refined("it ran in .git");
  around.env = variables(exec.env);
  around.name = named;
  const std::string name = base_name(named == Vouched::kYes ? exec.argv.front() : program.real);
  if (name == "git" && (exec.argv.size() < 2 || exec.argv[1] != "grep")) {
    return not_refined("git, but not grep");
  }
  if (name == "git" || name == "rg" || name == "fd") {
    const SearchSettings& known = settings();
    const bool same = std::ranges::all_of(
        known.variables, [&](auto& one) { return variable(around.env, one.first) == one.second; });
    if (known.known && same) {
      std::erase_if(around.env, [](auto& one) { return one.first.starts_with("GIT_CONFIG_"); });
      around.git_settings = known.git;
      around.outside_rules = known.outside_rules;
    }
  }
  // Of a word that is both git wants to know which; a revision that is no path opens no files.
  around.is_revision = [&](const std::string& word) {
    return !model_.snapshot_entry(normal_path(join_path(around.cwd, word))).present();
  };
  return search::query_from_argv(program.real, exec.argv, around);
}

HeldLooks* Searches::begin(const Record& exec, const Resolved& program, Vouched name) {
  const bool may_be = name == Vouched::kYes || asks_for_settings(base_name(exec.path));
  if (!input_.search_settings || !may_be) return nullptr;
  if (!input_.base.empty() && input_.base != input_.snapshot) return nullptr;
  Refined<search::Query> query = query_of(exec, program, name);
  if (!query) return nullptr;
  Search search{*std::move(query), {}};
  return &running_.insert_or_assign(exec.pid, std::move(search)).first->second.held;
}

// Nothing of the transaction's own, or gone, at a path that governed the search: which rules held
// then cannot be told any more.
Refined<void> Searches::no_own_rules(const Search& search) const {
  const auto governs = [&](std::string_view path) {
    const bool git = search.query.tool == search::Tool::kGitGrep;
    return search::is_ignore_file(search.query, path) || (git && is_attributes(path));
  };
  if (std::ranges::any_of(search.held.own, governs)) {
    return not_refined("it read rules of the transaction's own");
  }
  for (const PathChange& change : input_.writes) {
    if (governs(change.path)) return not_refined("the transaction changes '" + change.path + "'");
  }
  if (observer_.has_no_own_paths()) return {};
  for (const HeldLooks::Look& look : search.held.looks) {
    if (governs(look.name()) && observer_.changed_in_place(look.path())) {
      return not_refined("'" + look.path() + "' was changed in place");
    }
  }
  return {};
}

// Of these directories and all above them.
bool Searches::attributes_harmless(const std::set<std::string>& directories, Reader reader) {
  std::set<std::string> all{""};
  for (std::string directory : directories) {
    while (directory != "." && all.insert(directory).second) directory = parent_dir(directory);
  }
  return std::ranges::all_of(all, [&](const std::string& directory) {
    const auto [known, fresh] = harmless_.try_emplace({directory, reader}, true);
    if (!fresh) return known->second;
    const TreeEntry entry = model_.snapshot_entry(join_path(directory, ".gitattributes"));
    if (!entry.present()) return true;
    const auto text = tree_.blob(entry.oid);
    known->second = text && !attributes_matter(*text, reader);
    return known->second;
  });
}

// The log has one text for its own snapshot.
bool Searches::is_of_the_snapshot(const HeldLooks::Look& look) const {
  return look.snapshot == &log_.snapshot().str();
}

bool Searches::has_blob_lines(const std::string& path) {
  return settings().same_lines == Vouched::kYes && !settings_changed_ &&
         attributes_harmless({parent_dir(path)}, Reader::kLines);
}

// The searched files have the bytes of their blobs.
Refined<void> Searches::same_bytes(const search::Query& query, Scope scope) {
  if (query.kind == search::Kind::kNames) return {};
  const Reader reader = query.tool == search::Tool::kGitGrep ? Reader::kGitGrep : Reader::kAny;
  std::set<std::string> directories(scope->directories.begin(), scope->directories.end());
  std::string last;  // of the files, which are sorted
  for (const std::string& file : scope->files) {
    const std::size_t slash = file.rfind('/');
    if (slash == last.size() && file.starts_with(last)) continue;
    last = *directories.insert(parent_dir(file)).first;
  }
  for (const search::Root& root : query.roots) directories.insert(root.path);
  const bool plain = settings().plain_checkout == Vouched::kYes;
  if (plain && attributes_harmless(directories, reader)) return {};
  return not_refined("files may be converted at checkout");
}

Refined<Searches::Scope> Searches::scope_of(const search::Query& query) {
  constexpr std::size_t kMostScopes = 32;
  search::Query where = query;
  where.patterns.clear();
  const std::string key = search::query_text(where);
  if (scopes_.size() >= kMostScopes && !scopes_.contains(key)) scopes_.clear();
  auto known = scopes_.find(key);
  if (known == scopes_.end()) {
    known = scopes_.emplace(key, search::scope_of(query, tree_)).first;
  }
  if (!known->second) return std::unexpected(known->second.error());
  return &*known->second;
}

// Whether a path is still as the snapshot has it; what is not need not have been looked at.
bool Searches::is_the_snapshots(const std::string& path) {
  if (observer_.own_path(path)) return false;
  const Node* node = model_.at(path);
  while (node != nullptr && node->origin != Origin::kOwn && node->parent != nullptr) {
    node = node->parent;
  }
  return node != nullptr && node->origin != Origin::kOwn;
}

Refined<Searches::Scope> Searches::governed(const Search& search) {
  // The settings were looked at after everything had ended.
  if (settings_changed_) return not_refined("settings were changed meanwhile");
  if (!search.held.spoiled.empty()) return not_refined(search.held.spoiled);
  TRY(no_own_rules(search));
  const Scope scope = TRY(scope_of(search.query));
  TRY(same_bytes(search.query, scope));
  return scope;
}

Refined<Searches::Scope> Searches::prove(Search& search, const Process& process) {
  const search::Query& query = search.query;
  const bool git = query.tool == search::Tool::kGitGrep;
  const bool ours = process.in_our_repository && !process.in_other_checkout;
  if (git && (!ours || process.use.elsewhere)) return not_refined("git in another repository");
  const Scope scope = TRY(governed(search));
  std::vector<bool> opened(scope->files.size());
  std::set<std::string> listed;
  LookPaths paths;
  std::size_t at = 0;
  for (HeldLooks::Look& look : search.held.looks) {
    if (!is_of_the_snapshot(look)) continue;
    if (look.kind == ReadKind::kListing) listed.insert(look.path());
    if (look.kind != ReadKind::kContent) continue;
    const std::string& path = paths.of(look);
    at = place_near(at, scope->files, path);
    look.in_scope = at < scope->files.size() && scope->files[at] == path;
    if (look.in_scope) {
      opened[at] = true;
      continue;
    }
    const bool rules = search::is_ignore_file(query, path) || (git && is_attributes(path));
    // rg looks where a link leads before it leaves it out; what it saw there stays a read.
    const bool link = model_.snapshot_entry(path).mode == FileMode::kLink;
    if (!rules && !link) return not_refined("it opened '" + path + "'");
  }
  for (std::size_t i = 0; i < opened.size(); ++i) {
    const std::string& path = scope->files[i];
    if (!opened[i] && is_the_snapshots(path)) return not_refined("it did not open '" + path + "'");
  }
  if (git) return scope;  // it goes by its index
  for (const std::string& path : listed) {
    if (!scope->has_directory(path)) return not_refined("it listed '" + path + "'");
  }
  for (const std::string& path : scope->directories) {
    if (!listed.contains(path) && is_the_snapshots(path)) {
      return not_refined("it did not list '" + path + "'");
    }
  }
  return scope;
}

bool Searches::explains(const search::Query& query, Scope scope,
                        const HeldLooks::Look& look) const {
  if (!is_of_the_snapshot(look) || look.strength != Strength::kHard) return false;
  const bool path_read = look.kind == ReadKind::kContent || look.kind == ReadKind::kMetadata ||
                         look.kind == ReadKind::kListing || look.kind == ReadKind::kAbsence;
  if (!path_read) return false;
  const bool git = query.tool == search::Tool::kGitGrep;
  if ((git || look.in_scope) && observer_.has_no_own_paths()) return true;
  const std::string path = look.path();
  // The judge leaves own paths to the check of writes, which passes when both sides wrote the same.
  const bool own = observer_.own_path(path) || observer_.changed_in_place(path);
  if (own && look.kind != ReadKind::kListing) return false;
  if (git) return true;
  switch (look.kind) {
    case ReadKind::kContent:
      return look.in_scope || scope->has_file(path);
    case ReadKind::kListing:
      return scope->has_directory(path);
    case ReadKind::kMetadata: {
      const std::string parent = path.contains('/') ? parent_dir(path) : "";
      const bool root = std::ranges::any_of(
          query.roots, [&](const search::Root& given) { return given.path == path; });
      return root || scope->has_file(path) || scope->has_directory(path) ||
             scope->has_directory(parent);
    }
    default:
      return search::is_ignore_file(query, path);
  }
}

Read Searches::read_of(const search::Query& query, Read made) const {
  made.kind = ReadKind::kSearch;
  made.subject = shared_root(query);
  made.query = search::query_text(query);
  made.digest = sha256(made.query).str();
  made.snapshot = input_.snapshot;
  made.op = "search";
  return made;
}

void Searches::replace(Search& search, Scope scope, const Process& process) {
  search.query.git_index = search.held.opened_index && search.query.tool != search::Tool::kGitGrep;
  Read read = read_of(search.query, {});
  read.pid = process.pid;
  read.argv = process.argv;
  read.question = process.question;
  for (const HeldLooks::Look& look : search.held.looks) {
    if (explains(search.query, scope, look)) {
      ++read.explains;
    } else {
      log_.release(look, process);
    }
  }
  const bool names = search.query.kind == search::Kind::kNames;
  log_.add(std::move(read), names ? process.shown : process.printed);
}

bool Searches::answer(const std::string& query, const HeldLooks& held, Read made,
                      std::vector<bool>* explained) {
  if (!input_.search_settings || (!input_.base.empty() && input_.base != input_.snapshot)) {
    return false;
  }
  auto parsed = search::query_from_text(query);
  if (!parsed || parsed->roots.empty()) return false;
  const Search search{*std::move(parsed), held};
  const Refined<Scope> scope = governed(search);
  if (!scope) return false;
  for (std::size_t i = 0; explained != nullptr && i < held.looks.size(); ++i) {
    if (explains(search.query, *scope, held.looks[i])) (*explained)[i] = true;
  }
  log_.add(read_of(search.query, std::move(made)));
  return true;
}

bool Searches::settle(Process& process,
                      const std::function<void(std::string_view why)>& everything) {
  const auto at = running_.find(process.pid);
  if (process.held == nullptr || at == running_.end()) return false;
  process.held = nullptr;
  const auto node = running_.extract(at);
  Search& search = node.mapped();
  const Refined<Scope> scope = prove(search, process);
  if (scope) {
    replace(search, *scope, process);
    return true;
  }
  if (process.git) return false;  // git's own looks are nobody's; its arguments say what it read
  for (const HeldLooks::Look& look : search.held.looks) log_.release(look, process);
  for (const std::string_view why : search.held.everything) everything(why);
  return false;
}

}  // namespace gittxn::capture

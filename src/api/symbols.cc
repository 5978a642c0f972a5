// symbols, impact, and what a transaction did to symbols. They look and record nothing; what was
// found out about files is kept in the catalogue, which may be deleted at any time.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "api/kernel.h"
#include "base/fs.h"
#include "base/text.h"
#include "catalogue/impact.h"
#include "catalogue/subjects.h"
#include "gates/units/seen.h"
#include "txn/attempt.h"

namespace gittxn::api {
namespace {

using catalogue::Catalogue;
using catalogue::FileNames;
using catalogue::Subject;
using semantic::FileFacts;

constexpr std::size_t kMostBlob = 1u << 30;
constexpr std::size_t kMostSubjects = 20;  // of a transaction; more are asked for by what is linked
constexpr std::size_t kProgressStep = 64;

catalogue::CatalogueOptions options_of(const State& state, const Progress& progress) {
  catalogue::CatalogueOptions options;
  options.cache = catalogue::cache_in(state.repository.txn_dir(), *state.host.clock);
  options.interrupted = progress.interrupted;
  if (progress.on_phase) {
    options.on_progress = [phase = progress.on_phase](std::size_t done, std::size_t of) {
      if (done % kProgressStep == 0) phase(fmt::format("looking into files, {} of {}", done, of));
    };
  }
  return options;
}

// The repository that the caller stands in, which inside a transaction is the private one, with the
// catalogue of the one that it belongs to.
struct Looking {
  Looking(repo::Repository opened, const State& state, const Progress& progress)
      : here(std::move(opened)),
        catalogue(here.objects(), here.git(), options_of(state, progress)) {}
  Looking(const Looking&) = delete;
  Looking& operator=(const Looking&) = delete;

  repo::Repository here;
  Catalogue catalogue;

  const repo::Objects& objects() { return here.objects(); }

  Result<Oid> commit(const std::string& revision) {
    const Output found = TRY(here.git().run(
        {"rev-parse", "--verify", "-q", "--end-of-options", revision + "^{commit}"}, here.here()));
    if (!found.exit.success()) {
      return fail(Code::kUsage, fmt::format("'{}' is no commit of this repository", revision),
                  "name a commit, a branch or a tag");
    }
    return Oid(found.out.substr(0, found.out.find('\n')));
  }

  // A path as it was typed, from the top of the tree.
  Result<std::string> from_top(const std::string& typed) {
    const std::string& prefix = here.place().prefix;
    std::string path = normal_path(join_path(prefix.empty() ? "." : prefix, typed));
    if (typed.starts_with('/')) {
      const std::string top = here.place().worktree.value_or("/");
      if (!path_below(typed, top, &path)) path = "..";
    }
    if (path == ".") path.clear();
    if (path == ".." || path.starts_with("../")) {
      return fail(Code::kUsage, fmt::format("'{}' is outside of the repository", typed));
    }
    return path;
  }

  std::vector<std::string> notes() const {
    if (catalogue.trouble().empty()) return {};
    return {"the catalogue could not be kept: " + catalogue.trouble()};
  }
};

// --- symbols ---

bool has_name(std::string_view language, const semantic::Symbol& symbol, const std::string& name) {
  return symbol.name == name || semantic::short_name(language, symbol.kind, symbol.name) == name ||
         std::ranges::find(symbol.defines, name) != symbol.defines.end();
}

void add_file(const SymbolsRequest& request, const std::string& path, const FileFacts& facts,
              SymbolsReport& report) {
  ++report.files;
  std::vector<SymbolLine> lines;
  std::size_t part = 0;
  for (std::size_t i = 0; i < facts.symbols.size(); ++i) {
    const semantic::Symbol& symbol = facts.symbols[i];
    if (!request.kind.empty() && symbol.kind != request.kind) continue;
    if (!request.name.empty() && !has_name(facts.language, symbol, request.name)) continue;
    SymbolLine line{path, facts.language, semantic::id_in(path, symbol.id), symbol.kind,
                    semantic::short_name(facts.language, symbol.kind, symbol.name)};
    line.first = facts.lines[i].first;
    line.last = facts.lines[i].last;
    if (symbol.opaque) {
      line.opaque = i == 0 ? std::string(semantic::opaque_reason(facts.opaque))
                           : "there is a syntax error in it";
    }
    for (std::size_t c = 0; c < semantic::kCapabilities; ++c) {
      if (symbol.hashes[c].empty()) continue;
      line.hashes.emplace_back(semantic::capability_name(static_cast<semantic::Capability>(c)),
                               symbol.hashes[c]);
    }
    lines.push_back(std::move(line));
    for (; part < facts.parts.size() && facts.parts[part].symbol <= i; ++part) {
      if (facts.parts[part].symbol < i) continue;
      SymbolLine& other = lines.emplace_back(lines.back());
      other.first = facts.parts[part].lines.first;
      other.last = facts.parts[part].lines.last;
    }
  }
  std::ranges::stable_sort(lines, {}, &SymbolLine::first);
  for (SymbolLine& line : lines) {
    if (request.limit > 0 && report.lines.size() >= request.limit) {
      ++report.more;
    } else {
      report.lines.push_back(std::move(line));
    }
  }
}

Status list_tree(Looking& looking, const SymbolsRequest& request, const Oid& tree,
                 const std::string& at, SymbolsReport& report) {
  const std::uint32_t wanted = catalogue::name_hash(request.name);
  const auto visitor = [&](const std::string& below, const FileNames& file) -> Status {
    if (!request.name.empty() && !catalogue::contains(file.names, wanted)) {
      ++report.files;
      return {};
    }
    const std::string path = at.empty() ? below : at + "/" + below;
    add_file(request, path, TRY(looking.catalogue.file(path, file.entry)), report);
    return {};
  };
  return looking.catalogue.visit(tree, visitor);
}

Status list_commit(Looking& looking, const SymbolsRequest& request, SymbolsReport& report) {
  report.commit = TRY(looking.commit(*request.at));
  const Oid tree = TRY(looking.objects().tree_of(report.commit));
  if (request.paths.empty()) return list_tree(looking, request, tree, "", report);
  for (const std::string& typed : request.paths) {
    const std::string path = TRY(looking.from_top(typed));
    const TreeEntry entry = path.empty() ? TreeEntry{FileMode::kTree, tree}
                                         : TRY(looking.objects().entry_at(tree, path));
    if (!entry.present()) {
      return fail(Code::kNotFound, fmt::format("'{}' is not in that commit", typed),
                  fmt::format("git ls-tree -r --name-only {}", short_oid(report.commit)));
    }
    if (entry.mode == FileMode::kTree) {
      TRY(list_tree(looking, request, entry.oid, path, report));
    } else {
      add_file(request, path, TRY(looking.catalogue.file(path, entry)), report);
    }
  }
  return {};
}

Status list_file(Looking& looking, const SymbolsRequest& request, const std::string& top,
                 const std::string& path, SymbolsReport& report) {
  struct stat info{};
  const std::string whole = join_path(top, path);
  if (::lstat(whole.c_str(), &info) != 0) return fail_errno(errno, "'" + path + "'");
  if (!S_ISREG(info.st_mode)) {
    add_file(request, path, semantic::opaque_facts(semantic::Opaque::kNotAFile, path), report);
    return {};
  }
  // A file that is not looked into is not read, and so has no hashes.
  if (static_cast<std::size_t>(info.st_size) > semantic::Budget().bytes) {
    semantic::FileFacts facts = semantic::opaque_facts(semantic::Opaque::kTooLarge, path);
    facts.symbols.front().hashes = {};
    add_file(request, path, facts, report);
    return {};
  }
  const std::string text = TRY(read_file(whole, kMostBlob));
  add_file(request, path, TRY(looking.catalogue.text(path, text)), report);
  return {};
}

// Files as they are on disk; below a directory those that git knows or would take.
Status list_disk(Looking& looking, const SymbolsRequest& request, SymbolsReport& report) {
  const auto& worktree = looking.here.place().worktree;
  if (!worktree) {
    return fail(Code::kUsage, "a bare repository has no files on disk",
                "git txn symbols --at COMMIT");
  }
  for (const std::string& typed : request.paths) {
    const std::string path = TRY(looking.from_top(typed));
    struct stat info{};
    if (::lstat(join_path(*worktree, path).c_str(), &info) != 0) {
      return fail(Code::kNotFound, fmt::format("there is no file '{}'", typed),
                  "what was there once: git txn symbols --at COMMIT PATH");
    }
    if (!S_ISDIR(info.st_mode)) {
      TRY(list_file(looking, request, *worktree, path, report));
      continue;
    }
    const std::string listed = TRY(looking.here.git().must(
        {"--literal-pathspecs", "-C", *worktree, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard", "--deduplicate", "--", path.empty() ? "." : path},
        looking.here.here()));
    for (const std::string_view name : pieces_of(listed, '\0')) {
      const std::string file(name);
      const bool there = TRY(exists(join_path(*worktree, file)));
      if (there) TRY(list_file(looking, request, *worktree, file, report));
    }
  }
  return {};
}

// --- impact ---

// The symbols that a change touched, and their files: as the tree after it has them, what it
// removed as the one before.
Result<std::vector<Subject>> touched(Looking& looking, const FootprintReport& change) {
  std::vector<Subject> subjects;
  for (const PathChange& file : change.changes) {
    for (const TreeEntry* entry : {&file.before, &file.after}) {
      if (!entry->present()) continue;
      for (Subject& subject : TRY(subjects_in(looking.catalogue, file.path, *entry))) {
        const bool it = std::any_of(
            change.symbols.begin(), change.symbols.end(), [&](const semantic::Write& one) {
              const bool before = one.change == semantic::Change::kRemoved;
              return one.symbol == subject.symbol && before == (entry == &file.before);
            });
        const bool whole =
            subject.symbol.empty() && (entry == &file.after || !file.after.present());
        if (it || whole) subjects.push_back(std::move(subject));
      }
    }
  }
  return subjects;
}

// What a person calls so; a path from where they stand first. Never empty.
Result<std::vector<Subject>> named(Looking& looking, const std::string& text, const Oid& commit) {
  std::string what = text;
  if (const auto path = looking.from_top(text)) {
    const TreeEntry entry = TRY(looking.objects().entry_at(commit, *path));
    if (entry.present()) what = *path;
  }
  catalogue::FoundSubjects found = TRY(find_subjects(looking.catalogue, commit, what));
  if (!found.subjects.empty()) return std::move(found.subjects);
  return fail(Code::kNotFound, fmt::format("nothing is called '{}' in {}", text, short_oid(commit)),
              found.near.empty() ? "git txn symbols --at HEAD lists what there is"
                                 : fmt::format("alike: {}", fmt::join(found.near, ", ")));
}

// Units of gates that have run and looked into a file of the subjects are tests of it; what is
// called a test by name, and is a unit that did not look there, comes last.
Status add_seen(State& state, ImpactReport& report) {
  const store::Store* store = TRY(state.looking());
  if (store == nullptr) return {};
  std::set<std::string> files;
  for (const Subject& subject : report.subjects) files.insert(subject.path);
  std::set<std::string> blind;
  for (const gates::UnitLooked& unit : TRY(gates::units_that_looked(*store, files))) {
    if (unit.files.empty()) blind.insert(unit.unit);
    for (const std::string& file : unit.files) {
      report.lines.push_back(
          {.relation = catalogue::Relation::kTest,
           .certainty = catalogue::Certainty::kSeen,
           .path = unit.unit,
           .symbol = unit.unit + "/",
           .of = file,
           .why = fmt::format("it read the file when gate '{}' ran it on tree {}", unit.gate.str(),
                              short_oid(unit.tree))});
    }
  }
  const auto did_not_look = [&](const catalogue::Affected& line) {
    return line.relation == catalogue::Relation::kTest &&
           line.certainty == catalogue::Certainty::kByName && blind.contains(line.path);
  };
  for (catalogue::Affected& line : report.lines) {
    if (did_not_look(line)) line.why += "; it did not read the file when it ran";
  }
  std::ranges::stable_sort(report.lines, {}, [&](const catalogue::Affected& line) {
    return std::tuple(line.relation, line.certainty, did_not_look(line));
  });
  return {};
}

Result<bool> is_transaction(State& state, const std::string& text) {
  if (!text.starts_with("t-")) return false;
  if (TRY(state.looking()) == nullptr) return false;
  return state.find(text).has_value();
}

}  // namespace

Result<SymbolsReport> Kernel::symbols(const SymbolsRequest& request, const Progress& progress) {
  if (!request.at && request.paths.empty()) {
    return fail(Code::kUsage, "git txn symbols needs a path or a commit",
                "git txn symbols PATH..., or git txn symbols --at COMMIT");
  }
  Looking looking(TRY(repo::Repository::open(state_->host.cwd, state_->host.env)), *state_,
                  progress);
  SymbolsReport report;
  TRY(request.at ? list_commit(looking, request, report) : list_disk(looking, request, report));
  report.notes = looking.notes();
  return report;
}

Result<ImpactReport> Kernel::impact(const ImpactRequest& request, const Progress& progress) {
  Looking looking(TRY(repo::Repository::open(state_->host.cwd, state_->host.env)), *state_,
                  progress);
  ImpactReport report;
  std::vector<Subject> subjects;
  const bool txn = !request.at && TRY(is_transaction(*state_, request.of));
  if (txn) {
    const FootprintReport change = TRY(footprint(request.of, FootprintOf::kDiff));
    const Txn found = TRY(state_->find(request.of));
    report.commit = work_of(found);
    subjects = TRY(touched(looking, change));
  } else {
    report.commit = TRY(looking.commit(request.at.value_or("HEAD")));
    subjects = TRY(named(looking, request.of, report.commit));
  }
  report.subjects = subjects;
  const bool file = !txn && subjects.front().symbol.empty();
  report.ambiguous = !txn && !file && subjects.size() > 1;
  if (report.ambiguous || subjects.empty()) return report;
  if (file) {
    const TreeEntry entry = TRY(looking.objects().entry_at(report.commit, subjects.front().path));
    subjects = TRY(subjects_in(looking.catalogue, subjects.front().path, entry));
  }
  const auto uses =
      file || subjects.size() > kMostSubjects ? catalogue::Uses::kLinked : catalogue::Uses::kAll;
  catalogue::Impact impact =
      TRY(catalogue::impact_of(looking.catalogue, report.commit, subjects, uses));
  report.lines = std::move(impact.affected);
  TRY(add_seen(*state_, report));
  if (request.limit > 0 && report.lines.size() > request.limit) {
    report.more = report.lines.size() - request.limit;
    report.lines.resize(request.limit);
  }
  report.notes = std::move(impact.notes);
  for (std::string& note : looking.notes()) report.notes.push_back(std::move(note));
  return report;
}

Result<FootprintReport> Kernel::footprint(const std::string& id, FootprintOf of) {
  const Txn txn = TRY(state_->find(id));
  catalogue::Footprints footprints = footprints_in(*state_);
  if (of == FootprintOf::kWrites) {
    if (txn.attempts.empty()) return FootprintReport{};
    const Changes writes = TRY(recorded_writes(*state_->store, txn.attempts.back()));
    return footprint_of(footprints, writes);
  }
  const Oid commit = work_of(txn);
  if (commit.empty()) return no_work_yet(txn);
  const repo::Objects& objects = state_->repository.objects();
  const repo::CommitInfo info = TRY(objects.commit(commit));
  const Oid before = info.parents.empty() ? Oid() : info.parents.front();
  const Changes changes = TRY(objects.diff(before, commit));
  return footprint_of(footprints, changes);
}

}  // namespace gittxn::api

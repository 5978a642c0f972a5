#include "gates/evidence/survey.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <span>

#include "base/fields.h"
#include "base/hash.h"
#include "base/text.h"
#include "gates/evidence/machine.h"
#include "model/names.h"

namespace gittxn::gates {
namespace {

constexpr int kFormat = 2;
constexpr std::size_t kMaxLooks = 200'000;
// A file system's clock is coarse and may lag behind ours: changes this close before the start
// count as changes since.
constexpr std::int64_t kClockSlackNs = 50'000'000;

struct Identity {
  std::string text;
  std::int64_t changed_ns = 0;  // 0: has no time that counts
  bool present = true;
  std::uint64_t ino = 0;
};

std::int64_t nanoseconds(const timespec& t) {
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

using Aspect = Survey::Aspect;
constexpr NameTable<Aspect, 3> kAspects{
    {{Aspect::kFollow, "f"}, {Aspect::kNoFollow, "n"}, {Aspect::kListing, "l"}}};

// The first line of a survey, and each of the others.
struct SurveyHead {
  int format = kFormat;
  std::string variables, machine, checkout, tree, refs, tools;
  Digest setup;
};
void fields(FieldIo& io, SurveyHead& head) {
  io.thing("survey");
  io.integer("format", head.format);
  io.text("variables", head.variables);
  io.text("machine", head.machine);
  io.text("checkout", head.checkout);
  io.name("setup", head.setup);
  io.text("tree", head.tree);
  io.text("refs", head.refs);
  io.text("tools", head.tools);
}
struct SurveyLine {
  std::string path;
  Aspect aspect = Aspect::kFollow;
  std::string is;
};
void fields(FieldIo& io, SurveyLine& line) {
  io.thing("survey line");
  io.text("path", line.path);
  io.choice("aspect", line.aspect, kAspects);
  io.text("is", line.is);
}

// What `path` is now, as the survey writes it.
Identity identify(const std::string& path, Aspect aspect) {
  struct stat s{};
  int result = aspect == Aspect::kNoFollow ? lstat(path.c_str(), &s) : stat(path.c_str(), &s);
  if (result != 0) {
    bool absent = errno == ENOENT || errno == ENOTDIR || errno == ELOOP;
    return {absent ? "absent" : "denied", 0, false, 0};
  }
  std::int64_t changed = nanoseconds(s.st_ctim);
  std::string stamp =
      fmt::format("{}:{}:{}:{}:{}", s.st_dev, s.st_ino, s.st_size, nanoseconds(s.st_mtim), changed);
  if (aspect == Aspect::kListing) return {"listing " + stamp, changed, true, s.st_ino};
  if (S_ISDIR(s.st_mode)) return {"folder", 0, true, 0};
  if (S_ISREG(s.st_mode))
    return {fmt::format("file {:o} {}", s.st_mode & 07777, stamp), changed, true, s.st_ino};
  if (S_ISLNK(s.st_mode)) return {"link " + stamp, changed, true, s.st_ino};
  return {fmt::format("special {:o} {}", s.st_mode, s.st_rdev), 0, true, 0};
}

bool below(const std::string& path, std::string_view root) {
  std::string relative;
  return path_below(path, root, &relative);
}

// Made by the machine as it runs: recorded by the trace, and no input here.
bool is_machine(const std::string& lexical) {
  if (below(lexical, "/dev")) return !below(lexical, "/dev/shm");
  return below(lexical, "/proc") || below(lexical, "/sys");
}

// Every ref but the branch itself (whose value in a gate's checkout is the candidate) and our own.
Result<std::string> refs_digest(const repo::Repository& repository, const RefName& branch) {
  Sha256 hash;
  for (const auto& [name, oid] : TRY(repository.refs().list("refs/"))) {
    if (name == branch || name.str().starts_with("refs/txn/") ||
        name.str().starts_with("refs/notes/txn")) {
      continue;
    }
    hash.update(fmt::format("{} {}\n", oid.str(), name.str()));
  }
  return hash.finish().str();
}

// Without the names that differ from run to run and are ours.
std::string variables_digest(const Environment& env) {
  std::string text;
  for (const auto& [name, value] : env) {
    if (name == "GIT_TXN_ID" || name == "GIT_TXN_PORT") continue;
    text += fmt::format("{}:{}={}:{};", name.size(), name, value.size(), value);
  }
  return sha256(text).str();
}

}  // namespace

bool RunView::is_own(const std::string& path) const {
  return std::ranges::any_of(own, [&](const std::string& place) { return below(path, place); });
}

Survey::Survey(repo::Repository& repository, SurveyPlaces places, std::int64_t start_wall_ms)
    : repository_(repository),
      places_(std::move(places)),
      start_ns_(start_wall_ms * 1'000'000 - kClockSlackNs) {
  // Whether a placed path was there at all decides what the gate found.
  if (places_.main_checkout.empty()) return;
  for (const std::string& path : places_.placed) {
    std::string source = join_path(places_.main_checkout, path);
    Identity now = identify(source, Aspect::kFollow);
    looks_[{source, Aspect::kFollow}] = Seen{now.present, now.ino};
  }
}

void Survey::give_up(std::string why) {
  if (why_.empty()) why_ = std::move(why);
}

bool Survey::is_own(const std::string& lexical) const {
  if (own_.empty()) return false;
  std::string_view path = lexical;
  while (path.size() > 1) {
    if (own_.contains(std::string(path))) return true;
    path = path.substr(0, path.rfind('/'));
  }
  return false;
}

bool Survey::is_placed(const std::string& relative) const {
  return std::any_of(places_.placed.begin(), places_.placed.end(),
                     [&](const std::string& path) { return below(relative, path); });
}

// With the links of the part that exists resolved.
std::string Survey::resolved(const std::string& path) {
  if (auto found = resolved_.find(path); found != resolved_.end()) return found->second;
  if (const auto& led = places_.view.led; led.contains(path)) return led.at(path);
  if (places_.view.apart && below(path, places_.tree)) return normal_path(path);
  std::string out = path;
  if (path.size() > 1) {
    if (auto real = real_path(path)) {
      out = *real;
    } else {
      out = join_path(resolved(parent_dir(path)), base_name(path));
    }
  }
  return resolved_[path] = out;
}

void Survey::look(const std::string& path, Aspect aspect, const capture::Record& record) {
  if (looks_.size() >= kMaxLooks) return give_up("it looked at too many places");
  const Seen seen{was_there(record), record.ino};
  auto [at, added] = looks_.try_emplace({path, aspect}, seen);
  if (!added && at->second.present != seen.present) give_up(path + " came or went while it ran");
}

void Survey::connected(const capture::Record& record) {
  constexpr std::string_view kSocket = "unix:";
  std::string_view name = record.path;
  const bool file = name.starts_with("unix:/");
  if (file) name.remove_prefix(kSocket.size());
  if (places_.view.alone) {
    // Addresses and abstract names are of its own network; so it talked to itself.
    const std::string at = file ? resolved(std::string(name)) : "";
    if (!file || places_.view.is_own(at) || below(at, places_.tree)) return;
  }
  if (connects_ == Connects::kIsNothing && name.starts_with("inet")) return;
  // A daemon that is not there: the usual look for a name service.
  if (file && !was_there(record)) return look(std::string(name), Aspect::kFollow, record);
  give_up("it connected to " + record.path);
}

void Survey::opened_for_writing(const capture::Record& record, const std::string& lexical) {
  bool creates = record.op == capture::Op::kOpenCreate;
  bool reads = record.op == capture::Op::kOpenReadWrite || (record.flags & O_ACCMODE) == O_RDWR;
  bool empties = (record.flags & O_TRUNC) != 0;
  if (creates && !was_there(record)) {
    own_.insert(lexical);
  } else if (empties && !looks_.contains({record.path, Aspect::kFollow})) {
    own_.insert(lexical);  // nothing of what it held was seen
  } else if (reads || (record.flags & O_EXCL) != 0) {
    look(record.path, Aspect::kFollow, record);
  }
  // Written to without being read: no input. If it is read later its new time stamps tell.
}

void Survey::outside(const capture::Record& record, const std::string& lexical) {
  using capture::Op;
  const RunView& view = places_.view;
  if (is_machine(lexical) || view.is_own(lexical)) return;
  if (view.apart && view.is_own(resolved(lexical))) return;
  Aspect aspect =
      record.nofollow || record.op == Op::kReadlink ? Aspect::kNoFollow : Aspect::kFollow;
  const bool own = is_own(lexical);
  const bool names_another = record.op == Op::kRename || record.op == Op::kLink;
  if (names_another) own_.insert(normal_path(record.path2));
  if (own) return;
  if (names_another) return look(record.path, Aspect::kNoFollow, record);
  switch (record.op) {
    case Op::kOpenWrite:
    case Op::kOpenReadWrite:
    case Op::kOpenCreate:
      return opened_for_writing(record, lexical);
    case Op::kMkdir:
    case Op::kSymlink:
      if (was_there(record)) return look(record.path, Aspect::kNoFollow, record);
      own_.insert(lexical);
      return;
    case Op::kOther:
      if (record.path2 == "O_TMPFILE" || record.path2.starts_with("statfs")) return;
      break;
    case Op::kList:
      return look(record.path, Aspect::kListing, record);
    default:
      break;
  }
  look(record.path, aspect, record);
}

void Survey::in_tree(const capture::Record& record, const std::string& lexical,
                     const std::string& relative) {
  using capture::Op;
  if (below(relative, ".git")) {
    if (places_.view.apart) return;  // there is none
    used_git_ = used_git_ || !below(relative, ".git/objects");
    return;
  }
  std::string real = resolved(lexical);
  if (!below(real, places_.tree)) {
    capture::Record moved = record;
    moved.path = real;
    return outside(moved, real);
  }
  bool makes = record.op == Op::kOpenCreate || record.op == Op::kMkdir || record.op == Op::kSymlink;
  if (makes && !was_there(record)) own_.insert(lexical);
  if (record.op == Op::kRename || record.op == Op::kLink) own_.insert(normal_path(record.path2));
  if (!was_there(record) || relative.empty() || is_own(lexical)) return;
  if (is_placed(relative)) {
    if (places_.main_checkout.empty())
      return give_up("it read " + relative + ", whose origin is not known");
    Aspect aspect = record.op == Op::kList ? Aspect::kListing : Aspect::kFollow;
    capture::Record original = record;
    original.ino = 0;  // the copy has another one
    return look(join_path(places_.main_checkout, relative), aspect, original);
  }
  const repo::Objects& objects = places_.objects ? *places_.objects : repository_.objects();
  auto entry = objects.entry_at(places_.candidate_tree, relative);
  if (!entry) {
    failed_ = entry.error();
    return give_up("the candidate's tree could not be read");
  }
  if (entry->present()) return;
  bool leads_to_placed =
      std::any_of(places_.placed.begin(), places_.placed.end(),
                  [&](const std::string& path) { return below(path, relative); });
  if (!leads_to_placed) give_up("it read " + relative + ", which is not in the candidate");
}

void Survey::record(const capture::Record& record) {
  using capture::Op;
  switch (record.op) {
    case Op::kFork:
    case Op::kExit:
    case Op::kNote:
    case Op::kWasLink:
      return;
    case Op::kBlind:
    case Op::kMount:
      return give_up("the trace could not follow it: " + record.path);
    case Op::kConnect:
      return connected(record);
    default:
      break;
  }
  // "link/.." is where the link leads, not where it stands: only the disk knows.
  bool climbs = record.path.find("/..") != std::string::npos;
  std::string lexical = climbs ? resolved(record.path) : normal_path(record.path);
  std::string relative;
  if (path_below(lexical, places_.tree, &relative)) return in_tree(record, lexical, relative);
  if (below(lexical, join_path(places_.common_dir, "objects"))) return;  // named by their contents
  // The folder around the tree comes and goes with it.
  if (lexical == parent_dir(places_.tree) && record.op != Op::kList) return;
  outside(record, lexical);
}

Status Survey::add(const std::string& record_file, Connects connects) {
  connects_ = connects;
  capture::RecordSummary summary =
      TRY(capture::read_records(record_file, [&](const capture::Record& r) {
        if (why_.empty()) record(r);
      }));
  if (!summary.complete) give_up("the trace is not complete: " + summary.reason);
  if (!failed_.message.empty()) return std::unexpected(failed_);
  return {};
}

void Survey::look_at(const std::string& file) {
  const Identity now = identify(file, Aspect::kFollow);
  looks_.try_emplace({file, Aspect::kFollow}, Seen{now.present, now.ino});
}

Result<std::string> Survey::finish(const Environment& env, const std::string& tools) {
  SurveyHead head{.variables = variables_digest(env),
                  .machine = TRY(machine_text()),
                  .checkout = TRY(checkout_text(repository_)),
                  .tree = places_.tree,
                  .refs = {},
                  .tools = tools,
                  .setup = places_.setup};
  for (const std::string& file : TRY(outside_attributes(repository_))) look_at(file);
  if (used_git_) {
    // The git directory of the gate was made from these.
    for (const char* name : {"config", "info/exclude", "shallow"}) {
      look_at(join_path(places_.common_dir, name));
    }
    head.refs = TRY(refs_digest(repository_, places_.branch));
  }
  std::string out = canonical_text(field_list(head)) + "\n";
  for (const auto& [key, seen] : looks_) {
    const auto& [path, aspect] = key;
    Identity now = identify(path, aspect);
    if (now.present != seen.present) give_up(path + " came or went while it ran");
    if (seen.ino != 0 && now.ino != 0 && seen.ino != now.ino)
      give_up(path + " was replaced while it ran");
    if (now.changed_ns >= start_ns_) give_up(path + " changed while it ran");
    if (!why_.empty()) return std::string();
    out += canonical_text(field_list(SurveyLine{path, aspect, now.text})) + "\n";
  }
  return why_.empty() ? out : std::string();
}

Result<std::string> united_surveys(const std::string& now, const std::string& before) {
  std::set<std::string_view> lines;
  SurveyHead head;
  for (const std::string* one : {&before, &now}) {
    const std::vector<std::string_view> all = lines_of(*one);
    const std::string refs = std::move(head.refs);
    TRY(read_text(all.front(), "a survey", field_list(head)));
    if (head.refs.empty()) head.refs = refs;  // git was asked by the run before
    lines.insert(all.begin() + 1, all.end());
  }
  std::string out = canonical_text(field_list(head)) + "\n";
  for (const std::string_view line : lines) {
    out += line;
    out += '\n';
  }
  return out;
}

namespace {

using Difference = Result<std::optional<std::string>>;

Difference head_difference(repo::Repository& repository, std::string_view line,
                           const SurveyNow& now) {
  SurveyHead head;
  if (!read_text(line, "", field_list(head)) || head.format != kFormat) {
    return "its survey is of another version";
  }
  if (head.variables != variables_digest(now.env)) return "its environment variables have changed";
  if (head.tree != now.tree) return "it ran in another directory";
  if (head.setup != now.setup) return "[worktree] of the policy has changed";
  if (const std::string machine = TRY(machine_text()); head.machine != machine) {
    return fmt::format("the machine is '{}' and was '{}'", machine, head.machine);
  }
  if (head.checkout != TRY(checkout_text(repository))) {
    return "git's settings of how files are checked out have changed";
  }
  if (!head.refs.empty() && head.refs != TRY(refs_digest(repository, now.branch))) {
    return "it asked git, and a branch or a tag has changed";
  }
  return std::nullopt;
}

std::optional<std::string> line_difference(std::string_view line) {
  SurveyLine was;
  if (!read_text(line, "", field_list(was))) return "its survey is damaged";
  if (identify(was.path, was.aspect).text != was.is) return was.path + " has changed";
  return std::nullopt;
}

}  // namespace

Difference SurveyMemory::first_difference(repo::Repository& repository, const std::string& survey,
                                          const SurveyNow& now) {
  if (!survey.ends_with('\n')) return "its survey is cut off";
  const std::vector<std::string_view> lines = lines_of(survey);
  const std::string head(lines.front());
  auto known = heads_.find(head);
  if (known == heads_.end()) {
    known = heads_.emplace(head, TRY(head_difference(repository, head, now))).first;
  }
  if (known->second) return known->second;
  for (const std::string_view line : std::span(lines).subspan(1)) {
    const auto [at, is_new] = lines_.try_emplace(std::string(line));
    if (is_new) at->second = line_difference(line);
    if (at->second) return at->second;
  }
  return std::nullopt;
}

}  // namespace gittxn::gates

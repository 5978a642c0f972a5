// A hand-written record file and what the interpreter makes of it. The worktree of a story need not
// exist on disk: inside it only the snapshot and the records count.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/fs.h"
#include "capture/interpret.h"
#include "capture/trace/record_file.h"
#include "model/read.h"
#include "repo/testing/scratch_repo.h"

namespace gittxn::capture::testing {

using repo::testing::must;

// Says what time it is in the record that is written next.
class RecordClock final : public Clock {
 public:
  std::int64_t now_ms = 0;
  std::int64_t wall_ms() const override { return now_ms; }
  std::int64_t monotonic_ns() const override { return 0; }
  std::int64_t boot_ms() const override { return 0; }
  std::string boot_id() const override { return "unknown"; }
  void sleep_ms(std::int64_t) override {}
};

class Story {
 public:
  static constexpr int kAgent = 100;

  // The repository of a story is the same for all that do not change it: making one is what takes
  // time.
  enum class Repo { kShared, kFresh };
  explicit Story(Repo kind = Repo::kShared)
      : fresh_(kind == Repo::kFresh ? std::make_unique<Base>() : nullptr),
        repo(fresh_ ? fresh_->repo : shared().repo),
        snapshot(fresh_ ? fresh_->commit : shared().commit) {}

 private:
  struct Base {
    Base() {
      repo.write("a.txt", "a\n");
      repo.write("b.txt", "b\n");
      repo.write("src/x.c", "x\n");
      repo.write("src/y.c", "y\n");
      repo.write("src/deep/z.c", "z\n");
      repo.write("tool.sh", "#!/bin/sh\n", 0755);
      link("to-a", "a.txt");
      link("to-src", "src");
      link("src/up", "../b.txt");
      link("out", "/usr/share");
      link("loop", "loop");
      commit = repo.commit("base");
    }
    void link(const std::string& path, const std::string& text) const {
      if (::symlink(text.c_str(), repo.file(path).c_str()) != 0) throw std::runtime_error(path);
    }
    repo::testing::ScratchRepo repo;
    Oid commit;
  };
  static const Base& shared() {
    static const Base base;
    return base;
  }
  std::unique_ptr<Base> fresh_;
  repo::testing::ScratchDir dir_;

 public:
  const repo::testing::ScratchRepo& repo;
  Oid snapshot;
  Changes writes;
  Oid base;
  std::vector<std::string> more_checkouts;
  std::string transactions;  // where the worktrees of all are; root() + "/wt" is ours
  std::string end_reason;    // why the trace is not complete
  bool cut_off = false;      // no end mark
  std::function<Result<bool>(const std::string&)> ignored;
  std::vector<Observed> observations;
  Conversations conversations;
  InterpretInput::KnownProgram known_program;  // empty: those that are
  std::vector<ToldCommand> commands;

  const std::string& root() const { return dir_.path(); }
  std::string tree() const { return root() + "/wt/tree"; }
  // "a.txt" is in the tree; absolute paths are themselves.
  std::string at(const std::string& path) const { return join_path(tree(), path); }

  Record& add(Op op, const std::string& path, int result = 0, int pid = kAgent) {
    Record record;
    record.op = op;
    record.pid = pid;
    record.path = op == Op::kConnect || op == Op::kNote || op == Op::kBlind ? path : at(path);
    record.result = result;
    // What stood there; enough for most calls.
    record.mode = result >= 0 ? S_IFREG | 0644 : 0;
    if (op == Op::kList || op == Op::kChdir || op == Op::kRmdir) record.mode = S_IFDIR | 0755;
    records_.push_back(record);
    return records_.back();
  }
  Record& fork(int child, int parent = kAgent) {
    Record& record = add(Op::kFork, "/", 0, child);
    record.parent = parent;
    return record;
  }
  Record& exec(std::vector<std::string> argv, int pid = kAgent) {
    const std::string program = argv[0].starts_with('/') ? argv[0] : "/usr/bin/" + argv[0];
    Record& record = add(Op::kExec, program, 0, pid);
    record.mode = S_IFREG | 0755;
    record.argv = std::move(argv);
    return record;
  }
  Record& read(const std::string& path) { return add(Op::kOpenRead, path); }
  Record& absent(const std::string& path) { return add(Op::kOpenRead, path, -ENOENT); }
  Record& stat(const std::string& path) {
    Record& record = add(Op::kStat, path);
    record.nofollow = true;
    return record;
  }
  // open(O_WRONLY|O_CREAT|...) of something that was (not) there.
  Record& create(const std::string& path, int flags, bool was_there, int pid = kAgent) {
    Record& record = add(Op::kOpenCreate, path, 0, pid);
    record.flags = static_cast<std::uint32_t>(O_CREAT | flags);
    record.mode = was_there ? S_IFREG | 0644 : 0;
    return record;
  }
  Record& overwrite(const std::string& path, int pid = kAgent) {
    return create(path, O_WRONLY | O_TRUNC, true, pid);
  }
  Record& rename(const std::string& from, const std::string& to) {
    Record& record = add(Op::kRename, from);
    record.path2 = at(to);
    record.nofollow = true;
    return record;
  }
  // git as it begins: it looks for the repository where it runs, and opens it.
  void git(std::vector<std::string> words, int pid, const std::string& where = "") {
    fork(pid);
    words.insert(words.begin(), "git");
    exec(std::move(words), pid);
    add(Op::kStat, join_path(where, ".git"), 0, pid);
    add(Op::kOpenRead, ".git/HEAD", 0, pid);
    add(Op::kOpenRead, ".git/index", 0, pid);
  }
  void opens_objects(int pid) {
    add(Op::kOpenRead, repo.git_dir() + "/objects/pack/pack-1.pack", 0, pid);
  }

  void changed(const std::string& path, const Oid& after = Oid(std::string(40, '7'))) {
    const repo::Objects objects = repo.objects();
    const Oid root = must(objects.tree_of(snapshot));
    PathChange change{path, must(objects.entry_at(root, path)), {}};
    change.after = {FileMode::kFile, after};
    writes.push_back(change);
    std::sort(writes.begin(), writes.end(),
              [](const PathChange& x, const PathChange& y) { return x.path < y.path; });
  }

  InterpretInput input() {
    InterpretInput in;
    in.places.tree = tree();
    in.places.private_git_dir = tree() + "/.git";
    in.places.common_git_dir = repo.git_dir();
    in.places.checkouts = more_checkouts;
    in.places.checkouts.push_back(repo.path());
    in.places.transactions = transactions;
    in.places.attempt = root() + "/wt";
    in.record_files = {write_records()};
    in.snapshot = snapshot;
    in.writes = writes;
    in.base = base;
    in.target = RefName("refs/heads/main");
    in.places.first_refs = repo.git_dir();  // where no story moves one
    in.ignored = ignored;
    in.tool_cache_file = root() + "/tools";
    in.observations = observations;
    in.conversations = conversations;
    if (known_program) in.known_program = known_program;
    in.commands = commands;
    in.search_settings = [] {
      using search::Vouched;
      return SearchSettings{true, Vouched::kYes, Vouched::kYes, Vouched::kYes, Vouched::kYes, {},
                            {}};
    };
    return in;
  }

  ReadSet told() { return must(interpret(repo.objects(), input())); }

  // "content a.txt", "absence b" ...; soft reads have a "?" behind; the tool environment is left
  // out.
  std::vector<std::string> reads() { return lines(told()); }
  static std::vector<std::string> lines(const ReadSet& set) {
    std::vector<std::string> lines;
    for (const Read& read : set.reads) {
      if (read.kind == ReadKind::kEnvironment) continue;
      std::string line(read_kind_name(read.kind));
      line += " " + (read.subject.empty() ? "." : read.subject);
      if (read.strength == Strength::kSoft) line += "?";
      lines.push_back(std::move(line));
    }
    return lines;
  }
  static const Read* find(const ReadSet& set, ReadKind kind, std::string_view subject) {
    for (const Read& read : set.reads) {
      if (read.kind == kind && read.subject == subject) return &read;
    }
    return nullptr;
  }

  std::string write_records() const {
    const std::string path = root() + "/records";
    const UniqueFd fd = must(open_fd(path, O_WRONLY | O_CREAT | O_TRUNC));
    RecordClock clock;
    RecordWriter writer(fd.get(), &clock);
    for (const Record& record : records_) {
      if (record.time_ms != 0) clock.now_ms = record.time_ms;  // else it is when the last was
      writer.add(record);
    }
    if (!end_reason.empty()) writer.lose(end_reason);
    writer.finish();
    if (cut_off) {
      const std::string bytes = must(read_file(path));
      must(write_file(path, bytes.substr(0, bytes.size() - 4), Sync::kNo));
    }
    return path;
  }

 private:
  std::vector<Record> records_;
};

}  // namespace gittxn::capture::testing

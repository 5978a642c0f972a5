// The table of git's commands against git itself: each line of testing/git_samples is run under the
// trace in a real worktree. What the row makes of its words must be the reads that the line says,
// and must cover what the trace saw git open: files of the worktree, and the loose objects of the
// snapshot's files and directories.
#include "capture/git/git_commands.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "capture/interpret.h"
#include "capture/trace/record_file.h"
#include "capture/trace/testing/traced.h"
#include "repo/testing/agent.h"

namespace gittxn::capture {
namespace {

using repo::testing::Agent;
using repo::testing::must;
using repo::testing::ScratchRepo;

struct Sample {
  std::string line;   // for a shell
  std::string reads;  // "content a.txt, ref HEAD?", sorted; "-": none
};

struct Samples {
  std::vector<Sample> samples;
  std::set<std::string> not_run;  // commands, with the reason behind them in the file
};

// "LINE -> READS", "not run: NAME ... because REASON", "# comment".
Samples load_samples() {
  const auto file =
      std::filesystem::path(__FILE__).parent_path().parent_path() / "testing" / "git_samples";
  std::istringstream in(must(read_file(file.string())));
  Samples all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    constexpr std::string_view kNotRun = "not run: ";
    if (line.starts_with(kNotRun)) {
      std::istringstream names(
          line.substr(kNotRun.size(), line.find(" because ") - kNotRun.size()));
      for (std::string name; names >> name;) all.not_run.insert(name);
      continue;
    }
    const std::size_t arrow = line.rfind(" -> ");
    if (arrow == std::string::npos) throw std::runtime_error("no arrow: " + line);
    all.samples.push_back({line.substr(0, arrow), line.substr(arrow + 4)});
  }
  return all;
}

const Samples& samples() {
  static const Samples kSamples = load_samples();
  return kSamples;
}

// "git -C src show x" -> "show".
std::string command_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    if (!words.empty() || word == "git") words.push_back(word);
  }
  return parse_git("/usr/bin/git", words).command;
}

bool at_or_below(std::string_view path, std::string_view root) {
  return root.empty() || path == root ||
         (path.size() > root.size() && path.starts_with(root) && path[root.size()] == '/');
}

class GitTable : public ::testing::Test {
 protected:
  GitTable() {
    repo.write("a.txt", "alpha\nbeta\n");
    repo.write("b.txt", "first\n");
    repo.write("src/x.c", "int x;\n");
    repo.write("src/deep/z.c", "int z;\n");
    repo.write("docs/guide.md", "a guide\n");
    repo.write(".mailmap", "Somebody <somebody@example.org>\n");
    repo.write("msg.txt", "A message\n\nSigned-off-by: A <a@example.org>\n");
    repo.write("list.txt", "a.txt\n");
    repo.write("words.txt", "alpha\n");
    repo.write("conf.ini", "[a]\n\tb = c\n");
    repo.write("fix.patch",
               "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n"
               "-alpha\n+omega\n beta\n");
    repo.write("mail.mbox",
               "From 1111111111111111111111111111111111111111 Mon Sep 17 00:00:00 2001\n"
               "From: A <a@example.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n"
               "Subject: [PATCH] omega\n\n---\n a.txt | 2 +-\n\n"
               "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n"
               "-alpha\n+omega\n beta\n--\n2.0\n\n");
    repo.write(".gitignore", "*.o\n");
    repo.commit("first");
    repo.git({"tag", "v1"});
    repo.git({"branch", "other"});
    repo.write("b.txt", "second\n");
    repo.commit("base");
    agent.emplace(repo);
  }

  // Runs all lines in one go and keeps the records of each.
  void run_all() {
    std::string script = "exec </dev/null >/dev/null 2>&1\n";
    for (std::size_t i = 0; i < samples().samples.size(); ++i) {
      // Files as young as the index are read by git to be sure, whatever the command; what a line
      // puts back is, now and then.
      script += "touch -d 2020-01-01 $(git ls-files); git update-index -q --refresh\n";
      script += "/bin/sh -c \"$LINE" + std::to_string(i) + "\"\n";
    }
    TraceSpec spec;
    spec.argv = {"/bin/sh", "-c", script + "true"};
    spec.cwd = agent->worktree().tree;
    spec.env = repo.env();
    spec.env["OUT"] = repo.root() + "/out";
    spec.env["GIT_EDITOR"] = "true";
    must(make_dirs(spec.env["OUT"]));
    for (std::size_t i = 0; i < samples().samples.size(); ++i) {
      spec.env["LINE" + std::to_string(i)] = samples().samples[i].line;
    }
    spec.backend = Backend::kPtrace;
    spec.record_file = repo.root() + "/records";
    const TraceResult result = must(run_traced(spec));
    ASSERT_EQ(result.exit_status, 0);
    std::map<std::int32_t, std::size_t> sample_of;  // of a process
    records.resize(samples().samples.size());
    const auto keep = [&](const Record& record) {
      if (record.op == Op::kFork) {
        const auto parent = sample_of.find(record.parent);
        sample_of.erase(record.pid);
        if (parent != sample_of.end()) sample_of[record.pid] = parent->second;
      }
      if (record.op == Op::kExec && record.argv.size() == 3 && record.argv[1] == "-c") {
        for (std::size_t i = 0; i < samples().samples.size(); ++i) {
          const bool its = record.argv[2] == samples().samples[i].line && records[i].empty();
          if (its && !sample_of.contains(record.pid)) sample_of[record.pid] = i;
        }
      }
      if (const auto at = sample_of.find(record.pid); at != sample_of.end()) {
        records[at->second].push_back(record);
      }
    };
    ASSERT_TRUE(must(read_records(spec.record_file, keep)).complete);
    input.places.tree = agent->worktree().tree;
    input.places.private_git_dir = agent->worktree().git_dir;
    input.places.first_refs = agent->worktree().path;
    input.places.common_git_dir = repo.git_dir();
    input.places.checkouts = {repo.path()};
    input.snapshot = agent->base();
    input.target = RefName("refs/heads/main");
    input.ignored = [](const std::string& path) { return path.ends_with(".o"); };
    input.tool_cache_file = repo.root() + "/tools";
    for (const std::string& line : lines_of(repo.git({"ls-tree", "-r", "-t", "HEAD"}))) {
      const std::size_t tab = line.find('\t');
      const std::string oid = line.substr(tab - 40, 40);
      (line.find(" tree ") == std::string::npos ? blobs : trees)[oid] = line.substr(tab + 1);
    }
    trees[repo.tree().str()] = "";
  }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  ReadSet reads_of(std::size_t sample) {
    const std::string path = repo.root() + "/records-" + std::to_string(sample);
    const UniqueFd fd = must(open_fd(path, O_WRONLY | O_CREAT | O_TRUNC));
    RecordWriter writer(fd.get(), nullptr);
    for (const Record& record : records[sample]) writer.add(record);
    writer.finish();
    input.record_files = {path};
    return must(interpret(repo.objects(), input));
  }

  static std::string text_of(const ReadSet& set) {
    std::set<std::string> lines;
    for (const Read& read : set.reads) {
      if (read.kind == ReadKind::kEnvironment) continue;
      lines.insert(std::string(read_kind_name(read.kind)) + " " +
                   (read.subject.empty() ? "." : read.subject) +
                   (read.strength == Strength::kSoft ? "?" : ""));
    }
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : ", ") + line;
    return text.empty() ? "-" : text;
  }

  static bool covers_file(const ReadSet& set, const std::string& path) {
    return std::any_of(set.reads.begin(), set.reads.end(), [&](const Read& read) {
      if (read.kind == ReadKind::kTree) return at_or_below(path, read.subject);
      return read.kind == ReadKind::kContent && read.subject == path;
    });
  }

  static bool covers_directory(const ReadSet& set, const std::string& path) {
    return std::any_of(set.reads.begin(), set.reads.end(), [&](const Read& read) {
      const bool of_path = read.kind == ReadKind::kTree || read.kind == ReadKind::kContent ||
                           read.kind == ReadKind::kListing || read.kind == ReadKind::kAbsence;
      return of_path && (at_or_below(path, read.subject) || at_or_below(read.subject, path));
    });
  }

  // The opens of the trace that the reads do not account for, given the command's row.
  std::string unexplained(std::size_t sample, const ReadSet& set) const {
    const std::string& line = samples().samples[sample].line;
    const GitCommand* row = find_git_command(command_of(line));
    const bool listed = row->shows == GitShows::kContents || row->shows == GitShows::kNothing;
    // A read of a commit's name, or of history, stands for all that it shows.
    const bool pinned = std::any_of(set.reads.begin(), set.reads.end(),
                                    [](const Read& read) { return read.kind == ReadKind::kRef; });
    const bool compares = line.find("git diff") != std::string::npos;  // what is equal is not shown
    const bool authors = row->shows == GitShows::kHistory || row->shows == GitShows::kContents;
    std::string text;
    for (const Record& record : records[sample]) {
      if (record.op != Op::kOpenRead || record.result < 0 || S_ISDIR(record.mode)) continue;
      std::string rest;
      const std::string& tree = input.places.tree;
      if (const std::size_t at = record.path.find("/objects/"); at != std::string::npos) {
        std::string oid = record.path.substr(at + 9);
        if (oid.size() != 41 || !listed || pinned) continue;
        oid.erase(2, 1);
        const auto blob = blobs.find(oid);
        const auto directory = trees.find(oid);
        if (blob != blobs.end() && !covers_file(set, blob->second)) {
          text += " blob of " + blob->second;
        } else if (directory != trees.end() && !compares &&
                   !covers_directory(set, directory->second)) {
          text += " tree of '" + directory->second + "'";
        }
      } else if (path_below(normal_path(record.path), tree, &rest) && !rest.starts_with(".git")) {
        const bool named = line.find(base_name(rest)) != std::string::npos;
        const bool counts =
            row->looks == GitLooks::kCounted || named || (rest == ".mailmap" && authors);
        if (counts && !covers_file(set, rest)) text += " file " + rest;
      }
    }
    return text;
  }

  ScratchRepo repo;
  std::optional<Agent> agent;
  std::vector<std::vector<Record>> records;
  std::map<std::string, std::string> blobs, trees;  // of the snapshot: id -> path
  InterpretInput input;
};

TEST_F(GitTable, SaysWhatATracedGitReads) {
  ASSERT_NO_FATAL_FAILURE(run_all());
  for (std::size_t i = 0; i < samples().samples.size(); ++i) {
    const Sample& sample = samples().samples[i];
    ASSERT_NE(find_git_command(command_of(sample.line)), nullptr) << sample.line;
    const ReadSet set = reads_of(i);
    EXPECT_TRUE(set.complete) << sample.line << ": " << set.unknown_reason;
    EXPECT_EQ(text_of(set), sample.reads) << sample.line;
    EXPECT_EQ(unexplained(i, set), "") << sample.line;
  }
}

TEST(GitCommands, EveryCommandOfGitHasARowAndASampleOrAReason) {
  std::set<std::string> sampled;
  for (const Sample& sample : samples().samples) sampled.insert(command_of(sample.line));
  std::set<std::string> listed;
  for (const GitCommand& row : git_commands()) {
    std::istringstream alike{std::string(row.names)};
    for (std::string name; alike >> name;) {
      EXPECT_TRUE(listed.insert(name).second) << name << " stands in two rows";
      EXPECT_TRUE(sampled.contains(name) != samples().not_run.contains(name))
          << name << " needs a line in testing/git_samples, either way";
    }
  }
  for (const std::string& name : samples().not_run) {
    EXPECT_NE(find_git_command(name), nullptr) << name << " has no row";
  }
  Command list;
  list.argv = {"git", "--list-cmds=builtins,main"};
  list.cwd = "/";
  list.env = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  std::istringstream names(must(gittxn::run(list)).out);
  for (std::string name; names >> name;) {
    EXPECT_NE(find_git_command(name), nullptr) << "git " << name << " has no row in the table";
  }
}

TEST(GitCommands, AnUnknownCommandIsUnknown) {
  EXPECT_EQ(find_git_command("frobnicate"), nullptr);
  EXPECT_EQ(find_git_command(""), nullptr);
  EXPECT_FALSE(parse_git("/usr/bin/git", {"git", "frobnicate"}).understood);
}

}  // namespace
}  // namespace gittxn::capture

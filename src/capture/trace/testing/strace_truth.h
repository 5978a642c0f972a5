// The account that strace gives of a command, as comparable lines: "operation path [-> path2]
// errno". strace is run with a file for each process (-ff), so that no line is torn, and with -y,
// which prints the path behind each descriptor; the current directory of each process is followed
// through chdir and fork.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/fs.h"

namespace gittxn::capture::testing {

using Lines = std::set<std::string>;

// A name that a program makes up anew in each run: of which `fixed` is the part that says so, which
// is looked for first because a regular expression is slow.
struct Chance {
  const char* fixed;
  std::regex pattern;
  const char* to;
};

inline const std::vector<Chance>& chances() {
  static const std::vector<Chance> kChances = [] {
    std::vector<Chance> list;
    const auto add = [&list](const char* fixed, const char* pattern, const char* to) {
      list.push_back({fixed, std::regex(pattern), to});
    };
    add("/proc/", "/proc/(self|[0-9]+)(?=/|$| )", "/proc/PID");
    add("/cc", "/cc[A-Za-z0-9]{6}(?=[./ ]|$)", "/ccRANDOM");                         // compilers
    add(".o.tmp", "-[0-9a-f]{8}(?=\\.o\\.tmp)", "-RANDOM");                          // clang
    add("/sed", "/sed[A-Za-z0-9]{6}(?= |$)", "/sedRANDOM");                          // sed -i
    add("tmp_obj_", "tmp_obj_[A-Za-z0-9]{6}", "tmp_obj_RANDOM");                     // git
    add("tmp_objdir-", "tmp_objdir-[a-z]+-[A-Za-z0-9]{6}", "tmp_objdir-RANDOM");     // git
    add("/st", "/st[A-Za-z0-9]{6}(?= |$)", "/stRANDOM");                             // ar, ranlib
    add("/TryCompile-", "/TryCompile-[A-Za-z0-9]{6}", "/TryCompile-RANDOM");         // cmake
    add("cmTC_", "cmTC_[0-9a-f]{5}", "cmTC_RANDOM");                                 // cmake
    add(".tmp", "\\.tmp[0-9a-f]{5}(?= |$)", ".tmpRANDOM");                           // cmake
    add("/.", "(/\\.[A-Za-z0-9._-]+)\\.[A-Za-z0-9]{6}(?= |$)", "$1.RANDOM");         // rsync
    add("/vgdb-pipe-", "(/vgdb-pipe-[a-z-]+)-[0-9]+-by", "$1-PID-by");               // valgrind
    add("/valgrind_proc_", "proc_[0-9]+_([a-z]+)_[0-9a-f]+", "proc_PID_$1_RANDOM");  // valgrind
    add("_cacache/tmp/", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID");       // npm
    return list;
  }();
  return kChances;
}

// Numbers of processes and random names differ from run to run.
inline std::string without_chance(std::string text) {
  for (const Chance& chance : chances()) {
    if (text.find(chance.fixed) == text.npos) continue;
    text = std::regex_replace(text, chance.pattern, chance.to);
  }
  return text;
}

class StraceReader {
 public:
  // `prefix`: of -o. `cwd`: where the command started.
  Lines read(const std::string& prefix, const std::string& cwd) {
    const auto entries = list_dir(parent_dir(prefix));
    EXPECT_TRUE(entries.has_value());
    const std::string start = base_name(prefix) + ".";
    std::set<int> children;
    for (const DirEntry& entry : entries.value_or(std::vector<DirEntry>{})) {
      if (!entry.name.starts_with(start)) continue;
      const int pid = std::stoi(entry.name.substr(start.size()));
      files_[pid] = read_file(parent_dir(prefix) + "/" + entry.name).value_or("");
      for (const std::string& line : split_lines(files_[pid])) {
        if (const int child = child_of(line); child > 0) children.insert(child);
      }
    }
    for (const auto& [pid, text] : files_) {
      if (!children.contains(pid)) follow(pid, cwd);
    }
    return lines_;
  }

 private:
  struct Call {
    std::string name;
    std::vector<std::string> args;
    std::string result;  // "0" or an errno's name
  };

  static std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  static int child_of(const std::string& line) {
    static const std::regex birth("^(clone|clone3|fork|vfork)\\(.*= ([0-9]+)$");
    std::smatch match;
    return std::regex_match(line, match, birth) ? std::stoi(match[2]) : 0;
  }

  // Splits at commas outside quotes and brackets; leaves each argument as it is printed.
  static bool parse(const std::string& line, Call* call) {
    const std::size_t open = line.find('(');
    if (open == line.npos || !std::islower(static_cast<unsigned char>(line[0]))) return false;
    call->name = line.substr(0, open);
    int depth = 0;
    bool quoted = false;
    std::string arg;
    std::size_t at = open + 1;
    for (; at < line.size(); ++at) {
      const char c = line[at];
      if (quoted && c == '\\') {
        arg += c;
        arg += line[++at];
        continue;
      }
      if (c == '"') quoted = !quoted;
      if (!quoted && depth == 0 && (c == ',' || c == ')')) {
        call->args.push_back(arg);
        arg.clear();
        if (c == ')') break;
        ++at;  // the blank
        continue;
      }
      if (!quoted && (c == '{' || c == '[' || c == '<' || c == '(')) ++depth;
      if (!quoted && (c == '}' || c == ']' || c == '>' || c == ')')) --depth;
      arg += c;
    }
    static const std::regex failure("= -1 (E[A-Z0-9]+)");
    std::smatch match;
    const std::string tail = line.substr(std::min(at, line.size()));
    call->result = std::regex_search(tail, match, failure) ? match[1].str() : "0";
    return true;
  }

  static std::string unquote(const std::string& arg) {
    std::string out;
    for (std::size_t i = 1; i < arg.size() && arg[i] != '"'; ++i) {
      if (arg[i] != '\\') {
        out += arg[i];
        continue;
      }
      const char c = arg[++i];
      if (c >= '0' && c <= '7') {
        int value = 0;
        std::size_t digits = 0;
        for (; digits < 3 && arg[i] >= '0' && arg[i] <= '7'; ++digits, ++i) {
          value = value * 8 + (arg[i] - '0');
        }
        --i;
        out += static_cast<char>(value);
      } else {
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      }
    }
    return out;
  }

  // "3</path>" or "AT_FDCWD</path>" -> /path
  static std::string behind(const std::string& arg) {
    const std::size_t open = arg.find('<');
    return open == arg.npos ? "" : arg.substr(open + 1, arg.rfind('>') - open - 1);
  }

  static std::string join(const std::string& base, const std::string& path) {
    if (path.starts_with('/')) return path;
    return base == "/" ? "/" + path : base + "/" + path;
  }

  static std::string open_name(const std::string& flags) {
    if (flags.find("O_PATH") != flags.npos) return "stat";
    if (flags.find("O_TMPFILE") != flags.npos) return "other";
    if (flags.find("O_CREAT") != flags.npos) return "open-create";
    if (flags.find("O_RDWR") != flags.npos) return "open-read-write";
    return flags.find("O_WRONLY") != flags.npos ? "open-write" : "open-read";
  }

  void add(const std::string& op, const std::string& path, const std::string& result) {
    // That a file has no such attribute is a success of the look-up, and all that is predicted.
    const std::string outcome = result == "ENODATA" ? "0" : result;
    lines_.insert(without_chance(op + " " + path + " " + outcome));
  }

  void follow(int pid, std::string cwd) {
    for (const std::string& line : split_lines(files_[pid])) {
      if (const int child = child_of(line); child > 0) follow(child, cwd);
      Call call;
      if (!parse(line, &call)) continue;
      one(call, &cwd);
    }
  }

  void one(const Call& call, std::string* cwd) {
    static const std::map<std::string, std::string> plain = {
        {"stat", "stat"},         {"lstat", "stat"},       {"access", "access"},
        {"readlink", "readlink"}, {"mkdir", "mkdir"},      {"rmdir", "rmdir"},
        {"unlink", "unlink"},     {"chmod", "chmod"},      {"execve", "exec"},
        {"truncate", "truncate"}, {"statfs", "other"},     {"chown", "other"},
        {"lchown", "other"},      {"getxattr", "other"},   {"lgetxattr", "other"},
        {"listxattr", "other"},   {"llistxattr", "other"}, {"utime", "set-times"},
        {"setxattr", "other"}};
    static const std::map<std::string, std::string> at = {
        {"newfstatat", "stat"},   {"statx", "stat"},          {"faccessat", "access"},
        {"faccessat2", "access"}, {"readlinkat", "readlink"}, {"mkdirat", "mkdir"},
        {"fchmodat", "chmod"},    {"fchownat", "other"},      {"utimensat", "set-times"}};
    const std::vector<std::string>& a = call.args;
    if (call.result == "EFAULT") return;
    if (plain.contains(call.name)) {
      if (a.at(0) == "\"\"") return;  // no path, and no file could make it one
      add(plain.at(call.name), join(*cwd, unquote(a.at(0))), call.result);
    } else if (at.contains(call.name)) {
      if (a.at(1) == "\"\"" || a.at(1) == "NULL") return;  // the descriptor itself
      add(at.at(call.name), join(behind(a.at(0)), unquote(a.at(1))), call.result);
    } else if (call.name == "unlinkat") {
      const bool directory = a.at(2).find("AT_REMOVEDIR") != std::string::npos;
      add(directory ? "rmdir" : "unlink", join(behind(a.at(0)), unquote(a.at(1))), call.result);
    } else if (call.name == "open" || call.name == "openat") {
      const std::size_t i = call.name == "open" ? 0 : 1;
      if (i == 1 && behind(a.at(0)).empty()) return;  // no such descriptor
      const std::string base = i == 0 ? *cwd : behind(a.at(0));
      add(open_name(a.at(i + 1)), join(base, unquote(a.at(i))), call.result);
    } else if (call.name == "openat2") {
      add(open_name(a.at(2)), join(behind(a.at(0)), unquote(a.at(1))), call.result);
    } else if (call.name == "creat") {
      add("open-create", join(*cwd, unquote(a.at(0))), call.result);
    } else if (call.name == "getdents64") {
      add("list", behind(a.at(0)), call.result);
    } else if (call.name == "chdir" || call.name == "fchdir") {
      const bool fd = call.name == "fchdir";
      const std::string path = fd ? behind(a.at(0)) : join(*cwd, unquote(a.at(0)));
      add("chdir", path, call.result);
      if (call.result == "0") *cwd = real_path(path).value_or(path);
    } else {
      two(call, *cwd);
    }
  }

  void two(const Call& call, const std::string& cwd) {
    const std::vector<std::string>& a = call.args;
    if (call.name == "rename" || call.name == "link") {
      add(call.name, join(cwd, unquote(a.at(0))) + " -> " + join(cwd, unquote(a.at(1))),
          call.result);
    } else if (call.name == "renameat" || call.name == "renameat2" || call.name == "linkat") {
      add(call.name == "linkat" ? "link" : "rename",
          join(behind(a.at(0)), unquote(a.at(1))) + " -> " +
              join(behind(a.at(2)), unquote(a.at(3))),
          call.result);
    } else if (call.name == "symlink" || call.name == "symlinkat") {
      const bool relative = call.name == "symlinkat";
      add("symlink",
          (relative ? join(behind(a.at(1)), unquote(a.at(2))) : join(cwd, unquote(a.at(1)))) +
              " -> " + unquote(a.at(0)),
          call.result);
    } else if (call.name == "mknod" || call.name == "mknodat") {
      const bool relative = call.name == "mknodat";
      add("open-create",
          relative ? join(behind(a.at(0)), unquote(a.at(1))) : join(cwd, unquote(a.at(0))),
          call.result);
    } else {
      static const std::set<std::string> others = {"getcwd", "clone",   "clone3", "vfork",
                                                   "fork",   "connect", "bind",   "exit_group"};
      EXPECT_TRUE(others.contains(call.name))
          << "strace knows a call that this reader does not: " << call.name;
    }
  }

  std::map<int, std::string> files_;
  Lines lines_;
};

}  // namespace gittxn::capture::testing

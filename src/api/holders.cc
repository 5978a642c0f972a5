// Who holds which lock: see holders.h.
#include "api/holders.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <optional>
#include <sstream>

#include "base/fs.h"
#include "land/turn.h"
#include "txn/state.h"

namespace gittxn::api {

namespace {

constexpr std::size_t kMaxLockText = 256;

// "1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF": the pid of whoever holds the file, 0 when it is
// in another pid namespace; nullopt when nobody does.
std::optional<long> holder_of(const std::string& locks, const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  const std::string file =
      fmt::format("{:02x}:{:02x}:{}", ::major(info.st_dev), ::minor(info.st_dev), info.st_ino);
  std::istringstream lines(locks);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string number, kind, mode, access, where;
    long pid = 0;
    if (!(fields >> number >> kind >> mode >> access >> pid >> where)) continue;
    if (kind == "FLOCK" && where == file) return pid;
  }
  return std::nullopt;
}

void add_holder(const std::string& locks, const std::string& path, const std::string& what,
                std::vector<std::string>& lines) {
  const auto pid = holder_of(locks, path);
  if (!pid) return;
  auto text = read_file(path, kMaxLockText);
  std::string who = text ? text->substr(0, text->find(' ')) : "";
  if (who.empty()) who = "somebody";
  lines.push_back(*pid > 0 ? fmt::format("{}: {} (pid {})", what, who, *pid)
                           : fmt::format("{}: {}", what, who));
}

}  // namespace

Result<std::vector<std::string>> lock_holders(const land::Context& context) {
  std::vector<std::string> lines;
  const auto locks = read_file("/proc/locks");
  for (const store::BranchState& branch : TRY(context.store->branches())) {
    const std::string name = short_branch(branch.branch);
    if (locks) {
      add_holder(*locks, land::turn_lock_path(context, branch.branch), "turn on " + name, lines);
      add_holder(*locks, land::landing_lock_path(context, branch.branch), "landing lock on " + name,
                 lines);
    }
    int place = 0;
    for (const store::Ticket& ticket : TRY(land::line_for(context, branch.branch))) {
      lines.push_back(fmt::format("queue on {}: {} is number {}", name, ticket.txn.str(), ++place));
    }
  }
  return lines;
}

}  // namespace gittxn::api

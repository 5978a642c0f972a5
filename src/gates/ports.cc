// Blocks of ports for the servers that an agent or a gate starts, so that two of them at once do
// not meet. A block is reserved by a byte of a file next to the worktrees, which frees itself when
// its holder dies; what other programs use is found by trying to bind.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <ranges>

#include "base/hash.h"
#include "gates/gate.h"

namespace gittxn::gates {
namespace {

bool is_free(int port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return false;
  int on = 1;  // a connection of the past that lingers is no server
  if (setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0) return false;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

Result<std::optional<PortBlock>> reserve_ports(const GateContext& context, const Policy& policy,
                                               const std::string& seed) {
  if (!policy.worktree.ports) return std::nullopt;
  auto [lowest, highest] = *policy.worktree.ports;
  int size = std::min(kPortsPerBlock, highest - lowest + 1);
  int blocks = (highest - lowest + 1) / size;
  // The same transaction starts at the same place, so that a page left open in a browser keeps
  // working.
  int start = static_cast<int>(std::stoul(sha256(seed).str().substr(0, 7), nullptr, 16) %
                               static_cast<unsigned long>(blocks));
  TRY(make_dirs(context.worktree_root));
  for (int i = 0; i < blocks; ++i) {
    int first = lowest + (start + i) % blocks * size;
    auto lock = SlotLock::try_acquire(join_path(context.worktree_root, "ports"), first);
    if (!lock && lock.error().code == Code::kBusy) continue;
    if (!lock) return std::unexpected(std::move(lock).error());
    const bool all_free = std::ranges::all_of(std::views::iota(first, first + size), is_free);
    if (all_free) return PortBlock{first, *std::move(lock)};
  }
  return fail(Code::kBusy, fmt::format("no {} free ports between {} and {}", size, lowest, highest),
              "stop a server, or give .gittxn.toml a larger range of ports");
}

}  // namespace gittxn::gates

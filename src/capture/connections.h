// What a connection means for a read set. A daemon reads and writes untraced, so a connection to
// one makes the set unknown, unless it is known to have nothing to do with files of a repository.
#pragma once

#include <string>
#include <string_view>

namespace gittxn::capture {

enum class Peer {
  kHarmless,  // resolvers, dbus, agents for keys, display servers
  kOwn,       // a socket in the worktree or a temporary directory: the transaction's own processes
  kDaemon,    // reads and writes that nobody sees
  kNetwork,   // recorded as an external read
};

struct Connection {
  Peer peer = Peer::kDaemon;
  std::string name;  // for people: "docker.sock", "127.0.0.1:8080"
};

// `address` as the trace writes it: "unix:/path", "unix:@abstract", "inet:host:port", "inet6:...".
Connection classify_connection(std::string_view address, std::string_view tree);

}  // namespace gittxn::capture

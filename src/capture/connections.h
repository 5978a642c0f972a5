// The meaning of a connection for a read set. A daemon reads and writes untraced, so a connection
// to one makes the set unknown, unless it is known to have nothing to do with files of a
// repository.
#pragma once

#include <string>
#include <string_view>

namespace gittxn::capture {

enum class Peer {
  kHarmless,  // resolvers, dbus, agents for keys, display servers
  kDaemon,    // reads and writes that nobody sees, unless the command itself was seen to start it
  kNetwork,   // recorded as an external read
};

struct Connection {
  Peer peer = Peer::kDaemon;
  std::string name;  // for people: "docker.sock", "127.0.0.1:8080"
};

// `address` as the trace writes it: "unix:/path", "unix:@abstract", "inet:host:port", "inet6:...".
Connection classify_connection(std::string_view address);

}  // namespace gittxn::capture

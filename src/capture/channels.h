// Bytes that come from programs nobody watches: sockets that are connected to, pipes that are
// opened. What the transaction made itself is its own business.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "capture/paths/path_resolver.h"
#include "capture/paths/tree_model.h"
#include "capture/read_log.h"

namespace gittxn::capture {

// When the file was made, in nanoseconds since 1970; 0 where it is gone or the file system does not
// say.
std::int64_t born_ns(const std::string& path);

// The meaning of a connection for a read set. A daemon reads and writes untraced, so a connection
// to one makes the set unknown, unless it is known to have nothing to do with files of a
// repository.
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

class Channels {
 public:
  // `began_ns`: of the trace; 0 when it is not known, and then no socket counts as older.
  Channels(const std::string& tree, std::int64_t began_ns, TreeModel& model, PathResolver& resolver,
           ReadLog& log)
      : tree_(tree), began_ns_(began_ns), model_(model), resolver_(resolver), log_(log) {}

  // `at` is record.path resolved; `to` record.path2 of a rename or link (null otherwise).
  void passes_bytes(const Record& record, const Resolved& at, const Resolved* to);
  void connected(const Record& record, const Process& process);

 private:
  const std::string& tree_;
  std::int64_t began_ns_;
  TreeModel& model_;
  PathResolver& resolver_;
  ReadLog& log_;
  std::set<std::string> own_;  // sockets and pipes that the transaction made, by one name each
};

}  // namespace gittxn::capture

/* libgit2 without its network. git-txn reads and writes objects with it and leaves every exchange
 * with another machine to git; but whoever links libgit2's archive gets its transports for HTTPS
 * and SSH, and git_libgit2_init reads and parses the certificates of the whole system for them: 4.4
 * ms of 4.5, at each start (docs/design/0033-weight.md). The functions below are those by which
 * libgit2 1.5 reaches its transports. The linker meets them before the archive and so leaves out
 * what they stand for, and mbedTLS, libssh2 and Kerberos with it. Each says that it cannot; what
 * only prepares has nothing to do.
 *
 * cmake/archives.cmake links this only where a program so linked was seen to work. */

int git_txn_no_transports(void);
int git_mbedtls_stream_global_init(void);
int git_mbedtls__set_cert_location(const char* file, const char* path);
int git_mbedtls_stream_new(void** out, const char* host, const char* port);
int git_mbedtls_stream_wrap(void** out, void* in, const char* host);
int git_transport_ssh_global_init(void);
int git_smart_subtransport_ssh(void** out, void* owner, void* param);
int git_transport_ssh_with_paths(void** out, void* owner, void* payload);
int git_http_auth_negotiate(void** out, const void* url);

enum { kDone = 0, kCannot = -1 };

/* What the linker is told to look for. */
int git_txn_no_transports(void) {
  return kDone;
}

int git_mbedtls_stream_global_init(void) {
  return kDone;
}

int git_mbedtls__set_cert_location(const char* file, const char* path) {
  (void)file;
  (void)path;
  return kCannot;
}

int git_mbedtls_stream_new(void** out, const char* host, const char* port) {
  (void)out;
  (void)host;
  (void)port;
  return kCannot;
}

int git_mbedtls_stream_wrap(void** out, void* in, const char* host) {
  (void)out;
  (void)in;
  (void)host;
  return kCannot;
}

int git_transport_ssh_global_init(void) {
  return kDone;
}

int git_smart_subtransport_ssh(void** out, void* owner, void* param) {
  (void)out;
  (void)owner;
  (void)param;
  return kCannot;
}

int git_transport_ssh_with_paths(void** out, void* owner, void* payload) {
  (void)out;
  (void)owner;
  (void)payload;
  return kCannot;
}

int git_http_auth_negotiate(void** out, const void* url) {
  (void)out;
  (void)url;
  return kCannot;
}

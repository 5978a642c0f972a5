#include "db/libpq.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace gittxn::db {
namespace {

std::unexpected<Error> no_libpq(const std::string& name) {
  const char* why = ::dlerror();
  return fail(Code::kUnsupported,
              fmt::format("a PostgreSQL store needs {}: {}", name,
                          why == nullptr ? "it cannot be loaded" : why),
              "install it (on Debian: apt install libpq5)");
}

template <typename Function>
bool find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

const Result<Libpq>& loaded_libpq() {
  // The version of its interface, which has been this one since PostgreSQL 8.
  static const Result<Libpq> loaded = libpq_of("libpq.so.5");
  return loaded;
}

}  // namespace

Result<Libpq> libpq_of(const std::string& name) {
  void* library = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return no_libpq(name);
  Libpq found{};
#define FIND(function) find_symbol(library, #function, found.function)
  const bool all =
      FIND(PQclear) && FIND(PQcmdStatus) && FIND(PQconnectdbParams) && FIND(PQconninfoFree) &&
      FIND(PQconninfoParse) && FIND(PQconsumeInput) && FIND(PQdb) && FIND(PQerrorMessage) &&
      FIND(PQfinish) && FIND(PQflush) && FIND(PQfname) && FIND(PQfreemem) && FIND(PQftype) &&
      FIND(PQgetResult) && FIND(PQgetisnull) && FIND(PQgetlength) && FIND(PQgetvalue) &&
      FIND(PQhost) && FIND(PQisBusy) && FIND(PQnfields) && FIND(PQnotifies) && FIND(PQntuples) &&
      FIND(PQport) && FIND(PQresultErrorField) && FIND(PQresultStatus) && FIND(PQsendPrepare) &&
      FIND(PQsendQuery) && FIND(PQsendQueryPrepared) && FIND(PQsetNoticeReceiver) &&
      FIND(PQsetnonblocking) && FIND(PQsocket) && FIND(PQstatus) && FIND(PQunescapeBytea);
#undef FIND
  if (!all) return no_libpq(name);
  return found;
}

Status load_libpq() {
  const Result<Libpq>& loaded = loaded_libpq();
  if (!loaded) return std::unexpected(loaded.error());
  return {};
}

const Libpq& pq() {
  return *loaded_libpq();
}

}  // namespace gittxn::db

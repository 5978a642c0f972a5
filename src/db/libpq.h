// libpq, loaded when a PostgreSQL store is first opened: the program asks the dynamic loader for
// none of it, because it brings 22 libraries more, among them LDAP, Kerberos and GnuTLS, and every
// start of the program would wait for them (docs/design/0033-weight.md). Internal to db/.
#pragma once

#include <libpq-fe.h>

#include <string>

#include "base/result.h"

namespace gittxn::db {

// The functions of libpq that are used, under their own names and types.
struct Libpq {
  decltype(&::PQclear) PQclear;
  decltype(&::PQcmdStatus) PQcmdStatus;
  decltype(&::PQconnectdbParams) PQconnectdbParams;
  decltype(&::PQconninfoFree) PQconninfoFree;
  decltype(&::PQconninfoParse) PQconninfoParse;
  decltype(&::PQconsumeInput) PQconsumeInput;
  decltype(&::PQdb) PQdb;
  decltype(&::PQerrorMessage) PQerrorMessage;
  decltype(&::PQfinish) PQfinish;
  decltype(&::PQflush) PQflush;
  decltype(&::PQfname) PQfname;
  decltype(&::PQfreemem) PQfreemem;
  decltype(&::PQftype) PQftype;
  decltype(&::PQgetResult) PQgetResult;
  decltype(&::PQgetisnull) PQgetisnull;
  decltype(&::PQgetlength) PQgetlength;
  decltype(&::PQgetvalue) PQgetvalue;
  decltype(&::PQhost) PQhost;
  decltype(&::PQisBusy) PQisBusy;
  decltype(&::PQnfields) PQnfields;
  decltype(&::PQnotifies) PQnotifies;
  decltype(&::PQntuples) PQntuples;
  decltype(&::PQport) PQport;
  decltype(&::PQresultErrorField) PQresultErrorField;
  decltype(&::PQresultStatus) PQresultStatus;
  decltype(&::PQsendPrepare) PQsendPrepare;
  decltype(&::PQsendQuery) PQsendQuery;
  decltype(&::PQsendQueryPrepared) PQsendQueryPrepared;
  decltype(&::PQsetNoticeReceiver) PQsetNoticeReceiver;
  decltype(&::PQsetnonblocking) PQsetnonblocking;
  decltype(&::PQsocket) PQsocket;
  decltype(&::PQstatus) PQstatus;
  decltype(&::PQunescapeBytea) PQunescapeBytea;
};

// kUnsupported, with what to install: there is no such library here, or one without a function
// above. It is never unloaded.
Result<Libpq> libpq_of(const std::string& name);
// The one of this process. From any thread, any number of times.
Status load_libpq();
const Libpq& pq();  // once load_libpq has said yes

}  // namespace gittxn::db

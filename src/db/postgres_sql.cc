#include "db/postgres.h"

namespace gittxn::db {
namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string as_identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string numbered(std::string_view sql) {
  std::string out;
  int next = 0;
  bool quote = false;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    if (sql[i] == '\'') quote = !quote;
    if (quote || sql[i] != '?') {
      out += sql[i];
      continue;
    }
    out += '$';
    const bool has_number = i + 1 < sql.size() && sql[i + 1] >= '0' && sql[i + 1] <= '9';
    if (!has_number) out += std::to_string(++next);
  }
  return out;
}

std::string postgres_ddl(std::string_view sqlite) {
  std::string ddl(sqlite);
  replace_all(ddl, ") STRICT;", ");");
  replace_all(ddl, " INTEGER", " BIGINT");
  // As SQLite compares: by bytes, whatever the server's language is.
  replace_all(ddl, " TEXT ", " TEXT COLLATE \"C\" ");
  replace_all(ddl, " BLOB", " BYTEA");
  return ddl;
}

}  // namespace gittxn::db

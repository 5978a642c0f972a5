// SQL as the store writes it, in PostgreSQL's words. Pure.
#pragma once

#include <string>
#include <string_view>

namespace gittxn::db {

std::string as_identifier(std::string_view name);

// `?` and `?7` outside of quotes become `$1`, `$7`.
std::string numbered(std::string_view sql);

// CREATE statements for SQLite's strict tables, in PostgreSQL's words.
std::string postgres_ddl(std::string_view sqlite);

}  // namespace gittxn::db

# Libraries linked into the program, where the system has their archives. A start of git-txn was mostly the
# dynamic loader's time, and agents' hooks, git's merge driver and scripts start it for every little thing:
# docs/design/0033-weight.md has what was measured. The sanitized builds keep the shared libraries, whose
# code the sanitizers can tell from ours.
set(archives_wanted ON)
if(GIT_TXN_SANITIZE)
  set(archives_wanted OFF)
endif()
option(GIT_TXN_ARCHIVES "link libraries into the program where the system has their archives"
  ${archives_wanted})

include(CheckCSourceCompiles)
include(CheckCXXSourceCompiles)

# txn_archives(TARGET CODE NAME...): the imported library TARGET is libNAME.a... from here on, and not a shared
# library, when all of them are there and a program of CODE links. What is not lib*.a is taken as it is.
function(txn_archives TARGET CODE)
  if(NOT GIT_TXN_ARCHIVES)
    return()
  endif()
  set(archives "")
  foreach(name ${ARGN})
    if(name MATCHES "^[a-z0-9][a-z0-9_-]*$")
      find_library(GIT_TXN_ARCHIVE_${name} NAMES lib${name}.a)
      if(NOT GIT_TXN_ARCHIVE_${name})
        message(STATUS "${TARGET} stays a shared library: there is no lib${name}.a")
        return()
      endif()
      list(APPEND archives ${GIT_TXN_ARCHIVE_${name}})
    else()
      list(APPEND archives ${name})
    endif()
  endforeach()
  string(MAKE_C_IDENTIFIER "GIT_TXN_LINKS_${TARGET}" links)
  get_target_property(CMAKE_REQUIRED_INCLUDES ${TARGET} INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT CMAKE_REQUIRED_INCLUDES)
    set(CMAKE_REQUIRED_INCLUDES "")
  endif()
  set(CMAKE_REQUIRED_LIBRARIES ${archives})
  check_c_source_compiles("${CODE}" ${links})
  if(${links})
    set_property(TARGET ${TARGET} PROPERTY INTERFACE_LINK_LIBRARIES ${archives})
    set_property(GLOBAL APPEND PROPERTY GIT_TXN_LINKED ${archives})  # whose licences the package names
    set(${links} ${${links}} PARENT_SCOPE)
  else()
    message(STATUS "${TARGET} stays a shared library: its archives do not link alone")
  endif()
endfunction()

txn_archives(PkgConfig::SQLITE3 "#include <sqlite3.h>
int main(void) { return sqlite3_initialize(); }" sqlite3 z -lm)
txn_archives(PkgConfig::SECCOMP "#include <seccomp.h>
int main(void) { return seccomp_init(SCMP_ACT_ALLOW) == 0; }" seccomp)
txn_archives(PkgConfig::PCRE2 "#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
int main(void) { return pcre2_config(PCRE2_CONFIG_JIT, 0) < 0; }" pcre2-8)
if(TARGET PkgConfig::LIBBPF)
  txn_archives(PkgConfig::LIBBPF "#include <bpf/libbpf.h>
int main(void) { return libbpf_major_version() == 0 || bpf_object__open_mem(0, 0, 0) == 0; }" bpf elf z)
endif()

txn_archives(PkgConfig::CRYPTO "#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
int main(void) { SHA256_CTX state; return SHA256_Init(&state) != 1; }" crypto)

# libgit2 without its transports, which bring the most of what is loaded and take the most of its start.
set(without_transports ${PROJECT_SOURCE_DIR}/src/repo/libgit2_transports.c)
file(READ ${without_transports} code)
txn_archives(PkgConfig::GIT2 "#include <git2.h>
${code}
int main(void) {
  git_repository *repository = 0;
  return git_libgit2_init() < 1 || git_repository_open(&repository, \".\") == 1 || git_txn_no_transports();
}" git2 http_parser mbedcrypto pcre2-8 z)
if(GIT_TXN_LINKS_PkgConfig__GIT2)
  get_target_property(archives PkgConfig::GIT2 INTERFACE_LINK_LIBRARIES)
  add_library(txn_libgit2_transports STATIC ${without_transports})
  target_link_libraries(txn_libgit2_transports INTERFACE ${archives})
  set_property(TARGET PkgConfig::GIT2 PROPERTY INTERFACE_LINK_LIBRARIES txn_libgit2_transports)
  set_property(TARGET PkgConfig::GIT2 APPEND PROPERTY INTERFACE_LINK_OPTIONS
    "LINKER:--undefined=git_txn_no_transports")
endif()

# Debian has no archives of fmt and toml++; their headers have all of their code.
add_library(txn_fmt INTERFACE)
add_library(txn_toml INTERFACE)
if(GIT_TXN_ARCHIVES)
  file(READ ${PROJECT_SOURCE_DIR}/src/base/fmt_library.cc code)
  check_cxx_source_compiles("${code}
int main() { return fmt::format(\"{} {}\", 1.5, 2) == \"1.5 2\" ? 0 : 1; }" GIT_TXN_LINKS_fmt)
endif()
if(GIT_TXN_ARCHIVES AND GIT_TXN_LINKS_fmt)
  target_compile_definitions(txn_fmt INTERFACE FMT_SHARED)  # its code is in one file
else()
  target_link_libraries(txn_fmt INTERFACE fmt::fmt)
endif()
if(GIT_TXN_ARCHIVES)
  target_compile_definitions(txn_toml INTERFACE TOML_HEADER_ONLY=0)
else()
  target_link_libraries(txn_toml INTERFACE tomlplusplus::tomlplusplus)
endif()
# The files that have it, once their modules are there.
function(txn_library_sources)
  if(GIT_TXN_ARCHIVES AND GIT_TXN_LINKS_fmt)
    target_sources(txn_base PRIVATE src/base/fmt_library.cc)
  endif()
  if(GIT_TXN_ARCHIVES)
    target_sources(txn_gates PRIVATE src/gates/toml_library.cc)
  endif()
  set_source_files_properties(src/base/fmt_library.cc src/gates/toml_library.cc PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Only the headers of libpq: db/libpq.h loads it when a PostgreSQL store is opened.
add_library(txn_libpq INTERFACE)
target_include_directories(txn_libpq SYSTEM INTERFACE ${POSTGRES_INCLUDE_DIRS})
target_link_libraries(txn_libpq INTERFACE ${CMAKE_DL_LIBS})

# The C++ library, too. Relative relocations in their short form, where the linker knows it.
if(GIT_TXN_ARCHIVES)
  target_link_options(txn_flags INTERFACE -static-libstdc++ -static-libgcc LINKER:--gc-sections
    LINKER:--as-needed)
  set(CMAKE_REQUIRED_LINK_OPTIONS LINKER:-z,pack-relative-relocs)
  check_cxx_source_compiles("int main() {}" GIT_TXN_PACKS_RELOCATIONS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(GIT_TXN_PACKS_RELOCATIONS)
    target_link_options(txn_flags INTERFACE LINKER:-z,pack-relative-relocs)
  endif()
endif()

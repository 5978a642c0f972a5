# The Debian package (`./dev deb`): what cmake/install.cmake installs, below /usr, with the libraries that
# dpkg-shlibdeps finds the program needs, at the versions it was linked with.
if(NOT TARGET git-txn)
  return()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the authors of git-txn")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION vcs)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "git (>= 1:2.39)")  # the oldest that the tests run with
# Loaded when a PostgreSQL store is opened, so dpkg-shlibdeps does not find it; who has none can do without.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libpq5")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "bash-completion")
# The first line and the rest of the description, as dpkg shows them.
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
  "transactions for coding agents, on any git repository
Runs several coding agents on one repository at once, each in a private
worktree, sees what each of them reads, and lets only those changes land
whose reasons still hold. A landing is one commit, made of exactly the
files that the checks ran on, or nothing.")

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake)
get_property(linked GLOBAL PROPERTY GIT_TXN_LINKED)
list(FILTER linked INCLUDE REGEX "^/")
if(GIT_TXN_ARCHIVES)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE library
    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(REAL_PATH ${library} library)
  list(APPEND linked ${library})
endif()
list(REMOVE_DUPLICATES linked)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package_files.cmake)
file(CONFIGURE OUTPUT ${CPACK_PROJECT_CONFIG_FILE} CONTENT [[
set(TXN_SOURCE_DIR "@PROJECT_SOURCE_DIR@")
set(TXN_VERSION "@PROJECT_VERSION@")
set(TXN_GRAMMARS "@PROJECT_SOURCE_DIR@/build/grammars")
set(TXN_LINKED "@linked@")
]] @ONLY)
include(CPack)

# Run by CPack on the staged files: what Debian's policy wants beside the program. Pages and changelog are
# compressed without a time stamp, so that the same commit makes the same package.
set(doc ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/doc/git-txn)
file(MAKE_DIRECTORY ${doc})
file(COPY_FILE ${TXN_SOURCE_DIR}/CHANGELOG.md ${doc}/changelog)
file(GLOB texts ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share/man/man1/*.1 ${doc}/changelog)
execute_process(COMMAND gzip -9 -n ${texts} COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: git-txn

Files: *
Copyright: the authors of git-txn
License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
# What is compiled in of others, with the words under which they allow it.
file(GLOB licenses ${TXN_GRAMMARS}/node_modules/tree-sitter*/LICENSE
  ${TXN_GRAMMARS}/node_modules/@tree-sitter-grammars/tree-sitter*/LICENSE
  ${TXN_GRAMMARS}/node_modules/tree-sitter/vendor/tree-sitter/lib/src/unicode/LICENSE)
foreach(license ${licenses})
  file(RELATIVE_PATH name ${TXN_GRAMMARS}/node_modules ${license})
  get_filename_component(name ${name} DIRECTORY)
  file(READ ${license} text)
  string(REGEX REPLACE "[ \t\r]*\n" "\n" text "${text}")
  string(STRIP "${text}" text)
  string(REPLACE "\n\n" "\n.\n" text "${text}")
  string(REPLACE "\n\n" "\n.\n" text "${text}")
  string(REPLACE "\n" "\n " text "${text}")
  file(APPEND ${doc}/copyright "
Files: ${name}
Comment: compiled into the program
License: of ${name}
 ${text}
")
endforeach()
# The copyright files of the Debian packages whose archives are linked in.
set(linked "")
foreach(archive ${TXN_LINKED})
  execute_process(COMMAND dpkg-query -S ${archive} OUTPUT_VARIABLE package COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[:,].*" "" package "${package}")
  get_filename_component(name ${archive} NAME)
  file(READ /usr/share/doc/${package}/copyright text)
  string(APPEND linked "${name}, of Debian's package ${package}:\n\n${text}\n\n")
endforeach()
if(linked)
  file(WRITE ${doc}/copyright.linked "${linked}")
  execute_process(COMMAND gzip -9 -n ${doc}/copyright.linked COMMAND_ERROR_IS_FATAL ANY)
endif()
file(CHMOD_RECURSE ${doc} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
  DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# Program, man pages and completion where users expect them. The pages and the completion are what
# the built program prints (cmake/pages.cmake), so they cannot say anything else than --help does.
if(NOT TARGET git-txn)
  return()
endif()

set(pages ${PROJECT_BINARY_DIR}/pages)
add_custom_command(
  OUTPUT ${pages}/done
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:git-txn> -DOUT=${pages}
    -P ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
  DEPENDS git-txn ${PROJECT_SOURCE_DIR}/cmake/pages.cmake
  COMMENT "Writing man pages and completion"
  VERBATIM)
add_custom_target(pages DEPENDS ${pages}/done)

install(TARGETS git-txn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${pages}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${pages}/completion.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME git-txn)
install(FILES ${pages}/completion.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME git-txn.fish)
# zsh of Debian looks for packages' files in another folder than for those of /usr/local.
install(CODE "
  set(functions site-functions)
  if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\")
    set(functions vendor-completions)
  endif()
  file(INSTALL \"${pages}/completion.zsh\" RENAME _git-txn
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${functions}\")")
# The JSON Schemas of what it prints (docs/STABILITY.md, docs/formats/events.md), and what shell scripts
# source (docs/shell-library.md).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/share/schemas
  DESTINATION ${CMAKE_INSTALL_DATADIR}/git-txn FILES_MATCHING PATTERN "*.json")
install(FILES ${PROJECT_SOURCE_DIR}/share/lib/git-txn.sh
  DESTINATION ${CMAKE_INSTALL_DATADIR}/git-txn/lib)

# cmake -DPROGRAM=git-txn -DOUT=DIR -P pages.cmake: man pages into DIR/man and DIR/completion.bash.
# `git-txn internal commands` names the commands one a line; `internal man NAME` prints one page.
function(ask result)
  execute_process(COMMAND ${PROGRAM} internal ${ARGN}
    OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  if(text STREQUAL "")
    message(FATAL_ERROR "git-txn internal ${ARGN}: printed nothing")
  endif()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

function(write_page name)
  ask(page man ${ARGN})
  file(WRITE ${OUT}/man/${name}.1 "${page}")
endfunction()

file(REMOVE_RECURSE ${OUT}/man)
write_page(git-txn)
ask(commands commands)
string(REGEX MATCHALL "[a-z][a-z-]*" commands "${commands}")
foreach(command ${commands})
  write_page(git-txn-${command} ${command})
endforeach()
ask(completion completion bash)
file(WRITE ${OUT}/completion.bash "${completion}")
file(TOUCH ${OUT}/done)

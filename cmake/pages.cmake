# cmake -DPROGRAM=git-txn -DOUT=DIR -P pages.cmake: man pages into DIR/man and DIR/completion.bash.
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man)
execute_process(COMMAND ${PROGRAM} internal man --dir ${OUT}/man COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${PROGRAM} internal completion bash
  OUTPUT_FILE ${OUT}/completion.bash COMMAND_ERROR_IS_FATAL ANY)
foreach(made man/git-txn.1 man/git-txn-run.1 completion.bash)
  file(SIZE ${OUT}/${made} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "${made} is empty")
  endif()
endforeach()
file(TOUCH ${OUT}/done)

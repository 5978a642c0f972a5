# cmake -DPROGRAM=git-txn -DOUT=DIR -P pages.cmake: man pages into DIR/man, and completion into
# DIR/completion.bash, .zsh and .fish.
file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man)
execute_process(COMMAND ${PROGRAM} internal man --dir ${OUT}/man COMMAND_ERROR_IS_FATAL ANY)
foreach(shell bash zsh fish)
  execute_process(COMMAND ${PROGRAM} internal completion ${shell}
    OUTPUT_FILE ${OUT}/completion.${shell} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
foreach(made man/git-txn.1 man/git-txn-run.1 completion.bash completion.zsh completion.fish)
  file(SIZE ${OUT}/${made} size)
  if(size EQUAL 0)
    message(FATAL_ERROR "${made} is empty")
  endif()
endforeach()
file(TOUCH ${OUT}/done)

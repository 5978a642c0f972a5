# txn_analysis(MODULE): one digest over the queries of every language and the pinned grammars, as what
# std::string_view gittxn::MODULE::analysis_inputs() returns: what was found out about a file with others
# is another version.
function(txn_analysis MODULE)
  file(GLOB inputs CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src/semantic/languages/*/*.scm
    ${PROJECT_SOURCE_DIR}/grammars/*_scanner.c ${PROJECT_SOURCE_DIR}/grammars/package-lock.json)
  list(SORT inputs)
  set(all "")
  foreach(input ${inputs})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${input})
    file(SHA256 ${PROJECT_SOURCE_DIR}/${input} digest)
    string(APPEND all "${input} ${digest}\n")
  endforeach()
  string(SHA256 digest "${all}")
  set(source ${PROJECT_BINARY_DIR}/embed/analysis_inputs.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "#include \"catalogue/codec.h\"

namespace gittxn::${MODULE} {

std::string_view analysis_inputs() {
  return \"@digest@\";
}

}  // namespace gittxn::${MODULE}
")
  target_sources(txn_${MODULE} PRIVATE ${source})
endfunction()

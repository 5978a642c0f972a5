# tree-sitter and its grammars, which tools/grammars fetches and grammars/CMakeLists.txt compiles, once for all presets.
set(grammars ${PROJECT_SOURCE_DIR}/build/grammars-built/libts_grammars.a)
if(NOT EXISTS ${grammars})
  message(FATAL_ERROR "there is no ${grammars}: run tools/grammars --build, as ./dev does")
endif()
add_library(ts_grammars STATIC IMPORTED)
set_target_properties(ts_grammars PROPERTIES IMPORTED_LOCATION ${grammars} INTERFACE_INCLUDE_DIRECTORIES
  ${PROJECT_SOURCE_DIR}/build/grammars/node_modules/tree-sitter/vendor/tree-sitter/lib/include)

# txn_languages(MODULE DIR): every DIR/NAME/shape.scm, and facts.scm where there is one, as LanguageText of
# semantic/language.h.
function(txn_languages MODULE DIR)
  file(GLOB folders CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/${DIR}
    ${PROJECT_SOURCE_DIR}/src/${DIR}/*/shape.scm)
  set(rows "")
  foreach(file ${folders})
    get_filename_component(name ${file} DIRECTORY)
    set(path ${PROJECT_SOURCE_DIR}/src/${DIR}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    set(facts "")
    get_filename_component(folder ${path} DIRECTORY)
    if(EXISTS ${folder}/facts.scm)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/facts.scm)
      file(READ ${folder}/facts.scm facts)
    endif()
    string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\", R\"embedded(${facts})embedded\"},\n")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/embed/languages.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "#include \"semantic/language.h\"

namespace gittxn::semantic {

std::span<const LanguageText> language_texts() {
  static constexpr LanguageText kTexts[] = {
@rows@  };
  return kTexts;
}

}  // namespace gittxn::semantic
")
  target_sources(txn_${MODULE} PRIVATE ${source})
endfunction()

# tree-sitter and its grammars: sources from npm, which tools/grammars puts into build/grammars
# as grammars/package-lock.json pins them, one static library each. They are of others: no warnings, no
# sanitizers, -O2 in every preset (the core -O3 in release), so that sanitized tests stay quick; clang-tidy never sees them.
set(GIT_TXN_GRAMMARS ${PROJECT_SOURCE_DIR}/build/grammars CACHE PATH
  "where npm ci of grammars/package-lock.json was run")
set(npm ${GIT_TXN_GRAMMARS}/node_modules)
if(NOT EXISTS ${npm}/tree-sitter/vendor/tree-sitter/lib/src/lib.c)
  message(FATAL_ERROR "the grammars are not in ${GIT_TXN_GRAMMARS}: run tools/grammars, which brings them (as ./dev does)")
endif()

function(txn_third_party NAME)
  set_target_properties(${NAME} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON
    CXX_CLANG_TIDY "" C_CLANG_TIDY "")
  target_compile_options(${NAME} PRIVATE -w -O2 -g0)
endfunction()

set(core ${npm}/tree-sitter/vendor/tree-sitter/lib)
add_library(ts_core STATIC ${core}/src/lib.c)
target_include_directories(ts_core SYSTEM PUBLIC ${core}/include PRIVATE ${core}/src)
target_compile_definitions(ts_core PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)
txn_third_party(ts_core)
# The core is one file that calls itself all the time; where its symbols are seen from outside it may not
# inline them.
target_compile_options(ts_core PRIVATE "$<$<CONFIG:Release>:-O3;-fvisibility=hidden>")
target_compile_definitions(ts_core PRIVATE $<$<CONFIG:Release>:TREE_SITTER_HIDE_SYMBOLS>)

# txn_grammar(NAME DIR): the grammar whose parser.c, and scanner.c if it has one, are in DIR of npm's.
# grammars/NAME_scanner.c, where there is one, includes that scanner and mends it.
add_library(ts_grammars INTERFACE)
target_link_libraries(ts_grammars INTERFACE ts_core)
function(txn_grammar NAME DIR)
  set(sources ${npm}/${DIR}/parser.c)
  set(mended ${PROJECT_SOURCE_DIR}/grammars/${NAME}_scanner.c)
  if(EXISTS ${mended})
    list(APPEND sources ${mended})
  elseif(EXISTS ${npm}/${DIR}/scanner.c)
    list(APPEND sources ${npm}/${DIR}/scanner.c)
  endif()
  add_library(ts_${NAME} STATIC ${sources})
  target_include_directories(ts_${NAME} PRIVATE ${npm}/${DIR})
  txn_third_party(ts_${NAME})
  target_link_libraries(ts_grammars INTERFACE ts_${NAME})
endfunction()

foreach(name c cpp python go java javascript rust json ruby bash)
  txn_grammar(${name} tree-sitter-${name}/src)
endforeach()
txn_grammar(typescript tree-sitter-typescript/typescript/src)
txn_grammar(tsx tree-sitter-typescript/tsx/src)
txn_grammar(php tree-sitter-php/php/src)
txn_grammar(c_sharp tree-sitter-c-sharp/src)
foreach(name toml yaml kotlin)
  txn_grammar(${name} @tree-sitter-grammars/tree-sitter-${name}/src)
endforeach()

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

# txn_module(NAME DEPS module... LIBS target... PRIVATE_LIBS target...): src/NAME/**/*.cc without *_test.cc as a
# static library txn_NAME, and every *_test.cc below it as one test program NAME_test.
add_library(txn_flags INTERFACE)
target_compile_options(txn_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion
  -Wno-sign-conversion -Werror -Wno-error=stringop-overflow -Wno-error=restrict
  -Wno-error=maybe-uninitialized -fno-omit-frame-pointer)
target_include_directories(txn_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(txn_flags INTERFACE GIT_TXN_VERSION="${PROJECT_VERSION}" _GNU_SOURCE)
# What another file of a unity declares is shadowed by nobody; g++ would say so all the same.
if(GIT_TXN_UNITY GREATER 1 AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(txn_flags INTERFACE -Wshadow=local)
else()
  target_compile_options(txn_flags INTERFACE -Wshadow)
endif()
# g++ judges the program. Clang, of the sanitized builds, minds more: a TRY whose value nobody takes, what
# libstdc++ itself calls deprecated, what libbpf's header is made of.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(txn_flags INTERFACE -Wno-unknown-warning-option -Wno-unused-result -Wno-pedantic
    -Wno-deprecated-declarations)
endif()
# A member that a designated initializer leaves out has its own value; g++ 12 warns of it all the same.
target_compile_options(txn_flags INTERFACE -Wno-missing-field-initializers)
if(GIT_TXN_BUGS)
  target_compile_definitions(txn_flags INTERFACE GIT_TXN_BUGS)
endif()
if(GIT_TXN_SANITIZE)
  target_compile_options(txn_flags INTERFACE -fsanitize=${GIT_TXN_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(txn_flags INTERFACE -fsanitize=${GIT_TXN_SANITIZE})
endif()

# What nearly every file includes, read once a build: base/precompiled.h, and for tests gtest as well. Only
# in the sanitized builds: the others compile each file by what it includes itself.
function(txn_precompile TARGET)
  if(NOT GIT_TXN_PCH)
    return()
  endif()
  cmake_parse_arguments(P "TESTS" "" "" ${ARGN})
  set(owner txn_precompiled)
  set(more "")
  if(P_TESTS)
    set(owner txn_precompiled_tests)
    set(more <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/${owner}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "" @ONLY)
    add_library(${owner} OBJECT ${source})
    target_link_libraries(${owner} PRIVATE txn_flags txn_fmt)
    if(P_TESTS)
      target_link_libraries(${owner} PRIVATE GTest::gmock GTest::gtest_main)
    endif()
    target_precompile_headers(${owner} PRIVATE ${PROJECT_SOURCE_DIR}/src/base/precompiled.h ${more})
    # Without times in it the same headers make the same bytes, which is what ccache goes by.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      target_compile_options(${owner} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
  endif()
  target_precompile_headers(${TARGET} REUSE_FROM ${owner})
endfunction()

# Files of a module compiled as one, GIT_TXN_UNITY at a time: they read the same headers and make the same
# templates, which is most of the work. What is local to a file has to have its own name in its module.
# The debug build compiles each file alone, as clang-tidy does.
function(txn_unity TARGET)
  if(GIT_TXN_UNITY GREATER 1)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${GIT_TXN_UNITY})
    # g++ takes the files of a unity for headers, whose classes may not hold what is local to a file.
    target_compile_options(${TARGET} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

function(txn_sources DIR OUT_CODE OUT_TESTS)
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${DIR}/*.cc)
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER all EXCLUDE REGEX "_test\\.cc$|/preload/|_library\\.cc$")  # txn_preload, txn_library_sources
  set(${OUT_CODE} ${all} PARENT_SCOPE)
  set(${OUT_TESTS} ${tests} PARENT_SCOPE)
endfunction()

# The library that the hybrid trace preloads into the traced programs: it may need nothing of them, so
# it is built without libraries, start files and sanitizers, and txn_${MODULE} has it in it as bytes.
function(txn_preload MODULE SOURCE BYTES)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    return()
  endif()
  add_library(txn_preload MODULE ${PROJECT_SOURCE_DIR}/src/${SOURCE})
  set_target_properties(txn_preload PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(txn_preload PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(txn_preload PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion -Werror -O2 -g0 -ffreestanding -fno-exceptions -fno-rtti
    -fno-stack-protector -fno-sanitize=all -fvisibility=hidden -U_FORTIFY_SOURCE)
  target_link_options(txn_preload PRIVATE -nostdlib -fno-sanitize=all
    -Wl,-Bsymbolic,-z,noexecstack,-z,noseparate-code,-z,norelro,--hash-style=gnu,--build-id=none)
  set(file ${PROJECT_BINARY_DIR}/txn_preload.so)
  set(bytes ${PROJECT_SOURCE_DIR}/src/${BYTES})
  set_source_files_properties(${bytes} PROPERTIES OBJECT_DEPENDS ${file}
    COMPILE_DEFINITIONS "TXN_PRELOAD_FILE=\"${file}\"")
  add_dependencies(txn_${MODULE} txn_preload)
endfunction()

function(txn_tests NAME)
  cmake_parse_arguments(T "" "" "SOURCES;LINK" ${ARGN})
  if(NOT GIT_TXN_TESTS OR NOT T_SOURCES)
    return()
  endif()
  add_executable(${NAME}_test ${T_SOURCES})
  target_link_libraries(${NAME}_test PRIVATE ${T_LINK} txn_flags GTest::gmock GTest::gtest_main)
  txn_precompile(${NAME}_test TESTS)
  txn_unity(${NAME}_test)
  add_test(NAME ${NAME} COMMAND ${NAME}_test)
endfunction()

function(txn_module NAME)
  cmake_parse_arguments(M "" "" "DEPS;LIBS;PRIVATE_LIBS" ${ARGN})
  txn_sources(${NAME} code tests)
  if(code)
    add_library(txn_${NAME} STATIC ${code})
    txn_precompile(txn_${NAME})
    txn_unity(txn_${NAME})
    set(scope PUBLIC)
  else()
    add_library(txn_${NAME} INTERFACE)
    set(scope INTERFACE)
  endif()
  list(TRANSFORM M_DEPS PREPEND txn_ OUTPUT_VARIABLE deps)
  target_link_libraries(txn_${NAME} ${scope} ${deps} ${M_LIBS} txn_flags)
  if(M_PRIVATE_LIBS)
    target_link_libraries(txn_${NAME} PRIVATE ${M_PRIVATE_LIBS})
  endif()
  txn_tests(${NAME} SOURCES ${tests} LINK txn_${NAME})
endfunction()

# txn_embed(MODULE FILE NAMESPACE FUNCTION): the bytes of a text file, at most 16 KiB, as what the function
# std::string_view gittxn::NAMESPACE::FUNCTION() returns, so that there is one file to install.
function(txn_embed MODULE FILE NAMESPACE FUNCTION)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${FILE})
  file(READ ${PROJECT_SOURCE_DIR}/${FILE} text)
  set(source ${PROJECT_BINARY_DIR}/embed/${FUNCTION}.cc)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "#include <string_view>
namespace gittxn::${NAMESPACE} {
std::string_view ${FUNCTION}();
std::string_view ${FUNCTION}() {
  return R\"embedded(@text@)embedded\";
}
}  // namespace gittxn::${NAMESPACE}
")
  target_sources(txn_${MODULE} PRIVATE ${source})
endfunction()

function(txn_program PROGRAM)
  cmake_parse_arguments(P "" "MODULE" "DEPS;LIBS" ${ARGN})
  txn_sources(${P_MODULE} code tests)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${P_MODULE}/main.cc)
    return()
  endif()
  list(TRANSFORM P_DEPS PREPEND txn_ OUTPUT_VARIABLE deps)
  set(library ${code})
  list(FILTER library EXCLUDE REGEX "/main\\.cc$")
  add_executable(${PROGRAM} ${PROJECT_SOURCE_DIR}/src/${P_MODULE}/main.cc)
  if(library)
    add_library(txn_${P_MODULE} STATIC ${library})
    target_link_libraries(txn_${P_MODULE} PUBLIC ${deps} ${P_LIBS} txn_flags)
    txn_precompile(txn_${P_MODULE})
    txn_unity(txn_${P_MODULE})
    target_link_libraries(${PROGRAM} PRIVATE txn_${P_MODULE})
    txn_tests(${P_MODULE} SOURCES ${tests} LINK txn_${P_MODULE})
    if(TARGET ${P_MODULE}_test)  # agents of its stories call the program
      add_dependencies(${P_MODULE}_test ${PROGRAM})
    endif()
  else()
    target_link_libraries(${PROGRAM} PRIVATE ${deps} ${P_LIBS} txn_flags)
  endif()
  set_target_properties(${PROGRAM} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# Every header compiles alone: one source file for each that includes nothing else.
function(txn_header_check)
  if(NOT GIT_TXN_TESTS)
    return()
  endif()
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/src/*.h)
  set(sources)
  foreach(header ${headers})
    set(source ${PROJECT_BINARY_DIR}/headers/${header}.cc)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(txn_headers OBJECT ${sources})
  target_link_libraries(txn_headers PRIVATE txn_flags txn_fmt
    CLI11::CLI11 txn_toml txn_libpq PkgConfig::GIT2 PkgConfig::SQLITE3 ts_grammars GTest::gtest)
endfunction()

# Every fuzz/NAME.cc as a program fuzz-NAME: with GIT_TXN_FUZZ (needs clang) a libFuzzer one, else with
# the engine of fuzz/sample.cc, for the tests. It links the modules that it includes, so that one of them is
# built without the rest.
function(txn_fuzzers)
  if(NOT GIT_TXN_FUZZ AND NOT GIT_TXN_TESTS)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.cc)
  list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/fuzz/sample.cc)
  add_custom_target(fuzzers)
  if(NOT GIT_TXN_FUZZ)
    add_library(txn_fuzz_sample OBJECT ${PROJECT_SOURCE_DIR}/fuzz/sample.cc)
    target_include_directories(txn_fuzz_sample PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(txn_fuzz_sample PRIVATE txn_base txn_flags)
  endif()
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    file(STRINGS ${source} includes REGEX "^#include \"[a-z]+/")
    list(TRANSFORM includes REPLACE "^#include \"([a-z]+)/.*" "txn_\\1" OUTPUT_VARIABLE deps)
    list(FILTER deps EXCLUDE REGEX "^txn_fuzz$")
    list(APPEND deps txn_base)
    list(REMOVE_DUPLICATES deps)
    add_executable(fuzz-${name} ${source})
    target_include_directories(fuzz-${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(fuzz-${name} PRIVATE ${deps} txn_flags)
    if(GIT_TXN_FUZZ)
      target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
    else()
      target_link_libraries(fuzz-${name} PRIVATE txn_fuzz_sample)
    endif()
    add_dependencies(fuzzers fuzz-${name})
  endforeach()
endfunction()

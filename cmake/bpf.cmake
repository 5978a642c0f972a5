# The eBPF programs of a module: compiled by clang for the kernel, and their object put into the module
# as bytes. Without clang or libbpf the build goes on, and the back end says what it was built without.
#
# Called with -DOBJECT -DOUT it writes the bytes as C++ (a build step); included it gives txn_bpf.
if(DEFINED OBJECT)
  file(READ ${OBJECT} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)"
    "\\1\n" bytes "${bytes}")
  file(WRITE ${OUT} "#include \"capture/trace/bpf/object.h\"\n\nnamespace gittxn::capture {\n\nnamespace {\n"
    "alignas(8) constexpr unsigned char kBytes[] = {\n${bytes}};\n}  // namespace\n\n"
    "const std::span<const unsigned char> kBpfObject(kBytes);\n\n}  // namespace gittxn::capture\n")
  return()
endif()

option(GIT_TXN_BPF "build the eBPF trace back end where clang and libbpf are there" ON)

# txn_bpf(MODULE SOURCE): SOURCE, compiled, in txn_MODULE.
function(txn_bpf MODULE SOURCE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(arch x86)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(arch arm64)
  endif()
  find_program(GIT_TXN_CLANG NAMES clang clang-19 clang-16 clang-15 clang-14)
  set(command ${GIT_TXN_CLANG} -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_${arch} -Wall -Werror
    -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=. -I${PROJECT_SOURCE_DIR}/src
    -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} ${PROJECT_SOURCE_DIR}/src/${SOURCE} -c)
  set(why "")
  if(NOT GIT_TXN_BPF)
    set(why "it was switched off")
  elseif(NOT arch)
    set(why "there is none for ${CMAKE_SYSTEM_PROCESSOR}")
  elseif(NOT GIT_TXN_CLANG)
    set(why "there was no clang")
  elseif(NOT LIBBPF_FOUND)
    set(why "there was no libbpf")
  else()
    execute_process(COMMAND ${command} -o ${PROJECT_BINARY_DIR}/bpf-probe.o RESULT_VARIABLE failed
      ERROR_VARIABLE errors OUTPUT_QUIET)
    if(failed)
      set(why "clang could not compile it")
      message(STATUS "eBPF: ${errors}")
    endif()
  endif()
  if(why)
    message(STATUS "built without the eBPF trace: ${why}")
    target_compile_definitions(txn_${MODULE} PRIVATE GIT_TXN_NO_BPF="${why}")
    return()
  endif()
  get_filename_component(dir ${PROJECT_SOURCE_DIR}/src/${SOURCE} DIRECTORY)
  file(GLOB parts CONFIGURE_DEPENDS ${dir}/*.inc)
  set(object ${PROJECT_BINARY_DIR}/bpf/object.o)
  set(bytes ${PROJECT_BINARY_DIR}/bpf/object.cc)
  add_custom_command(
    OUTPUT ${bytes}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/bpf
    COMMAND ${command} -o ${object}
    COMMAND ${CMAKE_COMMAND} -DOBJECT=${object} -DOUT=${bytes} -P ${PROJECT_SOURCE_DIR}/cmake/bpf.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/src/${SOURCE} ${parts} ${dir}/event.h ${PROJECT_SOURCE_DIR}/cmake/bpf.cmake
    COMMENT "Compiling the eBPF programs"
    VERBATIM)
  target_sources(txn_${MODULE} PRIVATE ${bytes})
  target_compile_definitions(txn_${MODULE} PRIVATE GIT_TXN_BPF)
  set_property(SOURCE ${dir}/kernel_types_test.cc PROPERTY COMPILE_DEFINITIONS GIT_TXN_BPF)
  target_link_libraries(txn_${MODULE} PUBLIC PkgConfig::LIBBPF)
endfunction()

# Compile flags shared by the library, the command and the tests, and helpers to declare targets.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
# Sanitized numerics at -O0 are too slow: the library takes -O1 (src/CMakeLists.txt). What calls it and computes little itself,
# the tests, the command and the examples, compiles at -O0 in three fifths of the time.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

# A compiler cache where there is one.
find_program(PLIANT_CCACHE ccache)
mark_as_advanced(PLIANT_CCACHE)
if(PLIANT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/cached_compiler.sh)
endif()

add_library(pliant_flags INTERFACE)
target_compile_options(pliant_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  # GCC 12 warns about its own AVX-512 intrinsics and string concatenation (GCC bugs 105593, 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-uninitialized;-Wno-restrict>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>  # precompiled headers within reach of a compiler cache
  # GCC looks for garbage among all that a precompiled header holds, again and again, and finds little: not below 1 GB (in
  # kB). A tenth to a seventh of the build, for a fifth more memory in the largest units.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1048576>
  $<$<BOOL:${PLIANT_WERROR}>:-Werror>
  $<$<BOOL:${PLIANT_ARCH}>:-march=${PLIANT_ARCH}>)
if(PLIANT_SANITIZE)
  target_compile_options(pliant_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                                -fno-omit-frame-pointer)
  target_link_options(pliant_flags INTERFACE -fsanitize=address,undefined)
  target_compile_definitions(pliant_flags INTERFACE EIGEN_RUNTIME_NO_MALLOC)
endif()

if(PLIANT_SANITIZE_THREADS)
  target_compile_options(pliant_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(pliant_flags INTERFACE -fsanitize=thread)
endif()

# What nearly every file includes, parsed once per target (or group of targets).
set(PLIANT_COMMON_HEADERS <linalg/eigen_instances.hpp> <fmt/format.h> <algorithm> <chrono> <cmath> <functional> <memory> <mutex> <optional>
                          <string> <vector>)

# pliant_test(NAME file.cpp... [LABEL unit|conformance|integration|study] [LIBS ...] [TIMEOUT s] [COST s] [PARTS NAME=PATTERN...]):
# one GoogleTest binary, compiled as few units (PliantUnity.cmake), and its entry for ctest. Each part is an entry of its own,
# with the tests that match the pattern; the entry NAME has the rest. COST: about how long it takes, where that is long; the
# longest begin first.
function(pliant_test name)
  cmake_parse_arguments(arg "" "LABEL;TIMEOUT;COST" "LIBS;PARTS" ${ARGN})
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE pliant_test_support GTest::gtest_main ${arg_LIBS})
  target_precompile_headers(${name} REUSE_FROM pliant_test_headers)
  pliant_compile_evenly(${name})
  if(arg_LABEL STREQUAL "study")
    add_dependencies(studies ${name})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  set(entries ${name})
  set(rest "")
  foreach(part ${arg_PARTS})
    string(REGEX MATCH "^([^=]+)=(.+)$" matched ${part})
    add_test(NAME ${CMAKE_MATCH_1} COMMAND ${name} --gtest_filter=${CMAKE_MATCH_2})
    list(APPEND entries ${CMAKE_MATCH_1})
    list(APPEND rest ${CMAKE_MATCH_2})
  endforeach()
  if(rest)
    list(JOIN rest ":" rest)
    add_test(NAME ${name} COMMAND ${name} --gtest_filter=-${rest})
  else()
    add_test(NAME ${name} COMMAND ${name})
  endif()
  set_tests_properties(${entries} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT})
  if(arg_COST)
    set_tests_properties(${name} PROPERTIES COST ${arg_COST})
  endif()
endfunction()

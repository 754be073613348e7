# pitot_module(name USES other…): a static library of src/<name>/*.cpp with the project's warnings.
add_library(pitot_options INTERFACE)
target_compile_options(pitot_options INTERFACE -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns of string concatenation in its own library when it inlines (GCC bug 105651).
  target_compile_options(pitot_options INTERFACE -Wno-restrict)
endif()
target_include_directories(pitot_options INTERFACE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
if(PITOT_WERROR)
  target_compile_options(pitot_options INTERFACE -Werror)
endif()
if(PITOT_SANITIZE)
  target_compile_options(pitot_options INTERFACE -fsanitize=${PITOT_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(pitot_options INTERFACE -fsanitize=${PITOT_SANITIZE})
endif()
if(PITOT_FUZZ)
  # Without this the fuzzers would see no branch of the library.
  target_compile_options(pitot_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(PITOT_STATIC)
  # Not in a program that links shared C++ libraries: they would have another runtime than it.
  set(own_runtime $<NOT:$<BOOL:$<TARGET_PROPERTY:PITOT_SHARED_RUNTIME>>>)
  target_link_options(pitot_options INTERFACE $<${own_runtime}:-static-libstdc++> $<${own_runtime}:-static-libgcc>)
endif()

# Where PITOT_UNITY says so, a target's files are compiled in groups of so many (0: all in one).
function(pitot_grouped target size)
  if(PITOT_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
  endif()
endfunction()

# Not worth optimising in a Debug build: its own loops are short, and a third of its compile time is saved.
function(pitot_light target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
endfunction()

function(pitot_module name)
  cmake_parse_arguments(ARG "" "GROUP" "USES;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  add_library(pitot_${name} STATIC ${sources})
  target_link_libraries(pitot_${name} PUBLIC pitot_options ${ARG_LINK})
  if(NOT DEFINED ARG_GROUP)
    set(ARG_GROUP 0)
  endif()
  pitot_grouped(pitot_${name} ${ARG_GROUP})
  foreach(used ${ARG_USES})
    target_link_libraries(pitot_${name} PUBLIC pitot_${used})
  endforeach()
endfunction()

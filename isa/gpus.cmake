# The GPU table as C++ (generated/gpu_tables.inc), for pitot_arch.
add_executable(gpugen ${PROJECT_SOURCE_DIR}/isa/gpugen.cpp)
target_link_libraries(gpugen PRIVATE pitot_options)
file(GLOB PITOT_GPU_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/isa/gpus/*.toml)
set(PITOT_GPU_TABLES ${CMAKE_BINARY_DIR}/generated/gpu_tables.inc)
add_custom_command(
  OUTPUT ${PITOT_GPU_TABLES}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/generated
  COMMAND gpugen ${PITOT_GPU_TABLES} ${PITOT_GPU_FILES}
  DEPENDS gpugen ${PITOT_GPU_FILES}
  COMMENT "generating the GPU table")
add_custom_target(pitot_gpu_tables DEPENDS ${PITOT_GPU_TABLES})
add_dependencies(pitot_arch pitot_gpu_tables)
target_include_directories(pitot_arch PRIVATE ${CMAKE_BINARY_DIR}/generated)

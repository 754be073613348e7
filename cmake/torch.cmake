# libtorch as Debian and Ubuntu package it (libtorch-dev), without its CMake files: they want protobuf, glog and
# gflags found and set flags for everybody. Sets PITOT_TORCH_FOUND and makes the target pitot_torch.
find_path(PITOT_TORCH_INCLUDE torch/csrc/api/include/torch/optim/adam.h)
find_library(PITOT_TORCH_LIBRARY torch)
find_library(PITOT_TORCH_CPU_LIBRARY torch_cpu)
find_library(PITOT_C10_LIBRARY c10)
mark_as_advanced(PITOT_TORCH_INCLUDE PITOT_TORCH_LIBRARY PITOT_TORCH_CPU_LIBRARY PITOT_C10_LIBRARY)
set(PITOT_TORCH_FOUND OFF)
if(PITOT_TORCH_INCLUDE AND PITOT_TORCH_LIBRARY AND PITOT_TORCH_CPU_LIBRARY AND PITOT_C10_LIBRARY)
  set(PITOT_TORCH_FOUND ON)
  add_library(pitot_torch INTERFACE)
  target_include_directories(pitot_torch SYSTEM INTERFACE ${PITOT_TORCH_INCLUDE}
                             ${PITOT_TORCH_INCLUDE}/torch/csrc/api/include)
  target_link_libraries(pitot_torch INTERFACE ${PITOT_TORCH_LIBRARY} ${PITOT_TORCH_CPU_LIBRARY} ${PITOT_C10_LIBRARY})
endif()
message(STATUS "Training of policies (libtorch): ${PITOT_TORCH_FOUND}")

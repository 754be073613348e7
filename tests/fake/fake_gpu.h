// The state of the CUDA driver for tests: what its handles point to, and what it remembers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cuda/api.h"
#include "emulator/launch.h"
#include "emulator/program.h"

namespace pitot::cuda {

struct ContextTag {};
struct FunctionTag {
  ModuleTag* module = nullptr;
  uint32_t index = 0;
  uint32_t dynamic_limit = 49152;
};
struct ModuleTag {
  std::shared_ptr<const ptx::Module> text;
  std::optional<emulator::Program> program;
  uint64_t number = 0;    // from 1
  bool persists = false;  // asks L2 to keep its lines
  std::vector<std::unique_ptr<FunctionTag>> functions;
};
struct GraphTag {
  std::vector<std::function<Status32()>> work;
};
struct GraphExecTag {
  GraphTag graph;
};
struct StreamTag {
  bool capturing = false;
  GraphTag graph;
};
struct EventTag {
  double at = 0;
};
struct ArrayTag {
  emulator::Image image;  // of all levels
  uint32_t level = 0;
  unsigned flags = 0;
};
struct MipmapTag {
  emulator::Image image;
  unsigned flags = 0;
  std::vector<std::unique_ptr<ArrayTag>> levels;
};

}  // namespace pitot::cuda

namespace pitot::fake {

using namespace pitot::cuda;

struct Fake {
  emulator::GlobalMemory memory;
  ContextTag context;
  Status32 broken = kSuccess;  // sticky, as after a fault
  double clock_ms = 0;
  uint64_t modules = 0;
  uint64_t keeps_l2 = 0;  // the module whose lines are kept, 0: none; kernels of others are slower
  std::mt19937_64 random{7};
  // What a launch cost before, by its kernel, shape and parameters: later launches only advance the
  // clock, in a graph always, else while nobody else writes to the memory.
  struct Known {
    double ms = 0;
    uint64_t writes = 0;
  };
  std::map<std::string, Known> cost;
  uint64_t writes = 0;  // copies into the memory
  // Take what plain memory holds now into the textures over it.
  std::vector<std::function<void()>> plain_textures;
};

Fake& state();

// Does it now, or when the graph that the stream records is launched.
Status32 later(StreamTag* stream, std::function<Status32()> work);

void refresh_textures();

}  // namespace pitot::fake

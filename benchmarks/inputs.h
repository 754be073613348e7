// What the benchmarks read: the project's compiler output, and made modules of a wanted size and
// shape.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace pitot::bench {

struct Input {
  std::string path, text;
};

// tests/data/corpus, or the directory in PITOT_BENCH_DIR.
const std::vector<Input>& corpus();
size_t corpus_bytes();

// Instructions only, but for kManyWithDebug and kOneWithDebug: comments and debug lines, which are
// quick to pass over, are left out, so rates are lower than on what compilers write.
enum class Shape {
  kMany,           // kernels of 450 instructions
  kManyWithDebug,  // with a comment and a .loc every five instructions
  kOne,            // one function, one block, few registers
  kOneWithDebug,
  kRegisters,  // one function, one block, every register written once
  kBlocks,     // one function, a branch every seven instructions
  kLoops,      // one function, a loop every seven instructions
};
inline constexpr Shape kShapes[] = {Shape::kMany,         Shape::kManyWithDebug, Shape::kOne,
                                    Shape::kOneWithDebug, Shape::kRegisters,     Shape::kBlocks,
                                    Shape::kLoops};
const char* to_string(Shape shape);

// A module of about this size, which ptxas and pitot verify accept.
std::string module_text(Shape shape, size_t bytes);

}  // namespace pitot::bench

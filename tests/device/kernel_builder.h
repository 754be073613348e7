// Writes a kernel in which every thread reads its own operands, runs instructions and stores every
// result in a place of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "case.h"

namespace pitot::conformance {

inline const std::string kHeader = ".version 9.0\n.target sm_90a\n";

class KernelBuilder {
 public:
  KernelBuilder(std::string family, std::string name, uint32_t block, uint32_t grid);

  uint32_t threads() const { return block_ * grid_; }
  std::string fresh(unsigned bits);  // a new register: 1 (predicate), 8, 16, 32, 64, 128
  // A register loaded with a value for each thread.
  std::string input(unsigned bits, const std::function<uint64_t(uint32_t thread)>& value);
  // Where the input of the last call of input() lies.
  size_t last_input() const { return last_input_; }
  void line(const std::string& text) { body_ += text + "\n"; }
  void declare(const std::string& text) { declarations_ += text + "\n"; }  // in the kernel
  void before(const std::string& text) { module_ += text + "\n"; }         // in the module
  // Stores a register; `field` says what it is, places are filled in here. 128 bits become two.
  void output(Field field, const std::string& reg, unsigned bits);
  // Room in the output that the body writes itself: eight-byte words; its byte offset.
  size_t reserve(Field field, size_t words);
  // Bytes of input that the body reads itself; the offset of the first.
  size_t raw_input(const std::vector<uint8_t>& bytes);
  // A further parameter `par` of 32 bytes.
  void array_parameter(const std::vector<uint8_t>& bytes) { case_.parameters = bytes; }
  // %out, %in: the buffers; %o, %i: those plus 8 · thread; %t: thread in the grid; %ti: in the
  // block; %bi: the block.
  Case finish();
  void cluster(uint32_t size) { case_.cluster = {size, 1, 1}; }

 private:
  Case case_;
  uint32_t block_, grid_;
  std::string body_, declarations_, module_;
  std::array<uint32_t, 6> used_{};
  size_t last_input_ = 0;
};

}  // namespace pitot::conformance

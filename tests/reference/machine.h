// State of the reference interpreter: threads, their activations and memories.
#pragma once

#include <map>

#include "reference/interpreter.h"
#include "reference/work.h"

namespace pitot::reference {

// Windows of the generic address space; programs must not depend on where they are.
inline constexpr uint64_t kSharedAt = uint64_t{1} << 60, kLocalAt = uint64_t{2} << 60,
                          kParameterAt = uint64_t{3} << 60;

struct Frame {
  const ptx::Function* function = nullptr;
  uint32_t pc = 0;  // into the function's body
  std::map<ptx::RegId, Value> registers;
  std::map<ptx::SymbolId, uint64_t> places;  // variables and parameters in local memory
  uint64_t top = 0;                          // first free byte of local memory
  const ptx::Instruction* call = nullptr;    // of the caller, that waits for this one
};

enum class Waits : uint8_t { kNo, kWarp, kBlock, kDone };

struct Thread {
  uint32_t id = 0;
  std::vector<Frame> frames;
  std::vector<uint8_t> local;
  bool carry = false;
  Waits waits = Waits::kNo;
  uint32_t mask = 0;          // kWarp: the lanes that must come
  uint32_t barrier = 0;       // kBlock
  uint32_t expected = 0;      // kBlock: threads
  bool contribution = false;  // kBlock: the predicate of bar.red
  uint32_t lane() const { return id % 32; }
  Frame& frame() { return frames.back(); }
};

class Machine {
 public:
  Machine(const ptx::Module& module, const ptx::Function& kernel, const Launch& launch,
          Buffer& memory);
  void run();

 private:
  // operands (operands.cpp)
  Value read(Thread& t, const ptx::Operand& o, ptx::Type type);
  void write(Thread& t, const ptx::Operand& o, ptx::Type type, Value v);
  Value special(const Thread& t, const ptx::Operand& o) const;
  uint64_t address_of_symbol(Thread& t, uint32_t symbol);
  std::string_view selector_text(const ptx::Operand& o) const;
  std::vector<ptx::Type> types_of(const ptx::Instruction& i) const;
  // memory (memory.cpp)
  void place_shared();
  uint64_t effective_address(Thread& t, const ptx::Instruction& i, const ptx::Operand& o);
  uint8_t* bytes_at(Thread& t, uint64_t generic, uint64_t size);
  Value load_value(Thread& t, uint64_t generic, unsigned bits);
  void store_value(Thread& t, uint64_t generic, unsigned bits, Value v);
  void load(Thread& t, const ptx::Instruction& i);
  void store(Thread& t, const ptx::Instruction& i);
  void atomic(Thread& t, const ptx::Instruction& i);
  void move(Thread& t, const ptx::Instruction& i);
  void convert_address(Thread& t, const ptx::Instruction& i);
  // control (interpreter.cpp)
  void run_until_stop(Thread& t);
  void step(Thread& t, const ptx::Instruction& i);
  void compute(Thread& t, const ptx::Instruction& i);
  void jump(Thread& t, const ptx::Operand& label);
  void call(Thread& t, const ptx::Instruction& i);
  void leave(Thread& t);
  Frame enter(const ptx::Function& f, uint64_t top);
  void wait_at_barrier(Thread& t, const ptx::Instruction& i);
  bool release_barriers();
  bool is_in_space(ptx::Space space, uint64_t generic) const;
  const ptx::Instruction& current(const Thread& t) const;
  // operations of a warp (warp_operations.cpp)
  bool run_warp_operations();
  void together(std::vector<Thread*>& group);
  void shuffle(std::vector<Thread*>& group, const ptx::Instruction& i);
  void vote(std::vector<Thread*>& group, const ptx::Instruction& i);
  void match(std::vector<Thread*>& group, const ptx::Instruction& i);
  void reduce(std::vector<Thread*>& group, const ptx::Instruction& i);
  void reduce_floats(std::vector<Thread*>& group, const ptx::Instruction& i);

  const ptx::Module& module_;
  const ptx::Function& kernel_;
  const Launch& launch_;
  Buffer& global_;
  std::vector<uint8_t> shared_;
  std::vector<uint8_t> parameters_;
  std::map<ptx::SymbolId, uint64_t> shared_places_, parameter_places_;
  std::vector<Thread> threads_;
  uint64_t left_ = 0;
};

}  // namespace pitot::reference

// Several launches of one kernel on the emulator that share memory: module variables and buffers
// keep what earlier launches left there, as they do on a GPU.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/prepare.h"
#include "emulator/launch.h"

namespace pitot::bench {

class Launches {
 public:
  // The program must outlive it. Errors: as device::prepare.
  static Result<Launches> make(const emulator::Program& program, uint32_t kernel,
                               device::KernelSpec spec, const device::SizeSpec& size,
                               uint64_t seed);

  // The values of another spec (of the same arguments) and seed, for all buffers but outputs.
  Status refill(const device::KernelSpec& spec, uint64_t seed);
  // Outputs hold what nobody has written: reading it is a fault where that is checked.
  Status poison_outputs();
  // An output (by its number among them) holds these bytes.
  Status set_output(size_t output, std::span<const std::byte> bytes);

  Result<emulator::Outcome> launch(const emulator::Options& options);

  // By output, in the order of the arguments.
  Result<std::vector<std::vector<std::byte>>> outputs() const;
  // The name of a buffer that is only read and has other bytes than before; empty: none.
  Result<std::string> changed_input() const;

  // Variables of the module that are not constant.
  struct Variable {
    std::string name;
    uint64_t address = 0;
    std::vector<std::byte> bytes;
  };
  Result<std::vector<Variable>> variables() const;
  Status set_variable(const Variable& variable) {
    return run_.memory->write(variable.address, variable.bytes);
  }
  const emulator::Launch& shape() const { return run_.launch; }

 private:
  Launches(const emulator::Program& program, uint32_t kernel)
      : program_(&program), kernel_(kernel) {}
  Status remember_inputs();

  const emulator::Program* program_;
  uint32_t kernel_;
  std::unique_ptr<device::KernelSpec> spec_;
  device::SizeSpec size_;
  device::PreparedRun run_;
  std::vector<std::vector<std::byte>> inputs_;  // by buffer; empty for outputs
};

}  // namespace pitot::bench

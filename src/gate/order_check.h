// Proves that a permutation of a block's instructions keeps every dependence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gate/operand_match.h"
#include "gate/side.h"

namespace pitot::gate {

class OrderChecker {
 public:
  // `registers` maps the registers of A, the carry flag included, to those of B.
  OrderChecker(const Side& a, const Side& b, const Bijection& registers);

  // `in_a` and `in_b` are a block's instructions in program order; partner[k] of B stands for
  // in_a[k]. True when every two dependent instructions have the same order on both sides.
  // Register dependences of all three kinds, the rules of order_rules.h on either side.
  bool legal(std::span<const uint32_t> in_a, std::span<const uint32_t> in_b,
             std::span<const uint32_t> partner);

 private:
  // Number of writes of each resource before an access: equal on both sides for every access means
  // that reads stay between the same writes and writes keep their order.
  struct Epochs {
    std::vector<uint32_t> count;    // resource → writes so far
    std::vector<uint32_t> stamped;  // resource → block it was last reset for
    uint32_t block = 0;
    uint32_t& of(uint32_t resource);
  };
  struct Access {
    uint32_t resource;
    uint32_t epoch;
    bool write;
  };
  void stamp(const Side& s, std::span<const uint32_t> order, Epochs& epochs,
             std::vector<std::vector<Access>>& out);
  bool memory_legal(std::span<const uint32_t> in_a, std::span<const uint32_t> partner,
                    std::span<const uint32_t> place_in_b,
                    const std::vector<std::vector<Access>>& epochs_a,
                    const std::vector<std::vector<Access>>& epochs_b);

  const Side& a_;
  const Side& b_;
  const Bijection& registers_;
  Epochs epochs_a_, epochs_b_;
  std::vector<uint32_t> place_;  // instruction of B → its place in the block at hand
};

}  // namespace pitot::gate

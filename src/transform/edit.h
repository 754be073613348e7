// What a transform writes: text edits, registers of its own, and why it left places alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ptx/rewriter.h"
#include "transform/subject.h"

namespace pitot::transform {

// A place that a transform might have changed and did not.
struct Declined {
  uint32_t line = 0;  // of the input; 0: the kernel as a whole
  std::string reason;
};

class Edit {
 public:
  explicit Edit(Subject& subject) : subject_(subject), rewriter_(subject.module()) {}

  ptx::Rewriter& rewriter() { return rewriter_; }
  // One place was changed.
  void changed() { ++changes_; }
  void decline(const ptx::Instruction& i, std::string reason);
  void decline(std::string reason);  // the kernel as a whole

  // Puts modifiers in place of an opcode's spelling, "ld.global.cg.f32"; counts as a change.
  void respell(const ptx::Instruction& i, std::string opcode);
  // A register that the kernel does not have, declared at the top of its body. `type` as written
  // after the dot: "b32", "pred".
  std::string new_register(std::string_view type);
  // Takes back the registers made since there were so many, none of which was used.
  size_t register_count() const { return registers_.size(); }
  void drop_registers(size_t count) { registers_.resize(count); }
  // A label that the kernel does not have.
  std::string new_label();
  // Statements in front of an instruction (its guard included), on lines of their own with its
  // indentation. Statements without line ends.
  void insert_before(const ptx::Instruction& i, const std::vector<std::string>& statements);
  void insert_after(const ptx::Instruction& i, const std::vector<std::string>& statements);
  // Statements in place of one, guard included; counts as a change.
  void replace(const ptx::Instruction& i, const std::vector<std::string>& statements);

  uint32_t changes() const { return changes_; }
  const std::vector<Declined>& declined() const { return declined_; }
  // The module's text with the edits in it.
  std::string apply();

 private:
  std::string fresh(std::string_view wanted);
  std::string indentation(const ptx::Instruction& i) const;

  Subject& subject_;
  ptx::Rewriter rewriter_;
  uint32_t changes_ = 0;
  std::vector<Declined> declined_;
  std::vector<std::pair<std::string, std::string>> registers_;  // type, name
  // By what was wanted: the stem that is used, and the number of the next name.
  std::map<std::string, std::pair<std::string, uint32_t>> next_;
};

}  // namespace pitot::transform

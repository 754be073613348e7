// Makes the analyses of a kernel on demand.
#include "transform/subject.h"

namespace pitot::transform {

using namespace analysis;

const FlowFacts& Subject::flow() {
  if (!flow_) {
    flow_ = std::make_unique<FlowFacts>();
    flow_->build(module_, function_, workspace_);
  }
  return *flow_;
}

const Uniformity& Subject::uniformity() {
  if (!uniformity_) {
    uniformity_ = std::make_unique<Uniformity>();
    for (const ptx::SymbolId id : function_.parameters)
      if (auto it = assumptions_.alignment.find(std::string(module_.symbols[id].name));
          it != assumptions_.alignment.end())
        uniformity_->stated_alignment.emplace_back(id, it->second);
    uniformity_->build(flow(), block_shape_of(function_, assumptions_.block), workspace_);
  }
  return *uniformity_;
}

AffineForms& Subject::forms() {
  if (!forms_) {
    forms_ = std::make_unique<AffineForms>();
    forms_->build(flow(), uniformity());
  }
  return *forms_;
}

const AccessTable& Subject::accesses() {
  if (!accesses_) {
    accesses_ = std::make_unique<AccessTable>();
    accesses_->build_addresses(flow(), uniformity(), forms(),
                               block_shape_of(function_, assumptions_.block));
  }
  return *accesses_;
}

const DepGraph& Subject::dependences() {
  if (!dependences_) {
    dependences_ = std::make_unique<DepGraph>();
    dependences_->build(flow(), workspace_);
  }
  return *dependences_;
}

}  // namespace pitot::transform

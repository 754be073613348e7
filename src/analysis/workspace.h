// Scratch vectors that analyses borrow and give back, so that a run over many functions allocates
// only for the largest.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace pitot::analysis {

// Not for use by several threads at once: give each its own.
class Workspace {
 public:
  // An empty vector on loan until the end of the scope.
  class Loan {
   public:
    Loan(Workspace& owner, std::vector<uint32_t> v) : owner_(owner), vector_(std::move(v)) {}
    ~Loan() { owner_.pool_.push_back(std::move(vector_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    std::vector<uint32_t>& operator*() { return vector_; }
    std::vector<uint32_t>* operator->() { return &vector_; }
    uint32_t& operator[](size_t i) { return vector_[i]; }
    uint32_t operator[](size_t i) const { return vector_[i]; }
    size_t size() const { return vector_.size(); }

   private:
    Workspace& owner_;
    std::vector<uint32_t> vector_;
  };

  Loan borrow() {
    if (pool_.empty()) return Loan(*this, {});
    std::vector<uint32_t> v = std::move(pool_.back());
    pool_.pop_back();
    v.clear();
    return Loan(*this, std::move(v));
  }
  Loan borrow(size_t size, uint32_t value) {
    std::vector<uint32_t> v;
    if (!pool_.empty()) {
      v = std::move(pool_.back());
      pool_.pop_back();
    }
    v.assign(size, value);
    return Loan(*this, std::move(v));
  }
  // Gives the memory of everything that is not on loan back.
  void release() { pool_.clear(); }

 private:
  std::vector<std::vector<uint32_t>> pool_;
};

}  // namespace pitot::analysis

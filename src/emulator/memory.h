// Memory as PTX sees it: one 64-bit address space in windows (PTX ISA, "State Spaces"). Nothing in
// it is a host address; every access goes through a lookup.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/image.h"
#include "support/result.h"

namespace pitot::emulator {

// Generic addresses of the windows. Shared memory of the block at kSharedWindow + rank in cluster ×
// kSharedStride; local memory and kernel parameters are private windows.
inline constexpr uint64_t kSharedWindow = 0x0000'7f00'0000'0000;
inline constexpr uint64_t kSharedStride = 0x0000'0000'0100'0000;  // 16 MiB, up to 16 blocks
inline constexpr uint64_t kLocalWindow = 0x0000'7e00'0000'0000;
inline constexpr uint64_t kParamWindow = 0x0000'7d00'0000'0000;
inline constexpr uint64_t kWindowSize = 0x0000'0001'0000'0000;
inline constexpr uint64_t kModuleBase = 0x0000'0008'0000'0000;  // variables of the module
inline constexpr uint64_t kGlobalBase = 0x0000'0010'0000'0000;  // buffers
inline constexpr uint64_t kCodeWindow = 0x0000'7b00'0000'0000;  // addresses of functions
// Handles of textures and the like, which are no addresses, are in windows below: image.h.

inline constexpr uint64_t kPageBytes = 1u << 16;

struct Page {
  std::array<std::byte, kPageBytes> bytes;
  std::array<uint64_t, kPageBytes / 64> defined;  // bit a byte
};

// What an unwritten byte of a lazy region holds: fills a page at an offset of the region.
using PageFill = std::function<void(uint64_t offset, std::span<std::byte, kPageBytes> bytes)>;

// A contiguous range of global (or constant) memory: a buffer, a module variable, or a lazy region
// whose pages come to be when they are touched.
class Region {
 public:
  Region(std::string name, uint64_t base, uint64_t size, PageFill fill, bool defined);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();

  const std::string& name() const { return name_; }
  uint64_t base() const { return base_; }
  uint64_t size() const { return size_; }
  bool lazy() const { return fill_ != nullptr; }
  // The page of an offset, made if need be; null when the memory cap is reached.
  Page* page(uint64_t offset) {
    Page* p = pages_[offset / kPageBytes].load(std::memory_order_acquire);
    return p != nullptr ? p : make(offset / kPageBytes);
  }
  // Pages that exist, in order.
  std::vector<uint64_t> touched() const;
  const Page* existing(uint64_t page) const { return pages_[page].load(); }
  void drop(uint64_t page);  // gives back what it took of the budget

  std::atomic<bool> written{false};  // by the kernel
  bool read_only = false;            // .const
  uint64_t origin = 0;  // offset that the kernel's pointer to it has; messages count from there
  std::atomic<uint64_t>* budget = nullptr;  // bytes that may still be made

 private:
  Page* make(uint64_t index);

  std::string name_;
  uint64_t base_, size_;
  PageFill fill_;
  bool defined_;
  std::unique_ptr<std::atomic<Page*>[]> pages_;
  uint64_t page_count_;
  std::mutex making_;
};

// A copy of what a launch may change in global memory.
struct MemorySnapshot {
  std::vector<std::vector<std::pair<uint64_t, std::unique_ptr<Page>>>> pages;  // by region
  std::vector<bool> written;
};

// Global memory of a launch. Regions are added before it; lookups are lock-free.
class GlobalMemory {
 public:
  explicit GlobalMemory(uint64_t cap_bytes = uint64_t{4} << 30) : left_(cap_bytes) {}

  // A buffer of this size at an address of our choosing, at least `alignment`-aligned, with
  // unmapped space around it. `defined`: its bytes count as written (zero).
  Region& allocate(std::string name, uint64_t size, uint64_t alignment, bool defined);
  // The same, its pages made by `fill` when they are first touched; all defined.
  Region& allocate_filled(std::string name, uint64_t size, uint64_t alignment, PageFill fill);
  // At a fixed address, for the variables of a module; fails when something is there.
  Result<Region*> allocate_at(std::string name, uint64_t base, uint64_t size, bool defined);
  // A region whose unwritten bytes `fill` makes.
  Region& allocate_lazy(std::string name, uint64_t size, PageFill fill);

  Region* find(uint64_t address) const;  // null when nothing is there
  Region* nearest(uint64_t address) const;
  std::span<const std::unique_ptr<Region>> regions() const { return regions_; }
  // Textures, surfaces and samplers; their texels lie in regions too.
  OpaqueObjects& objects() { return objects_; }
  const OpaqueObjects& objects() const { return objects_; }

  // Host access, for arguments and results; fails outside of regions.
  Status write(uint64_t address, std::span<const std::byte> bytes) {
    return put(address, bytes, true);
  }
  Status read(uint64_t address, std::span<std::byte> bytes) const;

  // Not while a launch runs, and with the same regions. Pages made since are made anew when they
  // are touched. The copy does not count against the cap.
  MemorySnapshot snapshot() const;
  void restore(const MemorySnapshot& snapshot);
  // Bytes that stay undefined: what a buffer holds before anybody writes it.
  Status fill(uint64_t address, std::span<const std::byte> bytes) {
    return put(address, bytes, false);
  }

 private:
  Status put(uint64_t address, std::span<const std::byte> bytes, bool defined);
  Region& add(std::unique_ptr<Region> region);
  uint64_t reserve(uint64_t size, uint64_t alignment);  // an address with space around it

  std::vector<std::unique_ptr<Region>> regions_;  // by base
  OpaqueObjects objects_;
  uint64_t next_ = kGlobalBase;
  std::atomic<uint64_t> left_;
};

}  // namespace pitot::emulator

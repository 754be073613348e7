// Regions, their pages and the lookup by address.
#include "emulator/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace pitot::emulator {

Region::Region(std::string name, uint64_t base, uint64_t size, PageFill fill, bool defined)
    : name_(std::move(name)),
      base_(base),
      size_(size),
      fill_(std::move(fill)),
      defined_(defined),
      page_count_((size + kPageBytes - 1) / kPageBytes) {
  pages_ = std::make_unique<std::atomic<Page*>[]>(page_count_);
}

Region::~Region() {
  for (uint64_t i = 0; i < page_count_; ++i) std::unique_ptr<Page>(pages_[i].load());
}

Page* Region::make(uint64_t index) {
  std::lock_guard lock(making_);
  if (Page* p = pages_[index].load()) return p;
  if (budget != nullptr) {
    uint64_t left = budget->load();
    do {
      if (left < sizeof(Page)) return nullptr;
    } while (!budget->compare_exchange_weak(left, left - sizeof(Page)));
  }
  auto page = std::make_unique<Page>();
  if (fill_) {
    fill_(index * kPageBytes, std::span<std::byte, kPageBytes>(page->bytes));
  } else {
    page->bytes.fill(std::byte{0});
  }
  page->defined.fill(defined_ || fill_ ? ~uint64_t{0} : 0);
  Page* raw = page.release();
  pages_[index].store(raw, std::memory_order_release);
  return raw;
}

std::vector<uint64_t> Region::touched() const {
  std::vector<uint64_t> out;
  for (uint64_t i = 0; i < page_count_; ++i)
    if (pages_[i].load() != nullptr) out.push_back(i);
  return out;
}

void Region::drop(uint64_t page) {
  const std::unique_ptr<Page> old(pages_[page].exchange(nullptr));
  if (old != nullptr && budget != nullptr) budget->fetch_add(sizeof(Page));
}

Region& GlobalMemory::add(std::unique_ptr<Region> region) {
  region->budget = &left_;
  regions_.push_back(std::move(region));
  return *regions_.back();
}

Region& GlobalMemory::allocate(std::string name, uint64_t size, uint64_t alignment, bool defined) {
  return add(std::make_unique<Region>(std::move(name), reserve(size, alignment),
                                      std::max<uint64_t>(size, 1), nullptr, defined));
}

Region& GlobalMemory::allocate_filled(std::string name, uint64_t size, uint64_t alignment,
                                      PageFill fill) {
  return add(std::make_unique<Region>(std::move(name), reserve(size, alignment),
                                      std::max<uint64_t>(size, 1), std::move(fill), true));
}

uint64_t GlobalMemory::reserve(uint64_t size, uint64_t alignment) {
  const uint64_t align = std::max<uint64_t>(alignment, 256);
  const uint64_t base = (next_ + align - 1) / align * align;
  // What lies between two buffers is never mapped, so that running over an end is seen.
  next_ = base + size + (uint64_t{1} << 20);
  return base;
}

Result<Region*> GlobalMemory::allocate_at(std::string name, uint64_t base, uint64_t size,
                                          bool defined) {
  if (find(base) != nullptr || find(base + size - 1) != nullptr)
    return failed_error(fmt::format("{} is placed twice", name));
  auto it = std::upper_bound(regions_.begin(), regions_.end(), base,
                             [](uint64_t a, const auto& r) { return a < r->base(); });
  auto region = std::make_unique<Region>(std::move(name), base, size, nullptr, defined);
  region->budget = &left_;
  return regions_.insert(it, std::move(region))->get();
}

Region& GlobalMemory::allocate_lazy(std::string name, uint64_t size, PageFill fill) {
  const uint64_t base = (next_ + kPageBytes - 1) / kPageBytes * kPageBytes + size;
  next_ = base + 2 * size;
  return add(std::make_unique<Region>(std::move(name), base, size, std::move(fill), true));
}

Region* GlobalMemory::find(uint64_t address) const {
  auto it = std::upper_bound(regions_.begin(), regions_.end(), address,
                             [](uint64_t a, const auto& r) { return a < r->base(); });
  if (it == regions_.begin()) return nullptr;
  Region* r = std::prev(it)->get();
  return address - r->base() < r->size() ? r : nullptr;
}

Region* GlobalMemory::nearest(uint64_t address) const {
  Region* best = nullptr;
  uint64_t distance = UINT64_MAX;
  for (const auto& r : regions_) {
    const uint64_t end = r->base() + r->size();
    const uint64_t d = address < r->base() ? r->base() - address
                       : address >= end    ? address - end + 1
                                           : 0;
    if (d < distance) {
      distance = d;
      best = r.get();
    }
  }
  return best;
}

Status GlobalMemory::put(uint64_t address, std::span<const std::byte> bytes, bool defined) {
  while (!bytes.empty()) {
    Region* r = find(address);
    if (r == nullptr) return input_error(fmt::format("address {:#x} is not mapped", address));
    const uint64_t offset = address - r->base();
    const uint64_t n =
        std::min<uint64_t>({bytes.size(), r->size() - offset, kPageBytes - offset % kPageBytes});
    Page* page = r->page(offset);
    if (page == nullptr) return failed_error("the emulator's memory cap is reached");
    const uint64_t at = offset % kPageBytes;
    std::memcpy(page->bytes.data() + at, bytes.data(), n);
    for (uint64_t i = at; defined && i < at + n; ++i)
      page->defined[i / 64] |= uint64_t{1} << (i % 64);
    bytes = bytes.subspan(n);
    address += n;
  }
  return Ok{};
}

Status GlobalMemory::read(uint64_t address, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    Region* r = find(address);
    if (r == nullptr) return input_error(fmt::format("address {:#x} is not mapped", address));
    const uint64_t offset = address - r->base();
    const uint64_t n =
        std::min<uint64_t>({bytes.size(), r->size() - offset, kPageBytes - offset % kPageBytes});
    Page* page = r->page(offset);
    if (page == nullptr) return failed_error("the emulator's memory cap is reached");
    std::memcpy(bytes.data(), page->bytes.data() + offset % kPageBytes, n);
    bytes = bytes.subspan(n);
    address += n;
  }
  return Ok{};
}

MemorySnapshot GlobalMemory::snapshot() const {
  MemorySnapshot s;
  for (const auto& r : regions_) {
    auto& pages = s.pages.emplace_back();
    s.written.push_back(r->written);
    if (r->read_only) continue;
    for (uint64_t n : r->touched()) pages.emplace_back(n, std::make_unique<Page>(*r->existing(n)));
  }
  return s;
}

void GlobalMemory::restore(const MemorySnapshot& s) {
  for (size_t i = 0; i < regions_.size(); ++i) {
    Region& r = *regions_[i];
    if (r.read_only) continue;
    auto kept = s.pages[i].begin();
    for (uint64_t n : r.touched()) {
      if (kept == s.pages[i].end() || kept->first != n) {
        r.drop(n);
        continue;
      }
      *r.page(n * kPageBytes) = *kept->second;
      ++kept;
    }
    r.written = s.written[i];
  }
}

}  // namespace pitot::emulator

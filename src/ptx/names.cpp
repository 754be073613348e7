// Name tables of the parser.
#include "ptx/names.h"

#include <cstring>

namespace pitot::ptx {
namespace {

uint64_t hash_name(std::string_view s) {
  uint64_t h = 0x9E3779B97F4A7C15ull ^ s.size();
  const char* p = s.data();
  size_t n = s.size();
  while (n >= 8) {
    uint64_t w;
    std::memcpy(&w, p, 8);
    h = (h ^ w) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 32;
    p += 8;
    n -= 8;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, p, n);
  h = (h ^ tail) * 0xC4CEB9FE1A85EC53ull;
  return h ^ (h >> 29);
}

constexpr uint32_t kDenseFloor = 1u << 16;

}  // namespace

size_t NameTable::locate(std::string_view name) const {
  size_t mask = slots_.size() - 1;
  size_t i = hash_name(name) & mask;
  while (!slots_[i].name.empty() && slots_[i].name != name) i = (i + 1) & mask;
  return i;
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (auto& slot : old)
    if (!slot.name.empty()) slots_[locate(slot.name)] = slot;
}

const NameBinding* NameTable::find(std::string_view name) const {
  if (name.empty()) return nullptr;
  const Slot& slot = slots_[locate(name)];
  return slot.name.empty() || slot.binding.kind == BindingKind::kNone ? nullptr : &slot.binding;
}

const NameBinding* NameTable::bind(std::string_view name, NameBinding binding) {
  if (name.empty()) return nullptr;
  if ((used_ + 1) * 2 > slots_.size()) grow();
  Slot& slot = slots_[locate(name)];
  if (slot.name.empty()) {
    slot.name = name;
    ++used_;
  } else if (slot.binding.kind != BindingKind::kNone && slot.binding.scope == binding.scope) {
    return &slot.binding;
  }
  if (!marks_.empty()) undo_.push_back({name, slot.binding});
  slot.binding = binding;
  return nullptr;
}

void NameTable::leave() {
  size_t mark = marks_.back();
  marks_.pop_back();
  while (undo_.size() > mark) {
    slots_[locate(undo_.back().name)].binding = undo_.back().previous;
    undo_.pop_back();
  }
}

void NameTable::clear() {
  if (used_ > 0) slots_.assign(64, {});
  used_ = 0;
  undo_.clear();
  marks_.clear();
}

bool split_numbered(std::string_view name, std::string_view& prefix, uint32_t& number) {
  size_t i = name.size();
  uint64_t value = 0, power = 1;
  while (i > 0 && name[i - 1] >= '0' && name[i - 1] <= '9') {
    value += power * static_cast<uint64_t>(name[--i] - '0');
    power *= 10;
    if (power > 10000000000ull) return false;
  }
  size_t digits = name.size() - i;
  if (digits == 0 || i == 0 || (digits > 1 && name[i] == '0') || value > UINT32_MAX) return false;
  prefix = name.substr(0, i);
  number = static_cast<uint32_t>(value);
  return true;
}

void RegisterNames::start(Function& function) {
  function_ = &function;
  ranges_.clear();
  scope_ = 0;
  numbered_singles_ = false;
}

void RegisterNames::enter_scope(uint32_t scope) { scope_ = scope; }

void RegisterNames::leave_scope(uint32_t outer) {
  while (!ranges_.empty() && ranges_.back().scope == scope_) ranges_.pop_back();
  scope_ = outer;
}

RegId RegisterNames::add(std::string_view name, uint32_t declaration) {
  const auto& d = function_->register_declarations[declaration];
  function_->registers.push_back({name, d.type, d.vector, d.scope, declaration});
  return static_cast<RegId>(function_->registers.size() - 1);
}

bool RegisterNames::declare(const RegisterDeclaration& declaration) {
  auto index = static_cast<uint32_t>(function_->register_declarations.size());
  function_->register_declarations.push_back(declaration);
  if (declaration.count == 0) {
    std::string_view prefix;
    uint32_t number = 0;
    if (split_numbered(declaration.name, prefix, number)) {
      numbered_singles_ = true;
      for (const Range& range : ranges_)
        if (range.scope == scope_ && range.prefix == prefix && number < range.count) return false;
    }
    RegId id = add(declaration.name, index);
    return names_.bind(declaration.name, {BindingKind::kRegister, id, scope_}) == nullptr;
  }
  bool fresh = true;
  for (const Range& range : ranges_)
    if (range.scope == scope_ && range.prefix == declaration.name) fresh = false;
  // Single registers of the scope that have one of its names.
  std::string_view prefix;
  uint32_t number = 0;
  for (size_t k = 0; numbered_singles_ && k < index && fresh; ++k) {
    const RegisterDeclaration& d = function_->register_declarations[k];
    fresh = d.count != 0 || d.scope != scope_ || !split_numbered(d.name, prefix, number) ||
            prefix != declaration.name || number >= declaration.count;
  }
  ranges_.push_back({declaration.name, declaration.count, index, scope_, {}, {}});
  return fresh;
}

RegId RegisterNames::find_in_range(Range& range, uint32_t index, std::string_view name) {
  if (index < range.dense.size()) {
    RegId& id = range.dense[index];
    if (id == kNoId) id = add(name, range.declaration);
    return id;
  }
  if (index < kDenseFloor || index < function_->registers.size() * 8) {
    range.dense.resize(
        std::min<size_t>(range.count, std::max<size_t>(index + 1, range.dense.size() * 2)), kNoId);
    for (auto it = range.sparse.begin(); it != range.sparse.end();) {
      if (it->first < range.dense.size()) {
        range.dense[it->first] = it->second;
        it = range.sparse.erase(it);
      } else {
        ++it;
      }
    }
    RegId& id = range.dense[index];
    if (id == kNoId) id = add(name, range.declaration);
    return id;
  }
  auto [it, inserted] = range.sparse.try_emplace(index, kNoId);
  if (inserted) it->second = add(name, range.declaration);
  return it->second;
}

RegId RegisterNames::find(std::string_view name) {
  std::string_view prefix;
  uint32_t number = 0;
  bool numbered = split_numbered(name, prefix, number);
  const NameBinding* single = nullptr;
  if (!numbered || numbered_singles_) {
    single = names_.find(name);
    if (single != nullptr && single->kind != BindingKind::kRegister) single = nullptr;
  }
  if (numbered) {
    for (size_t i = ranges_.size(); i-- > 0;) {
      Range& range = ranges_[i];
      if (single != nullptr && single->scope >= range.scope) break;  // the inner scope wins
      if (range.prefix == prefix && number < range.count) return find_in_range(range, number, name);
    }
  }
  return single != nullptr ? single->id : kNoId;
}

}  // namespace pitot::ptx

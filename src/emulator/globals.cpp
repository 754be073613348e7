// Creates the regions of a module's .global and .const variables and fills in their initial values.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>

#include "emulator/launch.h"
#include "emulator/reference.h"

namespace pitot::emulator {
namespace {

using ptx::Space;
using ptx::Symbol;

// Reads an initialiser's text: `v`, `{v, {v, v}, …}`; values are numbers, or names of variables
// with an offset, generic(name), mask(name).
class Initialiser {
 public:
  Initialiser(const Program& p, const Symbol& s, std::span<std::byte> out)
      : p_(p), m_(*p.module), s_(s), text_(m_.slice(s.initialiser)), out_(out) {}

  Status run() {
    element_ = std::max<uint64_t>(ptx::bytes_of(s_.type), 1);
    if (!value(0))
      return failed_error(fmt::format("initial value of '{}' not understood", s_.name));
    return Ok{};
  }

 private:
  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else if (text_.substr(at_, 2) == "//") {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (text_.substr(at_, 2) == "/*") {
        const size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  // Where the elements of an inner list begin depends on how far the outer one has come.
  bool value(unsigned depth) {
    if (peek() != '{') return scalar();
    if (depth > 8) return false;
    ++at_;
    const uint64_t begin = next_;
    while (peek() != '}') {
      if (at_ >= text_.size() || !value(depth + 1)) return false;
      if (peek() == ',') ++at_;
    }
    ++at_;
    if (depth > 0) next_ = begin + inner_size(depth);
    return true;
  }

  // Bytes of one element of the list at this depth; the dimensions stand in the declaration.
  uint64_t inner_size(unsigned depth) {
    std::string_view d = m_.slice(s_.declaration);
    std::vector<uint64_t> dims;
    for (size_t i = d.find('['); i != d.npos && i < d.find('='); i = d.find('[', i + 1)) {
      uint64_t v = 0;
      std::from_chars(d.data() + i + 1, d.data() + d.size(), v);
      dims.push_back(v);
    }
    uint64_t size = element_ * s_.vector;
    for (size_t k = depth; k < dims.size(); ++k) size *= std::max<uint64_t>(dims[k], 1);
    return size;
  }

  bool scalar() {
    skip();
    size_t end = at_;
    int parens = 0;
    while (end < text_.size()) {
      const char c = text_[end];
      if (c == '(') ++parens;
      if (c == ')') --parens;
      if (parens == 0 && (c == ',' || c == '}')) break;
      ++end;
    }
    std::string word(text_.substr(at_, end - at_));
    while (!word.empty() && std::isspace(static_cast<unsigned char>(word.back())) != 0)
      word.pop_back();
    at_ = end;
    uint64_t bits = 0;
    if (!number(word, bits) && !symbol(word, bits)) return false;
    if (next_ + element_ > out_.size()) return false;
    std::memcpy(out_.data() + next_, &bits, std::min<uint64_t>(element_, 8));
    next_ += element_;
    return true;
  }

  bool number(std::string w, uint64_t& bits) const {
    if (w.empty()) return false;
    const bool is_float = ptx::kind_of(s_.type) == ptx::TypeKind::kFloat;
    if (w.size() > 2 && w[0] == '0' && (w[1] == 'f' || w[1] == 'F' || w[1] == 'd' || w[1] == 'D')) {
      const auto r = std::from_chars(w.data() + 2, w.data() + w.size(), bits, 16);
      return r.ec == std::errc() && r.ptr == w.data() + w.size();
    }
    bool minus = false;
    size_t i = 0;
    while (i < w.size() && (w[i] == '-' || w[i] == '+' || w[i] == ' ')) minus ^= w[i++] == '-';
    w = w.substr(i);
    if (w.empty() || (std::isdigit(static_cast<unsigned char>(w[0])) == 0 && w[0] != '.'))
      return false;
    if (w.find('.') != w.npos || (is_float && w.find_first_of("xX") == w.npos)) {
      double d = 0;
      const auto r = std::from_chars(w.data(), w.data() + w.size(), d);
      if (r.ec != std::errc() || r.ptr != w.data() + w.size()) return false;
      if (minus) d = -d;
      if (s_.type == ptx::Type::kF32) {
        const auto f = static_cast<float>(d);
        uint32_t b;
        std::memcpy(&b, &f, 4);
        bits = b;
      } else {
        std::memcpy(&bits, &d, 8);
      }
      return true;
    }
    if (w.back() == 'U') w.pop_back();
    int base = 10;
    size_t prefix = 0;
    if (w.size() > 1 && w[0] == '0') {
      const char c = static_cast<char>(std::tolower(static_cast<unsigned char>(w[1])));
      base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
      prefix = c == 'x' || c == 'b' ? 2 : 1;
    }
    const auto r = std::from_chars(w.data() + prefix, w.data() + w.size(), bits, base);
    if (r.ec != std::errc() || r.ptr != w.data() + w.size()) return false;
    if (minus) bits = 0 - bits;
    return true;
  }

  bool symbol(std::string w, uint64_t& bits) const {
    uint64_t shift = 0;
    bool masked = false;
    if (w.starts_with("generic(") && w.ends_with(")")) w = w.substr(8, w.size() - 9);
    if (const size_t open = w.find('('); open != w.npos && w.ends_with(")")) {
      uint64_t mask = 0;  // 0xFF00(name): one byte of the address
      if (!number(w.substr(0, open), mask) || mask == 0) return false;
      masked = true;
      while (((mask >> shift) & 0xff) != 0xff && shift < 56) shift += 8;
      w = w.substr(open + 1, w.size() - open - 2);
      if (w.starts_with("generic(") && w.ends_with(")")) w = w.substr(8, w.size() - 9);
    }
    uint64_t offset = 0;
    if (const size_t sign = w.find_last_of("+-"); sign != w.npos && sign > 0) {
      if (!number(w.substr(w[sign] == '-' ? sign : sign + 1), offset)) return false;
      w = w.substr(0, sign);
    }
    while (!w.empty() && w.back() == ' ') w.pop_back();
    for (ptx::SymbolId id = 0; id < m_.symbols.size(); ++id)
      if (m_.symbols[id].name == w && p_.symbols[id].placed) {
        bits = p_.symbols[id].address + offset;
        if (p_.symbols[id].space == Space::kShared) bits += kSharedWindow;
        if (masked) bits = (bits >> shift) & 0xff;
        return true;
      }
    return false;
  }

  const Program& p_;
  const ptx::Module& m_;
  const Symbol& s_;
  std::string_view text_;
  std::span<std::byte> out_;
  size_t at_ = 0;
  uint64_t next_ = 0, element_ = 1;
};

}  // namespace

Status place_globals(const Program& program, GlobalMemory& memory) {
  const ptx::Module& m = *program.module;
  for (ptx::SymbolId id = 0; id < m.symbols.size(); ++id) {
    const Symbol& s = m.symbols[id];
    const SymbolPlace& place = program.symbols[id];
    if (s.kind != ptx::SymbolKind::kVariable || !place.placed) continue;
    if (ptx::kind_of(s.type) == ptx::TypeKind::kOpaque) {
      memory.objects().declare(id, declared_reference(m, s));
      continue;
    }
    if (place.space != Space::kGlobal && place.space != Space::kConst) continue;
    const uint64_t size = std::max<uint64_t>(s.size, 1);
    auto region = memory.allocate_at(std::string(s.name), place.address, size, true);
    if (!region) return region.error();
    if (!s.initialiser.empty()) {
      std::vector<std::byte> bytes(size);
      if (Status status = Initialiser(program, s, bytes).run(); !status) return status;
      if (Status status = memory.write(place.address, bytes); !status) return status;
    }
    (*region)->read_only = place.space == Space::kConst;
  }
  return Ok{};
}

}  // namespace pitot::emulator

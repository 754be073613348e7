#include "kernel_builder.h"

#include <fmt/format.h>

namespace pitot::conformance {

KernelBuilder::KernelBuilder(std::string family, std::string name, uint32_t block, uint32_t grid)
    : block_(block), grid_(grid) {
  case_.family = std::move(family);
  case_.name = std::move(name);
  case_.block = {block, 1, 1};
  case_.grid = {grid, 1, 1};
}

std::string KernelBuilder::fresh(unsigned bits) {
  switch (bits) {
    case 1:
      return fmt::format("%p{}", used_[0]++);
    case 8:
      return fmt::format("%c{}", used_[1]++);
    case 16:
      return fmt::format("%h{}", used_[2]++);
    case 64:
      return fmt::format("%d{}", used_[4]++);
    case 128:
      return fmt::format("%q{}", used_[5]++);
    default:
      return fmt::format("%r{}", used_[3]++);
  }
}

std::string KernelBuilder::input(unsigned bits, const std::function<uint64_t(uint32_t)>& value) {
  if (bits == 128) {
    const std::string low = input(64, value), high = input(64, value), whole = fresh(128);
    line(fmt::format("mov.b128 {}, {{{}, {}}};", whole, low, high));
    return whole;
  }
  const size_t at = case_.input.size();
  case_.input.resize(at + size_t{threads()} * 8);
  last_input_ = at;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  for (uint32_t t = 0; t < threads(); ++t) {
    const uint64_t v = value(t) & mask;
    for (size_t k = 0; k < 8; ++k)
      case_.input[at + 8 * size_t{t} + k] = static_cast<uint8_t>(v >> (8 * k));
  }
  const std::string r = fresh(bits);
  if (bits == 1) {
    const std::string word = fresh(32);
    line(fmt::format("ld.global.b32 {}, [%i+{}];\nsetp.ne.b32 {}, {}, 0;", word, at, r, word));
  } else {
    line(fmt::format("ld.global.b{} {}, [%i+{}];", bits, r, at));
  }
  return r;
}

size_t KernelBuilder::reserve(Field field, size_t words) {
  field.at = case_.output_bytes;
  field.count = words;
  if (field.rule == Rule::kAccumulate && field.count != threads()) field.bits = 64;
  case_.output_bytes += 8 * words;
  case_.fields.push_back(std::move(field));
  return case_.fields.back().at;
}

size_t KernelBuilder::raw_input(const std::vector<uint8_t>& bytes) {
  case_.input.resize((case_.input.size() + 127) / 128 * 128);
  const size_t at = case_.input.size();
  case_.input.insert(case_.input.end(), bytes.begin(), bytes.end());
  case_.input.resize((case_.input.size() + 127) / 128 * 128);
  return at;
}

void KernelBuilder::output(Field field, const std::string& reg, unsigned bits) {
  if (bits == 128) {
    const std::string low = fresh(64), high = fresh(64);
    line(fmt::format("mov.b128 {{{}, {}}}, {};", low, high, reg));
    output(field, low, 64);
    output(field, high, 64);
    return;
  }
  field.bits = bits;
  const size_t at = reserve(std::move(field), threads());
  if (bits == 1) {
    const std::string word = fresh(32);
    line(fmt::format("selp.b32 {}, 1, 0, {};\nst.global.b32 [%o+{}], {};", word, reg, at, word));
  } else {
    line(fmt::format("st.global.b{} [%o+{}], {};", bits, at, reg));
  }
}

Case KernelBuilder::finish() {
  std::string t = kHeader + ".address_size 64\n" + module_;
  t += ".visible .entry k(.param .u64 out, .param .u64 in";
  t += case_.parameters.empty() ? ")\n{\n" : ", .param .align 16 .b8 par[32])\n{\n";
  constexpr const char* kNames[] = {"pred %p", "b8 %c", "b16 %h", "b32 %r", "b64 %d", "b128 %q"};
  for (size_t k = 0; k < used_.size(); ++k)
    if (used_[k] != 0) t += fmt::format(".reg .{}<{}>;\n", kNames[k], used_[k]);
  t += ".reg .b32 %t, %ti, %bi, %nti;\n.reg .b64 %out, %in, %o, %i;\n" + declarations_;
  t += "ld.param.u64 %out, [out];\ncvta.to.global.u64 %out, %out;\n"
       "ld.param.u64 %in, [in];\ncvta.to.global.u64 %in, %in;\n"
       "mov.u32 %ti, %tid.x;\nmov.u32 %bi, %ctaid.x;\nmov.u32 %nti, %ntid.x;\n"
       "mad.lo.u32 %t, %bi, %nti, %ti;\n"
       "mad.wide.u32 %o, %t, 8, %out;\nmad.wide.u32 %i, %t, 8, %in;\n";
  case_.text = t + body_ + "ret;\n}\n";
  return std::move(case_);
}

}  // namespace pitot::conformance

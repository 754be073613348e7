// Made modules.
#include "inputs.h"

#include <cstdlib>

#include "support/file.h"

namespace pitot::bench {
namespace {

std::string registers(size_t r, size_t rd, size_t f, size_t p) {
  return "\t.reg .pred %p<" + std::to_string(p) + ">;\n\t.reg .b32 %r<" + std::to_string(r) +
         ">;\n\t.reg .b64 %rd<" + std::to_string(rd) + ">;\n\t.reg .f32 %f<" + std::to_string(f) +
         ">;\n";
}

std::string header(size_t kernel) {
  std::string k = std::to_string(kernel);
  return ".visible .entry kernel_" + k + "(.param .u64 p" + k + ")\n{\n";
}

// Five instructions over a few registers.
std::string step(size_t i, bool debug) {
  std::string a = std::to_string(i % 89 + 1), b = std::to_string(i % 89 + 2);
  std::string out;
  if (debug)
    out = "\t.loc\t1 " + std::to_string(i % 5000 + 1) + " 5\n\t// line " + std::to_string(i) +
          ": text of the source\n";
  return out + "\tld.global.f32 %f" + a + ", [%rd" + a + "+" + std::to_string(4 * (i % 89)) +
         "];\n\tadd.s32 %r" + b + ", %r" + a + ", 17;\n\tfma.rn.f32 %f" + b + ", %f" + a + ", %f" +
         a + ", 0f3F800000;\n\tmul.wide.s32 %rd" + b + ", %r" + a + ", 4;\n\tst.global.f32 [%rd" +
         b + "], %f" + b + ";\n";
}

// An address from the thread's number, a load, arithmetic, a store; all registers are new.
std::string chain(size_t i, const std::string& index) {
  std::string a = std::to_string(2 * i), b = std::to_string(2 * i + 1);
  return "\tmul.wide.s32 %rd" + a + ", " + index + ", 4;\n\tadd.s64 %rd" + b + ", %rd1, %rd" + a +
         ";\n\tld.global.f32 %f" + a + ", [%rd" + b + "];\n\tfma.rn.f32 %f" + b + ", %f" + a +
         ", %f" + a + ", 0f3F800000;\n\tst.global.f32 [%rd" + b + "], %f" + b + ";\n";
}

std::string unit(Shape shape, size_t i) {
  std::string n = std::to_string(i), next = std::to_string(i + 1);
  std::string r = "%r" + n;
  switch (shape) {
    case Shape::kRegisters:
      return chain(i, r) + "\tadd.s32 %r" + next + ", " + r + ", 17;\n";
    case Shape::kBlocks:
      return "\tsetp.lt.s32 %p" + n + ", " + r + ", " + n + ";\n\t@%p" + n + " bra $L_" + n +
             ";\n" + chain(i, r) + "$L_" + n + ":\n\tadd.s32 %r" + next + ", " + r + ", 17;\n";
    case Shape::kLoops:
      return "\tmov.u32 " + r + ", 0;\n$L_" + n + ":\n" + chain(i, r) + "\tadd.s32 " + r + ", " +
             r + ", 1;\n\tsetp.lt.s32 %p" + n + ", " + r + ", " + std::to_string(i % 100 + 2) +
             ";\n\t@%p" + n + " bra $L_" + n + ";\n";
    default:
      return step(i, shape == Shape::kOneWithDebug || shape == Shape::kManyWithDebug);
  }
}

}  // namespace

const std::vector<Input>& corpus() {
  static const std::vector<Input> inputs = [] {
    std::vector<Input> out;
    const char* dir = std::getenv("PITOT_BENCH_DIR");
    for (const auto& path :
         *list_files(dir != nullptr ? dir : PITOT_SOURCE_DIR "/tests/data/corpus", {".ptx"}))
      out.push_back({path, *read_file(path)});
    return out;
  }();
  return inputs;
}

size_t corpus_bytes() {
  size_t n = 0;
  for (const auto& i : corpus()) n += i.text.size();
  return n;
}

const char* to_string(Shape shape) {
  constexpr const char* kNames[] = {
      "many_kernels", "many_kernels_debug", "one_block", "one_block_debug", "registers", "blocks",
      "loops"};
  return kNames[static_cast<size_t>(shape)];
}

std::string module_text(Shape shape, size_t bytes) {
  std::string out = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"made.cu\"\n";
  out.reserve(bytes + 10000);
  if (shape == Shape::kMany || shape == Shape::kManyWithDebug) {
    std::string body = registers(200, 100, 100, 3);
    for (size_t i = 0; i < 89; ++i) body += unit(shape, i);
    body += "\tret;\n}\n";
    for (size_t k = 0; out.size() < bytes; ++k) out += header(k) + body;
    return out;
  }
  std::string body;
  body.reserve(bytes + 1000);
  size_t i = 1;
  for (; body.size() < bytes; ++i) body += unit(shape, i);
  const bool few = shape == Shape::kOne || shape == Shape::kOneWithDebug;
  out += header(0) +
         (few ? registers(200, 100, 100, 3) : registers(2 * i + 2, 2 * i + 2, 2 * i + 2, i + 2));
  out += "\tld.param.u64 %rd1, [p0];\n\tmov.u32 %r1, %tid.x;\n\tmov.f32 %f1, 0f3F800000;\n";
  return out + body + "\tret;\n}\n";
}

}  // namespace pitot::bench

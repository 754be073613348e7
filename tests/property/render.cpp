// The text of a random program: its statements between a frame that loads every register from
// memory at the start and stores them all at the end.
#include "property/random_program.h"

namespace pitot::property {

namespace {

class Renderer {
 public:
  explicit Renderer(std::vector<const Statement*>* owners) : owners_(owners) {}

  std::string program(const RandomProgram& p) {
    modern_ = p.header.starts_with(".version 9");
    add(p.header + ".address_size 64\n", nullptr);
    for (size_t k = 0; k < p.functions.size(); ++k) function(p.functions[k], k);
    add(".visible .entry k(.param .u64 out, .param .u64 in, .param .align 16 .b8 par[64])\n{\n"
        ".shared .align 16 .b8 shared_words[4096];\n.local .align 16 .b8 loc[64];\n" +
            registers() +
            "ld.param.u64 %ga, [out];\ncvta.to.global.u64 %ga, %ga;\n"
            "ld.param.u64 %in, [in];\ncvta.to.global.u64 %in, %in;\n"
            "add.u64 %acc, %ga, " +
            std::to_string(kMaxThreads * kOutputStride) +
            ";\n"
            "mov.u32 %t32, %tid.x;\nmov.u32 %tx, %tid.x;\nmov.u32 %nt, %ntid.x;\n"
            "mov.u32 %lane, %laneid;\nmad.wide.u32 %in, %t32, " +
            std::to_string(kInputStride) + ", %in;\nmad.wide.u32 %ga, %t32, " +
            std::to_string(kOutputStride) +
            ", %ga;\n"
            "mov.u32 %sh, shared_words;\nmad.lo.u32 %sa, %t32, 64, %sh;\n"
            "and.b32 %trips, %t32, 3;\nadd.u32 %trips, %trips, 1;\n"
            // the lanes of this warp: those below the number of threads
            "and.b32 %full, %t32, 0xffffffe0;\nsub.u32 %full, %nt, %full;\n"
            "min.u32 %full, %full, 32;\nsub.u32 %full, 32, %full;\n"
            "mov.u32 %ix, 0xffffffff;\nshr.u32 %full, %ix, %full;\n"
            "mov.u32 %s0, 0;\nmov.u32 %s1, %t32;\nmad.lo.u32 %s2, %t32, 3, 5;\n"
            "and.b32 %s3, %t32, 31;\n",
        nullptr);
    uint32_t at = 0;
    const auto load = [&](const char* name, uint32_t n, uint32_t size) {
      for (uint32_t k = 0; k < n; ++k, at += size)
        add("ld.global.u" + std::to_string(8 * size) + " " + name + std::to_string(k) + ", [%in+" +
                std::to_string(at) + "];\n",
            nullptr);
    };
    load("%rd", kLongRegisters, 8);
    load("%r", kWordRegisters, 4);
    load("%h", kHalfRegisters, 2);
    for (uint32_t k = 0; k < kPredicates; ++k)
      add("setp.gt.s32 %p" + std::to_string(k) + ", %r" + std::to_string(k) + ", 1;\n", nullptr);
    for (uint32_t k = 0; k < 64; k += 16)
      add("mov.b32 %t32, 0;\nst.local.v4.b32 [loc+" + std::to_string(k) +
              "], {%t32, %t32, %t32, %t32};\nst.shared.v4.b32 [%sa+" + std::to_string(k) +
              "], {%t32, %t32, %t32, %t32};\n",
          nullptr);
    add("mov.b16 {%b0, %b1}, %h0;\nmov.b16 {%b2, %b3}, %h1;\n", nullptr);
    add("mov.b64 %t64, 0;\nmov.b16 %t16, 0;\nbar.sync 0;\n", nullptr);
    statements(p.body);
    at = 0;
    const auto store = [&](const char* name, uint32_t n, uint32_t size) {
      for (uint32_t k = 0; k < n; ++k, at += size)
        add("st.global.u" + std::to_string(8 * size) + " [%ga+" + std::to_string(at) + "], " +
                name + std::to_string(k) + ";\n",
            nullptr);
    };
    store("%rd", kLongRegisters, 8);
    store("%r", kWordRegisters, 4);
    store("%h", kHalfRegisters, 2);
    for (uint32_t k = 0; k < kPredicates; ++k, at += 4)
      add("selp.u32 %t32, 1, 0, %p" + std::to_string(k) + ";\nst.global.u32 [%ga+" +
              std::to_string(at) + "], %t32;\n",
          nullptr);
    for (uint32_t k = 0; k < 4; ++k, ++at)
      add("st.global.b8 [%ga+" + std::to_string(at) + "], %b" + std::to_string(k) + ";\n", nullptr);
    add("ret;\n}\n", nullptr);
    return std::move(text_);
  }

 private:
  // Registers of 128 bits only where there are any.
  std::string registers() const {
    return (modern_ ? ".reg .b128 %q<3>;\n" : "") +
           std::string(
               ".reg .b8 %b<4>;\n.reg .pred %p<8>;\n.reg .pred %pc, %pn, %pl<8>;\n.reg .b16 "
               "%h<8>;\n.reg .b16 "
               "%t16;\n"
               ".reg .b32 %r<16>;\n.reg .b32 %s<4>;\n.reg .b32 %c<8>;\n"
               ".reg .b32 %t32, %ix, %sh, %sa, %full, %trips, %tx, %nt, %lane;\n.reg .b64 %rd<8>;\n"
               ".reg .b64 %t64, %ga, %in, %acc;\n");
  }

  // Its registers come from the two arguments.
  void function(const DeviceFunction& f, size_t index) {
    add(".func (.param .align 8 .b8 q[16]) f" + std::to_string(index) +
            "(.param .b32 a0, .param .b64 a1)\n{\n" + registers() +
            "ld.param.b32 %r0, [a0];\nld.param.b64 %rd0, [a1];\n",
        nullptr);
    for (uint32_t k = 1; k < kWordRegisters; ++k)
      add("mad.lo.u32 %r" + std::to_string(k) + ", %r" + std::to_string(k - 1) +
              ", 1664525, 1013904223;\n",
          nullptr);
    for (uint32_t k = 1; k < kLongRegisters; ++k)
      add("mov.b64 %rd" + std::to_string(k) + ", {%r" + std::to_string(k) + ", %r" +
              std::to_string(k + 1) + "};\n",
          nullptr);
    for (uint32_t k = 0; k < kHalfRegisters; ++k)
      add("cvt.u16.u32 %h" + std::to_string(k) + ", %r" + std::to_string(k) + ";\n", nullptr);
    for (uint32_t k = 0; k < kPredicates; ++k)
      add("setp.gt.s32 %p" + std::to_string(k) + ", %r" + std::to_string(k) + ", 1;\n", nullptr);
    add("mov.b16 {%b0, %b1}, %h0;\nmov.b16 {%b2, %b3}, %h1;\n", nullptr);
    add("mov.b64 %t64, 0;\nmov.b32 %t32, 0;\nmov.b16 %t16, 0;\nand.b32 %trips, %r0, 3;\n"
        "add.u32 %trips, %trips, 1;\n"
        "mov.u32 %s0, 0;\nmov.u32 %s1, 7;\nand.b32 %s2, %r1, 63;\nand.b32 %s3, %r2, 31;\n",
        nullptr);
    statements(f.body);
    // All registers go into the result.
    for (uint32_t k = 1; k < kWordRegisters; ++k)
      add("xor.b32 %r0, %r0, %r" + std::to_string(k) + ";\n", nullptr);
    for (uint32_t k = 1; k < kLongRegisters; ++k)
      add("xor.b64 %rd0, %rd0, %rd" + std::to_string(k) + ";\n", nullptr);
    add("mov.b32 %r1, {%h0, %h1};\n", nullptr);
    for (uint32_t k = 2; k < kHalfRegisters; ++k)
      add("cvt.u32.u16 %t32, %h" + std::to_string(k) + ";\nxor.b32 %r1, %r1, %t32;\n", nullptr);
    for (uint32_t k = 0; k < kPredicates; ++k)
      add("@%p" + std::to_string(k) + " xor.b32 %r1, %r1, " + std::to_string(0x10000u << k) + ";\n",
          nullptr);
    add("st.param.b64 [q], %rd0;\nst.param.v2.b32 [q+8], {%r0, %r1};\nret;\n}\n", nullptr);
  }

  void statements(const std::vector<Statement>& all) {
    for (const Statement& s : all) statement(s);
  }

  void statement(const Statement& s) {
    const std::string id = std::to_string(labels_++);
    switch (s.kind) {
      case Statement::Kind::kLines:
        add(s.text, &s);
        break;
      case Statement::Kind::kIf:
        add(s.text + "@!%pc bra ELSE" + id + ";\n", &s);
        statements(s.bodies[0]);
        add("bra END" + id + ";\nELSE" + id + ":\n", &s);
        if (s.bodies.size() > 1) statements(s.bodies[1]);
        add("END" + id + ":\n", &s);
        break;
      case Statement::Kind::kLoop: {
        const std::string counter = "%c" + std::to_string(s.depth);
        const std::string again = "%pl" + std::to_string(s.depth);
        add("mov.u32 " + counter + ", 0;\nLOOP" + id + ":\n", &s);
        statements(s.bodies[0]);
        add("add.u32 " + counter + ", " + counter + ", 1;\nsetp.lt.u32 " + again + ", " + counter +
                ", " + s.text + ";\n@" + again + " bra LOOP" + id + ";\n",
            &s);
        break;
      }
      case Statement::Kind::kSwitch: {
        std::string table = "TABLE" + id + ": .branchtargets ";
        for (size_t k = 0; k < 4; ++k)
          table += (k == 0 ? "CASE" : ", CASE") + id + "_" + std::to_string(k % s.bodies.size());
        add(s.text + table + ";\nbrx.idx %ix, TABLE" + id + ";\n", &s);
        for (size_t k = 0; k < s.bodies.size(); ++k) {
          add("CASE" + id + "_" + std::to_string(k) + ":\n", &s);
          statements(s.bodies[k]);
          add("bra DONE" + id + ";\n", &s);
        }
        add("DONE" + id + ":\n", &s);
        break;
      }
    }
  }

  void add(const std::string& text, const Statement* owner) {
    text_ += text;
    if (owners_ == nullptr) return;
    for (char c : text)
      if (c == '\n') owners_->push_back(owner);
  }

  std::string text_;
  std::vector<const Statement*>* owners_;
  uint32_t labels_ = 0;
  bool modern_ = false;
};

}  // namespace

std::string render(const RandomProgram& p, std::vector<const Statement*>* owners) {
  if (owners != nullptr) owners->clear();
  return Renderer(owners).program(p);
}

}  // namespace pitot::property

// Kernels with textures and surfaces: images filled with words, and what a run leaves of them.
#pragma once

#include "emulator/image.h"
#include "emulator_test_util.h"

namespace pitot::emulator::test {

inline Image image_of(ImageShape shape, const std::string& format, uint32_t width,
                      uint32_t height = 1, uint32_t depth = 1, uint32_t layers = 1) {
  Image m;
  m.shape = shape;
  m.format = texel_format(format).value_or(TexelFormat{});
  m.width = width;
  m.height = height;
  m.depth = depth;
  m.layers = layers;
  EXPECT_EQ(m.complaint(), "");
  return m;
}

inline OpaqueObject object_of(OpaqueKind kind, const std::string& name, const Image& image,
                              const Sampler& sampler = {}) {
  OpaqueObject o;
  o.kind = kind;
  o.name = name;
  o.image = image;
  o.sampler = sampler;
  return o;
}

// Calls f(level, byte offset in the image, index of the row's first byte in a tight copy, bytes).
template <class F>
void for_each_row(const Image& m, F&& f) {
  uint64_t tight = 0;
  for (uint32_t l = 0; l < m.levels; ++l)
    for (uint64_t r = 0; r < m.rows(l); ++r, tight += m.row_bytes(l))
      f(m.level_offset(l) + r * m.pitch(l), tight, m.row_bytes(l));
}

inline void fill(GlobalMemory& memory, const Image& m, std::span<const std::byte> bytes) {
  for_each_row(m, [&](uint64_t at, uint64_t from, uint64_t n) {
    ASSERT_LE(from + n, bytes.size());
    EXPECT_TRUE(memory.write(m.region->base() + at, bytes.subspan(from, n)).ok());
  });
}

template <class T>
std::vector<T> contents(const GlobalMemory& memory, const Image& m) {
  std::vector<T> out;
  for_each_row(m, [&](uint64_t at, uint64_t, uint64_t n) {
    std::vector<T> row(n / sizeof(T));
    EXPECT_TRUE(memory.read(m.region->base() + at, std::as_writable_bytes(std::span(row))).ok());
    out.insert(out.end(), row.begin(), row.end());
  });
  return out;
}

// A module's only kernel. Its parameters: a pointer to words of output, then 64-bit handles.
class TextureRig {
 public:
  TextureRig(const std::string& text, size_t words) : program_(load_text(text)) {
    if (program_.module == nullptr) return;
    EXPECT_TRUE(place_globals(program_, memory).ok());
    out_ = &memory.allocate("out", words * 4, 256, true);
    pass(out_->base());
    words_ = words;
  }

  void pass(uint64_t v) { parameters_.push_back(v); }

  // An object with texels, as the next parameter.
  template <class T>
  Image add(OpaqueObject o, const std::vector<T>& texels) {
    EXPECT_TRUE(OpaqueObjects::allocate(o, memory, false).ok());
    fill(memory, o.image, std::as_bytes(std::span(texels)));
    const Image image = o.image;
    pass(memory.objects().add(std::move(o)));
    return image;
  }
  // The same for a reference of the module.
  template <class T>
  Image bind(const std::string& name, const Image& image, const std::vector<T>& texels) {
    OpaqueObject* o = memory.objects().declared(name);
    if (o == nullptr) {
      ADD_FAILURE() << "no reference " << name;
      return image;
    }
    o->image = image;
    EXPECT_TRUE(OpaqueObjects::allocate(*o, memory, false).ok());
    fill(memory, o->image, std::as_bytes(std::span(texels)));
    return o->image;
  }

  Ran run(Launch launch = {}, Options options = {}) {
    Ran r;
    if (program_.module == nullptr) return r;
    launch.parameters.resize(8 * parameters_.size());
    std::memcpy(launch.parameters.data(), parameters_.data(), launch.parameters.size());
    auto kernel = program_.find_kernel("");
    EXPECT_TRUE(kernel.ok());
    auto outcome = execute(program_, kernel ? *kernel : 0, launch, memory, options);
    if (!outcome) {
      ADD_FAILURE() << outcome.error().message;
      return r;
    }
    r.outcome = std::move(*outcome);
    r.out.resize(words_);
    EXPECT_TRUE(memory.read(out_->base(), std::as_writable_bytes(std::span(r.out))).ok());
    return r;
  }

  GlobalMemory memory;

 private:
  Program program_;
  Region* out_ = nullptr;
  size_t words_ = 0;
  std::vector<uint64_t> parameters_;
};

// A kernel with `handles` 64-bit parameters h0, h1 … beside the output; they are in %rd1, %rd2 …,
// and %r0 is the thread's number, %rd0 the output's place for it (16 bytes each).
inline std::string texture_kernel(const std::string& body, unsigned handles,
                                  const std::string& before = {},
                                  const std::string& target = "sm_90") {
  std::string text = ".version 8.3\n.target " + target + "\n.address_size 64\n" + before +
                     ".visible .entry k(.param .u64 out";
  for (unsigned i = 0; i < handles; ++i) text += ", .param .u64 h" + std::to_string(i);
  text +=
      ")\n{\n.reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<32>;\n"
      ".reg .f32 %f<32>;\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\n"
      "mad.wide.u32 %rd0, %r0, 16, %rd0;\n";
  for (unsigned i = 0; i < handles; ++i)
    text += "ld.param.u64 %rd" + std::to_string(i + 1) + ", [h" + std::to_string(i) + "];\n";
  return text + body + "\nret;\n}\n";
}

}  // namespace pitot::emulator::test

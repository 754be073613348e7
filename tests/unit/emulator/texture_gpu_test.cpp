// Lookups and formatted stores as a GPU did them: tests/data/texture/h200.txt says what was run.
#include <map>
#include <sstream>

#include "emulator/texture_sample.h"
#include "emulator_test_util.h"
#include "support/file.h"
#include "texture_test_util.h"

namespace pitot::emulator::test {
namespace {

using Words = std::vector<uint32_t>;

struct GpuCase {
  std::string name, instruction;
  Image image;
  Sampler sampler;
  std::vector<std::byte> bytes;  // of the image, with its padding
};

bool says(const GpuCase& c, const std::string& what) {
  std::istringstream in(c.instruction);
  for (std::string word; std::getline(in, word, '.');)
    if (word == what) return true;
  return false;
}

GpuCase read_case(std::istringstream& in, const std::map<std::string, Words>& texels) {
  GpuCase c;
  std::string shape, format, words, filter, levels, address;
  int normalized = 0;
  Image& m = c.image;
  Sampler& s = c.sampler;
  in >> c.name >> c.instruction >> shape >> format >> m.width >> m.height >> m.depth >> m.layers >>
      m.levels >> words >> filter >> levels >> address >> normalized >> s.border[0] >>
      s.level_bias >> s.least_level >> s.most_level;
  EXPECT_FALSE(in.fail()) << c.name;
  EXPECT_TRUE(shape_from_name(shape, m.shape));
  m.format = texel_format(format).value_or(TexelFormat{});
  s.filter = filter == "linear" ? FilterMode::kLinear : FilterMode::kPoint;
  s.level_filter = levels == "linear" ? FilterMode::kLinear : FilterMode::kPoint;
  const AddressMode mode = address == "wrap"     ? AddressMode::kWrap
                           : address == "mirror" ? AddressMode::kMirror
                           : address == "border" ? AddressMode::kBorder
                                                 : AddressMode::kClamp;
  s.address = {mode, mode, mode};
  s.normalized = normalized != 0;
  for (unsigned k = 1; k < 4; ++k) s.border[k] = s.border[0] * static_cast<float>(k + 1);
  c.bytes.resize(m.bytes());
  const auto source = std::as_bytes(std::span(texels.at(words)));
  for_each_row(m, [&](uint64_t at, uint64_t from, uint64_t n) {
    ASSERT_LE(from + n, source.size());
    std::copy_n(source.begin() + static_cast<ptrdiff_t>(from), n,
                c.bytes.begin() + static_cast<ptrdiff_t>(at));
  });
  return c;
}

Lookup lookup_of(const GpuCase& c, const Words& w) {
  Lookup l;
  l.whole = says(c, "s32");
  for (unsigned k = 0; k < 3; ++k) {
    l.at[k] = std::bit_cast<float>(w[k]);
    l.whole_at[k] = static_cast<int32_t>(w[k]);
  }
  if (says(c, "a1d") || says(c, "a2d") || says(c, "acube")) l.layer = w[3];
  if (says(c, "level")) {
    l.has_level = true;
    l.level = std::bit_cast<float>(w[3]);
    l.whole_level = static_cast<int32_t>(w[3]);
  }
  if (says(c, "offset")) l.offset = {static_cast<int32_t>(w[2]), static_cast<int32_t>(w[3]), 0};
  return l;
}

Texel result_of(const GpuCase& c, const Words& w) {
  const bool gathers = says(c, "gather");
  const Lookup l = lookup_of(c, w);
  const Taps taps =
      gathers ? gather_taps(c.image, c.sampler, l) : sample_taps(c.image, c.sampler, l);
  EXPECT_EQ(taps.uncovered, "");
  Texel out{};
  if (taps.zero) return out;
  std::vector<Texel> raw;
  for (const Tap& t : taps.all())
    raw.push_back(t.border ? border_texel(c.image.format, c.sampler.border)
                           : raw_texel(c.image.format,
                                       &c.bytes[c.image.offset(t.level, t.layer, t.x, t.y, t.z)]));
  for (unsigned k = 0; k < 4; ++k) {
    if (gathers) {
      out[k] = decode_channel(c.image.format, raw[k][0]);
    } else if (k < c.image.format.channels) {
      Words channel;
      for (const Texel& t : raw) channel.push_back(t[k]);
      out[k] = taps.filtered ? filter_channel(c.image.format, channel, taps.all())
                             : decode_channel(c.image.format, channel[0]);
      if (says(c, "f16")) out[k] = half_of(out[k]);
    }
  }
  return out;
}

Texel stored(const TexelFormat& f, const Words& w) {
  std::array<std::byte, 16> bytes{};
  encode_texel(f, {w[0], w[1], w[2], w[3]}, bytes.data());
  Texel out{};
  for (unsigned k = 0; k < f.channels; ++k)
    std::memcpy(&out[k], bytes.data() + size_t{k} * (f.bits / 8), f.bits / 8);
  return out;
}

TEST(TextureOnGpu, H200GivesTheSameBits) {
  auto text = read_file(PITOT_SOURCE_DIR "/tests/data/texture/h200.txt");
  ASSERT_TRUE(text.ok());
  std::istringstream lines(*text);
  std::map<std::string, Words> texels;
  Words* into = nullptr;
  GpuCase current;
  TexelFormat format;
  bool stores = false;
  size_t lookups = 0, conversions = 0, cases = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream in(line);
    if (line[0] != ' ') {
      std::string what, name;
      in >> what;
      into = nullptr;
      stores = what == "store";
      if (what == "texels") {
        in >> name;
        into = &texels[name];
      } else if (what == "counted") {
        uint32_t first = 0, count = 0;
        in >> name >> first >> count;
        Words& w = texels[name];
        for (uint32_t i = 0; i < count; ++i) w.push_back(first + i);
      } else if (stores) {
        in >> name;
        format = texel_format(name).value_or(TexelFormat{});
      } else {
        current = read_case(in, texels);
        ++cases;
      }
      continue;
    }
    Words w;
    in >> std::hex;
    for (uint32_t v; in >> v;) w.push_back(v);
    if (into != nullptr) {
      into->insert(into->end(), w.begin(), w.end());
      continue;
    }
    ASSERT_EQ(w.size(), 8u) << line;
    const Texel want{w[4], w[5], w[6], w[7]};
    EXPECT_EQ(stores ? stored(format, w) : result_of(current, w), want)
        << (stores ? name_of(format) : current.name) << ": " << line;
    ++(stores ? conversions : lookups);
  }
  EXPECT_GT(cases, 150u);
  EXPECT_GT(lookups, 4000u);
  EXPECT_GT(conversions, 400u);
}

}  // namespace
}  // namespace pitot::emulator::test

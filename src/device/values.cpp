#include "device/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>

#include "device/index_values.h"

namespace pitot::device {
namespace {

using ptx::Type;
using ptx::TypeKind;

uint64_t split_mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

struct SmallFloat {
  unsigned exponent_bits, fraction_bits;
};

bool small_float(Type t, SmallFloat& f) {
  switch (t) {
    case Type::kF16:
      f = {5, 10};
      return true;
    case Type::kBf16:
      f = {8, 7};
      return true;
    case Type::kE4m3:
      f = {4, 3};
      return true;
    case Type::kE5m2:
      f = {5, 2};
      return true;
    default:
      return false;
  }
}

// Nearest even; overflow goes to infinity, or NaN where the type has none (e4m3).
uint64_t encode_small(double v, SmallFloat f, bool has_infinity) {
  const uint64_t sign = std::signbit(v) ? uint64_t{1} << (f.exponent_bits + f.fraction_bits) : 0;
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t nan = (exponent_mask << f.fraction_bits) | ((uint64_t{1} << f.fraction_bits) - 1);
  if (std::isnan(v)) return sign | nan;
  v = std::fabs(v);
  const uint64_t infinity = has_infinity ? exponent_mask << f.fraction_bits : nan;
  if (std::isinf(v)) return sign | infinity;
  if (v == 0) return sign;
  int e = std::max(std::ilogb(v), 1 - bias);
  const double scaled = std::nearbyint(std::ldexp(v, static_cast<int>(f.fraction_bits) - e));
  auto m = static_cast<uint64_t>(scaled);
  if (m >> (f.fraction_bits + 1) != 0) {
    m >>= 1;
    ++e;
  }
  if (m >> f.fraction_bits == 0) return sign | m;  // subnormal
  const uint64_t bits = (static_cast<uint64_t>(e + bias) << f.fraction_bits) |
                        (m & ((uint64_t{1} << f.fraction_bits) - 1));
  return bits >= infinity ? sign | infinity : sign | bits;
}

double decode_small(uint64_t bits, SmallFloat f, bool has_infinity) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t fraction_mask = (uint64_t{1} << f.fraction_bits) - 1;
  const bool negative = (bits >> (f.exponent_bits + f.fraction_bits)) & 1;
  const uint64_t e = (bits >> f.fraction_bits) & exponent_mask, m = bits & fraction_mask;
  double v;
  if (e == exponent_mask && (has_infinity || m == fraction_mask)) {
    v = m == 0 ? INFINITY : std::nan("");
  } else if (e == 0) {
    v = std::ldexp(static_cast<double>(m), 1 - bias - static_cast<int>(f.fraction_bits));
  } else {
    v = std::ldexp(static_cast<double>(m | (fraction_mask + 1)),
                   static_cast<int>(e) - bias - static_cast<int>(f.fraction_bits));
  }
  return negative ? -v : v;
}

// "uniform(0, max(a, b))" → name and arguments, without blanks around them.
bool split_call(std::string_view text, std::string_view& name,
                std::vector<std::string_view>& arguments) {
  const size_t open = text.find('(');
  name = text.substr(0, open);
  if (open == text.npos) return true;
  if (!text.ends_with(')')) return false;
  text = text.substr(open + 1, text.size() - open - 2);
  while (!text.empty()) {
    size_t end = 0;
    for (int depth = 0; end < text.size() && (text[end] != ',' || depth > 0); ++end)
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    std::string_view word = text.substr(0, end);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    arguments.push_back(word);
    if (end == text.size()) break;
    text.remove_prefix(end + 1);
  }
  return true;
}

bool read_numbers(const std::vector<std::string_view>& words, std::vector<double>& out) {
  for (const std::string_view word : words) {
    double v = 0;
    const auto r = std::from_chars(word.data(), word.data() + word.size(), v);
    if (r.ec != std::errc() || r.ptr != word.data() + word.size()) return false;
    out.push_back(v);
  }
  return true;
}

bool is_whole(double v, double least, double most) {
  return v >= least && v <= most && v == std::floor(v);
}

// The values of one call that are indices, a place at a time.
class IndexValues {
 public:
  // Not `known`: it is none of these, or its arguments are out of range.
  IndexValues(std::string_view name, const std::vector<double>& a, uint64_t seed) {
    constexpr double kMostMean = 1 << 20, kMostSkew = 8;
    if ((name == "permutation" || name == "cycle") && a.size() == 1 &&
        is_whole(a[0], 1, static_cast<double>(RandomOrder::kMost))) {
      n_ = static_cast<uint64_t>(a[0]);
      order_.emplace(seed, n_);
      is_cycle_ = name == "cycle";
    } else if (name == "csr_offsets" && a.size() == 2 && is_whole(a[0], 0, kMostMean) &&
               a[1] >= 0 && a[1] <= kMostSkew) {
      offsets_.emplace(seed, static_cast<uint64_t>(a[0]), a[1]);
    }
  }
  bool known() const { return order_ || offsets_; }
  uint64_t at(uint64_t place) {
    if (offsets_) return offsets_->at(place);
    return is_cycle_ ? order_->next(place % n_) : order_->at(place % n_);
  }

 private:
  std::optional<RandomOrder> order_;
  std::optional<RowOffsets> offsets_;
  uint64_t n_ = 1;
  bool is_cycle_ = false;
};

}  // namespace

uint64_t random_bits(uint64_t seed, uint64_t index) { return split_mix(split_mix(seed) ^ index); }

double random_unit(uint64_t seed, uint64_t index) {
  return static_cast<double>(random_bits(seed, index) >> 11) * 0x1p-53;
}

double random_normal(uint64_t seed, uint64_t index) {
  // Box and Muller (1958), one of the two values.
  const double u = 1.0 - random_unit(seed, 2 * index), v = random_unit(seed, 2 * index + 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

uint64_t encode(double v, Type t) {
  SmallFloat f{};
  if (small_float(t, f)) return encode_small(v, f, t != Type::kE4m3);
  if (t == Type::kF32 || t == Type::kTf32) return std::bit_cast<uint32_t>(static_cast<float>(v));
  if (t == Type::kF64) return std::bit_cast<uint64_t>(v);
  const unsigned bits = ptx::bits_of(t);
  if (std::isnan(v)) return 0;
  if (ptx::kind_of(t) == TypeKind::kSigned) {
    const double least = -std::ldexp(1.0, static_cast<int>(bits) - 1);
    int64_t i = v <= least    ? (bits == 64 ? INT64_MIN : static_cast<int64_t>(least))
                : v >= -least ? static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1)
                              : static_cast<int64_t>(v);
    return bits == 64 ? static_cast<uint64_t>(i)
                      : static_cast<uint64_t>(i) & ((uint64_t{1} << bits) - 1);
  }
  const uint64_t most = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  if (v <= 0)
    return v > -9e18 && v < 0 && ptx::kind_of(t) == TypeKind::kBits
               ? static_cast<uint64_t>(static_cast<int64_t>(v)) & most
               : 0;
  return v >= std::ldexp(1.0, static_cast<int>(bits)) ? most : static_cast<uint64_t>(v);
}

double decode(uint64_t bits, Type t) {
  SmallFloat f{};
  if (small_float(t, f)) return decode_small(bits, f, t != Type::kE4m3);
  if (t == Type::kF32 || t == Type::kTf32)
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (t == Type::kF64) return std::bit_cast<double>(bits);
  if (ptx::kind_of(t) == TypeKind::kSigned) {
    const unsigned shift = 64 - ptx::bits_of(t);
    return static_cast<double>(static_cast<int64_t>(bits << shift) >> shift);
  }
  return static_cast<double>(bits);
}

constexpr double kSpecialValues[] = {NAN, INFINITY, -INFINITY, -0.0, 1e30, -1e-30, 65504, 1e-40};

uint64_t special_bits(uint64_t seed, uint64_t index, unsigned kinds, uint64_t one_in, Type type) {
  const uint64_t r = random_bits(seed ^ 0x5bec1a15, index);
  const auto count = static_cast<unsigned>(std::popcount(kinds));
  if (ptx::kind_of(type) != TypeKind::kFloat || count == 0 || (r >> 8) % one_in != 0)
    return encode(random_normal(seed, index), type);
  unsigned n = static_cast<unsigned>(r & 0xff) % count;
  for (unsigned bit = 0;; ++bit)
    if ((kinds >> bit & 1) != 0 && n-- == 0) return encode(kSpecialValues[bit], type);
}

uint64_t sample_bits(const Sample& s, int64_t index, Type type) {
  const uint64_t r = random_bits(s.seed, static_cast<uint64_t>(index));
  const bool pick = s.special != 0 && (r >> 16) % 64 == 0;
  const unsigned bits = ptx::bits_of(type);
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  if (ptx::kind_of(type) != TypeKind::kFloat) {
    if (s.pattern == SamplePattern::kIndex) return r % 32;
    if (pick) return r & mask;
    if (s.pattern == SamplePattern::kEqual) return random_bits(s.seed, UINT64_MAX) % 100 & mask;
    if (s.pattern == SamplePattern::kNegative && ptx::kind_of(type) == TypeKind::kSigned)
      return (uint64_t{0} - 1 - r % 100) & mask;
    return r % 100 & mask;
  }
  if (pick) {
    const auto n = static_cast<unsigned>((r >> 24) % std::size(kSpecialValues));
    if ((s.special >> n & 1) != 0) return encode(kSpecialValues[n], type);
  }
  // Around 0, exact in few bits of precision.
  const double x = (static_cast<double>(r & 0xffff) - 32768.0) / 16384.0;
  switch (s.pattern) {
    case SamplePattern::kEqual:
      return encode(0.1 + static_cast<double>(random_bits(s.seed, UINT64_MAX) % 8), type);
    case SamplePattern::kLarge:
      return encode(x * 64, type);
    case SamplePattern::kNegative:
      return encode(-0.5 - std::fabs(x), type);
    case SamplePattern::kWide:
      return encode(std::ldexp(x, static_cast<int>((r >> 32) % 17) - 12), type);
    case SamplePattern::kPositive:
      return encode(0.25 + std::fabs(x), type);
    default:
      return encode(x, type);
  }
}

Result<std::string> initialiser_at(std::string_view init, const Sizes& sizes) {
  std::string_view name;
  std::vector<std::string_view> arguments;
  if (!split_call(init, name, arguments))
    return input_error(fmt::format("init '{}' is not understood", init));
  if (arguments.empty()) return std::string(init);
  std::string out = fmt::format("{}(", name);
  for (const std::string_view argument : arguments) {
    auto v = evaluate_real(argument, sizes);
    if (!v) return input_error(fmt::format("init '{}': {}", init, v.error().message));
    out += fmt::format("{}{}", out.back() == '(' ? "" : ", ", *v);
  }
  return out + ")";
}

Result<std::vector<std::byte>> initial_values(std::string_view init, Type type, uint64_t count,
                                              uint64_t seed, uint64_t origin, uint64_t first) {
  const uint64_t bytes = ptx::bytes_of(type);
  if (bytes == 0 || bytes > 8)
    return input_error(fmt::format("no buffers of type '{}'", ptx::name_of(type)));
  if (count > (uint64_t{1} << 40) / bytes) return input_error("a buffer of more than 1 TiB");
  std::string_view name;
  std::vector<std::string_view> words;
  std::vector<double> a;
  if (!split_call(init, name, words) || !read_numbers(words, a))
    return input_error(fmt::format("init '{}' is not understood", init));
  if (!std::all_of(a.begin(), a.end(), [](double v) { return std::isfinite(v); }))
    return input_error(fmt::format("init '{}': only finite numbers", init));
  std::vector<std::byte> out(count * bytes);
  if (name == "zero" && a.empty()) return out;
  if (name == "poison" && a.empty()) {
    std::fill(out.begin(), out.end(), kPoison);
    return out;
  }
  const bool normal = name == "normal" && a.empty(), bits = name == "bits" && a.empty();
  const bool uniform = name == "uniform" && a.size() == 2, iota = name == "iota" && a.size() == 1;
  bool sample = name == "sample" && a.size() == 3;
  Sample like;
  if (sample) {
    sample = a[0] >= 0 && a[0] < 0x1p32 && a[1] >= 0 && a[1] < kSamplePatterns && a[2] >= 0 &&
             a[2] <= kAllSpecial;
    if (sample)
      like = {static_cast<uint64_t>(a[0]), static_cast<SamplePattern>(static_cast<int>(a[1])),
              static_cast<unsigned>(a[2])};
  }
  const bool special = name == "special" && a.size() == 2 && a[0] >= 0 && a[0] <= kAllSpecial &&
                       a[1] >= 1 && a[1] < 0x1p32;
  IndexValues indices(name, a, seed);
  if (!normal && !bits && !uniform && !iota && !sample && !special && !indices.known())
    return input_error(
        fmt::format("init '{}' is none of normal, uniform(a, b), zero, bits, iota(step), poison, "
                    "sample(seed, pattern, special), special(kinds, one_in), permutation(n), "
                    "cycle(n), csr_offsets(mean, skew)",
                    init));
  const bool integer = ptx::kind_of(type) != TypeKind::kFloat;
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t i = first + k;
    uint64_t v = 0;
    if (indices.known()) {
      v = encode(static_cast<double>(indices.at(i)), type);
    } else if (sample) {
      v = sample_bits(like, static_cast<int64_t>(i - origin), type);
    } else if (special) {
      v = special_bits(seed, i, static_cast<unsigned>(a[0]), static_cast<uint64_t>(a[1]), type);
    } else if (bits) {
      v = random_bits(seed, i);
    } else if (normal) {
      v = encode(random_normal(seed, i), type);
    } else if (uniform) {
      double x = a[0] + (a[1] - a[0]) * random_unit(seed, i);
      v = encode(integer ? std::floor(x) : x, type);
    } else {
      v = encode(a[0] * static_cast<double>(i), type);
    }
    std::memcpy(out.data() + k * bytes, &v, bytes);
  }
  return out;
}

}  // namespace pitot::device

#include "device/tensor_map_spec.h"

#include <fmt/format.h>

#include <limits>

#include "device/spec_text.h"

namespace pitot::device {
namespace {

// How bytes of the box change places (CUtensorMapSwizzle).
struct SwizzleWord {
  const char* name;
  uint8_t swizzle, atomicity;
};
constexpr SwizzleWord kSwizzles[] = {
    {"none", 0, 0}, {"32B", 1, 0},           {"64B", 2, 0},
    {"128B", 3, 0}, {"128B atom 32B", 3, 1}, {"128B atom 64B", 3, 3},
};

// The value in the type in which the map keeps it.
template <class T>
Status number_into(const std::string& text, const char* what, const Sizes& sizes, T& to) {
  auto v = evaluate(text, sizes);
  if (!v) return v.error();
  constexpr auto kLeast = static_cast<int64_t>(std::numeric_limits<T>::min());
  constexpr auto kMost =
      sizeof(T) < 8 ? static_cast<int64_t>(std::numeric_limits<T>::max()) : INT64_MAX;
  if (*v < kLeast || *v > kMost) return input_error(fmt::format("`{}` of {}", what, *v));
  to = static_cast<T>(*v);
  return Ok{};
}

template <class List>
Status numbers_into(const std::vector<std::string>& texts, const char* what, const Sizes& sizes,
                    List& to) {
  for (size_t i = 0; i < texts.size(); ++i)
    if (Status s = number_into(texts[i], what, sizes, to[i]); !s) return s;
  return Ok{};
}

}  // namespace

TensorMapSpec read_tensor_map_spec(TomlTable& t) {
  TensorMapSpec m;
  auto wrong = [&](const char* key, std::string message, std::string hint) {
    const toml::node* n = t.raw().get(key);
    t.context().error(n != nullptr ? *n : static_cast<const toml::node&>(t.raw()), "wrong-value",
                      std::move(message), std::move(hint));
  };
  if (auto s = t.text("of")) m.of = *s;
  take_expressions(t, "size", 1, 5, m.size);
  if (t.raw().get("size") == nullptr)
    t.context().error(t.raw(), "missing-key", "`size` is missing");
  const size_t rank = std::max<size_t>(m.size.size(), 1);
  take_expressions(t, "stride", rank - 1, rank - 1, m.stride);
  take_expressions(t, "box", rank, rank, m.box);
  take_expressions(t, "step", rank, rank, m.step);
  if (rank >= 3) {
    take_expressions(t, "lower", rank - 2, rank - 2, m.lower);
    take_expressions(t, "upper", rank - 2, rank - 2, m.upper);
    take_expression(t, "channels", m.channels);
    take_expression(t, "pixels", m.pixels);
  }
  if (m.im2col()) {
    for (const char* key : {"lower", "upper", "pixels"})
      if (t.raw().get(key) == nullptr)
        t.context().error(t.raw(), "missing-key",
                          fmt::format("`{}` is missing: im2col mode has corners and columns", key));
    if (t.raw().get("box") != nullptr) wrong("box", "im2col mode has columns and no box", "");
  } else if (t.raw().get("box") == nullptr) {
    t.context().error(t.raw(), "missing-key", "`box` is missing");
  }
  if (auto s = t.text("swizzle")) {
    bool known = false;
    for (const SwizzleWord& w : kSwizzles)
      if (*s == w.name) {
        m.swizzle = w.swizzle;
        m.atomicity = w.atomicity;
        known = true;
      }
    if (!known)
      wrong("swizzle", fmt::format("'{}' is no swizzle", *s),
            "none, 32B, 64B, 128B, 128B atom 32B, 128B atom 64B");
  }
  if (auto s = t.text("fill")) {
    m.fill = *s == "nan" ? 1 : 0;
    if (*s != "nan" && *s != "zero") wrong("fill", fmt::format("'{}' is no fill", *s), "zero, nan");
  }
  return m;
}

Result<emulator::TensorMap> evaluate_tensor_map(const TensorMapSpec& spec, ptx::Type type,
                                                const std::string& name, const Sizes& sizes) {
  emulator::TensorMap m;
  auto complain = [&](const std::string& why) {
    return input_error(fmt::format("tensor map '{}': {}", name, why));
  };
  m.rank = static_cast<uint8_t>(spec.size.size());
  bool known = false;
  for (uint8_t n = 0; n < 16 && !known; ++n)
    if (emulator::tensor_element(n) == type) {
      m.element = n;
      known = true;
    }
  if (!known) return complain(fmt::format("no tensors of type '{}'", ptx::name_of(type)));
  m.swizzle = spec.swizzle;
  m.atomicity = spec.atomicity;
  m.fill = spec.fill;
  m.im2col = spec.im2col();
  for (const Status& s :
       {numbers_into(spec.size, "size", sizes, m.size),
        numbers_into(spec.stride, "stride", sizes, m.stride),
        numbers_into(spec.box, "box", sizes, m.box), numbers_into(spec.step, "step", sizes, m.step),
        numbers_into(spec.lower, "lower", sizes, m.lower),
        numbers_into(spec.upper, "upper", sizes, m.upper)})
    if (!s) return complain(s.error().message);
  if (m.im2col) {
    if (Status s = number_into(spec.channels, "channels", sizes, m.channels); !s)
      return complain(s.error().message);
    if (Status s = number_into(spec.pixels, "pixels", sizes, m.pixels); !s)
      return complain(s.error().message);
  }
  if (spec.stride.empty()) {
    uint64_t dense = ptx::bytes_of(type);
    for (unsigned d = 0; d + 1 < m.rank; ++d) m.stride[d] = dense *= m.size[d];
  }
  bool covered = false;
  if (const std::string why = m.problem(covered); !why.empty())
    return complain(covered ? why : why + ": not covered");
  return m;
}

uint64_t tensor_bytes(const emulator::TensorMap& m) {
  uint64_t end = uint64_t{m.size[0]} * m.global_bytes();
  for (unsigned d = 1; d < m.rank; ++d) end += (uint64_t{m.size[d]} - 1) * m.stride[d - 1];
  return end;
}

}  // namespace pitot::device

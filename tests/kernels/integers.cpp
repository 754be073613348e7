// References of kernels whose results are integers: exact, bit for bit.
#include <algorithm>
#include <bit>
#include <cmath>

#include "reference.h"

namespace pitot::kernels {
namespace {

// Sorted ascending, values with their keys. Equal keys would leave the values' order open; random
// 32-bit keys of one block hardly have any.
void bitonic_sort(Call& c) {
  const auto &key = c.bits("key"), &value = c.bits("value");
  for (size_t first = 0; first < key.size(); first += 512) {
    std::vector<std::pair<uint64_t, uint64_t>> items;
    for (size_t i = first; i < first + 512; ++i) items.emplace_back(key[i], value[i]);
    std::sort(items.begin(), items.end());
    for (const auto& [k, v] : items) {
      c.out_bits["key"].push_back(k);
      c.out_bits["value"].push_back(v);
    }
  }
}

void sort_descending(Call& c) {
  auto x = c.in("x");
  const auto n = static_cast<int64_t>(c.size("n_cols"));
  for (auto row = x.begin(); row != x.end(); row += n)
    std::sort(row, row + n, [](double p, double q) { return p > q; });
  c.out["y"] = x;
}

void add_256(Call& c) {
  const auto &a = c.bits("a"), &b = c.bits("b");
  for (size_t i = 0; i < a.size(); i += 8) {
    uint64_t carry = 0;
    for (size_t w = i; w < i + 8; ++w) {
      carry += a[w] + b[w];
      c.out_bits["out"].push_back(carry & 0xffffffff);
      carry >>= 32;
    }
  }
}

void dot_int8(Call& c) {
  const auto &a = c.bits("a"), &b = c.bits("b");
  auto byte = [](uint64_t word, unsigned i) {
    return static_cast<int32_t>(static_cast<int8_t>(word >> (8 * i)));
  };
  for (size_t r = 0; r < a.size(); r += b.size()) {
    uint32_t sum = 0;
    for (size_t w = 0; w < b.size(); ++w)
      for (unsigned i = 0; i < 4; ++i)
        sum += static_cast<uint32_t>(byte(a[r + w], i) * byte(b[w], i));
    c.out_bits["out"].push_back(sum);
  }
}

void histogram_bytes(Call& c) {
  auto& bins = c.out_bits["bins"];
  bins.assign(256, 0);
  for (uint64_t v : c.bits("x")) ++bins[v];
}

void histogram_triton(Call& c) {
  const auto& x = c.bits("x");
  auto& bins = c.out_bits["bins"];
  bins.assign(32, 0);
  for (size_t first = 0; first < x.size(); first += 512)
    for (size_t i = first; i < first + 512; ++i) {
      // Beyond the end a block reads zeros, and counts them.
      const uint64_t v = i < x.size() ? x[i] : 0;
      ++bins[v];
      const size_t from = first + v * 7 % 512;
      if (i < x.size()) c.out_bits["picked"].push_back(from < x.size() ? x[from] : 0);
    }
}

void redux_ints(Call& c) {
  const auto& x = c.bits("x");
  const size_t warps = 4 * ((x.size() + 127) / 128);
  for (size_t w = 0; w < warps; ++w) {
    uint32_t sum = 0, least = UINT32_MAX, parity = 0;
    for (size_t i = 32 * w; i < 32 * w + 32; ++i) {
      const auto v = static_cast<uint32_t>(i < x.size() ? x[i] : 0);
      sum += v;
      least = std::min(least, v);
      parity ^= v;
    }
    for (uint32_t v : {sum, least, parity}) c.out_bits["out"].push_back(v);
  }
}

void tensor_memory(Call& c) { c.out_bits["y"] = c.bits("x"); }

void interpreter(Call& c) {
  const auto& code = c.bits("code");
  const auto& state = c.bits("state");
  auto reversed = [](uint64_t v) {
    uint64_t r = 0;
    for (unsigned i = 0; i < 64; ++i) r |= (v >> i & 1) << (63 - i);
    return r;
  };
  for (size_t i = 0; i < state.size(); ++i) {
    uint64_t a = state[i], b = i + 1;
    for (size_t pc = 0; pc < code.size(); ++pc) {
      const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
      switch (code[pc]) {
        case 0:
          a += b;
          break;
        case 1:
          a -= b;
          break;
        case 2:
          a *= b;
          break;
        case 3:
          a = sb == 0 ? 0 : sb == -1 ? 0 - a : static_cast<uint64_t>(sa / sb);
          break;
        case 4:
          a ^= b << (a & 31);
          break;
        case 5:
          b = static_cast<uint64_t>(sa >> 3);
          break;
        case 6:
          a = reversed(a);
          break;
        case 7:
          b = static_cast<uint64_t>(std::popcount(a) - std::countl_zero(b));
          break;
        case 8:
          if (sa < 0) pc = code.size();
          break;
        default:
          a = ~a;
          break;
      }
    }
    c.out_bits["state"].push_back(a);
  }
}

void mul_128(Call& c) {
  const auto &a = c.bits("a"), &b = c.bits("b");
  __extension__ typedef unsigned __int128 Wide;
  for (size_t i = 0; i < a.size(); i += 2) {
    const Wide p =
        ((static_cast<Wide>(a[i + 1]) << 64) | a[i]) * ((static_cast<Wide>(b[i + 1]) << 64) | b[i]);
    c.out_bits["out"].push_back(static_cast<uint64_t>(p));
    c.out_bits["out"].push_back(static_cast<uint64_t>(p >> 64));
  }
}

// One warp: what is above the threshold, in order; one more for all but the first of its value.
void warp_votes(Call& c) {
  const auto& x = c.bits("x");
  const auto threshold = static_cast<uint64_t>(c.scalar("threshold"));
  auto& kept = c.out_bits["kept"];
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] <= threshold) continue;
    const bool first = std::find(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i), x[i]) ==
                       x.begin() + static_cast<std::ptrdiff_t>(i);
    kept.push_back(x[i] + (first ? 0 : 1));
  }
  c.out_bits["count"] = {kept.size()};
  kept.resize(x.size(), 0);
}

// Tickets are drawn in the emulator's order of the threads, which is theirs.
void ring_queue(Call& c) {
  const auto n = static_cast<uint64_t>(c.size("n"));
  c.out_bits["flags"].assign(n, 1);
  c.out_bits["tail"] = {n};
  for (uint64_t i = 0; i < n; ++i) c.out_bits["slots"].push_back(i * 3 + 1);
  c.out_bits["taken"] = c.out_bits["slots"];
  c.out_bits["taken"].push_back(n - 1);
  c.out_bits["taken"].push_back(1);
}

}  // namespace

void add_integers(References& to) {
  to["cuda/bitonic_sort"] = bitonic_sort;
  to["triton/sort"] = sort_descending;
  to["cuda/carry_chain"] = add_256;
  to["cuda/dot_int8"] = dot_int8;
  to["cuda/histogram"] = histogram_bytes;
  to["triton/histogram"] = histogram_triton;
  to["cuda/redux_ints"] = redux_ints;
  to["cuda/tensor_memory"] = tensor_memory;
  to["cuda/interpreter"] = interpreter;
  to["cuda/mul_128"] = mul_128;
  to["cuda/warp_votes"] = warp_votes;
  to["cuda/ring_queue"] = ring_queue;
}

}  // namespace pitot::kernels

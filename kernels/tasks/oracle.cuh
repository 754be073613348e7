// What oracles share: how threads divide the results, and what f32 makes of a number. An oracle is right under every
// launch: each thread takes every so many results.
#pragma once
#include <cfloat>
#include <cmath>

using Count = long long;

// Calls f(i) for this thread's share of 0 … n − 1.
template <class F>
__device__ inline void each(Count n, F f) {
  const Count threads = Count{blockDim.x} * blockDim.y * blockDim.z;
  const Count block = (Count{blockIdx.z} * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const Count thread = (Count{threadIdx.z} * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  for (Count i = block * threads + thread; i < n; i += Count{gridDim.x} * gridDim.y * gridDim.z * threads) f(i);
}

// With the range of f32 but not its precision: what is larger is infinite there.
__device__ inline double in_f32(double v) {
  return fabs(v) >= 3.4028235677973366e38 ? copysign(INFINITY, v) : v;  // FLT_MAX and half of its last place
}

// A scale is not less than the least normal number: below it errors do not get smaller. NaN results have no scale.
__device__ inline double at_least(double scale, double least = FLT_MIN) { return fmax(fabs(scale), least); }

"""CUDA kernels by template and parameters, for fitting the register estimator.

Each template is a function of its parameters that returns the text of one kernel called NAME. They are
written to spread over what people write by hand: unrolled loops, register tiles, vector accesses, shared
memory, shuffles, special functions, all element types, tensor cores, divergent code.
"""

import itertools

PRELUDE = """
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <mma.h>
#include <cassert>
#include <cstdint>
#include <cstdio>
"""


def elementwise(T, n, expr, vec):
    load = f"*reinterpret_cast<const {T}{vec}*>(a + i * {vec})" if vec > 1 else "a[i]"
    loadb = f"*reinterpret_cast<const {T}{vec}*>(b + i * {vec})" if vec > 1 else "b[i]"
    names = ["x", "y", "z", "w"][:vec]
    body = []
    for u in range(n):
        body.append(f"{{ int i = base + {u} * stride; if (i < m) {{")
        if vec > 1:
            body.append(f"{T}{vec} p = {load}, q = {loadb}, r;")
            body += [f"{{ {T} x = p.{c}, y = q.{c}; r.{c} = {expr}; }}" for c in names]
            body.append(f"*reinterpret_cast<{T}{vec}*>(o + i * {vec}) = r; }} }}")
        else:
            body.append(f"{T} x = a[i], y = b[i]; o[i] = {expr}; }} }}")
    return f"""__global__ void NAME(const {T}* __restrict__ a, const {T}* b, {T}* o, int m, {T} k) {{
  int stride = blockDim.x * gridDim.x, base = blockIdx.x * blockDim.x + threadIdx.x;
  {' '.join(body)} }}"""


def gemm(T, tm, tn, bk, unroll, acc):
    return f"""__global__ void NAME(const {T}* __restrict__ A, const {T}* __restrict__ B, {T}* C, int M, int N, int K) {{
  __shared__ {T} As[{bk}][{tm} * 16], Bs[{bk}][{tn} * 16];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  {acc} c[{tm}][{tn}] = {{}};
  for (int k0 = 0; k0 < K; k0 += {bk}) {{
    for (int i = threadIdx.x; i < {bk} * {tm} * 16; i += 256) As[i % {bk}][i / {bk}] = A[(blockIdx.y * {tm} * 16 + i / {bk}) * K + k0 + i % {bk}];
    for (int i = threadIdx.x; i < {bk} * {tn} * 16; i += 256) Bs[i / ({tn} * 16)][i % ({tn} * 16)] = B[(k0 + i / ({tn} * 16)) * N + blockIdx.x * {tn} * 16 + i % ({tn} * 16)];
    __syncthreads();
#pragma unroll {unroll}
    for (int k = 0; k < {bk}; ++k) {{
      {T} a[{tm}], b[{tn}];
#pragma unroll
      for (int i = 0; i < {tm}; ++i) a[i] = As[k][ty * {tm} + i];
#pragma unroll
      for (int j = 0; j < {tn}; ++j) b[j] = Bs[k][tx * {tn} + j];
#pragma unroll
      for (int i = 0; i < {tm}; ++i)
#pragma unroll
        for (int j = 0; j < {tn}; ++j) c[i][j] += ({acc})a[i] * ({acc})b[j];
    }}
    __syncthreads();
  }}
#pragma unroll
  for (int i = 0; i < {tm}; ++i)
#pragma unroll
    for (int j = 0; j < {tn}; ++j) C[(blockIdx.y * {tm} * 16 + ty * {tm} + i) * N + blockIdx.x * {tn} * 16 + tx * {tn} + j] = ({T})c[i][j];
}}"""


def gemm_direct(T, tm, tn, unroll):
    return f"""__global__ void NAME(const {T}* __restrict__ A, const {T}* __restrict__ B, {T}* __restrict__ C, int N, int K) {{
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * {tm}, col = (blockIdx.x * blockDim.x + threadIdx.x) * {tn};
  {T} c[{tm}][{tn}] = {{}};
#pragma unroll {unroll}
  for (int k = 0; k < K; ++k) {{
#pragma unroll
    for (int i = 0; i < {tm}; ++i)
#pragma unroll
      for (int j = 0; j < {tn}; ++j) c[i][j] += A[(row + i) * K + k] * B[k * N + col + j];
  }}
#pragma unroll
  for (int i = 0; i < {tm}; ++i)
#pragma unroll
    for (int j = 0; j < {tn}; ++j) C[(row + i) * N + col + j] = c[i][j];
}}"""


def reduce_sum(T, unroll, op, shuffle):
    tail = (
        "for (int d = 16; d; d >>= 1) s = OP(s, __shfl_down_sync(~0u, s, d)); if (threadIdx.x % 32 == 0) o[blockIdx.x * 8 + threadIdx.x / 32] = s;"
        if shuffle
        else f"__shared__ {T} w[256]; w[threadIdx.x] = s; __syncthreads(); for (int d = 128; d; d >>= 1) {{ if (threadIdx.x < d) w[threadIdx.x] = OP(w[threadIdx.x], w[threadIdx.x + d]); __syncthreads(); }} if (threadIdx.x == 0) o[blockIdx.x] = w[0];"
    )
    text = f"""__global__ void NAME(const {T}* __restrict__ a, {T}* o, int n) {{
  {T} s = 0; int stride = blockDim.x * gridDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + {unroll - 1} * stride < n; i += {unroll} * stride) {{
    {' '.join(f'{T} v{u} = a[i + {u} * stride];' for u in range(unroll))}
    {' '.join(f's = OP(s, v{u});' for u in range(unroll))}
  }}
  for (; i < n; i += stride) s = OP(s, a[i]);
  {tail} }}"""
    expr = {"add": "((p) + (q))", "max": "((p) > (q) ? (p) : (q))", "xor": "((p) ^ (q))"}[op]
    return f"#define OP(p, q) {expr}\n{text}\n#undef OP"


def stencil3d(T, r, depth):
    return f"""__global__ void NAME(const {T}* __restrict__ a, {T}* o, int nx, int ny, int nz, {T} c0, {T} c1) {{
  int x = blockIdx.x * blockDim.x + threadIdx.x + {r}, y = blockIdx.y * blockDim.y + threadIdx.y + {r};
  int p = nx * ny; const {T}* s = a + y * nx + x; {T}* t = o + y * nx + x;
  {T} q[{2 * r + 1}];
#pragma unroll
  for (int k = 0; k < {2 * r}; ++k) q[k + 1] = s[k * p];
#pragma unroll {depth}
  for (int z = {r}; z < nz - {r}; ++z) {{
#pragma unroll
    for (int k = 0; k < {2 * r}; ++k) q[k] = q[k + 1];
    q[{2 * r}] = s[(z + {r}) * p];
    {T} v = c0 * q[{r}];
#pragma unroll
    for (int d = 1; d <= {r}; ++d) v += c1 * (q[{r} - d] + q[{r} + d] + s[z * p - d] + s[z * p + d] + s[z * p - d * nx] + s[z * p + d * nx]);
    t[z * p] = v;
  }} }}"""


def lattice(T, q, order):
    lines = [f"{T} f{i} = f[{i} * n + (t + {((i * 37) % 19) - 9} + n) % n];" for i in range(q)]
    rho = " + ".join(f"f{i}" for i in range(q))
    ux = " + ".join(f"f{i} * ({T})({(i % 3) - 1})" for i in range(q))
    uy = " + ".join(f"f{i} * ({T})({(i // 3 % 3) - 1})" for i in range(q))
    outs = [
        f"g[{i} * n + t] = f{i} - w * (f{i} - rho * ({T}){1.0 / (i + 2):.4f} * (1 + 3 * (ux * ({T})({(i % 3) - 1}) + uy * ({T})({(i // 3 % 3) - 1})) {'- ({0})1.5 * (ux * ux + uy * uy)'.format(T) if order > 1 else ''}));"
        for i in range(q)
    ]
    return f"""__global__ void NAME(const {T}* __restrict__ f, {T}* g, int n, {T} w) {{
  int t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= n) return;
  {' '.join(lines)} {T} rho = {rho}, ux = ({ux}) / rho, uy = ({uy}) / rho; {' '.join(outs)} }}"""


def nbody(T, unroll, tile):
    return f"""__global__ void NAME(const {T}* __restrict__ p, {T}* a, int n, {T} eps) {{
  __shared__ {T} s[{tile}][4]; int i = blockIdx.x * blockDim.x + threadIdx.x;
  {T} x = p[4 * i], y = p[4 * i + 1], z = p[4 * i + 2], ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += {tile}) {{
    for (int k = threadIdx.x; k < {tile} * 4; k += blockDim.x) s[k / 4][k % 4] = p[4 * t + k];
    __syncthreads();
#pragma unroll {unroll}
    for (int j = 0; j < {tile}; ++j) {{ {T} dx = s[j][0] - x, dy = s[j][1] - y, dz = s[j][2] - z;
      {T} r = rsqrt(dx * dx + dy * dy + dz * dz + eps), m = s[j][3] * r * r * r; ax += dx * m; ay += dy * m; az += dz * m; }}
    __syncthreads(); }}
  a[3 * i] = ax; a[3 * i + 1] = ay; a[3 * i + 2] = az; }}"""


def fft(T, radix, stages):
    lines = [f"{T} r{i} = x[2 * (t + {i} * n)], i{i} = x[2 * (t + {i} * n) + 1];" for i in range(radix)]
    half = radix // 2
    for s in range(stages):
        step = 1 << (s % max(1, radix.bit_length() - 1))
        for i in range(radix):
            j = i ^ step
            if i < j < radix:
                lines.append(
                    f"{{ {T} a = r{i}, b = i{i}, c = r{j} * ({T}){0.3 + 0.1 * s:.2f} - i{j} * ({T})0.7, d = r{j} * ({T})0.7 + i{j} * ({T}){0.3 + 0.1 * s:.2f}; r{i} = a + c; i{i} = b + d; r{j} = a - c; i{j} = b - d; }}"
                )
    lines += [f"y[2 * (t * {radix} + {i})] = r{i}; y[2 * (t * {radix} + {i}) + 1] = i{i};" for i in range(radix)]
    return f"__global__ void NAME(const {T}* __restrict__ x, {T}* y, int n) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; {' '.join(lines)} }}"


def small_matrix(T, n, kind):
    load = f"{T} a[{n}][{n}]; for (int i = 0; i < {n}; ++i) for (int j = 0; j < {n}; ++j) a[i][j] = A[(i * {n} + j) * m + t];"
    if kind == "lu":
        work = f"""_Pragma("unroll") for (int k = 0; k < {n}; ++k) _Pragma("unroll") for (int i = k + 1; i < {n}; ++i) {{ a[i][k] /= a[k][k]; _Pragma("unroll") for (int j = k + 1; j < {n}; ++j) a[i][j] -= a[i][k] * a[k][j]; }}"""
    elif kind == "square":
        work = f"""{T} b[{n}][{n}]; _Pragma("unroll") for (int i = 0; i < {n}; ++i) _Pragma("unroll") for (int j = 0; j < {n}; ++j) {{ {T} s = 0; _Pragma("unroll") for (int k = 0; k < {n}; ++k) s += a[i][k] * a[k][j]; b[i][j] = s; }} _Pragma("unroll") for (int i = 0; i < {n}; ++i) _Pragma("unroll") for (int j = 0; j < {n}; ++j) a[i][j] = b[i][j];"""
    else:
        work = f"""_Pragma("unroll") for (int i = 0; i < {n}; ++i) _Pragma("unroll") for (int j = 0; j < i; ++j) {{ {T} s = a[i][j]; a[i][j] = a[j][i]; a[j][i] = s; }}"""
    store = f"for (int i = 0; i < {n}; ++i) for (int j = 0; j < {n}; ++j) B[(i * {n} + j) * m + t] = a[i][j];"
    return f"""__global__ void NAME(const {T}* A, {T}* B, int m) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; if (t >= m) return;
  _Pragma("unroll") {load.split(';')[0]}; _Pragma("unroll") {';'.join(load.split(';')[1:]).replace('for (int j', '_Pragma("unroll") for (int j')}
  {work} _Pragma("unroll") {store.replace('for (int j', '_Pragma("unroll") for (int j')} }}"""


def sort_network(T, n):
    pairs = []
    k = 2
    while k <= n:
        j = k // 2
        while j:
            pairs += [(i, i ^ j, (i & k) == 0) for i in range(n) if i < i ^ j]
            j //= 2
        k *= 2
    swaps = " ".join(
        f"{{ {T} p = v[{a}], q = v[{b}]; v[{a}] = {'min' if up else 'max'}(p, q); v[{b}] = {'max' if up else 'min'}(p, q); }}"
        for a, b, up in pairs
    )
    return f"""__global__ void NAME(const {T}* __restrict__ x, {T}* y) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; {T} v[{n}];
#pragma unroll
  for (int i = 0; i < {n}; ++i) v[i] = x[t * {n} + i];
  {swaps}
#pragma unroll
  for (int i = 0; i < {n}; ++i) y[t * {n} + i] = v[i]; }}"""


def rounds(kind, n):
    if kind == "chacha":
        q = "a += b; d = rot(d ^ a, 16); c += d; b = rot(b ^ c, 12); a += b; d = rot(d ^ a, 8); c += d; b = rot(b ^ c, 7);"
        return f"""__device__ __forceinline__ uint32_t NAME_rot(uint32_t x, int k) {{ return __funnelshift_l(x, x, k); }}
__global__ void NAME(const uint32_t* key, uint32_t* o) {{ uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, s[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) s[i] = key[i] + t * i;
#pragma unroll {n}
  for (int r = 0; r < 10; ++r) {{
#pragma unroll
    for (int i = 0; i < 4; ++i) {{ uint32_t &a = s[i], &b = s[4 + i], &c = s[8 + i], &d = s[12 + i]; {q.replace('rot', 'NAME_rot')} }}
#pragma unroll
    for (int i = 0; i < 4; ++i) {{ uint32_t &a = s[i], &b = s[4 + (i + 1) % 4], &c = s[8 + (i + 2) % 4], &d = s[12 + (i + 3) % 4]; {q.replace('rot', 'NAME_rot')} }}
  }}
#pragma unroll
  for (int i = 0; i < 16; ++i) o[t * 16 + i] = s[i]; }}"""
    if kind == "philox":
        return f"""__global__ void NAME(uint32_t* o, uint32_t k0, uint32_t k1, int m) {{ uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; ++j) {{ uint32_t c0 = t, c1 = j, c2 = 0, c3 = 7, a = k0, b = k1;
#pragma unroll {n}
    for (int r = 0; r < 10; ++r) {{ uint32_t h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
      c0 = h1 ^ c1 ^ a; c1 = l1; c2 = h0 ^ c3 ^ b; c3 = l0; a += 0x9E3779B9u; b += 0xBB67AE85u; }}
    reinterpret_cast<uint4*>(o)[t * m + j] = make_uint4(c0, c1, c2, c3); }} }}"""
    return f"""__global__ void NAME(const uint32_t* in, uint32_t* o) {{ uint32_t t = blockIdx.x * blockDim.x + threadIdx.x, w[16], h[8];
#pragma unroll
  for (int i = 0; i < 16; ++i) w[i] = in[t * 16 + i];
#pragma unroll
  for (int i = 0; i < 8; ++i) h[i] = 0x6a09e667u * (i + 1);
#pragma unroll {n}
  for (int r = 0; r < 64; ++r) {{ uint32_t s1 = __funnelshift_r(h[4], h[4], 6) ^ __funnelshift_r(h[4], h[4], 11) ^ __funnelshift_r(h[4], h[4], 25);
    uint32_t t1 = h[7] + s1 + ((h[4] & h[5]) ^ (~h[4] & h[6])) + w[r % 16] + 0x428a2f98u * r;
    uint32_t t2 = (__funnelshift_r(h[0], h[0], 2) ^ __funnelshift_r(h[0], h[0], 13)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
#pragma unroll
    for (int i = 7; i > 0; --i) h[i] = h[i - 1];
    h[4] += t1; h[0] = t1 + t2; w[r % 16] += __funnelshift_r(w[(r + 1) % 16], w[(r + 1) % 16], 7) + w[(r + 9) % 16]; }}
#pragma unroll
  for (int i = 0; i < 8; ++i) o[t * 8 + i] = h[i]; }}"""


def softmax(T, vec, online):
    if online:
        return f"""__global__ void NAME(const {T}* __restrict__ x, {T}* o, int n) {{ x += (size_t)blockIdx.x * n; o += (size_t)blockIdx.x * n; float m = -1e30f, s = 0;
  for (int i = threadIdx.x * {vec}; i < n; i += blockDim.x * {vec}) {{
#pragma unroll
    for (int j = 0; j < {vec}; ++j) {{ float v = x[i + j], q = fmaxf(m, v); s = s * __expf(m - q) + __expf(v - q); m = q; }} }}
  for (int d = 16; d; d >>= 1) {{ float m2 = __shfl_xor_sync(~0u, m, d), s2 = __shfl_xor_sync(~0u, s, d), q = fmaxf(m, m2); s = s * __expf(m - q) + s2 * __expf(m2 - q); m = q; }}
  float inv = 1 / s;
  for (int i = threadIdx.x * {vec}; i < n; i += blockDim.x * {vec}) {{
#pragma unroll
    for (int j = 0; j < {vec}; ++j) o[i + j] = ({T})(__expf((float)x[i + j] - m) * inv); }} }}"""
    return f"""__global__ void NAME(const {T}* __restrict__ x, {T}* o) {{ x += (size_t)blockIdx.x * {vec} * blockDim.x; o += (size_t)blockIdx.x * {vec} * blockDim.x; float v[{vec}], m = -1e30f, s = 0; __shared__ float w[32];
#pragma unroll
  for (int j = 0; j < {vec}; ++j) {{ v[j] = x[threadIdx.x + j * blockDim.x]; m = fmaxf(m, v[j]); }}
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = m; __syncthreads(); m = w[threadIdx.x % 8]; for (int d = 4; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); __syncthreads();
#pragma unroll
  for (int j = 0; j < {vec}; ++j) {{ v[j] = expf(v[j] - m); s += v[j]; }}
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s; __syncthreads(); s = w[threadIdx.x % 8]; for (int d = 4; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
#pragma unroll
  for (int j = 0; j < {vec}; ++j) o[threadIdx.x + j * blockDim.x] = ({T})(v[j] / s); }}"""


def layernorm(T, vec, backward):
    extra = f"float g[{vec}], dg = 0;" if backward else ""
    return f"""__global__ void NAME(const {T}* __restrict__ x, const {T}* __restrict__ w, const {T}* __restrict__ b, {T}* o, int n, float eps) {{ float v[{vec}], s = 0, q = 0; {extra} x += (size_t)blockIdx.x * n; o += (size_t)blockIdx.x * n;
#pragma unroll
  for (int j = 0; j < {vec}; ++j) {{ int i = threadIdx.x + j * blockDim.x; v[j] = i < n ? (float)x[i] : 0.f; s += v[j]; q += v[j] * v[j]; {'g[j] = i < n ? (float)b[i] : 0.f; dg += g[j] * v[j];' if backward else ''} }}
  for (int d = 16; d; d >>= 1) {{ s += __shfl_xor_sync(~0u, s, d); q += __shfl_xor_sync(~0u, q, d); {'dg += __shfl_xor_sync(~0u, dg, d);' if backward else ''} }}
  float mu = s / n, r = rsqrtf(q / n - mu * mu + eps);
#pragma unroll
  for (int j = 0; j < {vec}; ++j) {{ int i = threadIdx.x + j * blockDim.x; if (i < n) o[i] = ({T})((v[j] - mu) * r * (float)w[i] {'- g[j] * dg * r' if backward else '+ (float)b[i]'}); }} }}"""


def attention(d, bk, unroll):
    return f"""__global__ void NAME(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* O, int n, float sc) {{
  __shared__ float ks[{bk}][{d}], vs[{bk}][{d}]; int t = blockIdx.x * blockDim.x + threadIdx.x; float q[{d}], o[{d}] = {{}}, m = -1e30f, l = 0;
#pragma unroll
  for (int i = 0; i < {d}; ++i) q[i] = Q[t * {d} + i] * sc;
  for (int j0 = 0; j0 < n; j0 += {bk}) {{ for (int i = threadIdx.x; i < {bk} * {d}; i += blockDim.x) {{ ks[i / {d}][i % {d}] = K[j0 * {d} + i]; vs[i / {d}][i % {d}] = V[j0 * {d} + i]; }} __syncthreads();
#pragma unroll {unroll}
    for (int j = 0; j < {bk}; ++j) {{ float s = 0;
#pragma unroll
      for (int i = 0; i < {d}; ++i) s += q[i] * ks[j][i];
      float p = fmaxf(m, s), e = __expf(s - p), c = __expf(m - p); l = l * c + e; m = p;
#pragma unroll
      for (int i = 0; i < {d}; ++i) o[i] = o[i] * c + e * vs[j][i]; }} __syncthreads(); }}
#pragma unroll
  for (int i = 0; i < {d}; ++i) O[t * {d} + i] = o[i] / l; }}"""


def conv(T, k, tile, unroll):
    return f"""__global__ void NAME(const {T}* __restrict__ x, const {T}* __restrict__ w, {T}* y, int W, int H, int C) {{ int ox = (blockIdx.x * blockDim.x + threadIdx.x) * {tile}, oy = blockIdx.y * blockDim.y + threadIdx.y; {T} s[{tile}] = {{}};
#pragma unroll {unroll}
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int i = 0; i < {k}; ++i) {{ {T} r[{tile + k - 1}];
#pragma unroll
      for (int j = 0; j < {tile + k - 1}; ++j) r[j] = x[(c * H + oy + i) * W + ox + j];
#pragma unroll
      for (int j = 0; j < {k}; ++j) {{ {T} f = w[(c * {k} + i) * {k} + j];
#pragma unroll
        for (int u = 0; u < {tile}; ++u) s[u] += f * r[u + j]; }} }}
#pragma unroll
  for (int u = 0; u < {tile}; ++u) y[oy * W + ox + u] = s[u]; }}"""


def iterate(kind, T, n):
    body = {
        "mandel": f"{T} x = cx, y = cy; int k = 0; for (; k < m && x * x + y * y < 4; ++k) {{ {T} z = x * x - y * y + cx; y = 2 * x * y + cy; x = z; }} r = k;",
        "poly": f"{T} x = cx; {' '.join(f'r = r * x + c[{i}];' for i in range(n))}",
        "estrin": f"{T} x = cx, x2 = x * x, x4 = x2 * x2; {' '.join(f'{T} e{i} = c[{2 * i}] + c[{2 * i + 1}] * x;' for i in range(n))} {' '.join(f'r += e{i} * (x2 + {i} * x4);' for i in range(n))}",
        "trig": f"{T} x = cx; {' '.join(f'r += sin(x * {i + 1}) * cos(x + {i});' for i in range(n))}",
        "explog": f"{T} x = cx * cx + 1; {' '.join(f'r += exp(-x * {i + 1}) * log(x + {i + 1}) + sqrt(x + {i});' for i in range(n))}",
        "div": f"{T} x = cx; {' '.join(f'r += (x + {i + 1}) / (cy + {i + 2});' for i in range(n))}",
        "pow": f"{' '.join(f'r += pow(cx * cx + {i}, cy);' for i in range(n))}",
        "erf": f"{' '.join(f'r += erf(cx + {i}) + tanh(cy * {i + 1});' for i in range(n))}",
        "newton": f"{T} x = cx; for (int i = 0; i < m; ++i) {{ {' '.join('x = x - (x * x * x - cy) / (3 * x * x + 1);' for _ in range(n))} }} r = x;",
    }[kind]
    return f"__global__ void NAME(const {T}* __restrict__ a, const {T}* __restrict__ b, const {T}* c, {T}* o, int m) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; {T} cx = a[t], cy = b[t], r = 0; {body} o[t] = r; }}"


def integer(kind, n):
    body = {
        "divmod": " ".join(f"{{ int q = x / d{i}; r = r * 31 + (x - q * d{i}); x = q + {i}; }}" for i in range(n)),
        "bits": " ".join(f"r += __popc(x ^ {0x9e3779b9 + i:#x}u) + __clz(x + {i}) + __ffs(x) + __brev(x * {2 * i + 1});" for i in range(n)),
        "hash64": " ".join(f"h ^= h >> 33; h *= {0xff51afd7ed558ccd - i:#x}ull; h += x + {i};" for i in range(n)) + " r = (int)h;",
        "dp4a": " ".join(f"r = __dp4a(x + {i}, (int)h ^ {i}, r);" for i in range(n)),
        "branches": " ".join(f"if (x & {1 << (i % 30)}) r = r * {i + 3} + (int)h; else {{ r ^= x >> {i % 20}; h += r; }}" for i in range(n)),
        "switch": "switch (x %% %d) { %s }" % (n + 2, " ".join(f"case {i}: r = x * {i + 1} + (int)(h >> {i}); break;" for i in range(n))),
    }[kind]
    args = ", ".join(f"int d{i}" for i in range(n)) if kind == "divmod" else "int d0"
    return f"__global__ void NAME(const int* __restrict__ a, const unsigned long long* __restrict__ b, int* o, {args}) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; int x = a[t], r = 0; unsigned long long h = b[t]; {body} o[t] = r; }}"


def gather(T, n, kind):
    if kind == "spmv":
        return f"""__global__ void NAME(const int* __restrict__ row, const int* __restrict__ col, const {T}* __restrict__ v, const {T}* __restrict__ x, {T}* y, int m) {{ int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= m) return; {T} s = 0;
#pragma unroll {n}
  for (int i = row[r]; i < row[r + 1]; ++i) s += v[i] * x[col[i]]; y[r] = s; }}"""
    if kind == "interp":
        return f"""__global__ void NAME(const {T}* __restrict__ g, const {T}* __restrict__ p, {T}* o, int nx, int ny, int nz) {{ int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int u = 0; u < {n}; ++u) {{ {T} x = p[3 * (t * {n} + u)], y = p[3 * (t * {n} + u) + 1], z = p[3 * (t * {n} + u) + 2]; int i = (int)x, j = (int)y, k = (int)z; x -= i; y -= j; z -= k; const {T}* q = g + (k * ny + j) * nx + i; size_t s = (size_t)nx * ny;
    {T} a = q[0] + x * (q[1] - q[0]), b = q[nx] + x * (q[nx + 1] - q[nx]), c = q[s] + x * (q[s + 1] - q[s]), d = q[s + nx] + x * (q[s + nx + 1] - q[s + nx]); a += y * (b - a); c += y * (d - c); o[t * {n} + u] = a + z * (c - a); }} }}"""
    if kind == "histogram":
        return f"""__global__ void NAME(const {T}* __restrict__ a, int* h, int n) {{ __shared__ int s[256]; s[threadIdx.x] = 0; __syncthreads();
#pragma unroll {n}
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[(int)a[i] & 255], 1); __syncthreads(); atomicAdd(&h[threadIdx.x], s[threadIdx.x]); }}"""
    if kind == "transpose":
        return f"""__global__ void NAME(const {T}* __restrict__ a, {T}* o, int w, int h) {{ __shared__ {T} s[32][33]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += {32 // n}) s[threadIdx.y + j][threadIdx.x] = a[(y + j) * w + x]; __syncthreads(); x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += {32 // n}) o[(y + j) * h + x] = s[threadIdx.x][threadIdx.y + j]; }}"""
    return f"""__global__ void NAME(const {T}* __restrict__ a, {T}* o, int n) {{ __shared__ {T} s[512]; int t = threadIdx.x; {T} v[{n}], c = 0;
#pragma unroll
  for (int i = 0; i < {n}; ++i) {{ v[i] = a[(blockIdx.x * 256 + t) * {n} + i]; c += v[i]; v[i] = c; }}
  s[t] = 0; s[t + 256] = c; __syncthreads(); for (int d = 1; d < 256; d <<= 1) {{ {T} q = s[t + 256 - d]; __syncthreads(); s[t + 256] += q; __syncthreads(); }}
  {T} e = s[t + 255];
#pragma unroll
  for (int i = 0; i < {n}; ++i) o[(blockIdx.x * 256 + t) * {n} + i] = v[i] + e; }}"""


def wmma(tm, tn, T):
    return f"""__global__ void NAME(const {T}* __restrict__ A, const {T}* __restrict__ B, float* C, int N, int K) {{ using namespace nvcuda; wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[{tm}][{tn}];
  for (int i = 0; i < {tm}; ++i) for (int j = 0; j < {tn}; ++j) wmma::fill_fragment(c[i][j], 0.f);
  for (int k = 0; k < K; k += 16) {{ wmma::fragment<wmma::matrix_a, 16, 16, 16, {T}, wmma::row_major> a[{tm}]; wmma::fragment<wmma::matrix_b, 16, 16, 16, {T}, wmma::row_major> b[{tn}];
    for (int i = 0; i < {tm}; ++i) wmma::load_matrix_sync(a[i], A + (blockIdx.y * {tm} + i) * 16 * K + k, K);
    for (int j = 0; j < {tn}; ++j) wmma::load_matrix_sync(b[j], B + k * N + (blockIdx.x * {tn} + j) * 16, N);
    for (int i = 0; i < {tm}; ++i) for (int j = 0; j < {tn}; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]); }}
  for (int i = 0; i < {tm}; ++i) for (int j = 0; j < {tn}; ++j) wmma::store_matrix_sync(C + (blockIdx.y * {tm} + i) * 16 * N + (blockIdx.x * {tn} + j) * 16, c[i][j], N, wmma::mem_row_major); }}"""


def half2(n, fma):
    op = "__hfma2(x, y, z)" if fma else "__hmul2(__hadd2(x, y), z)"
    return f"""__global__ void NAME(const __half2* __restrict__ a, const __half2* __restrict__ b, __half2* o) {{ int t = blockIdx.x * blockDim.x + threadIdx.x; __half2 z = __float2half2_rn(0.f);
#pragma unroll
  for (int i = 0; i < {n}; ++i) {{ __half2 x = a[t * {n} + i], y = b[t * {n} + i]; z = {op}; o[t * {n} + i] = z; }} }}"""


def option_price(T, n):
    return f"""__device__ __forceinline__ {T} NAME_cnd({T} d) {{ {T} k = 1 / (1 + ({T})0.2316419 * fabs(d)); {T} c = ({T})0.39894228 * exp(-({T})0.5 * d * d) * (k * (({T})0.31938153 + k * (-({T})0.356563782 + k * (({T})1.781477937 + k * (-({T})1.821255978 + k * ({T})1.330274429))))); return d > 0 ? 1 - c : c; }}
__global__ void NAME(const {T}* __restrict__ s, const {T}* __restrict__ x, const {T}* __restrict__ t, {T}* c, {T}* p, {T} r, {T} v) {{ int i0 = (blockIdx.x * blockDim.x + threadIdx.x) * {n};
#pragma unroll
  for (int u = 0; u < {n}; ++u) {{ int i = i0 + u; {T} q = sqrt(t[i]), d1 = (log(s[i] / x[i]) + (r + ({T})0.5 * v * v) * t[i]) / (v * q), d2 = d1 - v * q, e = exp(-r * t[i]); {T} a = NAME_cnd(d1), b = NAME_cnd(d2); c[i] = s[i] * a - x[i] * e * b; p[i] = x[i] * e * (1 - b) - s[i] * (1 - a); }} }}"""


def bounds(text, limit):
    return text.replace("__global__ void NAME", f"__global__ void {limit} NAME")


def all_kernels():
    """(family, text) of every parameter combination."""
    P = itertools.product
    out = []
    add = lambda family, text: out.append((family, text))
    exprs = ["x * k + y", "x / (y + k)", "x > y ? x * k : y - k", "x * x + y * y * k + x * y"]
    for T, n, e, v in P(["float", "double", "int"], [1, 2, 4, 8], exprs, [1, 2, 4]):
        if T != "double" or v < 4:
            add("elementwise", elementwise(T, n, e, v))
    for T, tm, tn, bk, u in P(["float"], [1, 2, 4, 8], [1, 2, 4, 8], [8, 16], [1, 4, 8]):
        add("gemm", gemm(T, tm, tn, bk, u, "float"))
    for T, tm, tn, u in P(["double", "half", "int"], [2, 4], [2, 4, 8], [1, 4]):
        add("gemm_types", gemm(T.replace("half", "__half"), tm, tn, 8, u, "float" if T == "half" else T))
    for T, tm, tn, u in P(["float", "double"], [1, 2, 3, 4, 6], [1, 2, 4, 5], [1, 2, 4, 8]):
        add("gemm_direct", gemm_direct(T, tm, tn, u))
    for T, u, op, s in P(["float", "int", "double"], [1, 2, 4, 8, 16], ["add", "max"], [True, False]):
        add("reduce", reduce_sum(T, u, op, s))
    for T, r, d in P(["float", "double"], [1, 2, 3, 4], [1, 2, 4]):
        add("stencil", stencil3d(T, r, d))
    for T, q, o in P(["float", "double"], [9, 15, 19, 27], [1, 2]):
        add("lattice", lattice(T, q, o))
    for T, u, t in P(["float", "double"], [1, 2, 4, 8, 16], [64, 256]):
        add("nbody", nbody(T, u, t))
    for T, r, s in P(["float", "double"], [2, 4, 8, 16, 32], [1, 3, 5]):
        if T == "float" or r < 32:
            add("fft", fft(T, r, s))
    for T, n, k in P(["float", "double"], [2, 3, 4, 5, 6, 8], ["lu", "square", "transpose"]):
        add("small_matrix", small_matrix(T, n, k))
    for T, n in P(["float", "int", "double"], [4, 8, 16, 32]):
        add("sort", sort_network(T, n))
    for k, n in P(["chacha", "philox", "sha"], [1, 2, 5, 10, 16, 64]):
        add("rounds", rounds(k, n))
    for T, v, o in P(["float", "__half"], [1, 2, 4, 8, 16], [True, False]):
        add("softmax", softmax(T, v, o))
    for T, v, b in P(["float", "__half", "__nv_bfloat16"], [1, 2, 4, 8, 16], [True, False]):
        add("layernorm", layernorm(T, v, b))
    for d, bk, u in P([8, 16, 32, 64], [16, 32], [1, 2, 4]):
        add("attention", attention(d, bk, u))
    for T, k, t, u in P(["float", "double"], [3, 5, 7], [1, 2, 4, 8], [1, 2]):
        add("conv", conv(T, k, t, u))
    for k, T, n in P(["mandel", "poly", "estrin", "trig", "explog", "div", "pow", "erf", "newton"], ["float", "double"], [1, 2, 4, 8]):
        if k != "pow" or n < 8:
            add("math_" + k, iterate(k, T, n))
    for k, n in P(["divmod", "bits", "hash64", "dp4a", "branches", "switch"], [1, 2, 4, 8, 16]):
        add("integer", integer(k, n))
    for T, n, k in P(["float", "double", "int"], [1, 2, 4, 8], ["spmv", "interp", "histogram", "transpose", "scan"]):
        add(k, gather(T, n, k))
    for tm, tn, T in P([1, 2, 4], [1, 2, 4], ["__half", "__nv_bfloat16"]):
        add("wmma", wmma(tm, tn, T))
    for n, f in P([1, 2, 4, 8, 16], [True, False]):
        add("half2", half2(n, f))
    for T, n in P(["float", "double"], [1, 2, 4]):
        add("option", option_price(T, n))
    return out


if __name__ == "__main__":
    kernels = all_kernels()
    print(len(kernels), "kernels in", len({f for f, _ in kernels}), "families")

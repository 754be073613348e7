"""More CUDA templates for the register estimator: kernels as people tune them by hand.

Texts are string.Template with $PARAMETERS; TUNED lists (family, text, {parameter: values}) and every
combination becomes one kernel called NAME.
"""

import itertools
import string

GEMM_BUFFERED = """
__global__ void NAME(const float* $R A, const float* $R B, float* C, int M, int N, int K) {
  __shared__ float As[2][$BK][$TM * 16 + 4], Bs[2][$BK][$TN * 16];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16; float c[$TM][$TN] = {}, a[$TM], b[$TN];
  const float* pa = A + (blockIdx.y * $TM * 16 + threadIdx.x / ($BK / 4)) * K + threadIdx.x % ($BK / 4) * 4;
  const float* pb = B + threadIdx.x / ($TN * 4) * N + blockIdx.x * $TN * 16 + threadIdx.x % ($TN * 4) * 4;
  float4 ra = *(const float4*)pa, rb = *(const float4*)pb; int s = 0;
  for (int k0 = 0; k0 < K; k0 += $BK) {
    int r = threadIdx.x / ($BK / 4), q = threadIdx.x % ($BK / 4) * 4;
    As[s][q][r] = ra.x; As[s][q + 1][r] = ra.y; As[s][q + 2][r] = ra.z; As[s][q + 3][r] = ra.w;
    *(float4*)&Bs[s][threadIdx.x / ($TN * 4)][threadIdx.x % ($TN * 4) * 4] = rb;
    __syncthreads();
    if (k0 + $BK < K) { ra = *(const float4*)(pa + k0 + $BK); rb = *(const float4*)(pb + (k0 + $BK) * N); }
#pragma unroll $U
    for (int k = 0; k < $BK; ++k) {
#pragma unroll
      for (int i = 0; i < $TM; i += 4) *(float4*)&a[i] = *(float4*)&As[s][k][ty * $TM + i];
#pragma unroll
      for (int j = 0; j < $TN; j += 4) *(float4*)&b[j] = *(float4*)&Bs[s][k][tx * $TN + j];
#pragma unroll
      for (int i = 0; i < $TM; ++i)
#pragma unroll
        for (int j = 0; j < $TN; ++j) c[i][j] = fmaf(a[i], b[j], c[i][j]);
    }
    s ^= 1;
  }
#pragma unroll
  for (int i = 0; i < $TM; ++i)
#pragma unroll
    for (int j = 0; j < $TN; j += 4) *(float4*)&C[(blockIdx.y * $TM * 16 + ty * $TM + i) * N + blockIdx.x * $TN * 16 + tx * $TN + j] = make_float4(c[i][j], c[i][j + 1], c[i][j + 2], c[i][j + 3]);
}"""

GEMM_GUARDED = """
__global__ void $L NAME(const $T* $R A, const $T* $R B, $T* C, int M, int N, int K, $T alpha, $T beta) {
  __shared__ $T As[$BS * $TM][$BS + 1], Bs[$BS][$BS * $TN + 1];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * $BS * $TM + ty, col = blockIdx.x * $BS * $TN + tx; $T c[$TM][$TN] = {};
  for (int t = 0; t < (K + $BS - 1) / $BS; ++t) {
#pragma unroll
    for (int i = 0; i < $TM; ++i) As[ty + i * $BS][tx] = row + i * $BS < M && t * $BS + tx < K ? A[(row + i * $BS) * K + t * $BS + tx] : ($T)0;
#pragma unroll
    for (int j = 0; j < $TN; ++j) Bs[ty][tx + j * $BS] = t * $BS + ty < K && col + j * $BS < N ? B[(t * $BS + ty) * N + col + j * $BS] : ($T)0;
    __syncthreads();
#pragma unroll $U
    for (int k = 0; k < $BS; ++k)
#pragma unroll
      for (int i = 0; i < $TM; ++i)
#pragma unroll
        for (int j = 0; j < $TN; ++j) c[i][j] += As[ty + i * $BS][k] * Bs[k][tx + j * $BS];
    __syncthreads(); }
#pragma unroll
  for (int i = 0; i < $TM; ++i)
#pragma unroll
    for (int j = 0; j < $TN; ++j) if (row + i * $BS < M && col + j * $BS < N) { int x = (row + i * $BS) * N + col + j * $BS; C[x] = alpha * c[i][j] + beta * C[x]; }
}"""

MATVEC = """
__global__ void NAME(const $T* $R A, const $T* $R x, $T* y, int m, int n) {
  int r0 = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * $RW, l = threadIdx.x % 32; $T s[$RW] = {};
#pragma unroll $U
  for (int j = l; j < n; j += 32) { $T v = x[j];
#pragma unroll
    for (int r = 0; r < $RW; ++r) s[r] += A[(size_t)(r0 + r) * n + j] * v; }
#pragma unroll
  for (int r = 0; r < $RW; ++r) { for (int d = 16; d; d >>= 1) s[r] += __shfl_xor_sync(~0u, s[r], d); if (l == 0 && r0 + r < m) y[r0 + r] = s[r]; } }"""

REDUCE_VECTOR = """
__global__ void $L NAME(const $T* $R x, $T* o, int n) {
  $T s0 = 0, s1 = 0, mx = x[0]; const ${T}$V* p = (const ${T}$V*)x;
#pragma unroll $U
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / $V; i += gridDim.x * blockDim.x) { ${T}$V v = p[i]; const $T* e = ($T*)&v;
#pragma unroll
    for (int j = 0; j < $V; ++j) { $BODY } }
  __shared__ $T w[2][32]; for (int d = 16; d; d >>= 1) { s0 += __shfl_down_sync(~0u, s0, d); s1 += __shfl_down_sync(~0u, s1, d); mx = max(mx, __shfl_down_sync(~0u, mx, d)); }
  if (threadIdx.x % 32 == 0) { w[0][threadIdx.x / 32] = s0 + mx; w[1][threadIdx.x / 32] = s1; } __syncthreads();
  if (threadIdx.x < 32) { s0 = threadIdx.x < blockDim.x / 32 ? w[0][threadIdx.x] : 0; s1 = threadIdx.x < blockDim.x / 32 ? w[1][threadIdx.x] : 0;
    for (int d = 16; d; d >>= 1) { s0 += __shfl_down_sync(~0u, s0, d); s1 += __shfl_down_sync(~0u, s1, d); } if (threadIdx.x == 0) { atomicAdd(o, s0); atomicAdd(o + 1, s1); } } }"""

REDUCE_TREE = """
__global__ void NAME(const $T* $R x, $T* o, int n) {
  __shared__ $T s[$BS]; int t = threadIdx.x, i = blockIdx.x * $BS * $P + t; $T v = 0;
#pragma unroll
  for (int k = 0; k < $P; ++k) if (i + k * $BS < n) v += x[i + k * $BS];
  s[t] = v; __syncthreads();
#pragma unroll
  for (int d = $BS / 2; d > 32; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); }
  if (t < 32) { v = s[t] + s[t + 32];
#pragma unroll
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d); if (t == 0) o[blockIdx.x] = v; } }"""

ARGMAX = """
__global__ void NAME(const $T* $R x, int* idx, $T* val, int n) {
  $T best[$K]; int at[$K]; for (int k = 0; k < $K; ++k) { best[k] = ($T)-1e9; at[k] = -1; }
#pragma unroll $U
  for (int i = threadIdx.x; i < n; i += blockDim.x) { $T v = x[blockIdx.x * n + i]; int w = i;
#pragma unroll
    for (int k = 0; k < $K; ++k) if (v > best[k]) { $T tv = best[k]; int ti = at[k]; best[k] = v; at[k] = w; v = tv; w = ti; } }
#pragma unroll
  for (int k = 0; k < $K; ++k) { for (int d = 16; d; d >>= 1) { $T ov = __shfl_xor_sync(~0u, best[k], d); int oi = __shfl_xor_sync(~0u, at[k], d); if (ov > best[k]) { best[k] = ov; at[k] = oi; } }
    if (threadIdx.x % 32 == 0) { idx[(blockIdx.x * $K + k) * 8 + threadIdx.x / 32] = at[k]; val[(blockIdx.x * $K + k) * 8 + threadIdx.x / 32] = best[k]; } } }"""

STENCIL_2D = """
__global__ void $L NAME(const $T* $R a, $T* $R2 o, int w, int h, $T c0, $T c1) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = (blockIdx.y * blockDim.y + threadIdx.y) * $P;
  if (x < $RA || x >= w - $RA) return;
#pragma unroll
  for (int p = 0; p < $P; ++p) { int y = y0 + p; if (y >= $RA && y < h - $RA) { $T v = c0 * a[y * w + x];
#pragma unroll
    for (int d = 1; d <= $RA; ++d) v += c1 * (a[y * w + x - d] + a[y * w + x + d] + a[(y - d) * w + x] + a[(y + d) * w + x]); o[y * w + x] = v; } } }"""

STENCIL_SHARED = """
__global__ void NAME(const $T* $R a, $T* o, int w, int h, $T c0, $T c1, $T c2) {
  __shared__ $T s[$BS + 2 * $RA][$BS + 2 * $RA]; int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * $BS - $RA, y0 = blockIdx.y * $BS - $RA;
  for (int j = ty; j < $BS + 2 * $RA; j += $BY) for (int i = tx; i < $BS + 2 * $RA; i += $BS) { int x = min(max(x0 + i, 0), w - 1), y = min(max(y0 + j, 0), h - 1); s[j][i] = a[y * w + x]; }
  __syncthreads();
#pragma unroll
  for (int q = 0; q < $BS / $BY; ++q) { int j = ty + q * $BY + $RA, i = tx + $RA; $T v = c0 * s[j][i];
#pragma unroll
    for (int d = 1; d <= $RA; ++d) v += c1 * (s[j][i - d] + s[j][i + d]) + c2 * (s[j - d][i] + s[j + d][i]);
    o[(y0 + j) * w + x0 + i] = v; } }"""

STENCIL_27 = """
__global__ void NAME(const $T* $R u, const $T* $R v, $T* $R2 o, int nx, int ny, int nz, $T a, $T b, $T c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + 1, j = blockIdx.y * blockDim.y + threadIdx.y + 1; size_t p = (size_t)nx * ny; if (i >= nx - 1 || j >= ny - 1) return;
#pragma unroll $U
  for (int k = 1; k < nz - 1; ++k) { const $T* q = u + k * p + j * nx + i; $T s = 0;
#pragma unroll
    for (int z = -1; z <= 1; ++z)
#pragma unroll
      for (int y = -1; y <= 1; ++y)
#pragma unroll
        for (int x = -1; x <= 1; ++x) if ($COND) s += (x && y && z ? a : x || y ? b : c) * q[z * (long)p + y * nx + x];
    o[k * p + j * nx + i] = $POST; } }"""

FDTD = """
__global__ void NAME($T* ex, $T* ey, const $T* $R hz, const $T* $R ca, const $T* $R cb, int w, int h) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * $P, j = blockIdx.y * blockDim.y + threadIdx.y; if (j < 1 || j >= h) return;
#pragma unroll
  for (int p = 0; p < $P; ++p) { int q = j * w + i + p; if (i + p > 0 && i + p < w) { ex[q] = ca[q] * ex[q] + cb[q] * (hz[q] - hz[q - w]); ey[q] = ca[q] * ey[q] - cb[q] * (hz[q] - hz[q - 1]); } } }"""

SOFTMAX_VECTOR = """
__global__ void $L NAME(const float* $R x, float* $R2 o, int rows, int n) {
  int row = blockIdx.x * blockDim.y + threadIdx.y; if (row >= rows) return; const float4* p = (const float4*)(x + (size_t)row * n); float4 v[$V]; float m = -3e38f, s = 0;
#pragma unroll
  for (int j = 0; j < $V; ++j) { int i = threadIdx.x + j * 32; v[j] = i < n / 4 ? p[i] : make_float4(-3e38f, -3e38f, -3e38f, -3e38f); m = fmaxf(m, fmaxf(fmaxf(v[j].x, v[j].y), fmaxf(v[j].z, v[j].w))); }
#pragma unroll
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
#pragma unroll
  for (int j = 0; j < $V; ++j) { v[j].x = $EXP(v[j].x - m); v[j].y = $EXP(v[j].y - m); v[j].z = $EXP(v[j].z - m); v[j].w = $EXP(v[j].w - m); s += v[j].x + v[j].y + v[j].z + v[j].w; }
#pragma unroll
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
  float r = 1.f / s; float4* q = (float4*)(o + (size_t)row * n);
#pragma unroll
  for (int j = 0; j < $V; ++j) { int i = threadIdx.x + j * 32; if (i < n / 4) q[i] = make_float4(v[j].x * r, v[j].y * r, v[j].z * r, v[j].w * r); } }"""

SOFTMAX_BLOCK = """
__global__ void NAME(const $T* $R x, $T* o, int n) {
  __shared__ float w[32]; const $T* p = x + (size_t)blockIdx.x * n; $T* q = o + (size_t)blockIdx.x * n; float m = -3e38f, s = 0; int l = threadIdx.x % 32, id = threadIdx.x / 32;
#pragma unroll $U
  for (int i = threadIdx.x; i < n; i += blockDim.x) m = fmaxf(m, (float)p[i]);
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); if (l == 0) w[id] = m; __syncthreads(); m = l < blockDim.x / 32 ? w[l] : -3e38f; for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); __syncthreads();
#pragma unroll $U
  for (int i = threadIdx.x; i < n; i += blockDim.x) { float e = $EXP((float)p[i] - m); s += e; $KEEP }
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (l == 0) w[id] = s; __syncthreads(); s = l < blockDim.x / 32 ? w[l] : 0; for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
#pragma unroll $U
  for (int i = threadIdx.x; i < n; i += blockDim.x) q[i] = ($T)($LAST / s); }"""

NORM_VECTOR = """
__global__ void NAME(const float4* $R x, const float4* $R g, const float4* $R b, float4* o, float* mean, float* rstd, int n, float eps) {
  float4 v[$V]; float s = 0, q = 0; size_t base = (size_t)blockIdx.x * n;
#pragma unroll
  for (int j = 0; j < $V; ++j) { v[j] = x[base + threadIdx.x + j * blockDim.x]; s += v[j].x + v[j].y + v[j].z + v[j].w; q += v[j].x * v[j].x + v[j].y * v[j].y + v[j].z * v[j].z + v[j].w * v[j].w; }
  __shared__ float ws[32], wq[32];
  for (int d = 16; d; d >>= 1) { s += __shfl_xor_sync(~0u, s, d); q += __shfl_xor_sync(~0u, q, d); } if (threadIdx.x % 32 == 0) { ws[threadIdx.x / 32] = s; wq[threadIdx.x / 32] = q; } __syncthreads();
  s = 0; q = 0; for (int i = 0; i < blockDim.x / 32; ++i) { s += ws[i]; q += wq[i]; }
  float mu = s / (4 * n), r = rsqrtf(q / (4 * n) - mu * mu + eps); if (threadIdx.x == 0 && $AUX) { mean[blockIdx.x] = mu; rstd[blockIdx.x] = r; }
#pragma unroll
  for (int j = 0; j < $V; ++j) { int i = threadIdx.x + j * blockDim.x; float4 a = g[i], c = b[i]; o[base + i] = make_float4((v[j].x - mu) * r * a.x + c.x, (v[j].y - mu) * r * a.y + c.y, (v[j].z - mu) * r * a.z + c.z, (v[j].w - mu) * r * a.w + c.w); } }"""

ATTENTION_WARP = """
__global__ void NAME(const $T* $R Q, const $T* $R K, const $T* $R V, $T* O, int n, float sc, int causal) {
  int row = blockIdx.x * blockDim.y + threadIdx.y, l = threadIdx.x; float q[$D], o[$D] = {}, m = -1e30f, s = 0;
#pragma unroll
  for (int i = 0; i < $D; ++i) q[i] = (float)Q[row * $D * 32 + l + i * 32] * sc;
  int end = causal ? row + 1 : n;
#pragma unroll $U
  for (int j = 0; j < end; ++j) { float d = 0;
#pragma unroll
    for (int i = 0; i < $D; ++i) d += q[i] * (float)K[j * $D * 32 + l + i * 32];
#pragma unroll
    for (int k = 16; k; k >>= 1) d += __shfl_xor_sync(~0u, d, k);
    float p = fmaxf(m, d), c = __expf(m - p), e = __expf(d - p); s = s * c + e; m = p;
#pragma unroll
    for (int i = 0; i < $D; ++i) o[i] = o[i] * c + e * (float)V[j * $D * 32 + l + i * 32]; }
#pragma unroll
  for (int i = 0; i < $D; ++i) O[row * $D * 32 + l + i * 32] = ($T)(o[i] / s); }"""

ATTENTION_TILE = """
__global__ void NAME(const float* $R Q, const float* $R K, const float* $R V, float* O, int n, float sc) {
  __shared__ float qs[$BM][$D + 1], ks[$BN][$D + 1], ps[$BM][$BN]; int t = threadIdx.x, r = t / 8, c = t % 8; float acc[$D / 8] = {}, m = -1e30f, l = 0;
  for (int i = t; i < $BM * $D; i += blockDim.x) qs[i / $D][i % $D] = Q[(blockIdx.x * $BM + i / $D) * $D + i % $D] * sc;
  for (int j0 = 0; j0 < n; j0 += $BN) { __syncthreads(); for (int i = t; i < $BN * $D; i += blockDim.x) ks[i / $D][i % $D] = K[(j0 + i / $D) * $D + i % $D]; __syncthreads();
    float s[$BN / 8] = {}, mm = m, sum = 0;
#pragma unroll $U
    for (int k = 0; k < $D; ++k) { float a = qs[r][k];
#pragma unroll
      for (int j = 0; j < $BN / 8; ++j) s[j] += a * ks[c + 8 * j][k]; }
#pragma unroll
    for (int j = 0; j < $BN / 8; ++j) mm = fmaxf(mm, s[j]);
    for (int d = 4; d; d >>= 1) mm = fmaxf(mm, __shfl_xor_sync(~0u, mm, d));
#pragma unroll
    for (int j = 0; j < $BN / 8; ++j) { s[j] = __expf(s[j] - mm); sum += s[j]; ps[r][c + 8 * j] = s[j]; }
    for (int d = 4; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    float f = __expf(m - mm); l = l * f + sum; m = mm; __syncthreads();
#pragma unroll
    for (int i = 0; i < $D / 8; ++i) acc[i] *= f;
#pragma unroll $U
    for (int j = 0; j < $BN; ++j) { float p = ps[r][j];
#pragma unroll
      for (int i = 0; i < $D / 8; ++i) acc[i] += p * V[(j0 + j) * $D + c + 8 * i]; } }
#pragma unroll
  for (int i = 0; i < $D / 8; ++i) O[(blockIdx.x * $BM + r) * $D + c + 8 * i] = acc[i] / l; }"""

CONV_CHANNELS = """
__global__ void $L NAME(const $T* $R x, const $T* $R w, const $T* $R bias, $T* y, int C, int H, int W, int OC, int pad) {
  int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, oc = blockIdx.z * $OC; if (ox >= W || oy >= H) return; $T s[$OC];
#pragma unroll
  for (int o = 0; o < $OC; ++o) s[o] = bias[oc + o];
#pragma unroll $U
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int i = 0; i < $K; ++i)
#pragma unroll
      for (int j = 0; j < $K; ++j) { int iy = oy + i - pad, ix = ox + j - pad; $T v = iy >= 0 && iy < H && ix >= 0 && ix < W ? x[(c * H + iy) * W + ix] : ($T)0;
#pragma unroll
        for (int o = 0; o < $OC; ++o) s[o] += v * w[(((oc + o) * C + c) * $K + i) * $K + j]; }
#pragma unroll
  for (int o = 0; o < $OC; ++o) y[((oc + o) * H + oy) * W + ox] = $ACT(s[o], ($T)0); }"""

CONV_SHARED = """
__constant__ float NAME_f[$K * $K * 8];
__global__ void NAME(const float* $R x, float* $R2 y, int H, int W, int C) {
  __shared__ float s[16 + $K - 1][32 + $K - 1]; int tx = threadIdx.x, ty = threadIdx.y; float acc[$P] = {};
  for (int c = 0; c < C; ++c) { for (int i = ty; i < 16 + $K - 1; i += 16 / $P) for (int j = tx; j < 32 + $K - 1; j += 32) { int yy = blockIdx.y * 16 + i - $K / 2, xx = blockIdx.x * 32 + j - $K / 2; s[i][j] = yy >= 0 && yy < H && xx >= 0 && xx < W ? x[(c * H + yy) * W + xx] : 0.f; } __syncthreads();
#pragma unroll
    for (int i = 0; i < $K; ++i)
#pragma unroll
      for (int j = 0; j < $K; ++j)
#pragma unroll
        for (int p = 0; p < $P; ++p) acc[p] += s[ty * $P + p + i][tx + j] * NAME_f[(c * $K + i) * $K + j];
    __syncthreads(); }
#pragma unroll
  for (int p = 0; p < $P; ++p) y[(blockIdx.y * 16 + ty * $P + p) * W + blockIdx.x * 32 + tx] = acc[p]; }"""

NBODY_MULTI = """
__global__ void $L NAME(const float4* $R p, float4* v, float4* o, int n, float dt, float eps) {
  __shared__ float4 s[256]; int i0 = blockIdx.x * blockDim.x * $B + threadIdx.x; float4 q[$B]; float3 a[$B];
#pragma unroll
  for (int b = 0; b < $B; ++b) { q[b] = p[i0 + b * blockDim.x]; a[b] = make_float3(0, 0, 0); }
  for (int t = 0; t < n; t += 256) { s[threadIdx.x] = p[t + threadIdx.x]; __syncthreads();
#pragma unroll $U
    for (int j = 0; j < 256; ++j) { float4 r = s[j];
#pragma unroll
      for (int b = 0; b < $B; ++b) { float dx = r.x - q[b].x, dy = r.y - q[b].y, dz = r.z - q[b].z, d = dx * dx + dy * dy + dz * dz + eps; $FORCE a[b].x += dx * f; a[b].y += dy * f; a[b].z += dz * f; } } __syncthreads(); }
#pragma unroll
  for (int b = 0; b < $B; ++b) { int i = i0 + b * blockDim.x; float4 w = v[i]; w.x += a[b].x * dt; w.y += a[b].y * dt; w.z += a[b].z * dt; v[i] = w; o[i] = make_float4(q[b].x + w.x * dt, q[b].y + w.y * dt, q[b].z + w.z * dt, q[b].w); } }"""

NEIGHBOURS = """
__global__ void NAME(const float4* $R p, const int* $R count, const int* $R list, float4* f, int n, float cut, float e, float sg) {
  int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float4 q = p[i]; float fx = 0, fy = 0, fz = 0, u = 0; int m = count[i];
#pragma unroll $U
  for (int k = 0; k < m; ++k) { int j = list[k * n + i]; float4 r = p[j]; float dx = q.x - r.x, dy = q.y - r.y, dz = q.z - r.z, d = dx * dx + dy * dy + dz * dz;
    if (d < cut) { float w = $INV, s2 = sg * sg * w, s6 = s2 * s2 * s2, g = 24 * e * w * s6 * (2 * s6 - 1); fx += g * dx; fy += g * dy; fz += g * dz; u += 4 * e * s6 * (s6 - 1); } }
  f[i] = make_float4(fx, fy, fz, u); }"""

TUNED = [
    ("gemm_buffered", GEMM_BUFFERED, {"R": ["__restrict__", ""], "TM": [4, 8], "TN": [4, 8], "BK": [8, 16], "U": [1, 2, 8]}),
    ("gemm_guarded", GEMM_GUARDED, {"L": ["", "__launch_bounds__(256, 2)"], "T": ["float", "double"], "R": ["__restrict__", ""], "BS": [16, 32], "TM": [1, 2, 4], "TN": [1, 4], "U": [1, 8, 32]}),
    ("matvec", MATVEC, {"T": ["float", "double"], "R": ["__restrict__", ""], "RW": [1, 2, 4, 8], "U": [1, 4]}),
    ("reduce_vector", REDUCE_VECTOR, {"L": ["", "__launch_bounds__(1024)"], "T": ["float", "int", "double"], "R": ["__restrict__"], "V": [2, 4], "U": [1, 2, 4], "BODY": ["s0 += e[j];", "s0 += e[j]; s1 += e[j] * e[j];", "s1 += e[j]; mx = max(mx, e[j]);"]}),
    ("reduce_tree", REDUCE_TREE, {"T": ["float", "double", "int"], "R": ["__restrict__", ""], "BS": [128, 512], "P": [1, 2, 4, 8, 16]}),
    ("argmax", ARGMAX, {"T": ["float", "double"], "R": ["__restrict__"], "K": [1, 2, 4, 8], "U": [1, 2, 4]}),
    ("stencil_2d", STENCIL_2D, {"L": ["", "__launch_bounds__(1024)"], "T": ["float", "double"], "R": ["__restrict__", ""], "R2": ["__restrict__"], "RA": [1, 2, 4], "P": [1, 2, 4, 8]}),
    ("stencil_shared", STENCIL_SHARED, {"T": ["float", "double"], "R": ["__restrict__"], "BS": [16, 32], "BY": [4, 8, 16], "RA": [1, 2, 3]}),
    ("stencil_27", STENCIL_27, {"T": ["float", "double"], "R": ["__restrict__", ""], "R2": ["__restrict__"], "U": [1, 2, 4], "COND": ["1", "x == 0 || y == 0", "!(x && y) && !(x && z) && !(y && z)"], "POST": ["s", "2 * s - v[k * p + j * nx + i]"]}),
    ("fdtd", FDTD, {"T": ["float", "double"], "R": ["__restrict__", ""], "P": [1, 2, 4]}),
    ("softmax_vector", SOFTMAX_VECTOR, {"L": ["", "__launch_bounds__(128)"], "R": ["__restrict__"], "R2": ["__restrict__", ""], "V": [1, 2, 4, 8], "EXP": ["__expf", "expf", "exp2f"]}),
    ("softmax_block", SOFTMAX_BLOCK, {"T": ["float", "__half"], "R": ["__restrict__", ""], "U": [1, 2, 4, 8], "EXP": ["__expf", "expf"], "KEEP,LAST": [("q[i] = ($T)e;", "(float)q[i]"), ("", "$EXP((float)p[i] - m)")]}),
    ("norm_vector", NORM_VECTOR, {"R": ["__restrict__", ""], "V": [1, 2, 3, 4, 8], "AUX": ["true", "false"]}),
    ("attention_warp", ATTENTION_WARP, {"T": ["float", "__half"], "R": ["__restrict__"], "D": [1, 2, 4, 8], "U": [1, 2, 4]}),
    ("attention_tile", ATTENTION_TILE, {"R": ["__restrict__"], "BM": [16, 32], "BN": [16, 32, 64], "D": [32, 64, 128], "U": [1, 4, 16]}),
    ("conv_channels", CONV_CHANNELS, {"L": ["", "__launch_bounds__(256)"], "T": ["float", "double"], "R": ["__restrict__", ""], "K": [1, 3, 5], "OC": [1, 2, 4, 8], "U": [1], "ACT": ["max"]}),
    ("conv_shared", CONV_SHARED, {"R": ["__restrict__"], "R2": ["__restrict__", ""], "K": [3, 5, 7], "P": [1, 2, 4, 8]}),
    ("nbody_multi", NBODY_MULTI, {"L": ["", "__launch_bounds__(256)"], "R": ["__restrict__"], "B": [1, 2, 4, 8], "U": [1, 4, 8, 32], "FORCE": ["float w = rsqrtf(d), f = r.w * w * w * w;", "float f = r.w / (d * sqrtf(d));"]}),
    ("neighbours", NEIGHBOURS, {"R": ["__restrict__", ""], "U": [1, 2, 4, 8], "INV": ["1.f / d", "__frcp_rn(d)", "__fdividef(1.f, d)"]}),
]


def expand(entries):
    """(family, text) of every combination. A key "A,B" takes tuples."""
    out = []
    for family, text, parameters in entries:
        for values in itertools.product(*parameters.values()):
            names = {}
            for key, value in zip(parameters, values):
                names.update(zip(key.split(","), value) if "," in key else [(key, value)])
            body = string.Template(text).safe_substitute(names)
            out.append((family, string.Template(body).safe_substitute(names)))
    return out

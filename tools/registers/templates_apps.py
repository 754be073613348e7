"""CUDA templates from applications (signal, image, physics, graph, learning), for the register
estimator. Same form as templates_tuned.TUNED."""

I = "int t = blockIdx.x * blockDim.x + threadIdx.x;"
U = '_Pragma("unroll")'

FIR = f"""
__global__ void NAME(const $T* $R x, const $T* $R h, $T* y, int n, int taps) {{ {I} $T s[$P] = {{}};
#pragma unroll $U
  for (int k = 0; k < taps; ++k) {{ $T c = h[k]; {U} for (int p = 0; p < $P; ++p) s[p] += c * x[t * $P + p + k]; }}
  {U} for (int p = 0; p < $P; ++p) y[t * $P + p] = s[p]; }}"""

BIQUAD = f"""
__global__ void NAME(const $T* $R x, $T* $R y, const $T* $R c, int n, int len) {{ {I} if (t >= n) return; $T z1[$P] = {{}}, z2[$P] = {{}};
#pragma unroll $U
  for (int i = 0; i < len; ++i) {{ $T v = x[i * n + t]; {U} for (int p = 0; p < $P; ++p) {{ $T w = c[p * 5] * v + z1[p]; z1[p] = c[p * 5 + 1] * v - c[p * 5 + 3] * w + z2[p]; z2[p] = c[p * 5 + 2] * v - c[p * 5 + 4] * w; v = w; }} y[i * n + t] = v; }} }}"""

BILATERAL = """
__global__ void NAME(const $T* $R a, $T* o, int w, int h, float ss, float sr) { int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; if (x >= w || y >= h) return; float c = a[y * w + x], n = 0, d = 0;
#pragma unroll $U
  for (int j = -$RA; j <= $RA; ++j)
#pragma unroll $U
    for (int i = -$RA; i <= $RA; ++i) { int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1); float v = a[yy * w + xx], g = __expf(-(i * i + j * j) * ss - (v - c) * (v - c) * sr); n += g * v; d += g; }
  o[y * w + x] = ($T)(n / d); }"""

SOBEL = """
__global__ void NAME(const $T* $R a, $T* o, int w, int h) { int x0 = (blockIdx.x * blockDim.x + threadIdx.x) * $P + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1; if (y >= h - 1) return;
#pragma unroll
  for (int p = 0; p < $P; ++p) { int x = x0 + p; if (x < w - 1) { float v[3][3];
#pragma unroll
    for (int j = 0; j < 3; ++j)
#pragma unroll
      for (int i = 0; i < 3; ++i) v[j][i] = (float)a[(y + j - 1) * w + x + i - 1];
    $BODY } } }"""

SOBEL_BODY = "float gx = v[0][2] - v[0][0] + 2 * (v[1][2] - v[1][0]) + v[2][2] - v[2][0], gy = v[2][0] - v[0][0] + 2 * (v[2][1] - v[0][1]) + v[2][2] - v[0][2]; o[y * w + x] = ($T)sqrtf(gx * gx + gy * gy);"
MEDIAN_BODY = "float* q = &v[0][0]; _Pragma(\"unroll\") for (int i = 0; i < 5; ++i) _Pragma(\"unroll\") for (int j = i + 1; j < 9; ++j) { float lo = fminf(q[i], q[j]), hi = fmaxf(q[i], q[j]); q[i] = lo; q[j] = hi; } o[y * w + x] = ($T)q[4];"

RESIZE = f"""
__global__ void NAME(const $T* $R a, $T* o, int w, int h, int ow, int oh, float sx, float sy) {{ {I} if (t >= ow * oh) return; int ox = t % ow, oy = t / ow; float fx = (ox + 0.5f) * sx - 0.5f, fy = (oy + 0.5f) * sy - 0.5f; int x = (int)floorf(fx), y = (int)floorf(fy); fx -= x; fy -= y;
  {U} for (int c = 0; c < $C; ++c) {{ float s = 0; {U} for (int j = 0; j < $K; ++j) {U} for (int i = 0; i < $K; ++i) {{ int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1); s += (i ? fx : 1 - fx) * (j ? fy : 1 - fy) * (float)a[(yy * w + xx) * $C + c]; }} o[t * $C + c] = ($T)s; }} }}"""

POOL = f"""
__global__ void NAME(const $T* $R a, $T* o, int* arg, int n, int h, int w, int oh, int ow) {{ {I} if (t >= n * oh * ow) return; int x = t % ow, y = t / ow % oh, c = t / ow / oh; $T m = ($T)-1e9; int at = 0;
  {U} for (int j = 0; j < $K; ++j) {U} for (int i = 0; i < $K; ++i) {{ int yy = y * $S + j - $Q, xx = x * $S + i - $Q; if (yy >= 0 && yy < h && xx >= 0 && xx < w) {{ $T v = a[(c * h + yy) * w + xx]; if (v > m) {{ m = v; at = yy * w + xx; }} }} }} o[t] = m; arg[t] = at; }}"""

SPH = f"""
__global__ void NAME(const float4* $R p, const float4* $R v, const int* $R start, const int* $R end, float4* o, int n, int gx, int gy, int gz, float cell, float hr, float mass) {{ {I} if (t >= n) return; float4 q = p[t], u = v[t]; int cx = (int)(q.x / cell), cy = (int)(q.y / cell), cz = (int)(q.z / cell); float rho = 0, ax = 0, ay = 0, az = 0;
  for (int k = -1; k <= 1; ++k) for (int j = -1; j <= 1; ++j)
#pragma unroll $U
   for (int i = -1; i <= 1; ++i) {{ int x = cx + i, y = cy + j, z = cz + k; if (x < 0 || y < 0 || z < 0 || x >= gx || y >= gy || z >= gz) continue; int c = (z * gy + y) * gx + x; for (int s = start[c]; s < end[c]; ++s) {{ float4 r = p[s]; float dx = q.x - r.x, dy = q.y - r.y, dz = q.z - r.z, d = dx * dx + dy * dy + dz * dz; if (d < hr * hr) {{ float w = hr * hr - d; rho += mass * w * w * w; $MORE }} }} }}
  o[t] = make_float4(ax, ay, az, rho); }}"""

ADAM = f"""
__global__ void NAME($T* $R p, const $T* $R g, float* $R m, float* $R v, float lr, float b1, float b2, float eps, float wd, float c1, float c2, int n) {{
#pragma unroll $U
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{ float w = p[i], d = g[i]; $DECAY float a = b1 * m[i] + (1 - b1) * d, b = b2 * v[i] + (1 - b2) * d * d; m[i] = a; v[i] = b; p[i] = ($T)(w - lr * (a / c1) / (sqrtf(b / c2) + eps)); }} }}"""

ACTIVATION = f"""
__global__ void NAME(const $T$V* $R a, const $T$V* $R b, $T$V* $R2 o, int n) {{
#pragma unroll $U
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{ $T$V x = a[i], y = b[i]; $T* p = ($T*)&x; $T* q = ($T*)&y; {U} for (int k = 0; k < sizeof(x) / sizeof($T); ++k) {{ float v = p[k], u = q[k]; p[k] = $F; }} o[i] = x; }} }}"""

DEQUANT = f"""
__global__ void NAME(const uint32_t* $R w, const __half* $R sc, const __half* $R x, float* y, int n, int k) {{ int row = blockIdx.x * blockDim.y + threadIdx.y; float s = 0;
#pragma unroll $U
  for (int i = threadIdx.x; i < k / $E; i += 32) {{ uint32_t q = w[row * (k / $E) + i]; float g = __half2float(sc[row * (k / 128) + i * $E / 128]), r = 0; {U} for (int j = 0; j < $E; ++j) r += (float)((int)((q >> (32 / $E * j)) & ((1u << (32 / $E)) - 1)) - (1 << (32 / $E - 1))) * __half2float(x[i * $E + j]); s += g * r; }}
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d); if (threadIdx.x == 0) y[row] = s; }}"""

QUANT = f"""
__global__ void NAME(const float* $R x, int8_t* o, float* sc, int n) {{ float v[$P], m = 0; {U} for (int j = 0; j < $P; ++j) {{ v[j] = x[blockIdx.x * n + threadIdx.x + j * blockDim.x]; m = fmaxf(m, fabsf(v[j])); }} for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d)); float r = 127.f / m; if (threadIdx.x == 0) sc[blockIdx.x] = m / 127.f; {U} for (int j = 0; j < $P; ++j) o[blockIdx.x * n + threadIdx.x + j * blockDim.x] = (int8_t)max(-127, min(127, $RND(v[j] * r))); }}"""

ROTARY = f"""
__global__ void NAME($T* q, const float* $R cs, const float* $R sn, int heads, int d, int len) {{ {I} int h = d / 2, p = t % h, hd = t / h % heads, s = t / h / heads; if (s >= len) return; {U} for (int u = 0; u < $P; ++u) {{ int x = (s * $P + u) * heads * d + hd * d + p; float a = q[x], b = q[x + h], c = $CS, w = $SN; q[x] = ($T)(a * c - b * w); q[x + h] = ($T)(a * w + b * c); }} }}"""

ENTROPY = f"""
__global__ void NAME(const $T* $R x, const int* $R y, float* loss, $T* dx, int n) {{ const $T* p = x + (size_t)blockIdx.x * n; float m = -3e38f, s = 0;
#pragma unroll $U
  for (int i = threadIdx.x; i < n; i += blockDim.x) {{ float v = p[i], q = fmaxf(m, v); s = s * expf(m - q) + expf(v - q); m = q; }} __shared__ float sm[32], ss[32]; for (int d = 16; d; d >>= 1) {{ float a = __shfl_xor_sync(~0u, m, d), b = __shfl_xor_sync(~0u, s, d), q = fmaxf(m, a); s = s * expf(m - q) + b * expf(a - q); m = q; }} if (threadIdx.x % 32 == 0) {{ sm[threadIdx.x / 32] = m; ss[threadIdx.x / 32] = s; }} __syncthreads(); for (int i = 0; i < blockDim.x / 32; ++i) {{ float q = fmaxf(m, sm[i]); s = s * expf(m - q) + ss[i] * expf(sm[i] - q); m = q; }} int k = y[blockIdx.x]; if (threadIdx.x == 0) loss[blockIdx.x] = logf(s) + m - (float)p[k];
#pragma unroll $U
  for (int i = threadIdx.x; i < n; i += blockDim.x) dx[(size_t)blockIdx.x * n + i] = ($T)((expf((float)p[i] - m) / s - (i == k)) / gridDim.x); }}"""

BFS = f"""
__global__ void NAME(const int* $R row, const int* $R col, int* level, const int* $R front, int* next, int* count, int n, int d) {{ {I} if (t >= n) return; int u = front[t];
#pragma unroll $U
  for (int e = row[u]; e < row[u + 1]; ++e) {{ int v = col[e]; if ($TEST) next[atomicAdd(count, 1)] = v; }} }}"""

PAGERANK = f"""
__global__ void NAME(const int* $R row, const int* $R col, const $T* $R r, const int* $R deg, $T* o, int n, $T d) {{ {I} int l = threadIdx.x % $W; t /= $W; if (t >= n) return; $T s = 0;
#pragma unroll $U
  for (int e = row[t] + l; e < row[t + 1]; e += $W) {{ int v = col[e]; s += r[v] / deg[v]; }} for (int k = $W / 2; k; k >>= 1) s += __shfl_down_sync(~0u, s, k); if (l == 0) o[t] = (1 - d) / n + d * s; }}"""

SCAN_WARP = f"""
__global__ void NAME(const $T* $R a, $T* o, $T* sums, int n) {{ {I} $T v[$P], s = 0; {U} for (int i = 0; i < $P; ++i) {{ v[i] = t * $P + i < n ? a[t * $P + i] : ($T)0; s += v[i]; v[i] = s; }} $T x = s; int l = threadIdx.x % 32, w = threadIdx.x / 32; __shared__ $T ws[32]; {U} for (int d = 1; d < 32; d <<= 1) {{ $T y = __shfl_up_sync(~0u, x, d); if (l >= d) x += y; }} if (l == 31) ws[w] = x; __syncthreads(); if (w == 0) {{ $T y = ws[l]; {U} for (int d = 1; d < 32; d <<= 1) {{ $T z = __shfl_up_sync(~0u, y, d); if (l >= d) y += z; }} ws[l] = y; }} __syncthreads(); $T e = x - s + (w ? ws[w - 1] : ($T)0); {U} for (int i = 0; i < $P; ++i) if (t * $P + i < n) o[t * $P + i] = v[i] + e; if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = e + s; }}"""

RADIX = f"""
__global__ void NAME(const uint32_t* $R k, uint32_t* o, const uint32_t* $R base, int n, int shift) {{ __shared__ uint32_t h[$B][257 / $B + 1], c[$B]; {I} uint32_t v[$P], r[$P]; if (threadIdx.x < $B) c[threadIdx.x] = 0; __syncthreads(); {U} for (int i = 0; i < $P; ++i) {{ v[i] = t * $P + i < n ? k[t * $P + i] : ~0u; uint32_t d = (v[i] >> shift) & ($B - 1); uint32_t m = __match_any_sync(~0u, d); r[i] = __popc(m & ((1u << threadIdx.x % 32) - 1)); if (r[i] == 0) r[i] = atomicAdd(&c[d], __popc(m)); h[d][threadIdx.x % (257 / $B)] = r[i]; }} __syncthreads(); {U} for (int i = 0; i < $P; ++i) {{ uint32_t d = (v[i] >> shift) & ($B - 1); o[base[d * gridDim.x + blockIdx.x] + r[i] + c[d]] = v[i]; }} }}"""

BATCHED = f"""
__global__ void NAME(const $T* $R A, const $T* $R B, $T* C, int n) {{ {I} if (t >= n) return; const $T* a = A + t * {'$N * $N'}; const $T* b = B + t * {'$N * $N'}; $T c[$N][$N] = {{}}; {U} for (int k = 0; k < $N; ++k) {U} for (int i = 0; i < $N; ++i) {U} for (int j = 0; j < $N; ++j) c[i][j] += a[$AI] * b[k * $N + j]; {U} for (int i = 0; i < $N; ++i) {U} for (int j = 0; j < $N; ++j) C[t * $N * $N + i * $N + j] = c[i][j]; }}"""

CHOLESKY = f"""
__global__ void NAME(const $T* $R A, $T* x, int n) {{ {I} if (t >= n) return; $T a[$N][$N], b[$N]; {U} for (int i = 0; i < $N; ++i) {{ b[i] = x[i * n + t]; {U} for (int j = 0; j <= i; ++j) a[i][j] = A[(i * $N + j) * n + t]; }} {U} for (int j = 0; j < $N; ++j) {{ {U} for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k]; a[j][j] = $ROOT; {U} for (int i = j + 1; i < $N; ++i) {{ {U} for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k]; a[i][j] *= a[j][j]; }} }} {U} for (int i = 0; i < $N; ++i) {{ {U} for (int k = 0; k < i; ++k) b[i] -= a[i][k] * b[k]; b[i] *= a[i][i]; }} {U} for (int i = 0; i < $N; ++i) x[i * n + t] = b[i]; }}"""

WINOGRAD = f"""
__global__ void NAME(const $T* $R x, $T* o, int W, int H, int C) {{ {I} int c = t % C, tx = t / C % (W / 2), ty = t / C / (W / 2); $T d[4][4], m[4][4]; {U} for (int i = 0; i < 4; ++i) {U} for (int j = 0; j < 4; ++j) {{ int y = ty * 2 + i - 1, z = tx * 2 + j - 1; d[i][j] = y >= 0 && z >= 0 && y < H && z < W ? x[(y * W + z) * C + c] : ($T)0; }} {U} for (int j = 0; j < 4; ++j) {{ m[0][j] = d[0][j] - d[2][j]; m[1][j] = d[1][j] + d[2][j]; m[2][j] = d[2][j] - d[1][j]; m[3][j] = d[1][j] - d[3][j]; }} {U} for (int i = 0; i < 4; ++i) {{ int s = C * (W / 2) * (H / 2), q = t + i * 4 * s; o[q] = m[i][0] - m[i][2]; o[q + s] = m[i][1] + m[i][2]; o[q + 2 * s] = m[i][2] - m[i][1]; o[q + 3 * s] = m[i][1] - m[i][3]; }} }}"""

CONV3D = """
__global__ void NAME(const $T* $R x, const $T* $R w, $T* y, int C, int D, int H, int W) { int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y, oz = blockIdx.z * $P; if (ox >= W - 2 || oy >= H - 2) return; $T s[$P] = {};
#pragma unroll 1
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int k = 0; k < $P + 2; ++k)
#pragma unroll
      for (int j = 0; j < 3; ++j)
#pragma unroll
        for (int i = 0; i < 3; ++i) { $T v = x[((c * D + oz + k) * H + oy + j) * W + ox + i];
#pragma unroll
          for (int p = 0; p < $P; ++p) if (k - p >= 0 && k - p < 3) s[p] += v * w[((c * 3 + k - p) * 3 + j) * 3 + i]; }
#pragma unroll
  for (int p = 0; p < $P; ++p) y[((oz + p) * H + oy) * W + ox] = s[p]; }"""

MONTE_CARLO = f"""
__global__ void NAME($T* o, uint32_t seed, int steps, $T s0, $T r, $T v, $T k) {{ {I} uint32_t x = seed ^ t * 747796405u, y = x * 2891336453u + 1, z = y ^ 0x9e3779b9u, w = z + x; $T pay = 0;
#pragma unroll $U
  for (int i = 0; i < steps; ++i) {{ uint32_t q = x ^ (x << 11); x = y; y = z; z = w; w = w ^ (w >> 19) ^ q ^ (q >> 8); $T u1 = (w + 1) * ($T)2.3283064e-10, u2 = (x ^ z) * ($T)2.3283064e-10; $DRAW }} o[t] = pay / steps; }}"""

HASH = f"""
__global__ void NAME(const unsigned char* $R s, const int* $R off, uint32_t* o, int n) {{ {I} if (t >= n) return; uint32_t h = 2166136261u; int e = off[t + 1];
#pragma unroll $U
  for (int i = off[t]; i < e; ++i) {{ $MIX }} o[t] = h; }}"""

EMBED = f"""
__global__ void NAME(const int* $R ids, const $T* $R tab, $T* o, int n, int d, int bag) {{ int r = blockIdx.x, c = threadIdx.x * $P; float s[$P] = {{}};
#pragma unroll $U
  for (int k = 0; k < bag; ++k) {{ int id = ids[r * bag + k]; {U} for (int p = 0; p < $P; ++p) s[p] += (float)tab[(size_t)id * d + c + p]; }} {U} for (int p = 0; p < $P; ++p) o[(size_t)r * d + c + p] = ($T)s[p]; }}"""

RAY = f"""
__global__ void NAME(const float4* $R sp, uchar4* o, int w, int h, int n, float fov) {{ int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y; float dx = (x - w * 0.5f) * fov, dy = (y - h * 0.5f) * fov, dz = 1, il = rsqrtf(dx * dx + dy * dy + 1), px = 0, py = 0, pz = 0, r = 0, g = 0, b = 0, att = 1; dx *= il; dy *= il; dz *= il;
  for (int bounce = 0; bounce < $BN; ++bounce) {{ float best = 1e30f; int hit = -1;
#pragma unroll $U
    for (int i = 0; i < n; ++i) {{ float4 s = sp[2 * i]; float ox = s.x - px, oy = s.y - py, oz = s.z - pz, bb = ox * dx + oy * dy + oz * dz, cc = ox * ox + oy * oy + oz * oz - s.w * s.w, disc = bb * bb - cc; if (disc > 0) {{ float q = bb - sqrtf(disc); if (q > 1e-3f && q < best) {{ best = q; hit = i; }} }} }}
    if (hit < 0) {{ r += att * 0.5f; break; }} float4 s = sp[2 * hit], c = sp[2 * hit + 1]; px += dx * best; py += dy * best; pz += dz * best; float nx = (px - s.x) / s.w, ny = (py - s.y) / s.w, nz = (pz - s.z) / s.w, k = 2 * (dx * nx + dy * ny + dz * nz); dx -= k * nx; dy -= k * ny; dz -= k * nz; r += att * c.x * fabsf(ny); g += att * c.y * fabsf(ny); b += att * c.z * fabsf(ny); att *= c.w; }}
  o[y * w + x] = make_uchar4(fminf(r, 1) * 255, fminf(g, 1) * 255, fminf(b, 1) * 255, 255); }}"""

COPY = f"""
__global__ void NAME(const $T* a, $T* $R o, size_t n) {{ size_t t = (size_t)blockIdx.x * blockDim.x * $P + threadIdx.x; $T v[$P]; {U} for (int i = 0; i < $P; ++i) if (!$G || t + i * blockDim.x < n) v[i] = a[t + i * blockDim.x]; {U} for (int i = 0; i < $P; ++i) if (!$G || t + i * blockDim.x < n) o[t + i * blockDim.x] = v[i]; }}"""

PERMUTE = f"""
__global__ void NAME(const $T* $R a, $T* o, int n0, int n1, int n2, int n3, int s0, int s1, int s2, int s3) {{ {U} for (int u = 0; u < $P; ++u) {{ int t = (blockIdx.x * $P + u) * blockDim.x + threadIdx.x; if (t < n0 * n1 * n2 * n3) {{ int d = t % n3, c = t / n3 % n2, b = t / n3 / n2 % n1, e = t / n3 / n2 / n1; o[e * s0 + b * s1 + c * s2 + d * s3] = a[t]; }} }} }}"""

WAVE = f"""
__global__ void NAME(const $T* $R p, const $T* $R c, $T* q, int nx, int ny, int nz) {{ __shared__ $T s[8 + 2 * $RA][32 + 2 * $RA]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + $RA, ty = threadIdx.y + $RA; size_t st = (size_t)nx * ny, at = (size_t)y * nx + x; $T f[$RA], b[$RA], m; {U} for (int i = 0; i < $RA; ++i) {{ b[i] = p[at]; at += st; }} m = p[at]; {U} for (int i = 0; i < $RA; ++i) f[i] = p[at + (i + 1) * st];
#pragma unroll $U
  for (int z = $RA; z < nz - $RA; ++z) {{ __syncthreads(); s[ty][tx] = m; if (threadIdx.y < $RA) {{ s[threadIdx.y][tx] = p[at - $RA * nx]; s[threadIdx.y + 8 + $RA][tx] = p[at + 8 * nx]; }} if (threadIdx.x < $RA) {{ s[ty][threadIdx.x] = p[at - $RA]; s[ty][threadIdx.x + 32 + $RA] = p[at + 32]; }} __syncthreads(); $T v = ($T)-3 * m; {U} for (int i = 1; i <= $RA; ++i) v += ($T)(1.0 / (i * i)) * (f[i - 1] + b[$RA - i] + s[ty][tx - i] + s[ty][tx + i] + s[ty - i][tx] + s[ty + i][tx]); q[at] = 2 * m - q[at] + c[at] * v; {U} for (int i = 0; i < $RA - 1; ++i) b[i] = b[i + 1]; b[$RA - 1] = m; m = f[0]; {U} for (int i = 0; i < $RA - 1; ++i) f[i] = f[i + 1]; at += st; f[$RA - 1] = p[at + $RA * st]; }} }}"""

R = ["__restrict__", ""]
FD = ["float", "double"]
APPS = [
    ("fir", FIR, {"T": FD, "R": R, "P": [1, 2, 4, 8], "U": [1, 2, 4]}),
    ("biquad", BIQUAD, {"T": FD, "R": R, "P": [1, 2, 4], "U": [1, 4]}),
    ("bilateral", BILATERAL, {"T": ["float", "unsigned char"], "R": R, "RA": [1, 2, 3], "U": [1, 16]}),
    ("image", SOBEL, {"T": ["float", "unsigned char"], "R": R, "P": [1, 2, 4], "BODY": [SOBEL_BODY, MEDIAN_BODY]}),
    ("resize", RESIZE, {"T": ["float", "unsigned char", "__half"], "R": R, "C": [1, 3, 4], "K": [2]}),
    ("pool", POOL, {"T": ["float", "double"], "R": R, "K": [2, 3, 5], "S,Q": [("2", "0"), ("1", "1")]}),
    ("sph", SPH, {"R": R, "U": [1, 3], "MORE": ["", "float4 vj = v[s]; float g = w * rsqrtf(d + 1e-9f); ax += dx * g + (vj.x - u.x) * w; ay += dy * g + (vj.y - u.y) * w; az += dz * g + (vj.z - u.z) * w;"]}),
    ("adam", ADAM, {"T": ["float", "__half"], "R": R, "U": [1, 2, 4], "DECAY": ["", "d += wd * w;"]}),
    ("activation", ACTIVATION, {"T,V": [("float", ""), ("float", "2"), ("float", "4"), ("__half", "2")], "R": R, "R2": ["__restrict__"], "U": [1, 4], "F": ["0.5f * v * (1 + erff(v * 0.7071f)) + u", "v / (1 + __expf(-v)) * u", "fmaxf(v, 0.f) + u", "tanhf(v) * u"]}),
    ("dequant", DEQUANT, {"R": R, "E": [4, 8], "U": [1, 2, 4]}),
    ("quant", QUANT, {"R": R, "P": [1, 2, 4, 8, 16], "RND": ["__float2int_rn", "(int)roundf"]}),
    ("rotary", ROTARY, {"T": ["float", "__half"], "P": [1, 2, 4], "R": R, "CS,SN": [("cs[s * h + p]", "sn[s * h + p]"), ("__cosf(s * cs[p])", "__sinf(s * sn[p])")]}),
    ("entropy", ENTROPY, {"T": ["float", "__half"], "R": R, "U": [1, 2, 4]}),
    ("bfs", BFS, {"R": R, "U": [1, 2, 4], "TEST": ["level[v] < 0", "atomicCAS(&level[v], -1, d) == -1", "atomicMin(&level[v], d) > d"]}),
    ("pagerank", PAGERANK, {"T": FD, "R": R, "W": [1, 8, 32], "U": [1, 4]}),
    ("scan_warp", SCAN_WARP, {"T": ["float", "int", "double"], "R": R, "P": [1, 2, 4, 8]}),
    ("radix", RADIX, {"R": R, "B": [16, 256], "P": [1, 2, 4, 8]}),
    ("batched", BATCHED, {"T": FD, "R": R, "N": [2, 3, 4, 5, 6], "AI": ["i * $N + k", "k * $N + i"]}),
    ("cholesky", CHOLESKY, {"T": FD, "R": ["__restrict__"], "N": [2, 3, 4, 6, 8], "ROOT": ["rsqrt(a[j][j])", "1 / sqrt(a[j][j])"]}),
    ("winograd", WINOGRAD, {"T": FD + ["__half"], "R": R}),
    ("conv3d", CONV3D, {"T": FD, "R": R, "P": [1, 2, 4]}),
    ("monte_carlo", MONTE_CARLO, {"T": FD, "U": [1, 2, 4], "DRAW": ["$T g = sqrt(-2 * log(u1)) * cos(($T)6.2831853 * u2), p = s0 * exp(r + v * g) - k; pay += p > 0 ? p : 0;", "pay += u1 * u1 + u2 * u2 < 1;"]}),
    ("hash", HASH, {"R": R, "U": [1, 4, 8], "MIX": ["h = (h ^ s[i]) * 16777619u;", "h += s[i]; h += h << 10; h ^= h >> 6;", "h = __funnelshift_l(h ^ s[i] * 0xcc9e2d51u, h, 13) * 5 + 0xe6546b64u;"]}),
    ("embedding", EMBED, {"T": ["float", "__half"], "R": R, "P": [1, 2, 4, 8], "U": [1, 4]}),
    ("ray", RAY, {"R": R, "BN": [1, 4], "U": [1, 2, 4]}),
    ("copy", COPY, {"T": ["float", "float4", "double2", "char"], "R": R, "P": [1, 2, 4, 8], "G": ["0", "1"]}),
    ("permute", PERMUTE, {"T": ["float", "double", "short"], "R": R, "P": [1, 2, 4]}),
    ("wave", WAVE, {"T": FD, "R": R, "RA": [1, 2, 4], "U": [1, 2]}),
]

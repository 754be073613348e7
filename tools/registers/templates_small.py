"""CUDA templates with guards, calls, atomics and little work a thread, for the register estimator. Same
form as templates_tuned.TUNED."""

I = "int t = blockIdx.x * blockDim.x + threadIdx.x;"
U = '_Pragma("unroll")'

STRIDED = f"""
__global__ void NAME(const $T* $R a, const $T* $R b, $T* $R2 o, int n, $T k) {{ int i = blockIdx.x * blockDim.x * $P + threadIdx.x; {U} for (int p = 0; p < $P; ++p) {{ if (i < n) {{ $T x = a[i]; o[i] = $F; }} i += blockDim.x; }} }}"""

CAST = f"""
__global__ void NAME(const $A* $R a, $B* $R2 o, int n) {{ {I} {U} for (int p = 0; p < $P; ++p) {{ int i = t * $P + p; if (i < n) o[i] = ($B)a[i]; }} }}"""

FILL = f"""
__global__ void NAME($T* o, $IT n, $T v) {{ for ($IT i = blockIdx.x * ($IT)blockDim.x + threadIdx.x; i < n; i += gridDim.x * ($IT)blockDim.x) o[i] = $F; }}"""

CONV_GUARDED = """
__global__ void NAME(const $T* $R x, const $T* $R w, $T* $R2 y, int channels, int height, int width, int stride) { const int c = blockIdx.x * blockDim.x + threadIdx.x, r = $ROW, o = blockIdx.z; if (c >= width) return; $T sum = 0;
  $UN
  for (int i = 0; i < channels; ++i)
#pragma unroll
    for (int dr = 0; dr < $K; ++dr)
#pragma unroll
      for (int dc = 0; dc < $K; ++dc) { const int rr = r * stride + dr - $K / 2, cc = c * stride + dc - $K / 2; if ($GUARD) sum += x[(i * height + rr) * width + cc] * w[((o * channels + i) * $K + dr) * $K + dc]; }
  y[(o * height + r) * width + c] = sum; }"""

GATHER_GUARDED = f"""
__global__ void NAME(const $T* $R a, const int* $R idx, $T* o, int n, int m) {{ {I} {U} for (int p = 0; p < $P; ++p) {{ int i = t + p * gridDim.x * blockDim.x; if (i < n) {{ int j = idx[i]; o[i] = j >= 0 && j < m ? a[j] : ($T)0; }} }} }}"""

SCATTER = f"""
__global__ void NAME(const $T* $R a, const int* $R idx, $T* o, int n, int d) {{ {I} {U} for (int p = 0; p < $P; ++p) {{ int i = t * $P + p; if (i < n * d) {{ int r = i / d, c = i % d; $OP(&o[idx[r] * d + c], a[i]); }} }} }}"""

NOINLINE = f"""
__device__ __noinline__ $T NAME_f($T x, $T y, const $T* p, int k) {{ $T s = x; for (int i = 0; i < k; ++i) s = s * y + p[i]; return $POST; }}
__global__ void NAME(const $T* a, const $T* $R b, $T* o, int n, int k) {{ {I} if (t >= n) return; $T x = a[t], y = b[t], s = 0; {U} for (int p = 0; p < $P; ++p) s += NAME_f(x + p, y * p, b, k + p); o[t] = s * x + y; }}"""

RECURSION = f"""
__device__ __noinline__ int NAME_f(int n, const int* p) {{ return n < 2 ? p[n] : NAME_f(n - 1, p) + $M * NAME_f(n - 2, p); }}
__global__ void NAME(const int* a, int* o, int n) {{ {I} {U} for (int p = 0; p < $P; ++p) o[t * $P + p] = NAME_f(a[t] % 20 + p, a); }}"""

PRINT = f"""
__global__ void NAME(const $T* a, $T* o, int n) {{ {I} if (t >= n) return; $T x = a[t], y = a[t + n]; $CHECK o[t] = x * y; }}"""

HILLIS = f"""
__global__ void NAME(const $T* $R a, $T* o, int n) {{ __shared__ $T s[$BS]; {I} int l = threadIdx.x; s[l] = t < n ? a[t] : ($T)0; __syncthreads(); $UN
  for (int d = 1; d < $BS; d *= 2) {{ $T v = l >= d ? s[l - d] : ($T)0; __syncthreads(); s[l] $OP v; __syncthreads(); }} if (t < n) o[t] = s[l]; }}"""

BITONIC = f"""
__global__ void NAME($T* k, $V* v, int n, int j, int kk) {{ $DECL {I} int p = t ^ j; if (p > t && p < n) {{ $T a = k[t], b = k[p]; if ((t & kk) == 0 ? a > b : a < b) {{ k[t] = b; k[p] = a; $SWAP }} }} }}"""

BITONIC_SHARED = f"""
__global__ void NAME(const $T* $R a, $T* o) {{ __shared__ $T s[$BS]; int l = threadIdx.x; s[l] = a[blockIdx.x * $BS + l]; $UN
  for (int k = 2; k <= $BS; k *= 2) for (int j = k / 2; j > 0; j /= 2) {{ __syncthreads(); int p = l ^ j; if (p > l) {{ $T x = s[l], y = s[p]; if ((x > y) == ((l & k) == 0)) {{ s[l] = y; s[p] = x; }} }} }} __syncthreads(); o[blockIdx.x * $BS + l] = s[l]; }}"""

CAS_LOOP = f"""
__global__ void NAME(const float* $R a, float* m, int n) {{ float s = $INIT; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{ float v = a[i]; s = $F; }} int* q = (int*)m; int old = *q, seen; do {{ seen = old; float w = __int_as_float(seen), v = s; {{ float s = w; s = $F; old = atomicCAS(q, seen, __float_as_int(s)); }} }} while (old != seen); }}"""

VOTES = f"""
__global__ void NAME(const int* $R a, unsigned* o, int n) {{ {I} int x = t < n ? a[t] : 0; unsigned r = 0; {U} for (int p = 0; p < $P; ++p) {{ $V x = x * 5 + p; }} o[t] = r; }}"""

INTERPRETER = f"""
__global__ void NAME(const int* $R code, const $T* $R in, $T* out, int n, int len) {{ {I} if (t >= n) return; $T s[$D]; int sp = 0; for (int pc = 0; pc < len; ++pc) {{ int op = code[pc]; switch (op & 7) {{ case 0: s[sp++] = in[t + (op >> 3)]; break; case 1: --sp; s[sp - 1] += s[sp]; break; case 2: --sp; s[sp - 1] *= s[sp]; break; case 3: --sp; s[sp - 1] -= s[sp]; break; case 4: s[sp] = s[sp - 1]; ++sp; break; $MORE }} }} out[t] = s[0]; }}"""

STRUCT = f"""
struct NAME_P {{ $T c[$N]; int n, w, h; const $T* a; $T* o; }};
__global__ void NAME(NAME_P p) {{ {I} if (t >= p.n) return; $T s = 0; {U} for (int i = 0; i < $N; ++i) s = s * $X + p.c[i] * p.a[t + i * p.w]; p.o[t] = s; }}"""

DP4A = f"""
__global__ void NAME(const int* $R A, const int* $R B, int* C, int M, int N, int K) {{ int r = (blockIdx.y * blockDim.y + threadIdx.y) * $TM, c = (blockIdx.x * blockDim.x + threadIdx.x) * $TN, s[$TM][$TN] = {{}};
#pragma unroll $U
  for (int k = 0; k < K / 4; ++k) {{ {U} for (int i = 0; i < $TM; ++i) {U} for (int j = 0; j < $TN; ++j) s[i][j] = __dp4a(A[(r + i) * (K / 4) + k], B[(c + j) * (K / 4) + k], s[i][j]); }} {U} for (int i = 0; i < $TM; ++i) {U} for (int j = 0; j < $TN; ++j) C[(r + i) * N + c + j] = s[i][j]; }}"""

WMMA_SHARED = f"""
__global__ void NAME(const __half* $R A, const __half* $R B, $C* C, int M, int N, int K) {{ using namespace nvcuda; __shared__ __half as[$TM * 16 * $W][$KB + 8], bs[$KB][$TN * 16 * $W + 8]; int w = threadIdx.x / 32, wy = w / $W, wx = w % $W; wmma::fragment<wmma::accumulator, 16, 16, 16, $C> c[$TM][$TN]; {U} for (int i = 0; i < $TM; ++i) {U} for (int j = 0; j < $TN; ++j) wmma::fill_fragment(c[i][j], ($C)0.f);
  for (int k0 = 0; k0 < K; k0 += $KB) {{ for (int i = threadIdx.x; i < $TM * 16 * $W * $KB / 8; i += $W * $W * 32) *(uint4*)&as[i / ($KB / 8)][i % ($KB / 8) * 8] = *(const uint4*)&A[(blockIdx.y * $TM * 16 * $W + i / ($KB / 8)) * K + k0 + i % ($KB / 8) * 8]; for (int i = threadIdx.x; i < $KB * $TN * 2 * $W; i += $W * $W * 32) *(uint4*)&bs[i / ($TN * 2 * $W)][i % ($TN * 2 * $W) * 8] = *(const uint4*)&B[(k0 + i / ($TN * 2 * $W)) * N + blockIdx.x * $TN * 16 * $W + i % ($TN * 2 * $W) * 8]; __syncthreads();
    {U} for (int k = 0; k < $KB; k += 16) {{ wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a[$TM]; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b[$TN]; {U} for (int i = 0; i < $TM; ++i) wmma::load_matrix_sync(a[i], &as[(wy * $TM + i) * 16][k], $KB + 8); {U} for (int j = 0; j < $TN; ++j) wmma::load_matrix_sync(b[j], &bs[k][(wx * $TN + j) * 16], $TN * 16 * $W + 8); {U} for (int i = 0; i < $TM; ++i) {U} for (int j = 0; j < $TN; ++j) wmma::mma_sync(c[i][j], a[i], b[j], c[i][j]); }} __syncthreads(); }}
  {U} for (int i = 0; i < $TM; ++i) {U} for (int j = 0; j < $TN; ++j) wmma::store_matrix_sync(C + ((blockIdx.y * $W + wy) * $TM + i) * 16 * N + ((blockIdx.x * $W + wx) * $TN + j) * 16, c[i][j], N, wmma::mem_row_major); }}"""

CARRY = f"""
__global__ void NAME(const uint32_t* $R a, const uint32_t* $R b, uint32_t* o, int n) {{ {I} if (t >= n) return; uint32_t x[$N], y[$N], z[$N $MUL]; {U} for (int i = 0; i < $N; ++i) {{ x[i] = a[i * n + t]; y[i] = b[i * n + t]; }} $BODY }}"""
CARRY_ADD = 'uint64_t c = 0; _Pragma("unroll") for (int i = 0; i < $N; ++i) { c += (uint64_t)x[i] + y[i]; z[i] = (uint32_t)c; c >>= 32; } _Pragma("unroll") for (int i = 0; i < $N; ++i) o[i * n + t] = z[i];'
CARRY_MUL = '_Pragma("unroll") for (int i = 0; i < 2 * $N; ++i) z[i] = 0; _Pragma("unroll") for (int i = 0; i < $N; ++i) { uint64_t c = 0; _Pragma("unroll") for (int j = 0; j < $N; ++j) { c += (uint64_t)x[i] * y[j] + z[i + j]; z[i + j] = (uint32_t)c; c >>= 32; } z[i + $N] = (uint32_t)c; } _Pragma("unroll") for (int i = 0; i < 2 * $N; ++i) o[i * n + t] = z[i];'

HALF_MATH = f"""
__global__ void NAME(const $H* $R a, const $H* $R b, $H* o, int n) {{ {I} {U} for (int p = 0; p < $P; ++p) {{ int i = t + p * blockDim.x; if (i < n) {{ float x = (float)a[i], y = (float)b[i]; o[i] = ($H)($F); }} }} }}"""

QUEUE = f"""
__global__ void NAME(const int* $R in, int* q, int* head, int* tail, int* o, int n, int mask) {{ {I} if (t < n) {{ int s = atomicAdd(tail, 1) & mask; q[s] = in[t]; __threadfence(); $SPIN int h = atomicAdd(head, 1) & mask; o[t] = q[h]; }} }}"""

R = ["__restrict__", ""]
FD = ["float", "double"]
SMALL = [
    ("strided", STRIDED, {"T": ["float", "double", "int"], "R,R2": [("__restrict__", "__restrict__"), ("", "")], "P": [1, 2, 4, 8], "F": ["x * k", "x * k + b[i]", "x > k ? b[i] : x"]}),
    ("cast", CAST, {"A,B": [("float", "double"), ("float", "__half"), ("__half", "float"), ("int", "float"), ("unsigned char", "float"), ("double", "int")], "R,R2": [("__restrict__", "__restrict__"), ("", "")], "P": [1, 4]}),
    ("fill", FILL, {"T": FD + ["int"], "IT": ["int", "size_t"], "F": ["v", "v + ($T)i"]}),
    ("convguard", CONV_GUARDED, {"T": FD, "R,R2": [("__restrict__", "__restrict__"), ("", "")], "ROW": ["blockIdx.y", "blockIdx.y * blockDim.y + threadIdx.y"], "K": [3, 5], "UN": ["", "_Pragma(\"unroll 1\")"], "GUARD": ["rr >= 0 && rr < height && cc >= 0 && cc < width", "(unsigned)rr < (unsigned)height && (unsigned)cc < (unsigned)width"]}),
    ("gatherguard", GATHER_GUARDED, {"T": FD + ["int"], "R": R, "P": [1, 2, 4, 8]}),
    ("scatter", SCATTER, {"T": FD + ["int"], "R": R, "P": [1, 2, 4], "OP": ["atomicAdd"]}),
    ("noinline", NOINLINE, {"T": FD + ["int"], "R": R, "P": [1, 2, 4], "POST": ["s", "s / (y + 3)"]}),
    ("recursion", RECURSION, {"M": [1, 3], "P": [1, 2, 4]}),
    ("print", PRINT, {"T": FD + ["int"], "CHECK": ['if (x < 0) printf("%d\\n", t);', 'if (x < 0) printf("%d %f %f\\n", t, (double)x, (double)y);', "assert(x > 0);"]}),
    ("hillis", HILLIS, {"T": FD + ["int"], "R": R, "BS": [128, 512], "OP": ["+=", "*="], "UN": ["", "_Pragma(\"unroll 1\")"]}),
    ("bitonic", BITONIC, {"T": FD + ["int"], "V": ["int"], "DECL,SWAP": [("", ""), ("", "int c = v[t]; v[t] = v[p]; v[p] = c;")]}),
    ("bitonicshared", BITONIC_SHARED, {"T": FD + ["int"], "R": R, "BS": [128, 1024], "UN": ["", "_Pragma(\"unroll 1\")"]}),
    ("cas", CAS_LOOP, {"R": R, "INIT,F": [("-3e38f", "fmaxf(s, v)"), ("1", "s * v"), ("0", "s + v * v")]}),
    ("votes", VOTES, {"R": R, "P": [1, 2, 4], "V": ["r += __ballot_sync(~0u, x > p);", "r ^= __match_any_sync(~0u, x);", "r += __reduce_add_sync(~0u, x);", "r += __shfl_xor_sync(~0u, x, p + 1);", "if (__any_sync(~0u, x > p)) r += __popc(__activemask());"]}),
    ("interpreter", INTERPRETER, {"T": FD, "R": R, "D": [4, 16], "MORE": ["", "case 5: s[sp - 1] = sqrt(s[sp - 1]); break; case 6: --sp; s[sp - 1] /= s[sp]; break;"]}),
    ("struct", STRUCT, {"T": FD, "N": [2, 4, 8, 16], "X": ["p.c[0]", "($T)p.h"]}),
    ("dp4a", DP4A, {"R": R, "TM": [1, 2, 4], "TN": [1, 4], "U": [1, 4]}),
    ("wmmashared", WMMA_SHARED, {"R": R, "C": ["float", "__half"], "TM": [1, 2, 4], "TN": [2, 4], "W": [2], "KB": [16, 32]}),
    ("carry", CARRY, {"R": R, "N": [2, 4, 8, 12], "MUL,BODY": [("", CARRY_ADD), ("* 2", CARRY_MUL)]}),
    ("halfmath", HALF_MATH, {"H": ["__half", "__nv_bfloat16"], "R": R, "P": [1, 2, 4], "F": ["x * y + x", "x / (1 + __expf(-x)) * y", "0.5f * x * (1 + tanhf(0.797f * (x + 0.0447f * x * x * x))) + y"]}),
    ("queue", QUEUE, {"R": R, "SPIN": ["", "while (atomicAdd(tail, 0) < n) ;"]}),
]

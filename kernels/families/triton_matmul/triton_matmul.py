"""C = A B in fp16 with f32 sums, in Triton: a pipelined loop over tiles, programs in groups of rows."""
import triton
import triton.language as tl


@triton.jit
def triton_matmul(a_ptr, b_ptr, c_ptr, M, N, K,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    first = pid // (GROUP * tiles_n) * GROUP
    height = tl.minimum(tiles_m - first, GROUP)
    rm = (first + pid % (GROUP * tiles_n) % height) * BM + tl.arange(0, BM)
    rn = pid % (GROUP * tiles_n) // height * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    a_at = a_ptr + (rm % M)[:, None] * K + rk[None, :]
    b_at = b_ptr + rk[:, None] * N + (rn % N)[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_at, mask=(rk < K - k * BK)[None, :], other=0.0)
        b = tl.load(b_at, mask=(rk < K - k * BK)[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
        a_at += BK
        b_at += BK * N
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], acc.to(tl.float16),
             mask=(rm < M)[:, None] & (rn < N)[None, :])

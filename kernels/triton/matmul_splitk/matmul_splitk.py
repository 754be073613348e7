"""Matrix product whose long inner dimension is divided among programs that add their parts atomically."""
import triton
import triton.language as tl


@triton.jit
def matmul_splitk(a_ptr, b_ptr, c_ptr, M, N, K,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLITS: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.program_id(2) * BK + tl.arange(0, BK)
    a_at = a_ptr + (rm % M)[:, None] * K + rk[None, :]
    b_at = b_ptr + rk[:, None] * N + (rn % N)[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK * SPLITS)):
        left = K - k * (BK * SPLITS)
        a = tl.load(a_at, mask=(rk < left)[None, :], other=0.0)
        b = tl.load(b_at, mask=(rk < left)[:, None], other=0.0)
        acc = tl.dot(a, b, acc)
        a_at += BK * SPLITS
        b_at += BK * SPLITS * N
    tl.atomic_add(c_ptr + rm[:, None] * N + rn[None, :], acc, mask=(rm < M)[:, None] & (rn < N)[None, :])

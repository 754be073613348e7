"""Matrix product in fp16 with bias and ReLU as its epilogue, tiles in plain order."""
import triton
import triton.language as tl


@triton.jit
def matmul_relu(a_ptr, b_ptr, bias_ptr, c_ptr, M, N, K,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
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
    acc += tl.load(bias_ptr + rn, mask=rn < N, other=0.0).to(tl.float32)[None, :]
    tl.store(c_ptr + rm[:, None] * N + rn[None, :], tl.maximum(acc, 0.0).to(tl.float16),
             mask=(rm < M)[:, None] & (rn < N)[None, :])

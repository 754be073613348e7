"""Matrix times vector in fp16 with f32 sums, several rows a program: bound by reading the matrix."""
import triton
import triton.language as tl


@triton.jit
def matvec(a_ptr, x_ptr, y_ptr, M, K, BM: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    acc = tl.zeros((BM, BK), tl.float32)
    for start in range(0, K, BK):
        rk = start + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm < M)[:, None] & (rk < K)[None, :], other=0.0)
        x = tl.load(x_ptr + rk, mask=rk < K, other=0.0)
        acc += a.to(tl.float32) * x.to(tl.float32)[None, :]
    tl.store(y_ptr + rm, tl.sum(acc, axis=1), mask=rm < M)

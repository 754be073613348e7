"""Flash attention without a mask over heads, fp16, head size 64 or 128, exponentials in base 2."""
import triton
import triton.language as tl


@triton.jit
def attention_full(q_ptr, k_ptr, v_ptr, y_ptr, n, scale_log2,
                   BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1).to(tl.int64) * n * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + base + rm[:, None] * D + rd[None, :], mask=(rm < n)[:, None], other=0.0)
    m = tl.full((BM,), -1.0e30, dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, n, BN):
        rn = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + rn[None, :] * D + rd[:, None], mask=(rn < n)[None, :], other=0.0)
        s = tl.where((rn < n)[None, :], tl.dot(q, k) * scale_log2, -1.0e30)
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp2(m - m_new)
        p = tl.exp2(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + base + rn[:, None] * D + rd[None, :], mask=(rn < n)[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        m = m_new
    tl.store(y_ptr + base + rm[:, None] * D + rd[None, :], (acc / l[:, None]).to(tl.float16),
             mask=(rm < n)[:, None])

"""Flash attention over heads in Triton, fp16, 64 dimensions a head, no mask: softmax(Q K^T) V."""
import triton
import triton.language as tl


@triton.jit
def triton_attention(q_ptr, k_ptr, v_ptr, out_ptr, n, scale, BM: tl.constexpr, BN: tl.constexpr,
                     BASE2: tl.constexpr, LATE: tl.constexpr):
    D: tl.constexpr = 64
    base = tl.program_id(1).to(tl.int64) * n * D
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + base + rm[:, None] * D + rd[None, :], mask=(rm < n)[:, None], other=0.0)
    m = tl.full((BM,), -1.0e30, dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    # Late: a thread keeps its own part of the sum until the end.
    if LATE:
        l = tl.zeros((BM, BN), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, n, BN):
        rn = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + rn[None, :] * D + rd[:, None], mask=(rn < n)[None, :], other=0.0)
        if BASE2:
            s = tl.dot(q, k) * (scale * 1.44269504)
        else:
            s = tl.dot(q, k) * scale
        s = tl.where((rn < n)[None, :], s, -1.0e30)
        m_new = tl.maximum(m, tl.max(s, axis=1))
        if BASE2:
            alpha = tl.exp2(m - m_new)
            p = tl.exp2(s - m_new[:, None])
        else:
            alpha = tl.exp(m - m_new)
            p = tl.exp(s - m_new[:, None])
        if LATE:
            l = l * alpha[:, None] + p
        else:
            l = l * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + base + rn[:, None] * D + rd[None, :], mask=(rn < n)[:, None], other=0.0)
        acc = tl.dot(p.to(tl.float16), v, acc * alpha[:, None])
        m = m_new
    if LATE:
        total = tl.sum(l, axis=1)
    else:
        total = l
    tl.store(out_ptr + base + rm[:, None] * D + rd[None, :], (acc / total[:, None]).to(tl.float16),
             mask=(rm < n)[:, None])

"""Flash attention forward (one head, online softmax); the wrong one does not rescale acc by alpha.

q[n, D], k[n, D], v[n, D] fp16 row-major, y[n, D] fp32.
"""
import triton
import triton.language as tl


@triton.jit
def flash_attention_right(q_ptr, k_ptr, v_ptr, y_ptr, n, scale,
                          BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + rm[:, None] * D + rd[None, :], mask=(rm < n)[:, None], other=0.0)
    m = tl.full((BM,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, n, BN):
        rn = start + tl.arange(0, BN)
        k = tl.load(k_ptr + rn[None, :] * D + rd[:, None], mask=(rn < n)[None, :], other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where((rn < n)[None, :], s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + rn[:, None] * D + rd[None, :], mask=(rn < n)[:, None], other=0.0)
        acc = acc * alpha[:, None]
        acc += tl.dot(p.to(tl.float16), v)
        m = m_new
    tl.store(y_ptr + rm[:, None] * D + rd[None, :], acc / l[:, None], mask=(rm < n)[:, None])


@triton.jit
def flash_attention_wrong(q_ptr, k_ptr, v_ptr, y_ptr, n, scale,
                          BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + rm[:, None] * D + rd[None, :], mask=(rm < n)[:, None], other=0.0)
    m = tl.full((BM,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    for start in range(0, n, BN):
        rn = start + tl.arange(0, BN)
        k = tl.load(k_ptr + rn[None, :] * D + rd[:, None], mask=(rn < n)[None, :], other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where((rn < n)[None, :], s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        v = tl.load(v_ptr + rn[:, None] * D + rd[None, :], mask=(rn < n)[:, None], other=0.0)
        acc += tl.dot(p.to(tl.float16), v)
        m = m_new
    tl.store(y_ptr + rm[:, None] * D + rd[None, :], acc / l[:, None], mask=(rm < n)[:, None])

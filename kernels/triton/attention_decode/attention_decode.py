"""Attention of one new token a head against its cache of keys and values, fp16: bound by reading the cache."""
import triton
import triton.language as tl


@triton.jit
def attention_decode(q_ptr, k_ptr, v_ptr, y_ptr, n, scale, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(0)
    base = head.to(tl.int64) * n * D
    rd = tl.arange(0, D)
    q = tl.load(q_ptr + head * D + rd).to(tl.float32) * scale
    m = tl.full((1,), -1.0e30, tl.float32)
    l = tl.zeros((1,), tl.float32)
    acc = tl.zeros((D,), tl.float32)
    for start in range(0, n, BN):
        rn = start + tl.arange(0, BN)
        at = base + rn[:, None] * D + rd[None, :]
        k = tl.load(k_ptr + at, mask=(rn < n)[:, None], other=0.0).to(tl.float32)
        s = tl.where(rn < n, tl.sum(q[None, :] * k, axis=1), -1.0e30)
        m_new = tl.maximum(m, tl.max(s, axis=0))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new)
        l = l * alpha + tl.sum(p, axis=0)
        v = tl.load(v_ptr + at, mask=(rn < n)[:, None], other=0.0).to(tl.float32)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    tl.store(y_ptr + head * D + rd, (acc / l).to(tl.float16))

"""Attention of one query row a program over up to BLOCK_N keys; the wrong one drops 1/sqrt(D).

q[n_rows, D], k[n_keys, D], v[n_keys, D], y[n_rows, D], all row-major fp32. The scale is folded into q,
as most attention kernels do.
"""
import triton
import triton.language as tl


@triton.jit
def attention_right(q_ptr, k_ptr, v_ptr, y_ptr, n_keys, scale, BLOCK_N: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    keys = tl.arange(0, BLOCK_N)
    inside = keys < n_keys
    q = tl.load(q_ptr + row * D + d) * scale
    k = tl.load(k_ptr + keys[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    s = tl.sum(q[None, :] * k, axis=1)
    s = tl.where(inside, s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    p = p / tl.sum(p, axis=0)
    v = tl.load(v_ptr + keys[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    tl.store(y_ptr + row * D + d, tl.sum(p[:, None] * v, axis=0))


@triton.jit
def attention_wrong(q_ptr, k_ptr, v_ptr, y_ptr, n_keys, scale, BLOCK_N: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    keys = tl.arange(0, BLOCK_N)
    inside = keys < n_keys
    q = tl.load(q_ptr + row * D + d)
    k = tl.load(k_ptr + keys[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    s = tl.sum(q[None, :] * k, axis=1)
    s = tl.where(inside, s, -float("inf"))
    p = tl.exp(s - tl.max(s, axis=0))
    p = p / tl.sum(p, axis=0)
    v = tl.load(v_ptr + keys[:, None] * D + d[None, :], mask=inside[:, None], other=0.0)
    tl.store(y_ptr + row * D + d, tl.sum(p[:, None] * v, axis=0))

"""Gradient of GELU in its tanh form, f32."""
import triton
import triton.language as tl


@triton.jit
def gelu_backward(x_ptr, dy_ptr, dx_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs, mask=mask, other=0.0)
    dy = tl.load(dy_ptr + offs, mask=mask, other=0.0)
    # tanh(u) = 2 sigmoid(2u) - 1
    t = 2.0 * tl.sigmoid(1.5957691216 * (x + 0.044715 * x * x * x)) - 1.0
    slope = 0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * 0.7978845608 * (1.0 + 0.134145 * x * x)
    tl.store(dx_ptr + offs, dy * slope, mask=mask)

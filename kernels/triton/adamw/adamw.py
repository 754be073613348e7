"""One step of AdamW on f32 parameters: three streams are read and written, one is read."""
import triton
import triton.language as tl


@triton.jit
def adamw(param_ptr, grad_ptr, mean_ptr, square_ptr, n, rate, decay, beta1, beta2, unbias1, unbias2, eps,
          BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offs < n
    param = tl.load(param_ptr + offs, mask=mask, other=0.0)
    grad = tl.load(grad_ptr + offs, mask=mask, other=0.0)
    mean = beta1 * tl.load(mean_ptr + offs, mask=mask, other=0.0) + (1.0 - beta1) * grad
    square = beta2 * tl.load(square_ptr + offs, mask=mask, other=0.0) + (1.0 - beta2) * grad * grad
    step = mean * unbias1 / (tl.sqrt(square * unbias2) + eps)
    tl.store(param_ptr + offs, param - rate * (step + decay * param), mask=mask)
    tl.store(mean_ptr + offs, mean, mask=mask)
    tl.store(square_ptr + offs, square, mask=mask)

"""Cross entropy of one row of bf16 logits a program, with its gradient."""
import triton
import triton.language as tl


@triton.jit
def cross_entropy(logit_ptr, label_ptr, loss_ptr, grad_ptr, classes, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < classes
    x = tl.load(logit_ptr + row * classes + cols, mask=mask, other=-float("inf")).to(tl.float32)
    label = tl.load(label_ptr + row)
    top = tl.max(x, axis=0)
    e = tl.exp(x - top)
    total = tl.sum(e, axis=0)
    picked = tl.sum(tl.where(cols == label, x, 0.0), axis=0)
    tl.store(loss_ptr + row, tl.log(total) + top - picked)
    tl.store(grad_ptr + row * classes + cols, e / total - tl.where(cols == label, 1.0, 0.0), mask=mask)

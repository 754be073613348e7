"""SwiGLU in Triton, fp16: silu(gate) * up, in blocks that a program takes one after the other."""
import triton
import triton.language as tl


@triton.jit
def triton_swiglu(gate_ptr, up_ptr, out_ptr, n, BLOCK: tl.constexpr, ITEMS: tl.constexpr, SPREAD: tl.constexpr,
                  HINT: tl.constexpr, EXACT: tl.constexpr):
    for item in tl.static_range(ITEMS):
        # A program's blocks are beside each other, or a whole grid apart.
        if SPREAD:
            block = item * tl.num_programs(0) + tl.program_id(0)
        else:
            block = tl.program_id(0) * ITEMS + item
        offs = block * BLOCK + tl.arange(0, BLOCK)
        mask = offs < n
        if HINT:
            gate = tl.load(gate_ptr + offs, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
            up = tl.load(up_ptr + offs, mask=mask, other=0.0, eviction_policy="evict_first").to(tl.float32)
        else:
            gate = tl.load(gate_ptr + offs, mask=mask, other=0.0).to(tl.float32)
            up = tl.load(up_ptr + offs, mask=mask, other=0.0).to(tl.float32)
        if EXACT:
            out = tl.div_rn(gate, 1.0 + tl.exp(-gate)) * up
        else:
            out = gate * tl.sigmoid(gate) * up
        if HINT:
            tl.store(out_ptr + offs, out.to(tl.float16), mask=mask, cache_modifier=".cs")
        else:
            tl.store(out_ptr + offs, out.to(tl.float16), mask=mask)

"""Latency and rate of PTX operations on the GPU here, and the machine instructions they become.

    python3 tools/gpu/rates.py [NAME…]

Prints a row an operation: cycles from one to the next that needs its result (one warp), results a
cycle of an SM (32 warps, eight independent chains each), and for each target the SASS instructions
that one operation becomes (CUDA's ptxas and cuobjdump). Where ptxas folds the chain the latency
reads 0. Needs CuPy, ptxas and cuobjdump. src/profile/machine_costs.inc and isa/gpus rest on it.
"""

import collections
import os
import re
import subprocess
import sys
import tempfile

import cupy

from operations import MMA, OPERATIONS

HEAD = ".version 8.8\n.target {target}\n.address_size 64\n"
REGISTER = {"r": ("b32", "%r"), "l": ("b64", "%rd"), "f": ("f32", "%f"), "d": ("f64", "%d"), "h": ("b16", "%h")}
FOLDER = tempfile.mkdtemp()
NEXT = iter(range(1 << 30))


def kernel(body, declarations, before, after, chains, trips, unroll):
    """A loop over `chains` operations a round, between two reads of the clock."""
    rounds = "".join(body(c) + "\n" for _ in range(unroll) for c in range(chains))
    return (
        HEAD.format(target="sm_90")
        + ".visible .entry k(.param .u64 o, .param .u32 s)\n{\n.reg .b32 %x<40>; .reg .b64 %y<10>; .reg .pred %q;\n"
        + declarations
        + "ld.param.u64 %y0,[o]; ld.param.u32 %x0,[s]; mov.u32 %x1,%tid.x; mov.u32 %x2,%ctaid.x; mov.u32 %x3,%ntid.x;\n"
        + "mad.lo.s32 %x4,%x2,%x3,%x1; mad.wide.u32 %y1,%x4,16,%y0;\n"
        + before
        + "mov.u32 %x10,0; bar.sync 0;\nmov.u64 %y2,%clock64;\nL:\n"
        + rounds
        + f"add.u32 %x10,%x10,1; setp.lt.u32 %q,%x10,{trips}; @%q bra L;\n"
        + "mov.u64 %y3,%clock64; sub.u64 %y4,%y3,%y2; st.global.u64 [%y1],%y4;\n"
        + after
        + "ret;\n}\n"
    )


def assemble(text, target="sm_90"):
    path = os.path.join(FOLDER, f"{next(NEXT)}")
    with open(path + ".ptx", "w") as f:
        f.write(text.replace("sm_90", target))
    done = subprocess.run(["ptxas", "-arch=" + target, path + ".ptx", "-o", path + ".cubin"], capture_output=True, text=True)
    return path + ".cubin" if done.returncode == 0 else None


def cycles(cubin, grid, block):
    k = cupy.RawModule(path=cubin).get_function("k")
    out = cupy.zeros(grid * block * 2, dtype=cupy.uint64)
    for _ in range(2):
        k((grid,), (block,), (out, cupy.uint32(3)))
    return int(out.get().reshape(-1, 2)[:, 0].max())


def sass(cubin):
    text = subprocess.run(["cuobjdump", "-sass", cubin], capture_output=True, text=True).stdout
    found = re.finditer(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+ )?([A-Z0-9_.]+)", text, re.M)
    return collections.Counter(m[1] for m in found if not m[1].startswith(("NOP", "BRA")))


def parts(kind, chains):
    """Declares, fills and uses the registers of so many chains."""
    ptx, name = REGISTER[kind]
    declarations = f".reg .{ptx} {name}A<9>; .reg .{ptx} {name}B;\n"
    before = after = ""
    convert = {"r": "mov.b32", "l": "cvt.u64.u32", "f": "cvt.rn.f32.u32", "d": "cvt.rn.f64.u32", "h": "cvt.u16.u32"}[kind]
    for c in [*range(chains), "B"]:
        register = f"{name}B" if c == "B" else f"{name}A{c}"
        before += f"add.u32 %x5,%x1,{5 if c == 'B' else c}; add.u32 %x5,%x5,%x0; {convert} {register},%x5;\n"
        if c != "B":
            after += f"{'' if c == 0 else '@%q '}st.global.{ptx} [%y1+8],{register};\n"
    return declarations, before, after


def measure(name, text, kind):
    _, register = REGISTER[kind]
    routine = name.startswith(("div", "rem", "sqrt.rn", "rcp.rn"))

    def body(c):
        return text.format(a=f"{register}A{c}", b=f"{register}B")

    chain, wide = (1, 1) if routine else (8, 4)
    one = assemble(kernel(body, *parts(kind, 1), 1, 64, chain))
    many = assemble(kernel(body, *parts(kind, 8), 8, 32, wide))
    if one is None or many is None:
        return f"{name}: ptxas does not take it"
    row = f"{name:18s} {cycles(one, 1, 32) / (64 * chain):6.1f} {32 * 32 * 32 * 8 * wide / cycles(many, 132, 1024):8.1f}"
    for target in ("sm_80", "sm_90"):
        few, more = (assemble(kernel(body, *parts(kind, 1), 1, 4, n), target) for n in (2, 6))
        if few and more:
            a, b = sass(few), sass(more)
            row += f"  {target}: " + ", ".join(f"{k} {(b[k] - a[k]) / 4:g}" for k in sorted(b | a) if b[k] != a[k])
    return row


def tensor(name, instruction, d, a, b, real):
    """Multiply-adds a cycle of an SM, 16 warps with four independent products each."""
    flavour = '"+f"' if real else '"+r"'
    kind = "float" if real else "unsigned"

    def product(k):
        names = [f"%{i}" for i in range(d + a + b)]
        operands = "{%s},{%s},{%s},{%s}" % tuple(",".join(x) for x in (names[:d], names[d : d + a], names[d + a :], names[:d]))
        outs = ",".join(f"{flavour}(d[{k}][{i}])" for i in range(d))
        ins = ",".join([f'"r"(a[{i}])' for i in range(a)] + [f'"r"(b[{i}])' for i in range(b)])
        return f'asm volatile("{instruction} {operands};":{outs}:{ins});'

    source = f"""extern "C" __global__ void k(unsigned long long* out, int trips, int one) {{
      {kind} d[4][4] = {{}}; unsigned a[4] = {{threadIdx.x, 1, 2, 3}}, b[2] = {{threadIdx.x, 5}};
      __syncthreads(); long long t0 = clock64();
      for (int i = 0; i < trips; ++i) {{ {product(0)} if (!one) {{ {product(1)} {product(2)} {product(3)} }} }}
      __syncthreads(); long long t1 = clock64();
      if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
      {kind} s = 0; for (int k = 0; k < 4; ++k) for (int i = 0; i < {d}; ++i) s += d[k][i];
      if (s == 12345) out[0] = 1; }}"""
    k = cupy.RawKernel(source, "k", options=("-arch=sm_90",))
    out = cupy.zeros(132, dtype=cupy.uint64)
    m, n, depth = (int(x) for x in re.search(r"m(\d+)n(\d+)k(\d+)", name).groups())
    for _ in range(2):
        k((1,), (32,), (out, cupy.int32(256), cupy.int32(1)))
    latency = int(out.get()[0]) / 256
    for _ in range(2):
        k((132,), (512,), (out, cupy.int32(64), cupy.int32(0)))
    return f"{name:24s} {latency:6.1f} {16 * 64 * 4 * m * n * depth / out.get().mean():8.0f} multiply-adds"


def main():
    wanted = sys.argv[1:]
    for row in OPERATIONS:
        if not wanted or row[0] in wanted:
            print(measure(*row), flush=True)
    for row in MMA:
        if not wanted or row[0] in wanted:
            print(tensor(*row), flush=True)


if __name__ == "__main__":
    main()

"""Checks who includes whom against the module matrix of docs/architecture.md.

A module may include its own headers, those of `support`, and of the modules listed here; third-party
headers stay inside the modules that own them.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAY_USE = {
    "support": set(),
    "ptx": set(),
    "arch": set(),
    "analysis": {"ptx", "arch"},
    "toolchain": {"ptx"},
    "gate": {"analysis", "ptx", "toolchain", "arch"},
    "emulator": {"analysis", "ptx", "arch"},
    "cuda": set(),
    "device": {"emulator", "ptx", "cuda", "arch"},
    "check": {"device", "emulator", "analysis", "ptx"},
    "profile": {"emulator", "analysis", "arch", "ptx"},
    "predict": {"profile", "measure", "check", "device", "emulator", "toolchain", "analysis", "arch", "ptx"},
    "measure": {"device", "toolchain", "arch", "cuda", "ptx", "analysis"},
    "variants": {"device", "toolchain", "arch", "ptx", "analysis"},
    "knobs": {"measure", "variants", "analysis", "ptx"},
    "transform": {"analysis", "ptx"},
    "search": {"transform", "analysis", "arch", "ptx"},
    "environment": {"search", "transform", "analysis", "ptx"},
    "learn": {"environment", "search", "transform", "ptx", "knobs", "measure", "predict"},
    "bench": {"check", "profile", "search", "transform", "toolchain", "device", "emulator", "analysis", "arch", "ptx"},
    "store": set(),
    "report": set(),
}
# Plain result structs that report turns into text; nothing else of their module.
PLAIN = {"report": {"gate/diff_result.h", "gate/gate_result.h"}, "store": {"measure/measure_result.h", "bench/bench_result.h"}}
# Header prefix → the only modules that may include it.
THIRD_PARTY = {
    "nlohmann/": {"report", "toolchain", "variants", "predict", "search", "knobs", "bench"},
    "toml++/": {"support"},
    "xxhash.h": {"support"},
    "zstd.h": {"toolchain"},
    "lz4": {"toolchain"},
    "zlib.h": {"toolchain"},
    "sqlite3.h": {"store"},
    "xgboost/": set(),  # its functions are declared in predict/xgboost_api.h
    "cuda.h": set(),  # the driver's functions are declared in cuda/api.h
    "nvml.h": set(),
    "torch/": {"learn"},
    "ATen/": {"learn"},
    "CLI/": set(),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def main() -> int:
    bad = []
    files = sorted((ROOT / "src").rglob("*.h")) + sorted((ROOT / "src").rglob("*.cpp"))
    for path in files:
        module = path.relative_to(ROOT / "src").parts[0]
        if module not in MAY_USE:
            bad.append(f"{path.relative_to(ROOT)}: module '{module}' is not in the matrix")
            continue
        for header in INCLUDE.findall(path.read_text()):
            first = header.split("/")[0]
            if first in MAY_USE and "/" in header:
                # Plain result structs are for everybody, reports above all, and use nothing else.
                if module == "report" and header.endswith("_result.h"):
                    continue
                if path.name.endswith("_result.h") and not header.endswith("_result.h"):
                    bad.append(f"{path.relative_to(ROOT)}: result structs use only their like ({header})")
                if header in PLAIN.get(module, ()):
                    continue
                if first not in MAY_USE[module] | {module, "support"}:
                    bad.append(f"{path.relative_to(ROOT)}: {module} may not use {first} ({header})")
            for prefix, owners in THIRD_PARTY.items():
                if header.startswith(prefix) and module not in owners:
                    bad.append(f"{path.relative_to(ROOT)}: {header} belongs to {sorted(owners) or 'no module'}")
    for line in bad:
        print(line)
    print(f"{len(files)} files, {len(bad)} violations")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Prints the compat deltas (wrong minus right) of all pairs, counted by two regular expressions.

    python3 tools/kernels/compat_deltas.py

This is the published counting rule written a second time, apart from pitot, so that the two can be
held against each other: registers = sum of N over `.reg .T %x<N>`; instructions = indented lines
whose first token is a lower-case mnemonic with optional .modifiers (predicated lines do not count).
"""
import json
import re
from pathlib import Path

KERNELS = Path(__file__).resolve().parents[2] / "kernels"
REGISTERS = re.compile(r"\.reg\s+\.\w+\s+%\w+<(\d+)>")
INSTRUCTION = re.compile(r"^[ \t]+[a-z][a-z0-9_]*(?:\.[A-Za-z0-9_:]+)*(?=[\s;])", re.M)
TARGETS = ("sm_75", "sm_80", "sm_90a", "sm_100a")


def compat(text):
    """(registers, instructions) by the published rule."""
    return sum(map(int, REGISTERS.findall(text))), len(INSTRUCTION.findall(text))


def main():
    records = json.loads((KERNELS / "manifest.json").read_text())["kernels"]
    pairs = {}
    for record in records:
        if record["family"] == "pairs":
            counts = compat((KERNELS / record["file"]).read_text())
            key = (record["pair"], record.get("variant", ""))
            pairs.setdefault(key, {})[record["target"], record["role"]] = counts
    print("| pair | variant | " + " | ".join(TARGETS) + " |")
    print("|---|---|" + "---|" * len(TARGETS))
    for (pair, variant), counts in sorted(pairs.items()):
        cells = []
        for target in TARGETS:
            right, wrong = counts.get((target, "right")), counts.get((target, "wrong"))
            cells.append(f"{wrong[0] - right[0]:+d}, {wrong[1] - right[1]:+d}" if right else "–")
        print(f"| {pair} | {variant or 'main'} | " + " | ".join(c.replace("-", "−") for c in cells) + " |")


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# The main job on real compiler output: look at kernels, compare right and wrong versions, fail the gate
# with a report. Needs no GPU and no ptxas. Ends by naming its report.
set -euo pipefail
cd "$(dirname "$0")/.."
pitot=${1:-build/release/bin/pitot}
out=build/demo
mkdir -p "$out"
pairs=kernels/pairs
say() { printf '\n\033[1m── %s\033[0m\n' "$*"; }
show() { printf '\033[2m$ pitot %s\033[0m\n' "$*"; "$pitot" "$@" || true; }

say "1. What is in a kernel? (Triton softmax for sm_80; occupancy for two GPUs)"
show inspect --gpu A100,L4 $pairs/softmax/softmax_right.sm80.ptx

say "2. Is it legal, and what would the hardware object to although ptxas is silent?"
show verify tests/data/cases/05-fp8-cvt-sm89-needs-8_1.ptx tests/data/cases/16-misaligned-widened-half-load.ptx

say "3. What changed? The wrong softmax loads 0 instead of -inf outside the row: no count moves."
show diff $pairs/softmax/softmax_right.sm80.ptx $pairs/softmax/softmax_wrong.sm80.ptx

say "4. Nine right and wrong kernels, by the default rules"
printf '%-18s %-12s %-8s %s\n' kernel class verdict "compat Δregisters Δinstructions"
for dir in "$pairs"/*/; do
  name=$(basename "$dir")
  right=$dir${name}_right.sm80.ptx
  wrong=$dir${name}_wrong.sm80.ptx
  verdict=pass
  "$pitot" gate --no-ptxas "$right" "$wrong" >/dev/null || verdict=FAIL
  "$pitot" diff --format csv "$right" "$wrong" > "$out/$name.csv" || true
  printf '%-18s %-12s %-8s %s\n' "$name" \
    "$(awk -F, 'NR==1{for(i=1;i<=NF;i++) c[$i]=i} NR==2{print $c["class"]}' "$out/$name.csv")" "$verdict" \
    "$(awk -F, 'NR==1{for(i=1;i<=NF;i++) c[$i]=i} NR==2{print $c["registers"], $c["instructions"]}' "$out/$name.csv")"
done

say "5. A recompiled kernel and one with other names pass"
show gate --no-ptxas $pairs/gelu/gelu_right.sm80.ptx kernels/variants/gelu_right.sm80.renamed.ptx

say "6. A real regression: atomicAdd became a compare-and-swap loop"
show gate --no-ptxas kernels/regressions/atomic_add_to_cas/before.sm80.ptx kernels/regressions/atomic_add_to_cas/after.sm80.ptx
"$pitot" gate --no-ptxas --format html -o "$out/report.html" \
  kernels/regressions/atomic_add_to_cas/before.sm80.ptx kernels/regressions/atomic_add_to_cas/after.sm80.ptx 2>/dev/null || true

say "The report of the last gate, as a page: $out/report.html"

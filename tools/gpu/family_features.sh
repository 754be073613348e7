#!/usr/bin/env bash
# Features of every variant of the kernel families, for training without compiling again. Needs no GPU, only cores.
#   bash tools/gpu/family_features.sh PITOT MADE OUT     MADE: a folder, or a .tar.xz of one, with a manifest a family
# OUT gets FAMILY.features.csv each and features.tar.xz with all of them.
set -euo pipefail
pitot=$(realpath "$1") made=$2 out=$3
mkdir -p "$out"
if [ -f "$made" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  tar -C "$work" -xf "$made"
  made=$work
fi
out=$(realpath "$out")
find "$made" -name manifest.json -printf '%h\n' | sort | while read -r folder; do
  family=$(basename "$folder")
  begin=$(date +%s)
  # Rows name family and variant by the folder and the spec.
  (cd "$folder/.." && "$pitot" features --rows "$family" --gpu H200 -j 0) >"$out/$family.features.tmp"
  mv "$out/$family.features.tmp" "$out/$family.features.csv"
  printf '%-22s %5d rows %4d s\n' "$family" "$(($(wc -l <"$out/$family.features.csv") - 1))" "$(($(date +%s) - begin))"
done
(cd "$out" && tar -cJf features.tar.xz ./*.features.csv)
ls -l "$out/features.tar.xz"

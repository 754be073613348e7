#!/usr/bin/env bash
# Compiles the kernels of the tests' tasks and the candidates for them (nvcc 13.0).
set -euo pipefail
cd "$(dirname "$0")"
compile() { # SOURCE OUTPUT OPTIONS…
  nvcc -O3 -arch=compute_80 -ptx "${@:3}" "$1" -o "$2"
  sed -i '/^\/\/ Based on\|^\/\/ Cuda compilation/d' "$2"
}
for task in row_sum quotient; do
  compile tasks/$task/$task.cu tasks/$task/start.sm80.ptx
  compile tasks/$task/oracle.cu tasks/$task/oracle.sm80.ptx
done
mkdir -p cheats/row_sum cheats/quotient honest/row_sum
for n in $(seq 1 28); do compile tasks/row_sum/row_sum.cu cheats/row_sum/$(printf %02d "$n").ptx -DCHEAT="$n"; done
for n in 1 2; do compile tasks/quotient/quotient.cu cheats/quotient/$(printf %02d "$n").ptx -DCHEAT="$n"; done
for n in 1 2 3 4 5; do compile tasks/row_sum/honest.cu honest/row_sum/$(printf %02d "$n").ptx -DHONEST="$n"; done

#!/usr/bin/env bash
# clang-tidy over the program as the release build compiles it: a module as one file, the emulator file by file.
#   tools/ci/tidy.sh [BUILD]    default: build/release, which must be configured
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
[ -f "$build/compile_commands.json" ] || cmake --preset release >/dev/null
cmake --build "$build" --target pitot_isa_tables pitot_gpu_tables >/dev/null
python3 - "$build/compile_commands.json" <<'PY' | xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --config-file=.clang-tidy --quiet
import json, sys
for entry in json.load(open(sys.argv[1])):
    if any(part in entry["file"] for part in ("/src/", "/tools/pitot/", ".dir/Unity/")):
        print(entry["file"])
PY

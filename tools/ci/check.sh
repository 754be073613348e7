#!/usr/bin/env bash
# What CI checks besides the tests. Each step names itself; the first failure stops.
set -euo pipefail
cd "$(dirname "$0")/../.."
jobs=$(nproc 2>/dev/null || echo 2)
step() { printf '\n== %s\n' "$*"; }

missing=()
for p in clang clang-format libclang-rt-14-dev libxml2-utils python3 python3-jsonschema git; do
  dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing+=("$p")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends clang clang-format libclang-rt-dev \
    libxml2-utils python3 python3-jsonschema git >/dev/null
fi

step "module dependencies"
python3 tools/ci/includes.py

step "formatting"
git ls-files '*.cpp' '*.h' | xargs clang-format --dry-run --Werror

step "sizes: no source file over 1000 lines"
git ls-files '*.cpp' '*.h' '*.py' | xargs wc -l | awk '$2 != "total" && $1 > 1000 {print; bad = 1} END {exit bad}'

step "clang, warnings as errors; unit tests under AddressSanitizer and UndefinedBehaviorSanitizer"
cmake --preset asan -DPITOT_UNITY=ON -DPITOT_CORE_TESTS=ON -DCMAKE_CXX_COMPILER=clang++ -DPITOT_WERROR=ON -DCMAKE_CXX_FLAGS_DEBUG="-O1 -gline-tables-only" >/dev/null
cmake --build build/asan -j "$jobs"
python3 tools/ci/syntax.py build/asan -j "$jobs" test_cli test_measure test_predict test_search test_environment \
  test_knobs test_python differential_arch
ctest --test-dir build/asan --output-on-failure -j "$jobs" -LE "slow|plain"

step "SARIF and JUnit against their schemas"
python3 tests/tools/validate_reports.py build/asan/bin/pitot

// One step of a sorting network, a pair a thread.
#include "../oracle.cuh"

extern "C" __global__ void bitonic_step_u32_oracle(unsigned* key, int pairs, int distance, int runs) {
  each(pairs, [&](Count p) {
    const Count group = p / distance, low = group * 2 * distance + p % distance, high = low + distance;
    const unsigned least = min(key[low], key[high]), most = max(key[low], key[high]);
    const bool rising = group / runs % 2 == 0;
    key[low] = rising ? least : most;
    key[high] = rising ? most : least;
  });
}

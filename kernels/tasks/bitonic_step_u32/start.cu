// One step of a sorting network, a pair a thread.
extern "C" __global__ void bitonic_step_u32(unsigned* key, int pairs, int distance, int runs) {
  const int p = blockIdx.x * 256 + threadIdx.x;
  if (p >= pairs) return;
  const int group = p / distance, low = group * 2 * distance + p % distance, high = low + distance;
  const unsigned a = key[low], b = key[high];
  if ((a > b) == (group / runs % 2 == 0)) key[low] = b, key[high] = a;
}

// A bytecode loop: a switch that becomes an indexed branch, and 64-bit integer operations.
extern "C" __global__ void interpreter(const unsigned char* __restrict__ code, int length,
                                       long long* __restrict__ state, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long a = state[i], b = i + 1;
  for (int pc = 0; pc < length; ++pc) switch (code[pc]) {
      case 0: a += b; break;
      case 1: a -= b; break;
      case 2: a *= b; break;
      case 3: a = b ? a / b : 0; break;
      case 4: a ^= b << (a & 31); break;
      case 5: b = a >> 3; break;
      case 6: a = __brevll(a); break;
      case 7: b = __popcll(a) - __clzll(b); break;
      case 8: if (a < 0) pc = length; break;
      default: a = ~a; break;
    }
  state[i] = a;
}

// Kernels that do nothing, for what a launch and the start of a block cost:
//   nvcc -arch=native tools/gpu/starts.cu -o starts
//   ncu --csv --clock-control none --metrics sm__cycles_elapsed.max ./starts
// launch_cycles of isa/gpus is the smallest grid's; cycles_per_block the slope to the largest.
__global__ void nothing(int* p) {
  if (p != nullptr) *p = 1;
}

int main() {
  for (int grid : {1, 132, 4224, 65536})
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
      nothing<<<grid, threads>>>(nullptr);
      cudaDeviceSynchronize();
    }
}

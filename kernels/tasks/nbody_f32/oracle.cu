// Gravity on one body a thread. A difference loses what its coordinates lose, a distance what the differences lose.
#include "../oracle.cuh"

extern "C" __global__ void nbody_f32_oracle(const float* body, double* force, int n, double* force_scale) {
  each(n, [&](Count i) {
    double sum[4] = {}, size[4] = {};
    for (int j = 0; j < n; ++j) {
      double apart[3], coarse[3], square = 0, lost = 0;
      for (int e = 0; e < 3; ++e) {
        apart[e] = static_cast<double>(body[j * 4 + e]) - body[i * 4 + e];
        coarse[e] = fabs(static_cast<double>(body[j * 4 + e])) + fabs(static_cast<double>(body[i * 4 + e]));
        square += apart[e] * apart[e];
        lost += fabs(apart[e]) * (fabs(apart[e]) + coarse[e]);
      }
      square = in_f32(square) + 0.01f;
      lost = 1 + lost / square;  // of the distance, relative
      const double r = 1 / sqrt(square), mass = body[j * 4 + 3], pull = mass * r * r * r;
      for (int e = 0; e < 3; ++e) {
        sum[e] += apart[e] * pull;
        size[e] += fabs(pull) * (coarse[e] + fabs(apart[e]) * 3 * lost);
      }
      sum[3] -= mass * r;
      size[3] += fabs(mass * r) * lost;
    }
    for (int e = 0; e < 4; ++e) {
      force[i * 4 + e] = sum[e];
      force_scale[i * 4 + e] = at_least(size[e]);
    }
  });
}

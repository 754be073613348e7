// Cross entropy of rows of logits, a row a thread.
#include "../oracle.cuh"

extern "C" __global__ void cross_entropy_oracle(const float* x, const int* label, double* loss, int rows, int classes,
                                                double* loss_scale) {
  each(rows, [&](Count r) {
    const float* row = x + r * classes;
    loss[r] = 0;
    loss_scale[r] = at_least(0);
    if (label[r] < 0 || label[r] >= classes) return;
    double top = -INFINITY, sum = 0, lost = 0;
    for (int c = 0; c < classes; ++c) top = fmax(top, static_cast<double>(row[c]));
    for (int c = 0; c < classes; ++c) {
      const double e = exp(row[c] - top);
      sum += e;
      if (e > 0) lost += e * (top - row[c]);
    }
    const double wanted = row[label[r]];
    loss[r] = log(sum) + top - wanted;
    loss_scale[r] = at_least(fabs(wanted) + fabs(top) + log(sum) + 1 + lost / sum);
  });
}

// Step of Adam, an element a thread. The constants are f32's.
#include "../oracle.cuh"

extern "C" __global__ void adam_step_oracle(const float* p, const float* g, const float* m, const float* v,
                                            double* p_new, double* m_new, double* v_new, int n, float rate, float decay,
                                            float c1, float c2, double* p_scale, double* m_scale, double* v_scale) {
  each(n, [&](Count i) {
    const double a = static_cast<double>(0.9f) * m[i], b = static_cast<double>(0.1f) * g[i];
    const double c = static_cast<double>(0.999f) * v[i], d = in_f32(static_cast<double>(0.001f) * g[i] * g[i]);
    m_new[i] = a + b;
    m_scale[i] = at_least(fabs(a) + fabs(b));
    v_new[i] = c + d;
    v_scale[i] = at_least(fabs(c) + fabs(d));
    const double below = sqrt(in_f32(c2 * (c + d))) + static_cast<double>(1e-8f);
    const double old = p[i];
    p_new[i] = old - rate * (c1 * (a + b) / below + decay * old);
    p_scale[i] = at_least(fabs(old) + rate * (c1 * (fabs(a) + fabs(b)) / below + decay * fabs(old)));
  });
}

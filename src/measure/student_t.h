// Quantiles of Student's t, for intervals from few placements.
#pragma once

namespace pitot::measure {

// t with `freedom` degrees of freedom (1 and up) below which a share `p` in (0.5, 1) lies; within
// 1e-9 of it. From the finite series of Abramowitz & Stegun 26.7.3 and 26.7.4.
double student_quantile(double p, unsigned freedom);

}  // namespace pitot::measure

// How sizes, clocks and machines are put into words, for the reports of measurements.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "measure/measure_result.h"

namespace pitot::report {

std::string grid_text(const std::array<uint32_t, 3>& dims);  // "12x3x2", "12" when one-dimensional
std::string bytes_text(double bytes);                        // "48 KiB"

// "  NVIDIA H200 (cuda:0, driver 580.95): SM 1980 MHz, memory 3201 MHz, 41 to 45 °C, 350 W"
std::string machine_line(const measure::MeasureRecord& record);

// Why clocks were held back before or after, joined by commas; each once.
std::string throttle_text(const measure::MeasureRecord& record);

}  // namespace pitot::report

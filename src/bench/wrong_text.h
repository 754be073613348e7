// What is wrong with an output, in words.
#pragma once

#include <string>

#include "bench/accuracy.h"

namespace pitot::bench {

// "y[3] is 1, exactly it is 2: off by 8e+06 roundings; 5 elements differ". Of a judgement with
// something wrong.
std::string wrong_text(const ExpectedOutput& output, const OutputJudgement& judgement);

}  // namespace pitot::bench

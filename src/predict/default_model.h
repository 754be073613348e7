// The model that comes with the program: models/default.json of the source tree, compiled in.
#pragma once

#include <string_view>

namespace pitot::predict {

// Its text; empty when the program was built without one.
std::string_view default_model_text();

}  // namespace pitot::predict

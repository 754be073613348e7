// A model in one JSON file (schema pitot.model/1): everything that it says of itself, and its
// trees.
#pragma once

#include <string>
#include <string_view>

#include "predict/model.h"

namespace pitot::predict {

inline constexpr const char* kModelSchema = "pitot.model/1";

std::string model_json(const Model& model);

// Errors (kInput): no JSON, another schema, a feature schema that this program does not have,
// inputs that it would make otherwise, trees that are none. `path` is for messages.
Result<Model> read_model(std::string_view text, const std::string& path);

}  // namespace pitot::predict

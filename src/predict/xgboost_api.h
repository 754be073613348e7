// The functions of XGBoost's C interface that training calls, found in its library at run time:
// the program starts, and predicts, without it. Names and types are xgboost/c_api.h's (1.6 and
// later), compared with that header in a test where it is installed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "support/dynamic_library.h"
#include "support/result.h"

namespace pitot::predict {

using XgbMatrix = void*;   // DMatrixHandle
using XgbBooster = void*;  // BoosterHandle
using XgbSize = uint64_t;  // bst_ulong

// X(name here, name in the library, result, parameters)
#define PITOT_XGBOOST_FUNCTIONS(X)                                                                 \
  X(version_numbers, "XGBoostVersion", void, (int*, int*, int*))                                   \
  X(last_error, "XGBGetLastError", const char*, ())                                                \
  X(matrix_create, "XGDMatrixCreateFromMat", int,                                                  \
    (const float*, XgbSize, XgbSize, float, XgbMatrix*))                                           \
  X(matrix_free, "XGDMatrixFree", int, (XgbMatrix))                                                \
  X(matrix_floats, "XGDMatrixSetFloatInfo", int, (XgbMatrix, const char*, const float*, XgbSize))  \
  X(matrix_uints, "XGDMatrixSetUIntInfo", int, (XgbMatrix, const char*, const unsigned*, XgbSize)) \
  X(booster_create, "XGBoosterCreate", int, (const XgbMatrix[], XgbSize, XgbBooster*))             \
  X(booster_free, "XGBoosterFree", int, (XgbBooster))                                              \
  X(booster_set, "XGBoosterSetParam", int, (XgbBooster, const char*, const char*))                 \
  X(booster_update, "XGBoosterUpdateOneIter", int, (XgbBooster, int, XgbMatrix))                   \
  X(booster_save, "XGBoosterSaveModelToBuffer", int,                                               \
    (XgbBooster, const char*, XgbSize*, const char**))                                             \
  X(booster_predict, "XGBoosterPredictFromDMatrix", int,                                           \
    (XgbBooster, XgbMatrix, const char*, const XgbSize**, XgbSize*, const float**))

struct XgboostApi {
#define PITOT_XGBOOST_MEMBER(name, symbol, result, parameters) result(*name) parameters = nullptr;
  PITOT_XGBOOST_FUNCTIONS(PITOT_XGBOOST_MEMBER)
#undef PITOT_XGBOOST_MEMBER

  // Ok, or kFailed with what was asked for and the library's message.
  Status check(int status, const char* asked) const;
  std::string version;  // "1.7.4"

  DynamicLibrary opened;
};

// Opens libxgboost.so, or what the environment variable PITOT_XGBOOST_LIBRARY names. Errors
// (kMissing): it is not there, or too old.
Result<std::shared_ptr<const XgboostApi>> load_xgboost();

}  // namespace pitot::predict

// Results of the library as Python's exceptions.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "support/result.h"

namespace pitot::python {

[[noreturn]] inline void raise(const Error& error) {
  if (error.kind == ErrorKind::kInput) throw pybind11::value_error(error.message);
  throw std::runtime_error(error.message);
}
// The value; input errors are ValueError, all others RuntimeError.
template <class T>
T taken(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(*result);
}

}  // namespace pitot::python

// Result<T>: a value or an Error. What can fail in the library returns one; exceptions are for
// bugs.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace pitot {

// What kind of failure it was; the command line turns the kind into its exit code.
enum class ErrorKind {
  kInput,    // unreadable or ill-formed input, wrong usage (exit 2)
  kMissing,  // needs something that is not on this machine: ptxas, a GPU (exit 3)
  kFailed,   // a tool that was there ran and failed
};

struct Error {
  ErrorKind kind = ErrorKind::kInput;
  std::string message;  // one sentence, no trailing newline, names the file or thing concerned
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  // By value, so that a loop over `*f()` keeps what it loops over.
  T value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

struct Ok {};
using Status = Result<Ok>;

inline Error input_error(std::string message) { return {ErrorKind::kInput, std::move(message)}; }
inline Error missing_error(std::string message) {
  return {ErrorKind::kMissing, std::move(message)};
}
inline Error failed_error(std::string message) { return {ErrorKind::kFailed, std::move(message)}; }

}  // namespace pitot

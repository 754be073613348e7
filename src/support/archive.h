// Plain structs to bytes and back, between processes of one program: fields in order, native
// byte order. A struct takes part by `template <class A> void fields(A& a, S& s) { a(s.x, s.y); }`
// next to it.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pitot {

class ArchiveWriter {
 public:
  template <class... T>
  void operator()(T&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(out_); }

 private:
  template <class T>
  void put(T& v) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      out_.append(reinterpret_cast<const char*>(&v), sizeof(T));
    } else {
      fields(*this, v);
    }
  }
  void put(std::string& v) {
    uint64_t n = v.size();
    put(n);
    out_.append(v);
  }
  template <class T>
  void put(std::vector<T>& v) {
    uint64_t n = v.size();
    put(n);
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) == 1) {
      out_.append(reinterpret_cast<const char*>(v.data()), n);
    } else {
      for (T& element : v) put(element);
    }
  }
  template <class T, size_t N>
  void put(std::array<T, N>& v) {
    for (T& element : v) put(element);
  }
  template <class T>
  void put(std::optional<T>& v) {
    bool has = v.has_value();
    put(has);
    if (has) put(*v);
  }
  template <class K, class T, class C>
  void put(std::map<K, T, C>& v) {
    uint64_t n = v.size();
    put(n);
    for (auto& [key, value] : v) {
      K k = key;
      put(k);
      put(value);
    }
  }

  std::string out_;
};

// Reads what the writer wrote; `good()` is false when the bytes ended early, values are then
// unspecified.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}
  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  bool good() const { return good_; }
  bool done() const { return good_ && rest_.empty(); }

 private:
  bool take(void* to, size_t n) {
    good_ &= n <= rest_.size();
    if (!good_) return false;
    if (n != 0) std::memcpy(to, rest_.data(), n);
    rest_.remove_prefix(n);
    return true;
  }
  // Number of elements that follow, each at least one byte.
  size_t length() {
    uint64_t n = 0;
    get(n);
    good_ &= n <= rest_.size();
    return good_ ? static_cast<size_t>(n) : 0;
  }
  template <class T>
  void get(T& v) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      take(&v, sizeof(T));
    } else {
      fields(*this, v);
    }
  }
  void get(std::string& v) {
    v.resize(length());
    take(v.data(), v.size());
  }
  template <class T>
  void get(std::vector<T>& v) {
    v.resize(length());
    if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) == 1) {
      take(v.data(), v.size());
    } else {
      for (T& element : v) get(element);
    }
  }
  template <class T, size_t N>
  void get(std::array<T, N>& v) {
    for (T& element : v) get(element);
  }
  template <class T>
  void get(std::optional<T>& v) {
    bool has = false;
    get(has);
    v.reset();
    if (has) get(v.emplace());
  }
  template <class K, class T, class C>
  void get(std::map<K, T, C>& v) {
    v.clear();
    for (size_t n = length(); n > 0 && good_; --n) {
      K key{};
      get(key);
      get(v[key]);
    }
  }

  std::string_view rest_;
  bool good_ = true;
};

template <class T>
std::string to_bytes(T& value) {
  ArchiveWriter w;
  w(value);
  return w.take();
}

template <class T>
bool from_bytes(std::string_view bytes, T& value) {
  ArchiveReader r(bytes);
  r(value);
  return r.done();
}

}  // namespace pitot

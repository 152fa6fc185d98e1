// A directory of one's own, messages of errors, and HDF5 files made with plain library calls.
#pragma once

#include "pliant/io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace pliant::testing {

namespace fs = std::filesystem;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (fs::temp_directory_path() / "pliant-io-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  ~TemporaryDirectory() { fs::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

/// The message of the InputError that f throws; "(no error)" if it throws none.
template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

inline std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_bytes(const fs::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
bool same_bits(const SharedArray<T>& a, const SharedArray<T>& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}

inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

inline bool same_bits(const DataMatrix& a, const DataMatrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && a.is_sparse() == b.is_sparse() &&
         same_bits(a.values(), b.values()) && same_bits(a.starts(), b.starts()) && same_bits(a.columns(), b.columns());
}

/// Any HDF5 identifier, closed by its reference count.
class RawId {
 public:
  explicit RawId(hid_t id) : id_(id) {
    if (id < 0) throw std::runtime_error("HDF5 call of a test failed");
  }
  ~RawId() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  RawId(RawId&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

/// A file as another program writes it, with the library's default settings.
class RawFile {
 public:
  static RawFile create(const fs::path& file, hid_t creation = H5P_DEFAULT) {
    return RawFile(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT));
  }
  static RawFile change(const fs::path& file) { return RawFile(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)); }

  hid_t id() const { return file_; }
  void group(const char* path) { RawId(H5Gcreate2(file_, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
  void remove(const char* path) { H5Ldelete(file_, path, H5P_DEFAULT); }
  void remove_attribute(const char* object, const char* name) { H5Adelete_by_name(file_, object, name, H5P_DEFAULT); }

  /// Variable-length UTF-8, the default of h5py.
  void text(const char* object, const char* name, const char* value) {
    const RawId type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    attribute(object, name, type, RawId(H5Screate(H5S_SCALAR)), type, &value);
  }
  void fixed_text(const char* object, const char* name, std::string value, H5T_str_t padding) {
    const RawId type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, value.size());
    H5Tset_strpad(type, padding);
    attribute(object, name, type, RawId(H5Screate(H5S_SCALAR)), type, value.data());
  }
  void number(const char* object, const char* name, double value, hid_t stored = H5T_IEEE_F64LE) {
    attribute(object, name, stored, RawId(H5Screate(H5S_SCALAR)), H5T_NATIVE_DOUBLE, &value);
  }
  void integers(const char* object, const char* name, std::vector<int> values) {
    const hsize_t count = values.size();
    attribute(object, name, H5T_STD_I32LE, RawId(H5Screate_simple(1, &count, nullptr)), H5T_NATIVE_INT, values.data());
  }
  void attribute(const char* object, const char* name, hid_t stored, hid_t space, hid_t memory, const void* value) {
    const RawId id(H5Acreate_by_name(file_, object, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(id, memory, value);
  }
  void doubles(const char* path, const std::vector<hsize_t>& shape, const std::vector<double>& values,
               hid_t stored = H5T_IEEE_F64LE, hid_t properties = H5P_DEFAULT) {
    const RawId space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    const RawId id(H5Dcreate2(file_, path, stored, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    if (!values.empty()) H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  /// Declared but not written.
  void declare(const char* path, const std::vector<hsize_t>& shape, hid_t properties = H5P_DEFAULT) {
    doubles(path, shape, {}, H5T_IEEE_F64LE, properties);
  }

 private:
  explicit RawFile(hid_t file) : file_(file) {}
  RawId file_;
};

}  // namespace pliant::testing

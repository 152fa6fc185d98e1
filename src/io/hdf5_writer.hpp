// Writing HDF5 groups: arrays contiguous, uncompressed and row-major, so that they can be mapped and sliced.
#pragma once

#include "io/deferred_arrays.hpp"
#include "io/hdf5_handle.hpp"
#include "io/hdf5_write_driver.hpp"
#include "pliant/array.hpp"
#include "pliant/types.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::io {

class Hdf5Writer {
 public:
  const Hdf5Place& place() const { return place_; }

  Hdf5Writer group(std::string_view name) const;
  void text(std::string_view name, std::string_view value) const;
  void number(std::string_view name, double value) const;
  void integers(std::string_view name, const std::vector<Index>& values) const;
  void integer(std::string_view name, Index value) const;

  void doubles(std::string_view name, const std::vector<Index>& shape, const Doubles& values) const;
  void indices(std::string_view name, const std::vector<Index>& shape, const Indices& values) const;
  void vector(std::string_view name, ConstVectorRef values) const;
  /// A vector of texts, all in the length of the longest.
  void texts(std::string_view name, const std::vector<std::string>& values) const;

 private:
  friend void write_hdf5(const std::filesystem::path& target, const std::function<void(const Hdf5Writer&)>& fill,
                         DeferredArrays* deferred);
  /// What the writers of one file's groups share.
  struct File {
    WriteFailure failure;
    DeferredArrays* deferred;  // null: every array exists
  };
  Hdf5Writer(Hdf5Handle handle, Hdf5Place place, const File& file)
      : handle_(std::move(handle)), place_(std::move(place)), file_(file) {}

  void attribute(std::string_view name, const Hdf5Handle& space, hid_t type, const void* value) const;
  void dataset(std::string_view name, const std::vector<Index>& shape, hid_t stored, hid_t memory,
               const void* values) const;

  Hdf5Handle handle_;
  Hdf5Place place_;
  const File& file_;
};

/// Creates an HDF5 file, lets `fill` write its root group, and puts it in place when all went well.
/// Equal contents give equal bytes: no times are recorded. Placeholders of `deferred` are made block by block.
void write_hdf5(const std::filesystem::path& target, const std::function<void(const Hdf5Writer&)>& fill,
                DeferredArrays* deferred = nullptr);

}  // namespace pliant::io

#include "io/hdf5_writer.hpp"

#include "io/atomic_file.hpp"
#include "io/hdf5_write_driver.hpp"
#include "io/mapped_file.hpp"
#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace pliant::io {
namespace {

constexpr std::string_view kFailed = "writing failed";

Hdf5Handle properties(hid_t kind) { return Hdf5Handle(H5Pcreate(kind), H5Pclose); }

// Without times the same contents give the same bytes.
Hdf5Handle timeless_properties(hid_t kind) {
  Hdf5Handle list = properties(kind);
  H5Pset_obj_track_times(list.id(), false);
  return list;
}

// The format of HDF5 1.8 protects its own structures by checksums, unlike the older default.
Hdf5Handle create_file(const std::filesystem::path& file, WriteFailure& failure, const Hdf5Place& place) {
  const Hdf5Handle access = properties(H5P_FILE_ACCESS);
  use_write_driver(access, failure, place);
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  H5Pset_alignment(access.id(), kSmallestMapping, kMappingAlignment);
  const Hdf5Handle creation = timeless_properties(H5P_FILE_CREATE);
  Hdf5Handle created(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()), H5Fclose);
  if (!created.valid() && failure.error == ENOMEM) throw std::bad_alloc();
  return place.checked(std::move(created), "cannot be created");
}

void expect_written(const WriteFailure& failure, const std::string& file) {
  if (failure.error != 0) Hdf5Place{file, {}}.fail(fmt::format("{} ({})", kFailed, std::strerror(failure.error)));
}

// Numbers [begin, begin + count) of a dataset, which are whole slices of its first axis.
void write_rows(const Hdf5Handle& dataset, const Hdf5Handle& space, hid_t memory, Index begin, Index count,
                const void* rows, const Hdf5Place& place) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space.id())));
  H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  hsize_t slice = 1;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) slice *= extents[axis];
  std::vector<hsize_t> start(extents.size(), 0);
  start[0] = static_cast<hsize_t>(begin) / slice;
  extents[0] = static_cast<hsize_t>(count) / slice;
  if (start[0] * slice != static_cast<hsize_t>(begin) || extents[0] * slice != static_cast<hsize_t>(count)) {
    throw std::logic_error("rows of a deferred array must be whole slices of its dataset");
  }
  const auto numbers = static_cast<hsize_t>(count);
  const Hdf5Handle buffer(H5Screate_simple(1, &numbers, nullptr), H5Sclose);
  place.checked(H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr),
                kFailed);
  place.checked(H5Dwrite(dataset.id(), memory, buffer.id(), space.id(), H5P_DEFAULT, rows), kFailed);
}

}  // namespace

Hdf5Writer Hdf5Writer::group(std::string_view name) const {
  const Hdf5Handle creation = timeless_properties(H5P_GROUP_CREATE);
  Hdf5Place place = place_.at(name);
  Hdf5Handle handle = place.checked(
      Hdf5Handle(H5Gcreate2(handle_.id(), std::string(name).c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                 H5Gclose),
      kFailed);
  return Hdf5Writer(std::move(handle), std::move(place), file_);
}

void Hdf5Writer::attribute(std::string_view name, const Hdf5Handle& space, hid_t type, const void* value) const {
  const Hdf5Handle handle = place_.checked(
      Hdf5Handle(H5Acreate2(handle_.id(), std::string(name).c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                 H5Aclose),
      kFailed);
  place_.checked(H5Awrite(handle.id(), type, value), kFailed);
}

void Hdf5Writer::text(std::string_view name, std::string_view value) const {
  if (!is_plain_utf8(value)) {
    place_.fail(fmt::format("{} \"{}\": expected UTF-8 text without control characters", name, printable(value)));
  }
  const std::string terminated(value);
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), terminated.size() + 1);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  attribute(name, Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose), type.id(), terminated.c_str());
}

void Hdf5Writer::number(std::string_view name, double value) const {
  attribute(name, Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose), H5T_NATIVE_DOUBLE, &value);
}

void Hdf5Writer::integer(std::string_view name, Index value) const {
  attribute(name, Hdf5Handle(H5Screate(H5S_SCALAR), H5Sclose), H5T_NATIVE_INT64, &value);
}

void Hdf5Writer::integers(std::string_view name, const std::vector<Index>& values) const {
  const hsize_t count = values.size();
  attribute(name, Hdf5Handle(H5Screate_simple(1, &count, nullptr), H5Sclose), H5T_NATIVE_INT64, values.data());
}

void Hdf5Writer::dataset(std::string_view name, const std::vector<Index>& shape, hid_t stored, hid_t memory,
                         const void* values) const {
  const Hdf5Place place = place_.at(name);
  const std::vector<hsize_t> extents(shape.begin(), shape.end());
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Hdf5Handle creation = timeless_properties(H5P_DATASET_CREATE);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  const Hdf5Handle handle = place.checked(Hdf5Handle(H5Dcreate2(handle_.id(), std::string(name).c_str(), stored,
                                                                space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
                                                     H5Dclose),
                                          kFailed);
  if (H5Sget_simple_extent_npoints(space.id()) == 0) return;
  DeferredArrays* const deferred = file_.deferred;
  if (const auto* source = deferred != nullptr ? deferred->find(values) : nullptr) {
    deferred->for_blocks(*source, [&](Index begin, Index count, const void* rows) {
      write_rows(handle, space, memory, begin * source->row_size, count * source->row_size, rows, place);
      expect_written(file_.failure, place_.file);  // a full disk ends long work at once
    });
    return;
  }
  place.checked(H5Dwrite(handle.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), kFailed);
}

void Hdf5Writer::doubles(std::string_view name, const std::vector<Index>& shape, const Doubles& values) const {
  dataset(name, shape, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
}

void Hdf5Writer::indices(std::string_view name, const std::vector<Index>& shape, const Indices& values) const {
  dataset(name, shape, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data());
}

void Hdf5Writer::vector(std::string_view name, ConstVectorRef values) const {
  dataset(name, {values.size()}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data());
}

void Hdf5Writer::texts(std::string_view name, const std::vector<std::string>& values) const {
  std::size_t width = 1;
  for (const std::string& value : values) {
    if (!is_plain_utf8(value)) {
      place_.at(name).fail(fmt::format("\"{}\": expected UTF-8 text without control characters", printable(value)));
    }
    width = std::max(width, value.size());
  }
  std::string characters(values.size() * width, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i].copy(characters.data() + i * width, width);
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), width);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  dataset(name, {static_cast<Index>(values.size())}, type.id(), type.id(), characters.data());
}

void write_hdf5(const std::filesystem::path& target, const std::function<void(const Hdf5Writer&)>& fill,
                DeferredArrays* deferred) {
  const Hdf5Place place{target.string(), {}};
  if (target == "-") place.fail("HDF5 files cannot be written to standard output");
  AtomicFile output(target);
  const Hdf5Session session;
  Hdf5Writer::File file{{}, deferred};
  Hdf5Handle handle = create_file(output.temporary(), file.failure, place);
  fill(Hdf5Writer(place.checked(Hdf5Handle(H5Gopen2(handle.id(), "/", H5P_DEFAULT), H5Gclose), kFailed), place, file));
  const bool closed = handle.close();
  expect_written(file.failure, place.file);
  if (!closed) place.fail_with_reason(kFailed);
  output.commit();
}

}  // namespace pliant::io

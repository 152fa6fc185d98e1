// Datasets. Nothing is allocated before the declared size is confirmed by the bytes behind it.
#include "io/hdf5_reader.hpp"
#include "io/mapped_file.hpp"
#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <new>

namespace pliant::io {
namespace {

// Deflate shrinks by 1032 at most; a dataset that declares much more than its chunks can hold was
// not written (or is hostile), and reading it would allocate memory for nothing.
constexpr std::uint64_t kLargestExpansion = 2000;
constexpr std::uint64_t kSmallArray = 1 << 20;

std::string describe(const Shape& shape) {
  std::string text;
  for (const Index extent : shape) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", extent == kAny ? "any" : std::to_string(extent));
  }
  return fmt::format("({}{})", text, shape.size() == 1 ? "," : "");
}

bool fits(const Shape& shape, const Shape& expected) {
  if (shape.size() != expected.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (expected[axis] != kAny && expected[axis] != shape[axis]) return false;
  }
  return true;
}

Shape shape_of(const Hdf5Handle& dataset, const Hdf5Place& place) {
  const Hdf5Handle space = place.checked(Hdf5Handle(H5Dget_space(dataset.id()), H5Sclose), "cannot be read");
  if (H5Sget_simple_extent_type(space.id()) == H5S_NULL) place.fail("is empty (a null dataspace), expected an array");
  const int rank = H5Sget_simple_extent_ndims(space.id());
  place.checked(rank, "its shape cannot be read");
  std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
  place.checked(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), "its shape cannot be read");
  Shape shape;
  for (const hsize_t extent : extents) {
    if (extent > static_cast<hsize_t>(std::numeric_limits<Index>::max())) {
      place.fail(fmt::format("extent {} is too large", extent));
    }
    shape.push_back(static_cast<Index>(extent));
  }
  return shape;
}

Shape expected_shape(const Hdf5Handle& dataset, const Shape& expected, const Hdf5Place& place) {
  Shape shape = shape_of(dataset, place);
  // A vector written as one row or one column, as matrix languages do, is still that vector.
  if (expected.size() == 1 && shape.size() == 2 && (shape[0] == 1 || shape[1] == 1)) {
    shape = {shape[0] == 1 ? shape[1] : shape[0]};
  }
  if (fits(shape, expected)) return shape;
  if (expected.size() == 1 && shape.size() == 1) {
    place.fail(fmt::format("expected {} entries, got {}", expected[0], shape[0]));
  }
  place.fail(fmt::format("expected shape {}, got {}", describe(expected), describe(shape)));
}

// Product of the extents and of the width of an entry, which must not leave 63 bits.
std::uint64_t checked_bytes(const Shape& shape, std::uint64_t width, const Hdf5Place& place) {
  Index bytes = static_cast<Index>(width);
  for (const Index extent : shape) {
    if (extent == 0) return 0;
  }
  for (const Index extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      place.fail(fmt::format("shape {} is too large", describe(shape)));
  }
  return static_cast<std::uint64_t>(bytes);
}

std::uint64_t chunk_bytes(const Hdf5Handle& properties, std::uint64_t width, std::size_t rank, const Hdf5Place& place) {
  std::vector<hsize_t> extents(rank);
  place.checked(H5Pget_chunk(properties.id(), static_cast<int>(rank), extents.data()), "its chunks cannot be read");
  return checked_bytes(Shape(extents.begin(), extents.end()), width, place);
}

void confirm_storage(const Hdf5Handle& dataset, const Hdf5Handle& type, std::uint64_t file_bytes,
                     const Hdf5Place& place) {
  const Shape shape = shape_of(dataset, place);
  const std::uint64_t width = H5Tget_size(type.id());
  const std::uint64_t declared = checked_bytes(shape, width, place);
  if (declared == 0) return;
  const std::uint64_t stored = H5Dget_storage_size(dataset.id());
  if (stored > file_bytes) place.fail(fmt::format("declares {} bytes, but the file has only {}", stored, file_bytes));

  const Hdf5Handle properties =
      place.checked(Hdf5Handle(H5Dget_create_plist(dataset.id()), H5Pclose), "its storage cannot be examined");
  const H5D_layout_t layout = H5Pget_layout(properties.id());
  std::uint64_t needed = declared;
  if (layout == H5D_CHUNKED) {
    needed = std::max(declared, chunk_bytes(properties, width, shape.size(), place));
    if (needed <= kSmallArray && stored > 0) return;
    needed /= kLargestExpansion;
  } else if (layout != H5D_CONTIGUOUS && layout != H5D_COMPACT) {
    place.fail("expected contiguous, compact or chunked storage");
  } else if (H5Pget_external_count(properties.id()) != 0) {
    place.fail("its data lie in another file, expected them in this one");
  }
  if (stored == 0) place.fail("was declared but its data were never written");
  if (stored < needed) place.fail(fmt::format("declares {} bytes, but only {} are stored", declared, stored));
}

void expect_class(const Hdf5Handle& type, bool whole_numbers, const Hdf5Place& place) {
  const H5T_class_t kind = H5Tget_class(type.id());
  if (kind == H5T_INTEGER || (kind == H5T_FLOAT && !whole_numbers)) return;
  place.fail(whole_numbers ? "expected whole numbers (an integer type)"
                           : "expected numbers (a floating-point or integer type)");
}

hid_t memory_type(double) { return H5T_NATIVE_DOUBLE; }
hid_t memory_type(Index) { return H5T_NATIVE_INT64; }

// Why a dataset cannot be used as it lies in the file; empty if it can.
std::string obstacle_to_mapping(const Hdf5Handle& dataset, const Hdf5Handle& type, hid_t wanted,
                                const Hdf5Place& place) {
  const Hdf5Handle properties =
      place.checked(Hdf5Handle(H5Dget_create_plist(dataset.id()), H5Pclose), "its storage cannot be examined");
  if (H5Pget_layout(properties.id()) != H5D_CONTIGUOUS) return "it is chunked or compressed";
  if (H5Tequal(type.id(), wanted) <= 0) return "its type is not 64-bit as in memory";
  const haddr_t offset = H5Dget_offset(dataset.id());
  if (offset == HADDR_UNDEF) return "its place in the file is unknown";
  if (offset % sizeof(double) != 0) return fmt::format("it begins at byte {}, not at a multiple of 8", offset);
  return {};
}

// The descriptor behind an open dataset belongs to the file that was examined, even if its name has a new owner since.
std::shared_ptr<const void> map_dataset(const Hdf5Handle& dataset, std::uint64_t bytes, const Hdf5Place& place) {
  const std::string failed = "cannot be mapped";
  const Hdf5Handle file = place.checked(Hdf5Handle(H5Iget_file_id(dataset.id()), H5Fclose), failed);
  void* descriptor = nullptr;
  place.checked(H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor), failed);
  return map_file(*static_cast<const int*>(descriptor), H5Dget_offset(dataset.id()), bytes, place);
}

[[noreturn]] void refuse_beyond(const MemoryBudget& budget, std::uint64_t bytes, std::string_view obstacle,
                                const Hdf5Place& place) {
  place.fail(
      fmt::format("{} bytes exceed the memory limit of {} (--memory-limit), and it cannot be mapped: {}; store it "
                  "contiguous, uncompressed, 64-bit and aligned (h5repack -l CONTI -f NONE -a 8) or raise the limit",
                  bytes, budget.limit, obstacle));
}

}  // namespace

Hdf5Handle Hdf5Reader::open_dataset(std::string_view name) {
  const Hdf5Place place = place_.at(name);
  if (!has_member(name)) place.fail("missing, expected a dataset");
  refuse_link(name);
  return place.checked(Hdf5Handle(H5Dopen2(handle_.id(), std::string(name).c_str(), H5P_DEFAULT), H5Dclose),
                       "expected a dataset");
}

Shape Hdf5Reader::shape(std::string_view name, const Shape& expected) {
  return expected_shape(open_dataset(name), expected, place_.at(name));
}

// The array is left uninitialised before the read, so that its pages are written once.
template <class T>
SharedArray<T> Hdf5Reader::read_array(std::string_view name, const Shape& expected) {
  const Hdf5Place place = place_.at(name);
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type = place.checked(Hdf5Handle(H5Dget_type(dataset.id()), H5Tclose), "its type cannot be read");
  expect_class(type, std::is_integral_v<T>, place);
  const Shape shape = expected_shape(dataset, expected, place);
  confirm_storage(dataset, type, file_->bytes, place);
  const std::uint64_t bytes = checked_bytes(shape, sizeof(T), place);
  MemoryBudget& budget = file_->budget;
  if (bytes >= kSmallestMapping) {
    const std::string obstacle = obstacle_to_mapping(dataset, type, memory_type(T{}), place);
    if (obstacle.empty()) {
      const std::shared_ptr<const void> mapped = map_dataset(dataset, bytes, place);
      budget.mapped += bytes;
      if (budget.ample()) fetch_pages(mapped.get(), bytes);
      return SharedArray<T>(static_cast<const T*>(mapped.get()), static_cast<Index>(bytes / sizeof(T)), mapped);
    }
    if (!budget.sufficient(bytes)) refuse_beyond(budget, bytes, obstacle, place);
  }
  budget.held += bytes;
  std::shared_ptr<T[]> values;
  try {
    values = std::make_shared_for_overwrite<T[]>(bytes / sizeof(T));
  } catch (const std::bad_alloc&) {
    place.fail(fmt::format("{} bytes do not fit into memory", bytes));
  }
  if (bytes > 0) {
    place.checked(H5Dread(dataset.id(), memory_type(T{}), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.get()),
                  "cannot be read");
  }
  return SharedArray<T>(values.get(), static_cast<Index>(bytes / sizeof(T)), values);
}

Doubles Hdf5Reader::doubles(std::string_view name, const Shape& expected) { return read_array<double>(name, expected); }

Indices Hdf5Reader::indices(std::string_view name, const Shape& expected) { return read_array<Index>(name, expected); }

// Text of fixed length, padded as NumPy does, or of variable length, whose characters the library allocates.
std::vector<std::string> Hdf5Reader::texts(std::string_view name, Index expected) {
  const Hdf5Place place = place_.at(name);
  const Hdf5Handle dataset = open_dataset(name);
  const Hdf5Handle type = place.checked(Hdf5Handle(H5Dget_type(dataset.id()), H5Tclose), "its type cannot be read");
  if (H5Tget_class(type.id()) != H5T_STRING) place.fail("expected text");
  const auto count = static_cast<std::size_t>(expected_shape(dataset, {expected}, place)[0]);
  confirm_storage(dataset, type, file_->bytes, place);
  std::vector<std::string> out(count);
  if (count == 0) return out;
  if (H5Tis_variable_str(type.id()) > 0) {
    const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
    std::vector<char*> characters(count, nullptr);
    const herr_t result = H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data());
    for (std::size_t i = 0; i < count; ++i) out[i] = characters[i] != nullptr ? characters[i] : "";
    H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, characters.data());
    place.checked(result, "cannot be read");
  } else {
    const std::size_t width = H5Tget_size(type.id());
    std::vector<char> characters(count * width);
    place.checked(H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, characters.data()), "cannot be read");
    const bool spaces = H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD;
    for (std::size_t i = 0; i < count; ++i) {
      std::string_view text(characters.data() + i * width, width);
      text = text.substr(0, spaces ? text.find_last_not_of(' ') + 1 : text.find('\0'));
      out[i] = text;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_plain_utf8(out[i])) place.fail(fmt::format("entry {}: expected UTF-8 text without control characters", i));
  }
  return out;
}

Vector Hdf5Reader::finite_vector(std::string_view name, Index expected) {
  const Doubles values = doubles(name, {expected});
  for (Index i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      place_.at(name).fail(fmt::format("entry {} is {}, expected a finite number", i, values[i]));
    }
  }
  return Eigen::Map<const Vector>(values.data(), values.size());
}

}  // namespace pliant::io

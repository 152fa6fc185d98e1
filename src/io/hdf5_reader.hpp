// Reading HDF5 groups whose every name must be known.
//
// A group remembers which members and attributes it was asked for. done() then refuses whatever else
// the file has there, so that a misspelt name is an error instead of silently ignored data, and the
// schema is written down once: in the code that reads it. Names beginning with "user_" are free.
#pragma once

#include "io/hdf5_handle.hpp"
#include "pliant/array.hpp"
#include "pliant/types.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::io {

/// Extents of a dataset. As an expectation, kAny stands for any extent.
using Shape = std::vector<Index>;
inline constexpr Index kAny = -1;

/// How much of a file may be held in memory. Arrays are mapped where they can be, which spares a copy: with all their
/// pages at once while they take up to half of the limit together, which leaves the other half to the solve, page by
/// page beyond that. Others are read, up to the limit.
struct MemoryBudget {
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t held = 0;    ///< bytes of the arrays read so far
  std::uint64_t mapped = 0;  ///< and of those mapped

  bool sufficient(std::uint64_t bytes) const { return held <= limit && bytes <= limit - held; }
  /// Whether everything so far fits into the half that data may take.
  bool ample() const { return held <= limit / 2 && mapped <= limit / 2 - held; }
};

class Hdf5Reader {
 public:
  /// Opens a file. One clear error each: missing, unreadable, not HDF5, truncated.
  static Hdf5Reader open(const std::filesystem::path& file, MemoryBudget budget = {});

  const Hdf5Place& place() const { return place_; }

  bool has_member(std::string_view name);
  bool has_group(std::string_view name);
  Hdf5Reader group(std::string_view name);
  /// The number of members of a group that must be named 0, 1, 2, ...
  Index numbered_members();

  bool has_attribute(std::string_view name);
  std::string text(std::string_view name);
  double number(std::string_view name);
  Index integer(std::string_view name);
  std::vector<Index> integers(std::string_view name, Index count);
  std::optional<std::string> optional_text(std::string_view name);
  double number_or(std::string_view name, double otherwise);

  /// Extents of a dataset with as many axes as `expected`, which they fit.
  Shape shape(std::string_view name, const Shape& expected);
  /// All numbers of a dataset, last axis fastest, read once into their final place or mapped (MemoryBudget).
  Doubles doubles(std::string_view name, const Shape& expected);
  Indices indices(std::string_view name, const Shape& expected);
  /// A vector of one-line texts.
  std::vector<std::string> texts(std::string_view name, Index expected);
  /// A vector of finite numbers.
  Vector finite_vector(std::string_view name, Index expected);

  /// Throws if the group holds anything that was not asked for.
  void done() const;

 private:
  /// What the readers of one file's groups share.
  struct File {
    std::uint64_t bytes;
    MemoryBudget budget;
  };

  Hdf5Reader(Hdf5Handle handle, Hdf5Place place, std::shared_ptr<File> file);

  Hdf5Handle open_dataset(std::string_view name);
  template <class T>
  SharedArray<T> read_array(std::string_view name, const Shape& expected);
  Hdf5Handle open_attribute(std::string_view name, std::string_view expected);
  void refuse_link(std::string_view name) const;

  Hdf5Handle handle_;
  Hdf5Place place_;
  std::shared_ptr<File> file_;
  std::set<std::string, std::less<>> members_, attributes_;
};

}  // namespace pliant::io

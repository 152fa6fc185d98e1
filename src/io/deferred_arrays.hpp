// Arrays that do not exist until they are written: a generator registers how rows are made, puts the placeholder into
// a Problem, and the writer makes and writes a block of rows at a time.
#pragma once

#include "pliant/array.hpp"
#include "pliant/types.hpp"

#include <functional>
#include <map>

namespace pliant::io {

class DeferredArrays {
 public:
  struct Source {
    Index rows = 0;
    Index row_size = 0;  ///< numbers
    Index row_bytes = 0;
    /// Writes row i to `out`; called for several rows at once.
    std::function<void(Index i, void* out)> make;
  };

  /// A placeholder for `rows` rows of `row_size` numbers. Its size is right, but its address is only reserved: reading
  /// it is a fault.
  template <class T>
  SharedArray<T> add(Index rows, Index row_size, std::function<void(Index i, T* row)> make) {
    const Index row_bytes = row_size * static_cast<Index>(sizeof(T));
    std::shared_ptr<const void> address = reserve(rows * row_bytes);
    total_ += rows * row_bytes;
    sources_[address.get()] = {rows, row_size, row_bytes,
                               [make = std::move(make)](Index i, void* out) { make(i, static_cast<T*>(out)); }};
    return SharedArray<T>(static_cast<const T*>(address.get()), rows * row_size, address);
  }

  /// The source behind a placeholder; null for an ordinary array.
  const Source* find(const void* address) const;

  /// Makes all rows of a source and hands them to `write`, a block of consecutive rows after the other.
  void for_blocks(const Source& source, const std::function<void(Index begin, Index count, const void* rows)>& write);

  /// Bytes of all sources.
  Index total_bytes() const { return total_; }

  Index block_bytes = Index{16} << 20;
  /// Called after every block with the bytes written so far and in all; may throw to give up.
  std::function<void(Index written, Index total)> progress;

 private:
  static std::shared_ptr<const void> reserve(Index bytes);

  std::map<const void*, Source> sources_;
  Index written_ = 0, total_ = 0;
};

}  // namespace pliant::io

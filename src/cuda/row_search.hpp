// Rows that are looked for among what is known of all of them, ascending: memory and launches around chunk_kernels.hpp.
#pragma once

#include "cuda/buffer.hpp"
#include "cuda/chunk_kernels.hpp"

#include <algorithm>
#include <vector>

namespace pliant::cuda {

template <class Backend>
class RowSearch {
 public:
  explicit RowSearch(Backend& backend) : backend_(backend) {}

  template <class Wanted>
  int64_t count(const Wanted& wanted, int64_t rows) {
    int64_t total = 0;
    for (const int32_t count : count_chunks(wanted, rows)) total += count;
    return total;
  }
  /// Those rows into `list`, and the two numbers that are told of each, unless null; how many there are.
  template <class Wanted>
  int64_t find(const Wanted& wanted, int64_t rows, Buffer<Backend, int64_t>& list, Buffer<Backend, double>* values,
               Buffer<Backend, double>* beside) {
    int64_t total = 0;
    places_here_.clear();
    const std::vector<int32_t>& counts = count_chunks(wanted, rows);
    for (size_t c = 0; c < counts.size(); ++c) {
      if (counts[c] == 0) continue;
      places_here_.push_back({static_cast<int64_t>(c), total});
      total += counts[c];
    }
    list.resize(total);
    if (values != nullptr) {
      values->resize(total);
      beside->resize(total);
    }
    if (total == 0) return 0;
    const auto blocks = static_cast<int64_t>(places_here_.size());
    const WriteWanted<Wanted> kernel{wanted,
                                     rows,
                                     places_.fill(places_here_.data(), blocks),
                                     list.data(),
                                     values != nullptr ? values->data() : nullptr,
                                     values != nullptr ? beside->data() : nullptr};
    backend_.launch(kernel, blocks, kernel.shared_bytes());
    return total;
  }

 private:
  template <class Wanted>
  const std::vector<int32_t>& count_chunks(const Wanted& wanted, int64_t rows) {
    const int64_t chunks = (rows + kChunk - 1) / kChunk;
    const CountWanted<Wanted> kernel{wanted, rows, counts_.resize(chunks)};
    const int64_t blocks = std::min(chunks, backend_.blocks_at_once(kernel, kernel.shared_bytes()));
    backend_.launch(kernel, blocks, kernel.shared_bytes());
    counts_here_.resize(static_cast<size_t>(chunks));
    backend_.to_host(counts_here_.data(), counts_.data(), static_cast<size_t>(chunks) * sizeof(int32_t));
    return counts_here_;
  }

  Backend& backend_;
  Buffer<Backend, int32_t> counts_{backend_};
  Buffer<Backend, Place> places_{backend_};
  std::vector<int32_t> counts_here_;
  std::vector<Place> places_here_;
};

}  // namespace pliant::cuda

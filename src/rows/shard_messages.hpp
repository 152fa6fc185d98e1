// Requests to shards and their answers as bytes: numbers as they lie in memory, so machines of one kind.
#pragma once

#include "machine/memory.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/types.hpp"
#include "rows/row_holder.hpp"

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pliant {

/// Every request begins with its call, and every one but the first of a solve with the slack of checks behind that.
enum class ShardCall : std::uint8_t {
  open,             ///< forgets everything learnt -> columns, largest constant, batches (ShardBatch), their forms
  fetch,            ///< rows -> as many rows as data
  look,             ///< CheckRequest -> the worst rows of a level (shard.cpp has the answer's parts)
  check,            ///< CheckRequest -> the worst rows of all, those in doubt read, and what a certificate needs
  above,            ///< x, threshold -> rows
  chunk_sums,       ///< x, threshold, known rows, their values -> sums
  inactive_within,  ///< x, radius -> count
  losses,           ///< LossRequest without x -> LossShape; teaches nothing, needs no opening, and so does the next
  loss_gradient,    ///< LossRequest -> nodes of the sum
  // Of soft rows (soft_messages.hpp); SoftPrices behind each of these calls.
  soft_fetch,    ///< rows -> the same as data
  soft_read,     ///< SoftReadRequest -> SoftReadAnswer
  soft_nearest,  ///< SoftNearRequest -> NearSoftRows
  soft_check,    ///< SoftCheckRequest -> SoftCheckAnswer
  soft_sides,    ///< -> the state of each row, and prices
};

/// What the form of a batch of soft rows begins with.
inline constexpr std::string_view kSoft = "soft ";

/// A batch of a shard, as it describes itself.
struct ShardBatch {
  Index rows = 0, group = 1, cone_rows = 0;
  Index bytes = 0;
  Index linear = 1;  ///< 0: no
};

class MessageWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> MessageWriter& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> MessageWriter& put_array(std::span<const T> values) {
    put(static_cast<Index>(values.size()));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    return *this;
  }
  MessageWriter& put_vector(const Vector& values) {
    return put_array(std::span<const double>(values.data(), static_cast<std::size_t>(values.size())));
  }
  template <class T>
  MessageWriter& put_list(const std::vector<T>& values) {
    return put_array(std::span<const T>(values));
  }
  MessageWriter& put_text(std::string_view text) {
    make_room(text.size() + sizeof(Index));
    return put_array(std::span<const char>(text));
  }
  /// For so many more bytes: a message that grows is copied again and again.
  void make_room(std::size_t bytes) {
    bytes_.reserve(bytes_.size() + bytes);
    machine::prefer_large_pages(bytes_.data(), static_cast<Index>(bytes_.capacity()));
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// A copy of a text that may be long.
inline std::string copy_of(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  machine::prefer_large_pages(out.data(), static_cast<Index>(out.capacity()));
  return out.append(text);
}

class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T out;
    std::memcpy(&out, advance(sizeof(T)), sizeof(T));
    return out;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::vector<T> get_list() {
    std::vector<T> out(get_count(sizeof(T)));
    if (!out.empty()) std::memcpy(out.data(), advance(out.size() * sizeof(T)), out.size() * sizeof(T));
    return out;
  }
  Vector get_vector() {
    Vector out;
    parallel::resize(out, static_cast<Index>(get_count(sizeof(double))));
    const std::size_t bytes = static_cast<std::size_t>(out.size()) * sizeof(double);
    if (bytes > 0) std::memcpy(out.data(), advance(bytes), bytes);
    return out;
  }
  Doubles get_doubles() { return parallel::shared(get_vector()); }
  /// Lies in the message itself.
  std::string_view get_text() {
    const std::size_t length = get_count(1);
    return {advance(length), length};
  }
  void done() const {
    if (at_ != bytes_.size()) fail();
  }

 private:
  // A count that the rest of the message cannot hold is refused before anything is allocated for it.
  std::size_t get_count(std::size_t size) {
    const auto count = get<Index>();
    if (count < 0 || static_cast<std::size_t>(count) > (bytes_.size() - at_) / size) fail();
    return static_cast<std::size_t>(count);
  }
  [[noreturn]] static void fail() { throw InputError("shards: a message does not say what it should"); }
  const char* advance(std::size_t size) {
    if (size > bytes_.size() - at_) fail();
    const char* const out = bytes_.data() + at_;
    at_ += size;
    return out;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

/// What a check asks of one shard.
struct CheckRequest {
  Vector x;
  Index most = 0;                         ///< the farthest rows of interest,
  Index with_data = 0;                    ///< and how many of them bring their data along
  RowSample level;                        ///< a sample of the rows of all shards, or all rows
  std::vector<RowLayout::Segment> place;  ///< batches of all shards; `begin` is the shard's first row of each
  std::vector<Index> apart;               ///< working rows of the shard
  double radius = 0.0;                    ///< of a screening to come; 0: none
  Matrix coordinates;                     ///< R of RowHolder::set_coordinates, which would be a round of its own

  void put(MessageWriter& out) const {
    out.put_vector(x).put(most).put(with_data).put(level).put_list(place).put_list(apart).put(radius);
    out.put(coordinates.rows());
    out.put_vector(Eigen::Map<const Vector>(coordinates.data(), coordinates.size()));
  }
  static CheckRequest get(MessageReader& in) {
    CheckRequest out;
    out.x = in.get_vector();
    out.most = in.get<Index>();
    out.with_data = in.get<Index>();
    out.level = in.get<RowSample>();
    out.place = in.get_list<RowLayout::Segment>();
    out.apart = in.get_list<Index>();
    out.radius = in.get<double>();
    const auto order = in.get<Index>();
    const Vector numbers = in.get_vector();
    // No order is that large; its square is a number.
    if (order < 0 || order > numbers.size() || order * order != numbers.size()) {
      throw InputError("shard: coordinates of another size");
    }
    out.coordinates = Eigen::Map<const Matrix>(numbers.data(), order, order);
    return out;
  }
};

inline void put_near_rows(const NearRows& near, MessageWriter& out) {
  out.put_list(near.rows).put_list(near.values).put_list(near.distances);
}

inline NearRows get_near_rows(MessageReader& in) {
  NearRows out;
  out.rows = in.get_list<Index>();
  out.values = in.get_list<double>();
  out.distances = in.get_list<double>();
  return out;
}

}  // namespace pliant

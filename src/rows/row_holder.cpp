#include "rows/row_holder.hpp"

namespace pliant {

std::unique_ptr<RowBlock> RowHolder::gather(std::vector<Index> rows) {
  std::vector<BatchPtr> copies = fetch(rows);
  return std::make_unique<RowBlock>(std::move(rows), std::move(copies), coordinates_, account_);
}

RowHolder::Found RowHolder::check(const Vector& x, double share, double dense_fraction) {
  Found found;
  checked_ = x;
  const Index count = doubtful(x);
  if (count == 0) return found;
  const RowExtremes extremes = read(static_cast<double>(count) > dense_fraction * static_cast<double>(rows()));
  found.worst = extremes.worst;
  if (found.worst <= 0.0) return found;
  static_cast<NearRows&>(found) = nearest(-share * extremes.farthest);
  return found;
}

RowSums RowHolder::sums(const Vector& x, double active_threshold, const RowValues& known) {
  return add_chunks(chunk_sums(x, active_threshold, known));
}

}  // namespace pliant

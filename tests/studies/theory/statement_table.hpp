// Collects, per statement, how often it was tested and the worst ratio of what happened to what was promised.
#pragma once

#include "pliant/types.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace pliant::testing {

class StatementTable {
 public:
  /// actual <= bound up to `margin`, the rounding of both. The ratio counts where the margin is negligible.
  void check(const std::string& statement, double actual, double bound, double margin) {
    Row& row = rows_[statement];
    ++row.tested;
    const bool holds = actual <= bound + margin;  // false for NaN
    if (!holds) {
      ++row.violated;
      if (row.violated == 1)
        ADD_FAILURE() << statement << ": " << actual << " > " << bound << " (margin " << margin << ")";
    }
    if (bound > 1e3 * margin && bound > 0.0) row.worst = std::max(row.worst, actual / bound);
  }

  double worst(const std::string& statement) const { return rows_.at(statement).worst; }

  void print(const std::string& title) const {
    fmt::print("\n{}\n{:<64} {:>8} {:>9} {:>22}\n", title, "statement", "tested", "violated", "worst actual/bound");
    for (const auto& [name, row] : rows_) {
      fmt::print("{:<64} {:8} {:9} {:22.6f}\n", name, row.tested, row.violated, row.worst);
    }
  }

 private:
  struct Row {
    Index tested = 0;
    Index violated = 0;
    double worst = 0.0;
  };
  std::map<std::string, Row> rows_;
};

}  // namespace pliant::testing

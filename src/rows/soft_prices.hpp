// Kinks and prices of the rows of a loss.
#pragma once

#include "pliant/soft_loss.hpp"
#include "rows/soft_table.hpp"

#include <string_view>

namespace pliant {

/// Of all rows: kinks are half_width around their targets, or at the margin of labels -1 and 1.
struct LossPrices {
  double below = 0.0, above = 0.0, half_width = 0.0;
  bool labels = false;
};

/// Over so many rows in all: the prices of soft_rows.hpp, to the last bit. Throws InputError for `as_held`.
LossPrices prices_of(SoftLoss loss, double parameter, double weight, Index all_rows);
/// Of rows with these targets; weights, where there are any, times the prices. Throws InputError for labels that are none.
SoftSides sides_of(const LossPrices& prices, const Doubles& targets, const Doubles& weights = {});

/// Throws InputError where parameter or weight are none of the loss of rows `where`: "in shards".
void expect_loss_parameters(SoftLoss loss, double parameter, double weight, std::string_view where);

}  // namespace pliant

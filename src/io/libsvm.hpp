// Labelled samples in LIBSVM's text format, plain or compressed with gzip:
//
//   <label> <index>:<value> <index>:<value> ...        indices from 1, ascending
//
// What follows a '#' and empty lines do not count.
#pragma once

#include "pliant/data_matrix.hpp"

#include <filesystem>

namespace pliant::io {

struct LabelledRows {
  DataMatrix rows;  ///< sparse, as many columns as the largest index
  Doubles labels;   ///< -1 for the smaller of the two labels of the file, +1 for the larger
};

/// Throws InputError with file and line if the text is not of this form, or has not exactly two different labels.
LabelledRows read_libsvm(const std::filesystem::path& file);

}  // namespace pliant::io

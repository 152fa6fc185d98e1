// Data matrices in the container: a 2-D dataset, or a CSR group {indptr, indices, data} with attribute shape.
#pragma once

#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "pliant/data_matrix.hpp"

namespace pliant::io {

/// `rows` may be kAny. The structure of a CSR matrix is checked, the values are not.
DataMatrix read_matrix(Hdf5Reader& parent, std::string_view name, Index rows, Index cols);
void write_matrix(const Hdf5Writer& parent, std::string_view name, const DataMatrix& matrix);

}  // namespace pliant::io

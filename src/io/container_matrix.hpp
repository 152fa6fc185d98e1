// Data matrices in the container: a 2-D dataset, or a CSR group {indptr, indices, data} with attribute shape.
#pragma once

#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "pliant/data_matrix.hpp"

namespace pliant::io {

/// `rows` may be kAny. The structure of a CSR matrix is checked, the values are not.
DataMatrix read_matrix(Hdf5Reader& parent, std::string_view name, Index rows, Index cols);
void write_matrix(const Hdf5Writer& parent, std::string_view name, const DataMatrix& matrix);

/// The order p of the symmetric matrix that n = p(p+1)/2 variables are the svec of; fails at the group for other n.
Index matrix_order(const Hdf5Reader& group, Index n);

}  // namespace pliant::io

// NumPy arrays as the library's arrays, and back.
//
// What comes in is held by reference: the library sees the caller's memory, and the array lives as long as something
// that was made from it.
#pragma once

#include "core.hpp"

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"

#include <nanobind/ndarray.h>

#include <vector>

namespace pliant::python {

/// Contiguous numbers of any shape, read-only ones included. Bind with nb::arg().noconvert(): nothing is copied here.
using DoublesIn = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using IndicesIn = nb::ndarray<const Index, nb::c_contig, nb::device::cpu>;

Doubles hold(const DoublesIn& array);
Indices hold(const IndicesIn& array);

Vector to_vector(const DoublesIn& array);

/// A new NumPy array; vectors that are moved in become its memory.
nb::object to_numpy(Vector values);
nb::object to_numpy(const std::vector<double>& values);
nb::object to_numpy(const std::vector<Index>& values);

}  // namespace pliant::python

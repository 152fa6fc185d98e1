#include "arrays.hpp"

#include <memory>

namespace pliant::python {
namespace {

// The last user may be a thread of the library, which does not hold the interpreter; at its end there is none to hold.
template <class Array>
std::shared_ptr<const void> keep(const Array& array) {
  return {new Array(array), [](const void* held) {
            if (Py_IsInitialized() == 0) return;
            const nb::gil_scoped_acquire gil;
            delete static_cast<const Array*>(held);
          }};
}

template <class T>
nb::object new_array(const T* values, std::size_t size) {
  auto copy = std::make_unique<T[]>(size);
  std::copy_n(values, size, copy.get());
  T* const data = copy.release();
  const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner));
}

}  // namespace

Doubles hold(const DoublesIn& array) { return {array.data(), static_cast<Index>(array.size()), keep(array)}; }
Indices hold(const IndicesIn& array) { return {array.data(), static_cast<Index>(array.size()), keep(array)}; }

Vector to_vector(const DoublesIn& array) {
  return Eigen::Map<const Vector>(array.data(), static_cast<Index>(array.size()));
}

nb::object to_numpy(Vector values) {
  auto held = std::make_unique<Vector>(std::move(values));
  Vector& vector = *held;
  const nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<Vector*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, double, nb::ndim<1>>(vector.data(), {static_cast<std::size_t>(vector.size())}, owner));
}
nb::object to_numpy(const std::vector<double>& values) { return new_array(values.data(), values.size()); }
nb::object to_numpy(const std::vector<Index>& values) { return new_array(values.data(), values.size()); }

void bind_arrays(nb::module_& m) {
  nb::class_<DataMatrix>(m, "Matrix")
      .def_prop_ro("rows", &DataMatrix::rows)
      .def_prop_ro("cols", &DataMatrix::cols)
      .def_prop_ro("nonzeros", &DataMatrix::nonzeros)
      .def_prop_ro("is_sparse", &DataMatrix::is_sparse);
  m.def(
      "dense",
      [](const nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>& a) {
        return DataMatrix::dense(static_cast<Index>(a.shape(0)), static_cast<Index>(a.shape(1)), hold(DoublesIn(a)));
      },
      nb::arg("values").noconvert());
  m.def(
      "csr",
      [](Index rows, Index cols, const IndicesIn& starts, const IndicesIn& columns, const DoublesIn& values) {
        return DataMatrix::csr(rows, cols, hold(starts), hold(columns), hold(values));
      },
      nb::arg("rows"), nb::arg("cols"), nb::arg("starts").noconvert(), nb::arg("columns").noconvert(),
      nb::arg("values").noconvert());
}

}  // namespace pliant::python

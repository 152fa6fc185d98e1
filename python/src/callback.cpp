// Constraints given by Python functions. The library calls them from its own threads.
#include "arrays.hpp"
#include "background.hpp"
#include "pliant/constraints.hpp"
#include "terms.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <functional>
#include <memory>
#include <optional>
#include <tuple>

namespace pliant::python {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Functions outlive their last user only as long as there is an interpreter, and are released by whoever is last.
std::shared_ptr<nb::object> share(nb::object function) {
  return {new nb::object(std::move(function)), [](nb::object* held) {
            if (Py_IsInitialized() == 0) return;
            const nb::gil_scoped_acquire gil;
            delete held;
          }};
}

// None for all rows, else their indices.
nb::object to_python(Rows rows, Index m) {
  if (rows.size() == m) return nb::none();
  std::vector<Index> indices(static_cast<std::size_t>(rows.size()));
  for (Index k = 0; k < rows.size(); ++k) indices[static_cast<std::size_t>(k)] = rows[k];
  return to_numpy(indices);
}

// What the function returned, checked and made contiguous by the package (_constraints.py).
Eigen::Map<const RowMajor> numbers(const nb::object& array, Index rows, Index cols) {
  const auto values = nb::cast<DoublesIn>(array, false);
  return {values.data(), rows, cols};
}

std::function<void(ConstVectorRef, Rows, VectorRef)> values_of(nb::object function, Index count) {
  return [f = share(std::move(function)), count](ConstVectorRef x, Rows rows, VectorRef a) {
    const nb::gil_scoped_acquire gil;
    const InConstraintFunction here;
    const nb::object out = (*f)(to_numpy(Vector(x)), to_python(rows, count), rows.size());
    a = numbers(out, rows.size(), 1);
  };
}

}  // namespace

void bind_callback(nb::module_& m) {
  using Constants = std::tuple<DoublesIn, DoublesIn, DoublesIn>;
  m.def(
      "callback_le",
      [](Index count, Index n, nb::object value, nb::object jacobian, nb::object hessian,
         const std::optional<Constants>& given, const std::optional<DoublesIn>& error, const std::string& side,
         nb::object exact) {
        CallbackFunctions functions;
        functions.values = values_of(std::move(value), count);
        functions.jacobian = [f = share(std::move(jacobian)), count, n](ConstVectorRef x, Rows rows, MatrixRef J) {
          const nb::gil_scoped_acquire gil;
          const InConstraintFunction here;
          const nb::object out = (*f)(to_numpy(Vector(x)), to_python(rows, count), rows.size());
          J = numbers(out, rows.size(), n);
        };
        if (!hessian.is_none()) {
          functions.hessian = [f = share(std::move(hessian)), count, n](ConstVectorRef x, ConstVectorRef w, Rows rows,
                                                                        MatrixRef H) {
            const nb::gil_scoped_acquire gil;
            const InConstraintFunction here;
            const nb::object out = (*f)(to_numpy(Vector(x)), to_numpy(Vector(w)), to_python(rows, count));
            H = numbers(out, n, n);
          };
        }
        std::optional<RowConstants> constants;
        if (given) {
          constants = RowConstants{to_vector(std::get<0>(*given)), to_vector(std::get<1>(*given)),
                                   to_vector(std::get<2>(*given))};
          constants->growth_global = constants->growth_constant.allFinite();
        }
        std::optional<Approximation> approximates;
        if (error) {
          approximates = Approximation{to_vector(*error), approximation_side(side)};
          if (!exact.is_none()) approximates->exact = values_of(std::move(exact), count);
        }
        return Batch{callback_le(count, n, std::move(functions), std::move(constants), std::move(approximates))};
      },
      nb::arg("m"), nb::arg("n"), nb::arg("value"), nb::arg("jacobian"), nb::arg("hessian").none(),
      nb::arg("constants").none(), nb::arg("error").none(), nb::arg("side"), nb::arg("exact").none());
}

}  // namespace pliant::python

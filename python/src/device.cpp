// Arrays on CUDA devices, taken through DLPack where they are.
#include "pliant/device.hpp"

#include "arrays.hpp"
#include "problem.hpp"
#include "solve.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace pliant::python {
namespace {

using OnCard = nb::ndarray<nb::ro, nb::device::cuda>;

/// Rows on a device with the arrays they are made of, which go last.
struct RowsOnCard {
  std::vector<OnCard> arrays;
  DeviceBatchPtr rows;
};

OnCard array_of(const nb::object& capsule, const char* name) {
  OnCard out;
  if (!nb::try_cast(capsule, out, false)) {
    throw InputError(fmt::format("{}: expected an array on a CUDA device", name));
  }
  return out;
}

bool single(const OnCard& array, const char* name) {
  if (array.dtype() == nb::dtype<float>()) return true;
  if (array.dtype() == nb::dtype<double>()) return false;
  throw InputError(fmt::format("{}: expected float64 or float32 on the device", name));
}

void expect_without_gaps(const OnCard& array, const char* name) {
  std::int64_t step = 1;
  for (std::size_t k = array.ndim(); k-- > 0;) {
    if (array.shape(k) > 1 && array.stride(k) != step) {
      throw InputError(fmt::format("{}: expected numbers row after row without gaps (a contiguous array)", name));
    }
    step *= static_cast<std::int64_t>(array.shape(k));
  }
}

DeviceMatrix matrix_of(RowsOnCard& held, const nb::object& capsule, const char* name) {
  const OnCard& array = held.arrays.emplace_back(array_of(capsule, name));
  if (array.ndim() != 2) throw InputError(fmt::format("{}: expected shape (m, n), got {} axes", name, array.ndim()));
  expect_without_gaps(array, name);
  return {array.data(), static_cast<Index>(array.shape(0)), static_cast<Index>(array.shape(1)), single(array, name),
          array.device_id()};
}

/// A capsule of the device of G, or an array here.
DeviceVector vector_of(RowsOnCard& held, const nb::object& side, const DeviceMatrix& G, const char* name) {
  if (!PyCapsule_CheckExact(side.ptr())) return {nb::cast<DoublesIn>(side, false).data(), false, false};
  const OnCard& array = held.arrays.emplace_back(array_of(side, name));
  expect_without_gaps(array, name);
  if (array.ndim() != 1 || static_cast<Index>(array.shape(0)) != G.rows) {
    throw InputError(fmt::format("{}: expected shape ({},), got {} numbers", name, G.rows, array.size()));
  }
  if (array.device_id() != G.device) {
    throw InputError(fmt::format("{}: on cuda:{}, but the rows are on cuda:{}", name, array.device_id(), G.device));
  }
  return {array.data(), single(array, name), true};
}

/// Duals of stored rows of one batch, those that have any: positive at upper sides, negative at lower ones.
struct DualsOnCard {
  std::vector<Index> rows;
  std::vector<double> values;

  void add(DeviceSide side, double multiplier) {
    if (rows.empty() || rows.back() != side.row) {
      rows.push_back(side.row);
      values.push_back(0.0);
    }
    values.back() += side.sign * multiplier;
  }
};

nb::list duals_of(const std::vector<DeviceBatchPtr>& batches, const DeviceResult& found) {
  std::vector<double> all;
  for (const Vector& part : found.result.multipliers.lambda) all.insert(all.end(), part.begin(), part.end());
  nb::list out;
  Index begin = 0;
  std::size_t k = 0;
  for (const DeviceBatchPtr& batch : batches) {
    const Index end = begin + constraints_of(*batch);
    DualsOnCard duals;
    for (; k < found.rows.size() && found.rows[k] < end; ++k) duals.add(side_of(*batch, found.rows[k] - begin), all[k]);
    out.append(nb::make_tuple(to_numpy(duals.rows), to_numpy(duals.values), stored_rows_of(*batch)));
    begin = end;
  }
  return out;
}

nb::dict solve_beside(const HeldProblem& held, const std::vector<const RowsOnCard*>& rows, const Settings& settings,
                      const Watch& watch) {
  const Busy::Scope busy(held.busy);
  std::vector<DeviceBatchPtr> batches;
  for (const RowsOnCard* part : rows) batches.push_back(part->rows);
  DeviceResult found;
  nb::dict out = run_solve(held.problem, settings, watch, [&](const SolveHooks& hooks) {
    found = solve(held.problem, batches, settings, hooks);
    Result result = found.result;
    // Rows by number are those of the few that were judged, not of the problem.
    result.multipliers.lambda.clear();
    result.overview = {};
    return result;
  });
  out["device_duals"] = duals_of(batches, found);
  out["read_seconds"] = found.read_seconds;
  out["reads"] = found.reads;
  return out;
}

}  // namespace

void bind_device(nb::module_& m) {
  nb::class_<RowsOnCard>(m, "RowsOnCard");
  m.def(
      "linear_on_card",
      [](const nb::object& G, const nb::object& lo, const nb::object& hi) {
        RowsOnCard out;
        const DeviceMatrix matrix = matrix_of(out, G, "G");
        const bool range = !lo.is_none();
        const DeviceVector upper = vector_of(out, hi, matrix, range ? "hi" : "h");
        if (range) {
          out.rows = linear_range_on_device(vector_of(out, lo, matrix, "lo"), matrix, upper);
        } else {
          out.rows = linear_le_on_device(matrix, upper);
        }
        return out;
      },
      nb::arg("G"), nb::arg("lo").none(), nb::arg("hi"));
  m.def(
      "points_on_card",
      [](const nb::object& points, const nb::object& b, bool lifted) {
        RowsOnCard out;
        const DeviceMatrix matrix = matrix_of(out, points, "points");
        const DeviceVector sides = vector_of(out, b, matrix, "b");
        out.rows = lifted ? rank_one_lifted_le_on_device(matrix, sides) : rank_one_le_on_device(matrix, sides);
        return out;
      },
      nb::arg("points"), nb::arg("b"), nb::arg("lifted"));
  m.def(
      "solve_on_card",
      [](const HeldProblem& held, const std::vector<const RowsOnCard*>& rows, const Settings& settings,
         nb::object callback, nb::object write, const Solution* warm_start) {
        return solve_beside(held, rows, settings, {std::move(callback), std::move(write), warm_start});
      },
      nb::arg("problem"), nb::arg("rows"), nb::arg("settings"), nb::arg("callback").none(), nb::arg("write").none(),
      nb::arg("warm_start").none());
}

}  // namespace pliant::python

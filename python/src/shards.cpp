#include "pliant/shards.hpp"

#include "arrays.hpp"
#include "problem.hpp"
#include "solve.hpp"

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

namespace pliant::python {
namespace {

std::string bytes_of(const nb::handle& object) {
  const nb::bytes bytes = nb::cast<nb::bytes>(object);
  return {bytes.c_str(), bytes.size()};
}

// An object of Python for threads that have let the interpreter go: they may copy this, and take it where they hold it.
using SharedObject = std::shared_ptr<nb::object>;
SharedObject share_object(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* shared) {
            const nb::gil_scoped_acquire held;
            delete shared;
          }};
}

// Blocks of an iterator of pairs (Matrix, h), made anew by `make` for every walk.
BlockSource blocks_of(nb::object make) {
  return [make = share_object(std::move(make))]() -> NextBlock {
    const nb::gil_scoped_acquire acquire;
    return [iterator = share_object((*make)())](DataMatrix& G, Doubles& h) {
      const nb::gil_scoped_acquire held;
      const nb::object block = nb::steal(PyIter_Next(iterator->ptr()));
      if (!block.is_valid()) {
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
        return false;
      }
      G = nb::cast<DataMatrix>(block[0]);
      h = hold(nb::cast<DoublesIn>(block[1]));
      return true;
    };
  };
}

void bind_shard(nb::module_& m) {
  nb::class_<Shard>(m, "Shard")
      .def(
          "__init__", [](Shard* self, const DataMatrix& G, const DoublesIn& h) { new (self) Shard(G, hold(h)); },
          nb::arg("G"), nb::arg("h").noconvert())
      .def(
          "__init__",
          [](Shard* self, nb::object blocks) {
            const BlockSource source = blocks_of(std::move(blocks));
            const nb::gil_scoped_release release;
            new (self) Shard(source);
          },
          nb::arg("blocks"))
      .def("answer", [](Shard& self, const nb::bytes& request) {
        const std::string bytes(request.c_str(), request.size());
        std::string out;
        {
          const nb::gil_scoped_release release;  // shards of one process answer at the same time
          out = self.answer(bytes);
        }
        return nb::bytes(out.data(), out.size());
      });
  m.def("shard_is_taught", [](const nb::bytes& request) { return Shard::teaches({request.c_str(), request.size()}); });
  m.def("shard_begins", [](const nb::bytes& request) { return Shard::begins({request.c_str(), request.size()}); });
}

}  // namespace

void bind_shards(nb::module_& m) {
  bind_shard(m);
  m.def(
      "solve_shards",
      [](const HeldProblem& held, Index shards, nb::object exchange, const Settings& settings, nb::object callback,
         nb::object write, const Solution* warm_start) {
        const Busy::Scope busy(held.busy);
        ShardedResult found;
        Vector duals;
        nb::dict out = run_solve_in(held.problem, settings, {std::move(callback), std::move(write), warm_start},
                                    [&](Background& background, const SolveHooks& hooks) {
                                      const Exchange ask = [&](const std::vector<std::string>& requests) {
                                        std::vector<std::string> answers;
                                        background.call([&] {
                                          nb::list list;
                                          for (const std::string& r : requests)
                                            list.append(nb::bytes(r.data(), r.size()));
                                          for (const nb::handle answer : exchange(list))
                                            answers.push_back(bytes_of(answer));
                                        });
                                        return answers;
                                      };
                                      found = solve(held.problem, shards, ask, settings, hooks);
                                      for (const Vector& part : found.result.multipliers.lambda) {
                                        const Index before = duals.size();
                                        duals.conservativeResize(before + part.size());
                                        duals.tail(part.size()) = part;
                                      }
                                      // Rows by number are those of the few that were judged, not of the problem.
                                      found.result.multipliers.lambda.clear();
                                      found.result.overview = {};
                                      return std::move(found.result);
                                    });
        out["shard_rows"] = to_numpy(found.rows);
        out["shard_duals"] = to_numpy(std::move(duals));
        out["all_rows"] = found.all_rows;
        out["rounds"] = found.rounds;
        out["bytes_sent"] = found.bytes_sent;
        out["bytes_received"] = found.bytes_received;
        out["seconds_waited"] = found.seconds_waited;
        return out;
      },
      nb::arg("problem"), nb::arg("shards"), nb::arg("exchange"), nb::arg("settings"), nb::arg("callback").none(),
      nb::arg("write").none(), nb::arg("warm_start").none());
}

}  // namespace pliant::python

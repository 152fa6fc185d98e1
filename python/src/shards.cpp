#include "pliant/shards.hpp"

#include "arrays.hpp"
#include "parallel/stop.hpp"
#include "problem.hpp"
#include "solve.hpp"
#include "terms.hpp"

#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <string_view>
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

// A round through a function of Python.
Exchange asking(const nb::object& exchange, Background& background) {
  return [&](const std::vector<std::string>& requests) {
    std::vector<std::string> answers;
    background.call([&] {
      nb::list list;
      for (const std::string& r : requests) list.append(nb::bytes(r.data(), r.size()));
      for (const nb::handle answer : exchange(list)) answers.push_back(bytes_of(answer));
    });
    return answers;
  };
}

// The same where nobody waits for calls: the thread that asks takes the interpreter itself.
Exchange asking_anywhere(nb::object exchange) {
  return [exchange = share_object(std::move(exchange))](const std::vector<std::string>& requests) {
    const nb::gil_scoped_acquire held;
    nb::list list;
    for (const std::string& r : requests) list.append(nb::bytes(r.data(), r.size()));
    std::vector<std::string> answers;
    for (const nb::handle answer : (*exchange)(list)) answers.push_back(bytes_of(answer));
    return answers;
  };
}

LossKind loss_named(std::string_view name) {
  if (name == "least_squares") return LossKind::square;
  if (name == "logistic") return LossKind::logistic;
  if (name == "huber") return LossKind::huber;
  throw InputError("losses in shards: expected least_squares, logistic or huber");
}

SoftLoss soft_loss_named(std::string_view name) {
  if (name.empty()) return SoftLoss::as_held;
  if (name == "positive_part") return SoftLoss::positive_part;
  if (name == "quantile") return SoftLoss::quantile;
  if (name == "absolute") return SoftLoss::absolute;
  if (name == "epsilon_insensitive") return SoftLoss::epsilon_insensitive;
  if (name == "hinge") return SoftLoss::hinge;
  throw InputError("soft rows in shards: an unknown loss");
}

Vector joined(const std::vector<Vector>& parts) {
  Vector out(0);
  for (const Vector& part : parts) {
    const Index before = out.size();
    out.conservativeResize(before + part.size());
    out.tail(part.size()) = part;
  }
  return out;
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
          // A limit of the solve that asks does not throw through frames of Python; it is looked at between rounds.
          const parallel::StopScope undisturbed(nullptr);
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
      "losses_in_shards",
      [](const std::string& loss, double k, Index shards, nb::object exchange) {
        return Term{losses_in_shards(loss_named(loss), shards, asking_anywhere(std::move(exchange)), k)};
      },
      nb::arg("loss"), nb::arg("k"), nb::arg("shards"), nb::arg("exchange"));
  m.def(
      "solve_shards",
      [](const HeldProblem& held, Index shards, nb::object exchange, const Settings& settings, nb::object callback,
         nb::object write, const Solution* warm_start, nb::object keep, const std::string& loss, double parameter,
         double weight) {
        const SoftInShards soft{soft_loss_named(loss), parameter, weight};
        const Busy::Scope busy(held.busy);
        ShardedResult found;
        Vector latest;
        nb::dict out;
        const auto solve_there = [&](Background& background, const SolveHooks& hooks) {
          SolveHooks own = hooks;
          own.best = [&](const BestSoFar& best) { latest = best.x; };
          found = solve(held.problem, soft, shards, asking(exchange, background), settings, own);
          return found.result;
        };
        try {
          out = run_solve_in(held.problem, settings, {std::move(callback), std::move(write), warm_start},
                             [&](Background& background, const SolveHooks& hooks) {
                               Result result = solve_there(background, hooks);
                               // Rows by number are those of the few that were judged, not of the problem. Beside
                               // soft rows all those of the problem are there.
                               if (soft.loss == SoftLoss::as_held) result.multipliers.lambda.clear();
                               result.overview = {};
                               return result;
                             });
        } catch (const std::exception&) {
          if (latest.size() > 0) keep(to_numpy(std::move(latest)));
          throw;
        }
        out["shard_rows"] = to_numpy(found.rows);
        out["shard_duals"] = to_numpy(joined(found.result.multipliers.lambda));
        out["all_rows"] = found.all_rows;
        out["slopes"] = to_numpy(std::move(found.slopes));
        out["rounds"] = found.rounds;
        out["bytes_sent"] = found.bytes_sent;
        out["bytes_received"] = found.bytes_received;
        out["seconds_waited"] = found.seconds_waited;
        return out;
      },
      nb::arg("problem"), nb::arg("shards"), nb::arg("exchange"), nb::arg("settings"), nb::arg("callback").none(),
      nb::arg("write").none(), nb::arg("warm_start").none(), nb::arg("keep"), nb::arg("loss"), nb::arg("parameter"),
      nb::arg("weight"));
}

}  // namespace pliant::python

#include "background.hpp"
#include "core.hpp"

#include "pliant/types.hpp"
#include "pliant/version.hpp"

#include <string>

NB_MODULE(_core, m) {
  using namespace pliant::python;
  m.doc() = "The library behind the package pliant. Use the package.";
  m.attr("__version__") = std::string(pliant::version()).c_str();
  // Problems and results may live until the interpreter ends; that is no leak worth a message.
  nb::set_leak_warnings(false);
  nb::exception<pliant::InputError>(m, "InputError", PyExc_ValueError).attr("__module__") = "pliant";

  survive_lost_pages();
  bind_arrays(m);
  bind_settings(m);
  bind_terms(m);
  bind_regularizers(m);
  bind_constraints(m);
  bind_soft_rows(m);
  bind_callback(m);
  bind_conic(m);
  bind_problem(m);
  bind_cvar(m);
  bind_shards(m);
  bind_device(m);
  bind_solve(m);
  bind_solver(m);
  bind_tangent(m);
  bind_generate(m);
  bind_theory(m);
}

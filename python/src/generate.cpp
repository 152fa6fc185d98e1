#include "pliant/generate.hpp"

#include "background.hpp"
#include "problem.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>

namespace pliant::python {
namespace {

using Numbers = std::map<std::string, double>;
using Files = std::map<std::string, std::string>;

struct Interrupted {};

}  // namespace

void bind_generate(nb::module_& m) {
  nb::class_<FamilyInfo>(m, "Family")
      .def_ro("name", &FamilyInfo::name)
      .def_ro("description", &FamilyInfo::description)
      .def_ro("defaults", &FamilyInfo::defaults)
      .def_ro("words", &FamilyInfo::words)
      .def_ro("files", &FamilyInfo::files);
  m.def("generated_families", &generated_families);
  m.def(
      "generate",
      [](const std::string& family, const Numbers& parameters, const Files& files) {
        std::optional<Problem> problem;
        Background().run([&] { problem = generate(family, parameters, files); });
        return HeldProblem(std::move(*problem));
      },
      nb::arg("family"), nb::arg("parameters"), nb::arg("files"));
  m.def(
      "generate_file",
      [](const std::string& family, const Numbers& parameters, const Files& files, const std::string& file) {
        std::atomic<bool> stop = false;
        GenerateFileOptions options;
        options.files = files;
        options.progress = [&](Index, Index) {
          if (stop) throw Interrupted{};
        };
        try {
          Background(&stop).run([&] { generate_file(family, parameters, file, options); });
        } catch (const Interrupted&) {  // the unfinished file is given up
        }
        if (stop) {
          PyErr_SetNone(PyExc_KeyboardInterrupt);
          throw nb::python_error();
        }
      },
      nb::arg("family"), nb::arg("parameters"), nb::arg("files"), nb::arg("file"));
}

}  // namespace pliant::python

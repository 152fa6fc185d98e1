#include "pliant/generate.hpp"

#include "background.hpp"
#include "problem.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace pliant::python {
namespace {

using Numbers = std::map<std::string, double>;
using Files = std::map<std::string, std::string>;

struct Interrupted {};

// Here memory that runs out is an exception; in nanobind's own conversions, which must not throw, it would end the process.
Numbers to_numbers(const nb::dict& given) {
  Numbers out;
  for (const auto [name, value] : given) out.emplace(nb::cast<std::string_view>(name), nb::cast<double>(value));
  return out;
}

Files to_files(const nb::dict& given) {
  Files out;
  for (const auto [name, file] : given) {
    out.emplace(nb::cast<std::string_view>(name), nb::cast<std::string_view>(file));
  }
  return out;
}

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
      [](std::string_view family, const nb::dict& parameters, const nb::dict& files) {
        std::optional<Problem> problem;
        const std::string name(family);
        const Numbers given = to_numbers(parameters);
        const Files from = to_files(files);
        Background().run([&] { problem = generate(name, given, from); });
        return new HeldProblem(std::move(*problem));  // a value would be copied where nanobind must not throw
      },
      nb::arg("family"), nb::arg("parameters"), nb::arg("files"));
  m.def(
      "generate_file",
      [](std::string_view family, const nb::dict& parameters, const nb::dict& files, std::string_view file) {
        std::atomic<bool> stop = false;
        const Numbers given = to_numbers(parameters);
        GenerateFileOptions options;
        options.files = to_files(files);
        options.progress = [&](Index, Index) {
          if (stop) throw Interrupted{};
        };
        try {
          Background(&stop).run([&] { generate_file(std::string(family), given, file, options); });
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

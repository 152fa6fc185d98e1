#include "pliant/settings.hpp"

#include "core.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string_view>

namespace pliant::python {
namespace {

// Messages of the table begin with the option of the command; Python knows the setting by its name.
void set(Settings& settings, std::string_view name, std::string_view text) {
  for (const SettingSpec& spec : settings_table()) {
    if (spec.name != name) continue;
    try {
      spec.parse(spec, settings, text);
    } catch (const InputError& error) {
      const std::string message = error.what();
      if (!message.starts_with(spec.option())) throw;
      throw InputError(spec.name + message.substr(spec.option().size()));
    }
    return;
  }
  throw InputError(std::string(name) + ": not a setting");
}

nb::list table() {
  nb::list out;
  for (const SettingSpec& spec : settings_table()) {
    nb::dict row;
    row["name"] = spec.name;
    row["values"] = spec.value_name;
    row["default"] = spec.print(Settings{});
    row["description"] = spec.description;
    out.append(row);
  }
  return out;
}

}  // namespace

void bind_settings(nb::module_& m) {
  nb::class_<Settings>(m, "Settings")
      .def(nb::init<>())
      .def("set", &set, nb::arg("name"), nb::arg("text"))
      .def_ro("verbose", &Settings::verbose);
  m.def("settings_table", &table);
}

}  // namespace pliant::python

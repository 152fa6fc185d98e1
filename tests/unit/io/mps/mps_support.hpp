// Files from text in a directory of their own, and a small problem whose sections tests replace.
#pragma once

#include "../io_support.hpp"
#include "io/mps/mps_file.hpp"
#include "io/mps/mps_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace pliant::testing {

/// minimise x + 2y + 3z over rows e: x + y = 4, l: x - z <= 5, g: y + 2z >= 1.
struct SampleText {
  std::string before;  // sections before ROWS
  std::string rows = " N cost\n E e\n L l\n G g\n";
  std::string columns = " x cost 1 e 1\n x l 1\n y cost 2 e 1\n y g 1\n z cost 3 l -1\n z g 2\n";
  std::string rhs = " RHS e 4 l 5\n RHS g 1\n";
  std::string after;  // sections after RHS

  std::string text() const {
    return "NAME sample\n" + before + "ROWS\n" + rows + "COLUMNS\n" + columns + "RHS\n" + rhs + after + "ENDATA\n";
  }
};

/// A data line of the fixed layout.
inline std::string fixed_line(std::string_view code, std::string_view head, std::string_view name = "",
                              std::string_view number = "", std::string_view name2 = "",
                              std::string_view number2 = "") {
  return fmt::format(" {:<2} {:<8}  {:<8}  {:>12}   {:<8}  {:>12}\n", code, head, name, number, name2, number2);
}

class MpsTest : public ::testing::Test {
 protected:
  fs::path file(const std::string& text, const std::string& name = "p.mps") const {
    write_bytes(directory_ / name, text);
    return directory_ / name;
  }
  io::MpsFile parse(const std::string& text) const { return io::read_mps(file(text)); }
  io::MpsFile parse(const SampleText& sample) const { return parse(sample.text()); }
  Problem read(const SampleText& sample) const { return read_problem(file(sample.text())); }
  /// The message behind the file's name.
  std::string error(const std::string& text) const {
    const fs::path path = file(text);
    const std::string message = error_of([&] { read_problem(path).validate(); });
    const std::string prefix = path.string() + ": ";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }
  std::string error(const SampleText& sample) const { return error(sample.text()); }

  TemporaryDirectory directory_;
};

}  // namespace pliant::testing

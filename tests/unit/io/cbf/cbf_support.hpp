// Files from text in a directory of their own.
#pragma once

#include "../io_support.hpp"
#include "io/cbf/cbf_problem.hpp"

#include <string>
#include <vector>

namespace pliant::testing {

class CbfTest : public ::testing::Test {
 protected:
  fs::path file(const std::string& text, const std::string& name = "p.cbf") const {
    write_bytes(directory_ / name, text);
    return directory_ / name;
  }
  Problem read(const std::string& text) const { return read_problem(file(text)); }
  /// The message behind the file's name.
  std::string error(const std::string& text) const {
    const fs::path path = file(text);
    const std::string message = error_of([&] { read_problem(path).validate(); });
    const std::string prefix = path.string() + ": ";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  TemporaryDirectory directory_;
};

/// h - Gx of the only conic constraint.
inline Vector conic_rows(const Problem& problem, const Vector& x) {
  const ConicConstraint& conic = problem.conic().at(0);
  Vector s(conic.h.size());
  for (Index i = 0; i < s.size(); ++i) s[i] = conic.h[i] - conic.G.dot(i, x.data());
  return s;
}

}  // namespace pliant::testing

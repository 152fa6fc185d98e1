// Every mistake in a container is one line that names the file, the place and what was expected.
#include "io_support.hpp"
#include "sample_problems.hpp"

#include <functional>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ContainerErrors : public ::testing::Test {
 protected:
  std::string message() {
    const std::string text = error_of([&] { read_problem(path_); });
    EXPECT_THAT(text, StartsWith(path_.string() + ": "));
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    return text.substr(std::min(text.size(), path_.string().size() + 2));
  }
  /// The message after one change to a valid file.
  std::string after(const std::function<void(RawFile&)>& change) {
    write_problem(rich_problem(), path_);
    {
      RawFile file = RawFile::change(path_);
      change(file);
    }
    return message();
  }

  TemporaryDirectory directory_;
  fs::path path_ = directory_ / "p.h5";
};

TEST_F(ContainerErrors, FilesThatAreNoContainers) {
  EXPECT_EQ(message(), "No such file or directory");
  write_bytes(path_, "");
  EXPECT_EQ(message(), "not a pliant container (expected " + readable_endings() + ")");
  write_bytes(path_, "NAMES  TEST\nROWS\n");
  EXPECT_EQ(message(), "not a pliant container (expected " + readable_endings() + ")");
  RawFile::create(path_).group("somebody_elses");
  EXPECT_EQ(message(), "not a pliant container: root attribute \"format\" is missing, expected \"pliant-problem\"");
  write_solution({Vector::Ones(2), {}, {}, {}, {}}, path_);
  EXPECT_EQ(message(), "format is \"pliant-solution\", expected \"pliant-problem\"");
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_EQ(message(), "Is a directory");
}

TEST_F(ContainerErrors, OtherFormatsAreNamed) {
  for (const auto& [name, format] : {std::pair{"a.mat", "MATLAB"}, {"a.npz", "NumPy"}}) {
    path_ = directory_ / name;
    write_bytes(path_, "text");
    EXPECT_EQ(message(), std::string(format) + " files are not supported (expected " + readable_endings() + ")");
    EXPECT_THAT(error_of([&] { write_problem(Problem(1), path_); }), HasSubstr("writing " + std::string(format)));
    EXPECT_EQ(bytes_of(path_), "text");
  }
  // The content decides over the ending.
  path_ = directory_ / "b.mps";
  RawFile::create(path_);
  EXPECT_THAT(message(), StartsWith("not a pliant container: root attribute"));
}

TEST_F(ContainerErrors, Versions) {
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "version"); }),
            "root attribute \"version\" is missing, expected 1 or 2");
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "version"), f.integers("/", "version", {3}); }),
            "version 3 of the container is not supported, expected 1 or 2");
}

TEST_F(ContainerErrors, RootAttributes) {
  const auto with_n = [&](double n) {
    return after([n](RawFile& f) { f.remove_attribute("/", "n"), f.number("/", "n", n); });
  };
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "n"); }),
            "attribute \"n\" is missing, expected a whole number");
  EXPECT_EQ(with_n(0), "n: expected at least 1 variable, got 0");
  EXPECT_EQ(with_n(-4), "n: expected at least 1 variable, got -4");
  EXPECT_EQ(with_n(2.5), "attribute \"n\": expected a whole number, got 2.5");
  EXPECT_EQ(with_n(1e300), "attribute \"n\": expected a whole number, got 1e+300");
  EXPECT_EQ(with_n(5), "objective/0/P: expected shape (5, 5), got (4, 4)");
  EXPECT_EQ(after([](RawFile& f) {
              f.remove_attribute("/", "n"), f.integers("/", "n", {4, 4});
            }),
            "attribute \"n\": expected a single value, got 2");
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "n"), f.text("/", "n", "4"); }),
            "attribute \"n\": expected a whole number");
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "name"), f.text("/", "name", "two\nlines"); }),
            "attribute \"name\": expected UTF-8 text without control characters");
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("/", "name"), f.number("/", "name", 1.0); }),
            "attribute \"name\": expected text");
}

TEST_F(ContainerErrors, UnknownNames) {
  EXPECT_THAT(after([](RawFile& f) { f.group("constraint"); }),
              StartsWith("unknown member \"constraint\" (known here: "));
  EXPECT_THAT(after([](RawFile& f) { f.number("/", "N", 4); }),
              StartsWith("unknown attribute \"N\" (known here: format, "));
  EXPECT_THAT(after([](RawFile& f) { f.doubles("constraints/0/uper", {6}, {}); }),
              StartsWith("constraints/0: unknown member \"uper\" (known here: G, lower, upper, weights;"));
  EXPECT_THAT(after([](RawFile& f) { f.number("objective/0", "wieght", 2.0); }),
              StartsWith("objective/0: unknown attribute \"wieght\""));
  EXPECT_THAT(after([](RawFile& f) { f.number("prox", "w", 2.0); }), StartsWith("prox: unknown attribute \"w\""));
  EXPECT_THAT(after([](RawFile& f) { f.group("equalities/F"); }), StartsWith("equalities: unknown member \"F\""));
  EXPECT_THAT(after([](RawFile& f) { f.number("constraints/1/G", "nnz", 3); }),
              StartsWith("constraints/1/G: unknown attribute \"nnz\""));
  EXPECT_THAT(after([](RawFile& f) { f.group("bad\nname"); }), StartsWith("unknown member \"bad\\x0aname\""));
  EXPECT_EQ(after([](RawFile& f) { f.group("constraints/first"); }),
            "constraints: expected 5 members named 0 to 4, got \"first\"");
  EXPECT_EQ(after([](RawFile& f) { f.remove("constraints/1"); }),
            "constraints: expected 3 members named 0 to 2, got \"3\"");
}

TEST_F(ContainerErrors, Kinds) {
  const auto renamed = [&](const char* object, const char* attribute, const char* value) {
    return after([&](RawFile& f) { f.remove_attribute(object, attribute), f.text(object, attribute, value); });
  };
  EXPECT_EQ(
      renamed("objective/0", "kind", "cubic"),
      "objective/0: unknown kind \"cubic\" (known: linear, quadratic, least_squares, logistic, huber, multinomial, "
      "log_det)");
  EXPECT_EQ(renamed("prox", "kind", "l0"), "prox: unknown kind \"l0\" (known: separable, simplex, ball, group_l2)");
  EXPECT_EQ(renamed("constraints/2", "family", "conic"),
            "constraints/2: unknown family \"conic\" (known: linear, quadratic, log_sum_exp, rank_one)");
  EXPECT_EQ(after([](RawFile& f) { f.remove_attribute("constraints/2", "family"); }),
            "constraints/2: attribute \"family\" is missing, expected text");
  EXPECT_EQ(after([](RawFile& f) {
              f.doubles("constraints/2/P", {2, 4, 4}, {});
            }),
            "constraints/2: expected exactly one of P, factors and diagonals");
  EXPECT_EQ(after([](RawFile& f) { f.remove("constraints/2/factors"); }),
            "constraints/2: expected exactly one of P, factors and diagonals");
}

TEST_F(ContainerErrors, Shapes) {
  const auto reshaped = [&](const char* path, std::vector<hsize_t> shape) {
    return after([&](RawFile& f) {
      f.remove(path);
      std::size_t count = 1;
      for (const hsize_t extent : shape) count *= extent;
      f.doubles(path, shape, std::vector<double>(count, 1.0));
    });
  };
  EXPECT_EQ(reshaped("objective/0/q", {3}), "objective/0/q: expected 4 entries, got 3");
  EXPECT_EQ(reshaped("objective/1/b", {4}), "objective/1/b: expected 5 entries, got 4");
  EXPECT_EQ(reshaped("prox/lo", {2, 2}), "prox/lo: expected shape (4,), got (2, 2)");
  EXPECT_EQ(reshaped("constraints/0/G", {6, 5}), "constraints/0/G: expected shape (any, 4), got (6, 5)");
  EXPECT_EQ(reshaped("constraints/0/G", {24}), "constraints/0/G: expected shape (any, 4), got (24,)");
  EXPECT_EQ(reshaped("constraints/0/G", {5, 4}), "constraints/0/upper: expected 5 entries, got 6");
  EXPECT_EQ(reshaped("constraints/1/lower", {4}), "constraints/1/lower: expected 3 entries, got 4");
  EXPECT_EQ(reshaped("constraints/2/factors", {2, 4}), "constraints/2/factors: expected shape (2, any, 4), got (2, 4)");
  EXPECT_EQ(reshaped("constraints/2/r", {3}), "constraints/2/r: expected 2 entries, got 3");
  EXPECT_EQ(reshaped("constraints/3/b", {3, 2}), "constraints/3/b: expected shape (2, 3), got (3, 2)");
  EXPECT_EQ(reshaped("equalities/E", {1, 3}), "equalities/E: expected shape (any, 4), got (1, 3)");
  EXPECT_EQ(reshaped("equalities/e", {2}), "equalities/e: expected 1 entries, got 2");
  EXPECT_EQ(reshaped("start", {5}), "start: expected 4 entries, got 5");
  EXPECT_EQ(reshaped("slater_point", {5}), "slater_point: expected 4 entries, got 5");
  EXPECT_EQ(reshaped("known_optimum/x", {5}), "known_optimum/x: expected 4 entries, got 5");
  EXPECT_EQ(reshaped("start", {}), "start: expected shape (4,), got ()");
}

TEST_F(ContainerErrors, SymmetricMatrices) {
  const auto written = [&](Index n, const std::vector<hsize_t>& points, hsize_t b) {
    write_problem(Problem(n), path_);
    {
      RawFile file = RawFile::change(path_);
      file.group("constraints"), file.group("constraints/0");
      file.text("constraints/0", "family", "rank_one");
      file.doubles("constraints/0/points", points, std::vector<double>(points[0] * points[1], 1.0));
      file.doubles("constraints/0/b", {b}, std::vector<double>(b, 1.0));
    }
    return message();
  };
  EXPECT_EQ(written(7, {5, 3}, 5), "constraints/0: expected n = p(p+1)/2 for a symmetric p x p matrix, got n = 7");
  EXPECT_EQ(written(6, {5, 4}, 5),
            "constraints/0/points: expected 3 columns, or 2 to have 1 appended to every point, got 4");
  EXPECT_EQ(written(6, {5, 2}, 4), "constraints/0/b: expected 5 entries, got 4");
  write_problem(Problem(4), path_);
  {
    RawFile file = RawFile::change(path_);
    file.group("objective"), file.group("objective/0");
    file.text("objective/0", "kind", "log_det");
  }
  EXPECT_EQ(message(), "objective/0: expected n = p(p+1)/2 for a symmetric p x p matrix, got n = 4");
}

TEST_F(ContainerErrors, MissingAndMisplacedObjects) {
  EXPECT_EQ(after([](RawFile& f) { f.remove("constraints/0/G"); }), "constraints/0/G: missing, expected a dataset");
  EXPECT_EQ(after([](RawFile& f) { f.remove("constraints/0/upper"); }),
            "constraints/0/upper: missing, expected a dataset");
  EXPECT_THAT(after([](RawFile& f) { f.remove("start"), f.group("start"); }), StartsWith("start: expected a dataset"));
  EXPECT_THAT(after([](RawFile& f) {
                f.remove("prox"), f.doubles("prox", {4}, {1, 2, 3, 4});
              }),
              StartsWith("prox: expected a group"));
  EXPECT_EQ(after([](RawFile& f) {
              f.remove("start");
              H5Lcreate_external("/etc/passwd", "/x", f.id(), "start", H5P_DEFAULT, H5P_DEFAULT);
            }),
            "start: is a soft or external link, expected the data themselves");
  EXPECT_EQ(after([](RawFile& f) {
              f.remove("start");
              H5Lcreate_soft("/slater_point", f.id(), "start", H5P_DEFAULT, H5P_DEFAULT);
            }),
            "start: is a soft or external link, expected the data themselves");
}

TEST_F(ContainerErrors, TypesAndValues) {
  const RawId text(H5Tcopy(H5T_C_S1));
  EXPECT_EQ(after([&](RawFile& f) { f.remove("start"), f.doubles("start", {4}, {}, text); }),
            "start: expected numbers (a floating-point or integer type)");
  EXPECT_EQ(after([](RawFile& f) {
              f.remove("constraints/1/G/indptr");
              f.doubles("constraints/1/G/indptr", {4}, {0, 0, 0, 0});
            }),
            "constraints/1/G/indptr: expected whole numbers (an integer type)");
  EXPECT_EQ(after([](RawFile& f) {
              f.remove("start"), f.doubles("start", {4}, {1, kInfinity, 1, 1});
            }),
            "start: entry 1 is inf, expected a finite number");
  EXPECT_EQ(after([](RawFile& f) {
              f.number("known_optimum", "user_x", 0), f.remove_attribute("known_optimum", "objective");
            }),
            "known_optimum: attribute \"objective\" is missing, expected a number");
  const auto weight = [&](double value) {
    return after(
        [value](RawFile& f) { f.remove_attribute("objective/0", "weight"), f.number("objective/0", "weight", value); });
  };
  EXPECT_EQ(weight(std::nan("")), "objective/0: attribute \"weight\": expected a finite number, got nan");
  EXPECT_THAT(weight(-1.0), StartsWith("objective/0: "));
}

TEST_F(ContainerErrors, SparseStructure) {
  const auto with = [&](const char* name, std::vector<double> values) {
    Random random(1);
    Problem problem(3);
    problem.subject_to(linear_le(DataMatrix::csr(2, 3, std::vector<Index>{0, 2, 3}, std::vector<Index>{0, 2, 1},
                                                 std::vector<double>{1.0, 2.0, 3.0}),
                                 random.numbers(2)));
    write_problem(problem, path_);
    {
      RawFile file = RawFile::change(path_);
      const std::string full = std::string("constraints/0/G/") + name;
      file.remove(full.c_str());
      file.doubles(full.c_str(), {values.size()}, values, H5T_STD_I64LE);
    }
    return message();
  };
  const std::string place = "constraints/0/G/";
  EXPECT_EQ(with("indptr", {0, 3}), place + "indptr: expected 3 entries, got 2");
  EXPECT_EQ(with("indptr", {1, 2, 3}), place + "indptr: entry 0 is 1, expected 0");
  EXPECT_EQ(with("indptr", {0, 2, 4}), place + "indptr: the last entry is 4, expected 3 = entries of data");
  EXPECT_EQ(with("indptr", {0, 9, 3}), place + "indptr: entry 1 is 9, expected 0 to 3");
  EXPECT_EQ(with("indptr", {0, -1, 3}), place + "indptr: entry 1 is -1, expected 0 to 3");
  EXPECT_EQ(with("indices", {0, 3, 1}),
            place + "indices: row 0: column 3 at entry 1, expected ascending columns from 0 to 2");
  EXPECT_EQ(with("indices", {2, 2, 1}),
            place + "indices: row 0: column 2 at entry 1, expected ascending columns from 0 to 2");
  EXPECT_EQ(with("indices", {-1, 2, 1}),
            place + "indices: row 0: column -1 at entry 0, expected ascending columns from 0 to 2");
  EXPECT_EQ(with("data", {1, 2}), place + "data: expected 3 entries, got 2");
}

// Sizes that only the file declares must not become allocations.
TEST_F(ContainerErrors, DeclaredSizesAreConfirmedByStoredBytes) {
  constexpr hsize_t kHuge = hsize_t{1} << 40;
  const auto declared = [&](const std::vector<hsize_t>& shape, hid_t properties) {
    return after([&](RawFile& f) { f.remove("constraints/0/G"), f.declare("constraints/0/G", shape, properties); });
  };
  const std::string place = "constraints/0/G: ";
  EXPECT_EQ(declared({6, 4}, H5P_DEFAULT), place + "was declared but its data were never written");
  EXPECT_EQ(declared({kHuge, 4}, H5P_DEFAULT), place + "was declared but its data were never written");
  const RawId chunked(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[] = {1024, 4};
  H5Pset_chunk(chunked, 2, chunk);
  EXPECT_EQ(declared({kHuge, 4}, chunked), place + "was declared but its data were never written");
  EXPECT_THAT(declared({hsize_t{1} << 62, 4}, chunked), HasSubstr("is too large"));
  H5Pset_fill_time(chunked, H5D_FILL_TIME_NEVER);
  EXPECT_THAT(after([&](RawFile& f) {
                f.remove("constraints/0/G");
                const hsize_t small[] = {6, 4}, large[] = {kHuge, 4}, most[] = {H5S_UNLIMITED, 4};
                const RawId space(H5Screate_simple(2, small, most));
                const RawId dataset(
                    H5Dcreate2(f.id(), "constraints/0/G", H5T_IEEE_F64LE, space, H5P_DEFAULT, chunked, H5P_DEFAULT));
                const std::vector<double> values(24, 1.0);
                H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
                H5Dset_extent(dataset, large);
              }),
              HasSubstr("are stored"));
  const RawId external(H5Pcreate(H5P_DATASET_CREATE));
  H5Pset_external(external, "/etc/passwd", 0, 192);
  EXPECT_EQ(declared({6, 4}, external), place + "its data lie in another file, expected them in this one");
}

TEST_F(ContainerErrors, UnwritableTargets) {
  path_ = directory_ / "missing" / "p.h5";
  EXPECT_EQ(error_of([&] { write_problem(Problem(1), path_); }),
            path_.string() + ": cannot be written (No such file or directory)");
  EXPECT_THAT(error_of([&] { write_problem(Problem(1), "-"); }), HasSubstr("standard output"));
  Problem problem(1);
  problem.name = "two\nlines";
  path_ = directory_ / "p.h5";
  EXPECT_EQ(error_of([&] { write_problem(problem, path_); }),
            path_.string() + ": name \"two\\x0alines\": expected UTF-8 text without control characters");
  EXPECT_EQ(directory_.entries(), 0u);
}

}  // namespace
}  // namespace pliant::testing

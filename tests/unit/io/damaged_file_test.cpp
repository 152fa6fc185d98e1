// Damaged files end in an InputError or, where only numbers changed, in a problem; never in a crash.
#include "io_support.hpp"
#include "sample_problems.hpp"

// The HDF5 library itself loses an object header whose checksum is wrong; our handles are counted below.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Reads the file; true if it made a problem.
bool try_to_load(const fs::path& file) {
  try {
    const Problem problem = read_problem(file);
    // What was accepted can be evaluated.
    Vector values;
    for (const BatchPtr& batch : problem.batches()) {
      values.resize(batch->size());
      batch->values(Vector::Ones(problem.dimension()), Rows::range(0, batch->size()), values);
    }
    return true;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), StartsWith(file.string() + ": "));
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return false;
  }
}

bool loads(const fs::path& file, std::string_view bytes) {
  write_bytes(file, bytes);
  const bool loaded = try_to_load(file);
  EXPECT_EQ(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL), 0) << "handles left open";
  return loaded;
}

TEST(DamagedFile, Truncated) {
  const TemporaryDirectory directory;
  write_problem(rich_problem(), directory / "p.h5");
  const std::string bytes = bytes_of(directory / "p.h5");
  ASSERT_TRUE(loads(directory / "q.h5", bytes));
  for (std::size_t kept = 0; kept < bytes.size(); kept += 1 + bytes.size() / 97) {
    EXPECT_FALSE(loads(directory / "q.h5", std::string_view(bytes).substr(0, kept))) << kept << " bytes kept";
  }
  EXPECT_FALSE(loads(directory / "q.h5", std::string_view(bytes).substr(0, bytes.size() - 1)));
  EXPECT_THAT(error_of([&] { read_problem(directory / "q.h5"); }), HasSubstr("damaged or truncated HDF5 file"));
}

TEST(DamagedFile, FlippedBytes) {
  const TemporaryDirectory directory;
  write_problem(rich_problem(), directory / "p.h5");
  const std::string bytes = bytes_of(directory / "p.h5");
  Random random(21);
  int refused = 0;
  constexpr int kMutations = 300;
  for (int k = 0; k < kMutations; ++k) {
    std::string mutated = bytes;
    for (Index flips = random.integer(1, 4); flips > 0; --flips) {
      const auto at = static_cast<std::size_t>(random.integer(0, static_cast<Index>(bytes.size()) - 1));
      mutated[at] = static_cast<char>(random.integer(0, 255));
    }
    if (random.uniform() < 0.1)
      mutated.resize(static_cast<std::size_t>(random.integer(0, static_cast<Index>(mutated.size()))));
    SCOPED_TRACE(k);
    refused += loads(directory / "q.h5", mutated) ? 0 : 1;
  }
  // Some flips only change numbers, others break structure: both must have occurred.
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, kMutations);
}

}  // namespace
}  // namespace pliant::testing

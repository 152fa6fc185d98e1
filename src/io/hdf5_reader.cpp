#include "io/hdf5_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

namespace pliant::io {
namespace {

constexpr std::string_view kFreePrefix = "user_";

using Names = std::vector<std::string>;

struct Collected {
  Names names;
  bool out_of_memory = false;
};

// The library calls this from C: no exception may leave it.
template <class Info>
herr_t collect_name(hid_t, const char* name, const Info*, void* collected) noexcept {
  auto& out = *static_cast<Collected*>(collected);
  try {
    out.names.emplace_back(name);
    return 0;
  } catch (const std::bad_alloc&) {
    out.out_of_memory = true;
    return -1;
  }
}

Names listed(Collected collected, herr_t result, std::string_view failed, const Hdf5Place& place) {
  if (collected.out_of_memory) throw std::bad_alloc();
  place.checked(result, failed);
  return std::move(collected.names);
}

Names member_names(const Hdf5Handle& group, const Hdf5Place& place) {
  Collected found;
  const herr_t result = H5Literate(group.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name<H5L_info_t>, &found);
  return listed(std::move(found), result, "the members cannot be listed", place);
}

Names attribute_names(const Hdf5Handle& object, const Hdf5Place& place) {
  Collected found;
  const herr_t result = H5Aiterate2(object.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_name<H5A_info_t>, &found);
  return listed(std::move(found), result, "the attributes cannot be listed", place);
}

using KnownNames = std::set<std::string, std::less<>>;

void refuse_unknown(const Names& found, const KnownNames& known, std::string_view noun, const Hdf5Place& place) {
  for (const std::string& name : found) {
    if (known.contains(name) || name.starts_with(kFreePrefix)) continue;
    place.fail(fmt::format("unknown {} \"{}\" (known here: {}; names beginning with \"{}\" are free)", noun,
                           printable(name), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")),
                           kFreePrefix));
  }
}

// The operating system's reason comes before the library's, which does not tell missing from forbidden.
std::uint64_t size_of_readable(const std::filesystem::path& file, const Hdf5Place& place) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) place.fail(std::strerror(EISDIR));
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), &std::fclose);
  if (stream == nullptr) place.fail(std::strerror(errno));
  const std::uint64_t bytes = std::filesystem::file_size(file, error);
  if (error) place.fail(error.message());
  return bytes;
}

}  // namespace

Hdf5Reader::Hdf5Reader(Hdf5Handle handle, Hdf5Place place, std::shared_ptr<File> file)
    : handle_(std::move(handle)), place_(std::move(place)), file_(std::move(file)) {}

// The driver is named, not left to the environment: mapping needs the plain file behind it.
Hdf5Reader Hdf5Reader::open(const std::filesystem::path& file, MemoryBudget budget) {
  const Hdf5Place place{file.string(), {}};
  const std::uint64_t bytes = size_of_readable(file, place);
  if (H5Fis_hdf5(file.c_str()) <= 0) throw NotHdf5(place.file + ": not an HDF5 file");
  const std::string damaged = "damaged or truncated HDF5 file";
  const Hdf5Handle access = place.checked(Hdf5Handle(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), damaged);
  place.checked(H5Pset_fapl_sec2(access.id()), damaged);
  const Hdf5Handle opened =
      place.checked(Hdf5Handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose), damaged);
  return Hdf5Reader(place.checked(Hdf5Handle(H5Gopen2(opened.id(), "/", H5P_DEFAULT), H5Gclose), damaged), place,
                    std::make_shared<File>(File{bytes, budget}));
}

bool Hdf5Reader::has_member(std::string_view name) {
  const std::string& known = *members_.emplace(name).first;
  const htri_t found = H5Lexists(handle_.id(), known.c_str(), H5P_DEFAULT);
  place_.at(name).checked(found, "cannot be looked up");
  return found > 0;
}

// Data must lie in the file itself: a link to elsewhere would escape the checks of sizes.
void Hdf5Reader::refuse_link(std::string_view name) const {
  H5L_info_t info;
  const Hdf5Place place = place_.at(name);
  place.checked(H5Lget_info(handle_.id(), std::string(name).c_str(), &info, H5P_DEFAULT), "cannot be looked up");
  if (info.type != H5L_TYPE_HARD) place.fail("is a soft or external link, expected the data themselves");
}

bool Hdf5Reader::has_group(std::string_view name) {
  if (!has_member(name)) return false;
  refuse_link(name);
  const Hdf5Handle object = place_.at(name).checked(
      Hdf5Handle(H5Oopen(handle_.id(), std::string(name).c_str(), H5P_DEFAULT), H5Oclose), "cannot be opened");
  return H5Iget_type(object.id()) == H5I_GROUP;
}

Hdf5Reader Hdf5Reader::group(std::string_view name) {
  Hdf5Place place = place_.at(name);
  if (!has_member(name)) place.fail("missing, expected a group");
  refuse_link(name);
  Hdf5Handle handle = place.checked(
      Hdf5Handle(H5Gopen2(handle_.id(), std::string(name).c_str(), H5P_DEFAULT), H5Gclose), "expected a group");
  return Hdf5Reader(std::move(handle), std::move(place), file_);
}

Index Hdf5Reader::numbered_members() {
  Names names = member_names(handle_, place_);
  std::erase_if(names, [](const std::string& name) { return name.starts_with(kFreePrefix); });
  const auto count = static_cast<Index>(names.size());
  for (Index i = 0; i < count; ++i) members_.insert(std::to_string(i));
  for (const std::string& name : names) {
    if (!members_.contains(name)) {
      place_.fail(fmt::format("expected {} members named 0 to {}, got \"{}\"", count, count - 1, printable(name)));
    }
  }
  return count;
}

void Hdf5Reader::done() const {
  refuse_unknown(member_names(handle_, place_), members_, "member", place_);
  refuse_unknown(attribute_names(handle_, place_), attributes_, "attribute", place_);
}

}  // namespace pliant::io

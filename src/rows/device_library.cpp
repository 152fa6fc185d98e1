#include "rows/device_library.hpp"

#include "pliant/types.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace pliant {
namespace {

constexpr const char* kName = "libpliant_cuda.so";
constexpr const char* kVariable = "PLIANT_CUDA_LIBRARY";

// Beside whatever file this function is part of, and one level up from it, where builds put shared libraries.
std::vector<std::string> candidates() {
  if (const char* named = std::getenv(kVariable)) return {named};
  std::vector<std::string> out;
  Dl_info self{};
  if (dladdr(reinterpret_cast<const void*>(&device_library), &self) != 0 && self.dli_fname != nullptr) {
    const std::filesystem::path folder = std::filesystem::absolute(self.dli_fname).parent_path();
    for (const auto& place : {folder / kName, folder / "cuda" / kName, folder.parent_path() / "src/cuda" / kName}) {
      if (std::filesystem::exists(place)) out.push_back(place.string());
    }
  }
  out.emplace_back(kName);
  return out;
}

const pliant_cuda_api& load() {
  std::string why;
  for (const std::string& file : candidates()) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      why = dlerror();
      continue;
    }
    using Function = const pliant_cuda_api* (*)();
    const auto table = reinterpret_cast<Function>(dlsym(library, "pliant_cuda_table"));
    if (table == nullptr) throw InputError(fmt::format("{}: no library of pliant for CUDA", file));
    const pliant_cuda_api* const api = table();
    if (api->version != PLIANT_CUDA_VERSION) {
      throw InputError(
          fmt::format("{}: version {} of the interface, expected {}", file, api->version, PLIANT_CUDA_VERSION));
    }
    return *api;
  }
  throw InputError(
      fmt::format("rows on a CUDA device need {}, which cannot be loaded ({}); it is built where nvcc is, "
                  "and {} may name it",
                  kName, why, kVariable));
}

}  // namespace

const pliant_cuda_api& device_library() {
  static const pliant_cuda_api& api = load();
  return api;
}

void expect_done(const pliant_cuda_api& api, int code) {
  if (code != 0) throw InputError(api.error());
}

}  // namespace pliant

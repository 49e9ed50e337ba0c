#include "driver/headers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <utility>

namespace simt::rewrite {
namespace {

namespace fs = std::filesystem;

struct Marker {
  unsigned line = 0;
  std::string name;
  std::string_view flags;
};

bool is_marker(std::string_view line) {
  return line.size() > 2 && line.starts_with("# ") &&
         std::isdigit(static_cast<unsigned char>(line[2])) != 0;
}

Marker read_marker(std::string_view line) {
  Marker marker;
  marker.line =
      static_cast<unsigned>(std::strtoul(std::string(line.substr(2, 12)).c_str(), nullptr, 10));
  const std::size_t open = line.find('"');
  const std::size_t close = line.rfind('"');
  if (open != std::string_view::npos && open < close) {
    marker.name = line.substr(open + 1, close - open - 1);
    marker.flags = line.substr(close + 1);
  }
  return marker;
}

/// By the beginning of the name.
constexpr std::array<std::pair<std::string_view, std::string_view>, 36> kUnsupported{{
    {"thrust/", "Thrust"},
    {"cub/", "CUB"},
    {"cuda/", "libcu++"},
    {"cooperative_groups/", "cooperative groups"},
    {"curand", "cuRAND"},
    {"cufft", "cuFFT"},
    {"cufile", "cuFile"},
    {"cusparse", "cuSPARSE"},
    {"cusolver", "cuSOLVER"},
    {"cublasXt", "cuBLAS-XT"},
    {"cublas.h", "the first interface of cuBLAS; cublas_v2.h is supported"},
    {"cutensor", "cuTENSOR"},
    {"cudnn", "cuDNN"},
    {"nccl", "NCCL"},
    {"npp", "NPP"},
    {"nvjpeg", "nvJPEG"},
    {"nvrtc", "NVRTC"},
    {"nvml", "NVML"},
    {"nvJitLink", "nvJitLink"},
    {"nvPTXCompiler", "the PTX compiler"},
    {"nvvm", "NVVM"},
    {"nvshmem", "NVSHMEM"},
    {"nvtx3/", "NVTX"},
    {"cupti", "CUPTI"},
    {"cudaGL", "graphics"},
    {"cuda_gl_interop", "graphics"},
    {"cudaEGL", "graphics"},
    {"cuda_egl_interop", "graphics"},
    {"cudaVDPAU", "graphics"},
    {"cuda_vdpau_interop", "graphics"},
    {"cudaProfiler", "the profiler's driver interface"},
    {"cuda_fp4", "4-bit floats"},
    {"cuda_fp6", "6-bit floats"},
    {"cuda_awbarrier", "the older interface of barriers; <cuda/barrier> is supported"},
    {"cuda_occupancy", "the occupancy calculator"},
    {"texture_indirect_functions", "textures"},
}};

/// Is this a folder of CUDA's headers?
bool is_toolkit(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "cuda_runtime_api.h", error) &&
         fs::exists(folder / "driver_types.h", error);
}

/// A file of a CUDA toolkit, as an `#include` names it; empty if it is none. In folders that a
/// toolkit shares with others only what is known to be CUDA's is.
std::string toolkit_name(const fs::path& file, const std::string& include_folder) {
  const fs::path full = file.lexically_normal();
  std::error_code error;
  for (fs::path folder = full.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (folder.filename() == "cccl" || !is_toolkit(folder)) continue;
    if (fs::equivalent(folder, include_folder, error)) return {};
    std::string name = full.lexically_relative(folder).string();
    if (name.starts_with("cccl/")) name.erase(0, 5);
    const bool shared = fs::exists(folder / "stdio.h", error);
    return shared && unsupported_library(name).empty() ? std::string() : name;
  }
  return {};
}

}  // namespace

bool is_toolkit_folder(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::path(folder).lexically_normal();
  const bool cccl = path.filename() == "cccl" || path.parent_path().filename() == "cccl";
  return (is_toolkit(path) || (cccl && is_toolkit(path / ".."))) &&
         !fs::exists(path / "stdio.h", error);
}

std::string_view unsupported_library(std::string_view header) {
  for (const auto& [beginning, library] : kUnsupported) {
    if (header.starts_with(beginning)) return library;
  }
  return {};
}

std::string unsupported_header(std::string_view place, std::string_view name,
                               std::string_view what) {
  return std::string(place) + ": error: <" + std::string(name) +
         "> is not supported on the CPU backend (" + std::string(what) + ')';
}

std::vector<EnteredFile> entered_files(std::string_view preprocessed) {
  std::vector<EnteredFile> files;
  std::string current;
  unsigned line_number = 0;
  for (std::size_t at = 0; at < preprocessed.size();) {
    const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
    const std::string_view line = preprocessed.substr(at, end - at);
    at = end + 1;
    if (!is_marker(line)) {
      ++line_number;
      continue;
    }
    Marker marker = read_marker(line);
    const bool system = marker.flags.find('3') != std::string_view::npos;
    const bool enters = marker.flags.find('1') != std::string_view::npos;
    if (enters || files.empty()) files.push_back({marker.name, system, current, line_number});
    line_number = marker.line;
    current = std::move(marker.name);
  }
  return files;
}

std::vector<MissingHeader> find_toolkit_headers(const std::vector<EnteredFile>& files,
                                                const std::string& include_folder) {
  std::vector<MissingHeader> headers;
  std::map<std::string, std::string> names;  // of files, as far as they are a toolkit's
  const auto name_of = [&](const std::string& file) -> const std::string& {
    const auto [found, added] = names.try_emplace(file);
    if (added) found->second = toolkit_name(file, include_folder);
    return found->second;
  };
  for (const EnteredFile& file : files) {
    const std::string& name = name_of(file.name);
    if (name.empty() || !name_of(file.from).empty()) continue;  // its own headers' headers
    const std::string_view library = unsupported_library(name);
    const std::string what = library.empty()
                                 ? "found only in " + fs::path(file.name).parent_path().string()
                                 : std::string(library);
    headers.push_back(
        {name,
         unsupported_header(file.from + ':' + std::to_string(file.from_line), name, what) + '\n'});
  }
  return headers;
}

}  // namespace simt::rewrite

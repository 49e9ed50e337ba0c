// Each call of the driver API has the types of cudaTypedefs.h and is found by its name.
#include <cudaTypedefs.h>
#include <doctest/doctest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <type_traits>

static_assert(std::is_same_v<PFN_cuMemAlloc, PFN_cuMemAlloc_v3020>);
static_assert(std::is_same_v<PFN_cuCtxSynchronize, CUresult (*)()>);
static_assert(std::is_same_v<PFN_cuCtxSynchronize_v13000, CUresult (*)(CUcontext)>);

TEST_CASE("driver API: every call that is declared is found by its name") {
  std::stringstream text;
  text << std::ifstream(TUT_SOURCE_DIR "/common/simt/include/simt/driver/calls.hpp").rdbuf();
  const std::string calls = text.str();
  const std::regex declaration("\nCUresult (cu\\w+)\\(");
  int count = 0;
  for (auto at = std::sregex_iterator(calls.begin(), calls.end(), declaration);
       at != std::sregex_iterator(); ++at) {
    void* function = nullptr;
    const std::string name = (*at)[1];
    CHECK(cudaGetDriverEntryPoint(name.c_str(), &function, cudaEnableDefault) == cudaSuccess);
    INFO(name);
    CHECK(function != nullptr);
    ++count;
  }
  CHECK(count >= 19);
}

// Variables of the host that kernels use.
#include <cuda_runtime.h>

#ifdef MENDED
__device__ float gain = 2;
__managed__ int launches;
__constant__ float weights[4];
#else
static float gain = 2;
int launches;
float weights[4];
#endif

constexpr int kRounds = 3;
const float kScale = 0.5F;
static int place = 0;
static int width = 1;
double offset;

struct Box {
  int width;
  __device__ int twice() const { return 2 * width; }
};

__global__ void uses(float* out, int place, Box box) {
  out[place] = gain * kScale;  // refused: host's variable 'gain'
  launches += kRounds;         // refused: host's variable 'launches'
  out[1] = weights[place];     // refused: host's variable 'weights'
  float offset = box.width + box.twice();
  out[2] = offset;
  for (int width = 0; width < 3; ++width) out[3 + width] = width;
}

int main() { return place + width + static_cast<int>(offset) - 1; }

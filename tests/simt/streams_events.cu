// Streams, events, host functions: order, times, properties, errors.
// reports: memcheck, because calls are refused on purpose
#include "expect.cuh"

__global__ void append(int* list, int* length, int value) { list[(*length)++] = value; }

__global__ void work(float* values, int rounds) {
  float value = values[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 0.999f + 1;
  values[threadIdx.x] = value;
}

static void CUDART_CB note(void* data) { *static_cast<int*>(data) += 1; }

static void CUDART_CB call_back(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<int*>(data) += status == cudaSuccess ? 10 : 1000;
}

static void test_order() {
  int* memory = nullptr;
  expect("cudaMallocManaged", cudaMallocManaged(&memory, 100 * sizeof(int)), cudaSuccess);
  memory[0] = 0;
  cudaStream_t first, second;
  cudaEvent_t event;
  expect("create", cudaStreamCreate(&first), cudaSuccess);
  expect("create with flags", cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking),
         cudaSuccess);
  expect("event", cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  for (int i = 0; i < 5; ++i) append<<<1, 1, 0, first>>>(memory + 1, memory, i);
  expect("record", cudaEventRecord(event, first), cudaSuccess);
  expect("wait", cudaStreamWaitEvent(second, event), cudaSuccess);
  for (int i = 5; i < 9; ++i) append<<<1, 1, 0, second>>>(memory + 1, memory, i);
  int notes = 0;
  expect("host function", cudaLaunchHostFunc(second, note, &notes), cudaSuccess);
  expect("callback", cudaStreamAddCallback(second, call_back, &notes, 0), cudaSuccess);
  expect("synchronise", cudaStreamSynchronize(second), cudaSuccess);
  expect("query a finished stream", cudaStreamQuery(second), cudaSuccess);
  expect("query a finished event", cudaEventQuery(event), cudaSuccess);
  expect("length", memory[0], 9);
  for (int i = 0; i < 9; ++i) expect("order", memory[1 + i], i);
  expect("notes", notes, 11);
  unsigned flags = 0;
  expect("flags", cudaStreamGetFlags(second, &flags), cudaSuccess);
  expect("non-blocking", flags, cudaStreamNonBlocking);
  expect("destroy", cudaStreamDestroy(first), cudaSuccess);
  expect("destroy the other", cudaStreamDestroy(second), cudaSuccess);
  expect("destroy the event", cudaEventDestroy(event), cudaSuccess);
  cudaFree(memory);
}

static void test_times() {
  float* values = nullptr;
  expect("cudaMalloc", cudaMalloc(&values, 256 * sizeof(float)), cudaSuccess);
  expect("memset", cudaMemset(values, 0, 256 * sizeof(float)), cudaSuccess);
  cudaEvent_t start, middle, end, untimed;
  cudaEventCreate(&start);
  cudaEventCreate(&middle);
  cudaEventCreateWithFlags(&end, cudaEventBlockingSync);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  float short_time = -1, long_time = -1;
  expect("not recorded", cudaEventElapsedTime(&short_time, start, end),
         cudaErrorInvalidResourceHandle);
  work<<<1, 256>>>(values, 1);
  cudaEventRecord(start);
  work<<<1, 256>>>(values, 10);
  cudaEventRecord(middle);
  work<<<1, 256>>>(values, 200000);
  cudaEventRecord(end);
  cudaEventRecord(untimed);
  expect("synchronise", cudaEventSynchronize(end), cudaSuccess);
  expect("elapsed", cudaEventElapsedTime(&short_time, start, middle), cudaSuccess);
  expect("elapsed", cudaEventElapsedTime(&long_time, middle, end), cudaSuccess);
  expect("time passes", short_time >= 0 && long_time > short_time, true);
  expect("no timing", cudaEventElapsedTime(&short_time, start, untimed),
         cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  for (cudaEvent_t event : {start, middle, end, untimed}) cudaEventDestroy(event);
  cudaFree(values);
}

// Nothing is known to be done before the host has waited for it, or has asked until it is.
static void test_readiness() {
  constexpr int kLong = 3000000;
  float* values = nullptr;
  expect("cudaMalloc", cudaMalloc(&values, 512 * sizeof(float)), cudaSuccess);
  expect("memset", cudaMemset(values, 0, 512 * sizeof(float)), cudaSuccess);
  expect("streams of no order wait for it", cudaDeviceSynchronize(), cudaSuccess);
  cudaStream_t busy, idle;
  cudaStreamCreateWithFlags(&busy, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&idle, cudaStreamNonBlocking);
  cudaEvent_t start, stop, later;
  for (cudaEvent_t* event : {&start, &stop, &later}) cudaEventCreate(event);
  float time = -1;
  expect("an idle stream", cudaStreamQuery(idle), cudaSuccess);
  expect("an event that nobody recorded", cudaEventQuery(start), cudaSuccess);

  cudaEventRecord(start, busy);
  work<<<1, 256, 0, busy>>>(values, kLong);
  cudaEventRecord(stop, busy);
  expect("nobody waited", cudaEventElapsedTime(&time, start, stop), cudaErrorNotReady);
  expect("is no error that is told again", cudaGetLastError(), cudaSuccess);
  expect("waited for another stream", cudaStreamSynchronize(idle), cudaSuccess);
  expect("of no use", cudaEventElapsedTime(&time, start, stop), cudaErrorNotReady);
  expect("waited for the start", cudaEventSynchronize(start), cudaSuccess);
  expect("not enough", cudaEventElapsedTime(&time, start, stop), cudaErrorNotReady);
  expect("asked for the event", cudaEventQuery(stop), cudaErrorNotReady);
  expect("asked for the stream", cudaStreamQuery(busy), cudaErrorNotReady);
  while (cudaEventQuery(stop) == cudaErrorNotReady) {
  }
  expect("asked until it was done", cudaEventElapsedTime(&time, start, stop), cudaSuccess);
  expect("takes time", time > 0, true);
  expect("so is the stream", cudaStreamQuery(busy), cudaSuccess);

  // Behind another stream, and behind what the other stream did after.
  work<<<1, 256, 0, busy>>>(values, kLong);
  cudaEventRecord(stop, busy);
  cudaStreamWaitEvent(idle, stop);
  cudaEventRecord(later, idle);
  expect("waits in turn", cudaEventQuery(later), cudaErrorNotReady);
  expect("waited for what comes after", cudaStreamSynchronize(idle), cudaSuccess);
  expect("so both are done", cudaEventQuery(stop), cudaSuccess);
  expect("time between them", cudaEventElapsedTime(&time, stop, later), cudaSuccess);
  work<<<1, 256, 0, busy>>>(values, kLong);
  while (cudaStreamQuery(busy) == cudaErrorNotReady) {
  }
  cudaGetLastError();

  // A copy within the device and a fill of its memory return at once, a copy to the host does not.
  work<<<1, 256>>>(values, kLong);
  cudaEventRecord(stop);
  cudaMemcpy(values + 256, values, 256 * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemset(values + 256, 0, 256 * sizeof(float));
  expect("nobody waited for the copy", cudaEventQuery(stop), cudaErrorNotReady);
  cudaMemcpy(&time, values, sizeof(float), cudaMemcpyDeviceToHost);
  expect("the copy waited", cudaEventElapsedTime(&time, start, stop), cudaSuccess);
  cudaGetLastError();

  // Events of a stream that has nothing to do with the work tell nothing of its time.
  cudaEventRecord(start, idle);
  work<<<1, 256, 0, busy>>>(values, kLong);
  cudaEventRecord(stop, idle);
  cudaEventRecord(later, busy);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  float whole = 0;
  expect("elapsed", cudaEventElapsedTime(&time, start, stop), cudaSuccess);
  expect("elapsed", cudaEventElapsedTime(&whole, start, later), cudaSuccess);
  expect("events of an idle stream", time < 0.5F * whole, true);
  for (cudaEvent_t event : {start, stop, later}) cudaEventDestroy(event);
  cudaStreamDestroy(busy);
  cudaStreamDestroy(idle);
  cudaFree(values);
}

static void test_priorities() {
  int least = 1, greatest = 1, priority = 1;
  expect("range", cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  expect("lower numbers come first", greatest <= least, true);
  cudaStream_t stream;
  expect("create", cudaStreamCreateWithPriority(&stream, cudaStreamDefault, greatest), cudaSuccess);
  expect("priority", cudaStreamGetPriority(stream, &priority), cudaSuccess);
  expect("the greatest", priority, greatest);
  expect("destroy", cudaStreamDestroy(stream), cudaSuccess);
}

int main() {
  test_order();
  test_times();
  test_readiness();
  test_priorities();
  return report();
}

// What a debugger stops at, and the types of all that it reads: this file is compiled with every
// type's description, and linked into programs that `cucc -G` has compiled and no others.
#include "simt/debugger.hpp"

#include "waiting.hpp"
#include "worker.hpp"

extern "C" {

void simt_thread_begins() { asm volatile("" ::: "memory"); }

void simt_found(const char* message) { asm volatile("" : : "r"(message) : "memory"); }
}

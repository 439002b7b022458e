// The functions that the fake driver has for tests.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace lockstep {

struct FakeCuda {
  template <typename Function>
  static Function* find(const char* name) {
    void* library = dlopen(LOCKSTEP_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
    return reinterpret_cast<Function*>(dlsym(library, name));
  }
  static void run_kernel(std::uint64_t channel, std::uint32_t blocks, std::uint32_t groups,
                         std::uint32_t events, std::uint32_t flags = 0) {
    find<void(std::uint64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)>(
        "fake_cuda_run_kernel")(channel, blocks, groups, events, flags);
  }
  static void capture(bool is_on) { find<void(int)>("fake_cuda_capture")(is_on ? 1 : 0); }
  static void replay() { find<void()>("fake_cuda_replay")(); }
  static int launches(const char* kernel) {
    return find<int(const char*)>("fake_cuda_launches")(kernel);
  }
  static std::uint64_t allocate(std::size_t bytes) {
    return find<std::uint64_t(std::size_t)>("fake_cuda_allocate")(bytes);
  }

  // What the device still has of somebody.
  static std::size_t allocations() { return find<std::size_t()>("fake_cuda_allocations")(); }
  static std::size_t modules() { return find<std::size_t()>("fake_cuda_modules")(); }
  static std::size_t retained() { return find<std::size_t()>("fake_cuda_retained")(); }
  static std::size_t contexts() { return find<std::size_t()>("fake_cuda_contexts")(); }

  static int calls(const char* function) {
    return find<int(const char*)>("fake_cuda_calls")(function);
  }
  static void forget_calls() { find<void()>("fake_cuda_forget_calls")(); }
  static void enter_context() { find<void()>("fake_cuda_enter_context")(); }
  static void forget_contexts() { find<void()>("fake_cuda_forget_contexts")(); }
};

}  // namespace lockstep

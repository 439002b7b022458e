// The table of categories by kind.
#include "formats/chrome_json/write/chrome_json_writer_categories.h"

#include <array>

namespace lockstep::formats::chrome_json {

std::string_view kineto_category(trace::Kind kind, bool on_device) {
  struct Categories {
    std::string_view on_host;
    std::string_view on_device;
  };
  static constexpr std::array<Categories, trace::kKindCount> kCategories = {{
      {"kernel", "kernel"},                        // kernel
      {"gpu_memcpy", "gpu_memcpy"},                // memcpy
      {"gpu_memset", "gpu_memset"},                // memset
      {"user_annotation", "kernel"},               // communication
      {"cpu_op", "ai_cpu"},                        // ai_cpu; Kineto has no word for it
      {"event_wait", "event_wait"},                // event_wait; Kineto has no word for it
      {"cuda_event", "cuda_event"},                // event_record
      {"cpu_op", "gpu_user_annotation"},           // host_op
      {"cuda_runtime", "gpu_user_annotation"},     // runtime_call
      {"synchronize", "cuda_sync"},                // synchronize; Kineto's lies on the device
      {"user_annotation", "gpu_user_annotation"},  // annotation
      {"python_function", "gpu_user_annotation"},  // python
      {"overhead", "device_overhead"},             // overhead
      {"", ""},                                    // counter
      {"derived_from_device", "duplicate"},        // duplicate
  }};
  const Categories& categories = kCategories[static_cast<std::size_t>(kind)];
  return on_device ? categories.on_device : categories.on_host;
}

}  // namespace lockstep::formats::chrome_json

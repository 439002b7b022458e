// The PTX of this folder's kernels as text; the build writes the strings from the .ptx files.
#pragma once

namespace lockstep::device {

extern const char* const kAdvanceSm80Ptx;
extern const char* const kAdvanceSm90Ptx;
extern const char* const kOverheadSm80Ptx;
extern const char* const kOverheadSm90Ptx;

}  // namespace lockstep::device

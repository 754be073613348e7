#include "report/chart_library.h"

#ifdef PITOT_CHART_LIBRARY
// The assembler reads the file: as a literal it would cost the compiler seconds.
__asm__(
    ".pushsection .rodata\n"
    ".global pitot_chart_library\n"
    ".global pitot_chart_library_end\n"
    "pitot_chart_library:\n"
    ".incbin \"" PITOT_CHART_LIBRARY
    "\"\n"
    "pitot_chart_library_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
extern const char pitot_chart_library[];
extern const char pitot_chart_library_end[];
}
#endif

namespace pitot::report {

std::string_view chart_library_text() {
#ifdef PITOT_CHART_LIBRARY
  return {pitot_chart_library, static_cast<size_t>(pitot_chart_library_end - pitot_chart_library)};
#else
  return {};
#endif
}

}  // namespace pitot::report

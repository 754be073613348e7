#include "predict/default_model.h"

#ifdef PITOT_DEFAULT_MODEL
// The assembler reads the file: as a literal it would cost the compiler minutes.
__asm__(
    ".pushsection .rodata\n"
    ".global pitot_default_model\n"
    ".global pitot_default_model_end\n"
    "pitot_default_model:\n"
    ".incbin \"" PITOT_DEFAULT_MODEL
    "\"\n"
    "pitot_default_model_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" {
extern const char pitot_default_model[];
extern const char pitot_default_model_end[];
}
#endif

namespace pitot::predict {

std::string_view default_model_text() {
#ifdef PITOT_DEFAULT_MODEL
  return {pitot_default_model, static_cast<size_t>(pitot_default_model_end - pitot_default_model)};
#else
  return {};
#endif
}

}  // namespace pitot::predict

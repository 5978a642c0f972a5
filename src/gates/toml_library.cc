// toml++'s own code, once: what Debian has of it else is a shared library, and each of those costs
// every start of the program (docs/design/0033-weight.md).
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>

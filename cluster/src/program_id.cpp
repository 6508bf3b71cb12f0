#include "program_id.hpp"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace evencube::detail {
namespace {

constexpr std::string_view note_owner("GNU\0", 4);

/// The lengths of names and descriptions are rounded up to this.
constexpr std::size_t rounded_up(std::size_t length) { return (length + 3) / 4 * 4; }

void find_build_id(const char* at, std::size_t left, std::string& into) {
  ElfW(Nhdr) head;
  while (left >= sizeof head) {
    std::memcpy(&head, at, sizeof head);
    const std::size_t name = rounded_up(head.n_namesz);
    const std::size_t whole = sizeof head + name + rounded_up(head.n_descsz);
    if (whole > left) return;
    if (head.n_type == NT_GNU_BUILD_ID &&
        std::string_view(at + sizeof head, head.n_namesz) == note_owner) {
      for (std::size_t i = 0; i < head.n_descsz; ++i) {
        constexpr std::string_view digits = "0123456789abcdef";
        const auto one = static_cast<unsigned char>(at[sizeof head + name + i]);
        into += digits[one / 16];
        into += digits[one % 16];
      }
      return;
    }
    at += whole;
    left -= whole;
  }
}

// The first object is the program.
int look_at_program(dl_phdr_info* object, std::size_t, void* into) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    find_build_id(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr), part.p_memsz,
                  *static_cast<std::string*>(into));
  }
  return 1;
}

}  // namespace

std::string program_id() {
  std::string found;
  dl_iterate_phdr(&look_at_program, &found);
  return found;
}

}  // namespace evencube::detail

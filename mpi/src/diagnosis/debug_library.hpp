// SPDX-License-Identifier: Apache-2.0
// libdw (elfutils), as far as it is used: it is loaded when it is first needed, and may be missing here and
// where Lisle was built, so its types stand here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace lisle {

// The types of elfutils/libdw.h and libdwfl.h that are used.
struct die { // Dwarf_Die
    void *address, *unit, *abbreviation;
    long padding;
};
struct attribute { // Dwarf_Attribute
    unsigned code, form;
    unsigned char *value;
    void *unit;
};
struct location_step { // Dwarf_Op
    std::uint8_t what;
    std::uint64_t number, number2, offset;
};
struct callbacks { // Dwfl_Callbacks
    int (*find_elf)(void *, void **, const char *, std::uint64_t, char **, void **);
    int (*find_debuginfo)(void *, void **, const char *, std::uint64_t, const char *, const char *,
                          std::uint32_t, char **);
    int (*section_address)(void *, void **, const char *, std::uint64_t, const char *, std::uint32_t,
                           const void *, std::uint64_t *);
    char **debuginfo_path;
};

/// The functions of the library that are used, under its own names.
struct debug_library {
    void *(*dwfl_begin)(const callbacks *) = nullptr;
    void (*dwfl_report_begin)(void *) = nullptr;
    void *(*dwfl_report_offline)(void *, const char *, const char *, int) = nullptr;
    int (*dwfl_report_end)(void *, int (*)(void *), void *) = nullptr;
    const char *(*dwfl_module_info)(void *, void ***, std::uint64_t *, std::uint64_t *, std::uint64_t *,
                                    std::uint64_t *, const char **, const char **) = nullptr;
    void *(*dwfl_module_getsrc)(void *, std::uint64_t) = nullptr;
    const char *(*dwfl_lineinfo)(void *, std::uint64_t *, int *, int *, std::uint64_t *,
                                 std::uint64_t *) = nullptr;
    const char *(*dwfl_module_addrname)(void *, std::uint64_t) = nullptr;
    die *(*dwfl_module_addrdie)(void *, std::uint64_t, std::uint64_t *) = nullptr;
    die *(*dwfl_module_nextcu)(void *, die *, std::uint64_t *) = nullptr;
    int (*dwarf_getscopes)(die *, std::uint64_t, die **) = nullptr;
    int (*dwarf_getscopes_die)(die *, die **) = nullptr;
    int (*dwarf_haspc)(die *, std::uint64_t) = nullptr;
    int (*dwarf_tag)(die *) = nullptr;
    const char *(*dwarf_diename)(die *) = nullptr;
    int (*dwarf_child)(die *, die *) = nullptr;
    int (*dwarf_siblingof)(die *, die *) = nullptr;
    attribute *(*dwarf_attr)(die *, unsigned, attribute *) = nullptr;
    attribute *(*dwarf_attr_integrate)(die *, unsigned, attribute *) = nullptr;
    die *(*dwarf_formref_die)(attribute *, die *) = nullptr;
    int (*dwarf_formudata)(attribute *, std::uint64_t *) = nullptr;
    int (*dwarf_getlocation)(attribute *, location_step **, std::size_t *) = nullptr;
    int (*dwarf_getsrcfiles)(die *, void **, std::size_t *) = nullptr;
    const char *(*dwarf_filesrc)(void *, std::size_t, std::uint64_t *, std::uint64_t *) = nullptr;
    decltype(callbacks::find_debuginfo) dwfl_standard_find_debuginfo = nullptr;
    decltype(callbacks::section_address) dwfl_offline_section_address = nullptr;
    void (*dwfl_end)(void *) = nullptr;
    bool there = false;

    [[nodiscard]] static const debug_library &loaded();

  private:
    debug_library();
};

/// One file's debug information, as long as this exists. @pre the library is there
class debug_file {
  public:
    explicit debug_file(const std::string &name);
    debug_file(const debug_file &) = delete;
    debug_file &operator=(const debug_file &) = delete;
    ~debug_file();

  protected:
    /// Where libdw has put the file.
    [[nodiscard]] std::uint64_t begin() const;
    /// An attribute that is a number; 0: there is none.
    [[nodiscard]] std::uint64_t number_of(die &scope, unsigned which) const;

    const debug_library &library_;
    void *session_ = nullptr;
    void *module_ = nullptr; ///< null: the file cannot be read
};

} // namespace lisle

// SPDX-License-Identifier: Apache-2.0
#include "tile/parameters.hpp"

#include <array>
#include <charconv>
#include <istream>
#include <ostream>
#include <stdexcept>

namespace lisle::tile {

namespace {

constexpr std::string_view thesis = "Psota, rMPI (MIT 2005)";
constexpr std::string_view paper = "Taylor et al., Evaluation of the Raw microprocessor (ISCA 2004)";
constexpr std::string_view assumed = "assumed: the thesis gives none; sweep it";

constexpr std::int64_t many = 1'000'000'000;

using p = parameters;
constexpr std::array table{
    parameter{"width", &p::width, 4, 1, 1024, "tiles", "columns of the mesh", thesis},
    parameter{"height", &p::height, 4, 1, 1024, "tiles", "rows of the mesh", thesis},
    parameter{"port_output_words", &p::port_output_words, 4, 1, 16, "words",
              "buffer between a core and the network ($CGNO)", thesis},
    parameter{"port_input_words", &p::port_input_words, 4, 1, 16, "words",
              "buffer between the network and a core ($CGNI)", thesis},
    parameter{"link_words", &p::link_words, 4, 1, 16, "words",
              "buffer of a router for each neighbour; with 1, a packet moves every second cycle", assumed},
    parameter{"header_cycles", &p::header_cycles, 0, 0, 1000, "cycles",
              "what a router needs for a header besides the cycle of the hop", assumed},
    parameter{"clock_mhz", &p::clock_mhz, 425, 1, 100000, "MHz", "turns cycles into seconds", paper},
    parameter{"interrupt_entry_cycles", &p::interrupt_entry_cycles, 40, 0, many, "cycles",
              "from the interrupt to the first instruction of its handler", assumed},
    parameter{"interrupt_exit_cycles", &p::interrupt_exit_cycles, 30, 0, many, "cycles",
              "from the end of the handler to the interrupted instruction", assumed},
    parameter{"send_word_cycles", &p::send_word_cycles, 6, 1, 10000, "cycles",
              "loop that loads a word, counts, and writes it to the port", assumed},
    parameter{"receive_word_cycles", &p::receive_word_cycles, 7, 1, 10000, "cycles",
              "loop that reads a word from the port, stores it, and counts", assumed},
    parameter{"packet_cycles", &p::packet_cycles, 80, 0, many, "cycles",
              "to form the headers of a packet and to begin its loop",
              "fitted to the thesis's broadcasts: logarithmic 3.2 times as fast as linear"},
    parameter{"watchdog_cycles", &p::watchdog_cycles, 0, 0, many, "cycles",
              "a core stalled for so long has its port drained to memory; 0: never", thesis},
    parameter{"watchdog_word_cycles", &p::watchdog_word_cycles, 20, 1, many, "cycles",
              "for each word that the watchdog drains to memory", assumed},
    parameter{"call_cycles", &p::call_cycles, 800, 0, many, "cycles",
              "checks of arguments and the layers above the network, for each call of MPI",
              "fitted to the thesis's trapezoid at 16 tiles"},
    parameter{"match_cycles", &p::match_cycles, 60, 0, many, "cycles",
              "to compute a key and look it up in one hash table", assumed},
    parameter{"step_cycles", &p::step_cycles, 8, 0, many, "cycles", "to look at one element of a list",
              assumed},
    parameter{"allocate_cycles", &p::allocate_cycles, 150, 0, many, "cycles", "a block from the heap",
              assumed},
    parameter{"copy_word_cycles", &p::copy_word_cycles, 3, 1, 10000, "cycles", "load, store, count", assumed},
    parameter{"clock_cycles", &p::clock_cycles, 60, 1, many, "cycles",
              "to read the clock and to make seconds of it in double precision, which is software", assumed},
    parameter{"trapezoid_point_cycles", &p::trapezoid_point_cycles, 70, 1, many, "cycles",
              "one value of the long rational polynomial", "fitted to the thesis's trapezoid at 16 tiles"},
    parameter{"pi_point_cycles", &p::pi_point_cycles, 25, 1, many, "cycles",
              "one value of 4 / (1 + x * x): two multiplications, an addition, a division", assumed},
    parameter{"jacobi_point_cycles", &p::jacobi_point_cycles, 30, 1, many, "cycles",
              "one point of the grid, with the memory to oneself", assumed},
    parameter{"product_step_cycles", &p::product_step_cycles, 6, 1, many, "cycles",
              "one multiplication and addition of doubles", "fitted to the thesis's matrix product"},
    parameter{"shared_memory_percent", &p::shared_memory_percent, 170, 100, 10000, "percent",
              "what work out of the caches takes while a neighbour uses the same memory port",
              "fitted to the thesis's Jacobi at 2 tiles"},
};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const auto first = text.find_first_not_of(blanks);
    if (first == text.npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[noreturn]] void refuse(const std::string &sentence) {
    throw std::invalid_argument(sentence);
}

} // namespace

parameters::parameters() {
    for (const parameter &row : table) {
        this->*row.value = row.initially;
    }
}

std::span<const parameter> parameter_table() noexcept {
    return table;
}

void set_parameter(parameters &changed, std::string_view name, std::int64_t value) {
    for (const parameter &row : table) {
        if (row.name != name) {
            continue;
        }
        if (value < row.least || value > row.most) {
            refuse(std::string(name) + " = " + std::to_string(value) + " is outside " +
                   std::to_string(row.least) + " to " + std::to_string(row.most));
        }
        changed.*row.value = value;
        return;
    }
    refuse("there is no parameter \"" + std::string(name) + "\"");
}

void read_parameters(parameters &changed, std::istream &from, const std::string &file) {
    std::string whole;
    for (int number = 1; std::getline(from, whole); ++number) {
        const std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find('#')));
        if (line.empty()) {
            continue;
        }
        const std::string place = file + ":" + std::to_string(number) + ": ";
        const auto equals = line.find('=');
        if (equals == line.npos) {
            refuse(place + "expected \"name = value\", found \"" + std::string(line) + "\"");
        }
        const std::string_view digits = trimmed(line.substr(equals + 1));
        std::int64_t value = 0;
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) {
            refuse(place + "\"" + std::string(digits) + "\" is not a whole number");
        }
        try {
            set_parameter(changed, trimmed(line.substr(0, equals)), value);
        } catch (const std::invalid_argument &wrong) {
            refuse(place + wrong.what());
        }
    }
}

void write_parameters(const parameters &written, std::ostream &to) {
    for (const parameter &row : table) {
        to << "# " << row.meaning << ", in " << row.unit << "\n# source: " << row.source << '\n'
           << row.name << " = " << written.*row.value << "\n\n";
    }
}

} // namespace lisle::tile

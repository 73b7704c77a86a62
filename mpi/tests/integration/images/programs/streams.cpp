// SPDX-License-Identifier: Apache-2.0
// Formatting state of the standard streams must be the rank's own, also in static constructors, and lines
// must stay whole.
#include <iomanip>
#include <iostream>
#include <string>

extern "C" int lone_job_rank(void);

struct early {
    early() { std::cout << std::setprecision(3) << std::fixed << "early " << 1.23456 << '\n'; }
    ~early() { std::cout << "late " << 1.23456 << std::endl; }
} const object;

int main(int argc, char **) {
    std::ios_base::sync_with_stdio(argc > 1);
    const int rank = lone_job_rank();
    if (rank % 2 != 0) {
        std::cout << std::hex;
    }
    for (int line = 0; line != 300; ++line) {
        std::cout << "rank " << rank << ' ' << 255 << ' ' << std::setw(6) << line << " "
                  << "end\n";
    }
    std::cerr << "error " << rank << " " << 7 << std::endl;
    std::clog << "log " << rank << '\n';
    std::string word;
    while (std::cin >> word) {
        std::cout << "read " << rank << ' ' << word << '\n';
    }
    std::wcerr << L"wide " << 8 << std::endl;
}

// SPDX-License-Identifier: Apache-2.0
// lisle-report FOLDER TITLE [PAGE]: makes a page of what the ranks of a job have recorded in a folder, and
// prints the same in ten lines. lislerun --report and --stats call it.
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "report/analysis/analyse.hpp"
#include "report/page/page.hpp"
#include "report/page/summary.hpp"

int main(int count, char **arguments) {
    if (count < 3 || count > 4) {
        std::fprintf(stderr, "usage: lisle-report FOLDER TITLE [PAGE]\n");
        return 2;
    }
    try {
        const lisle::report::run told = lisle::report::analyse(arguments[1]);
        if (count == 3) {
            std::fputs(lisle::report::lines_of(told).c_str(), stderr);
            return 0;
        }
        std::ofstream page{arguments[3], std::ios::binary};
        page << lisle::report::page_of(told, arguments[2]) << std::flush;
        if (!page) {
            std::fprintf(stderr, "lislerun: --report: cannot write %s\n", arguments[3]);
            return 1;
        }
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "lislerun: --report: %s\n", error.what());
        return 1;
    }
}

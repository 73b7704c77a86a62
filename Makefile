# SPDX-License-Identifier: Apache-2.0
# The commands that people use. Each one sees to what it needs first: packages, configuration, build.
# The real build is CMake's; the presets are in CMakePresets.json.

PRESET ?= release
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
LONG := -LE long
PRODUCTS = mpi/src/all tasks/src/task/all tasks/src/couple/all tiles/src/tile/all lisle_manual
BUILD = cmake --build --preset $(PRESET) --parallel $(JOBS)

.PHONY: help run test test-long test-asan test-tsan coverage lint install package-deb package-source package-wheel site bench build configure dependencies clean

help:
	@echo "make run                  build Lisle and run the heat example as processes and as threads"
	@echo "make test                 build everything and run the tests (ten to twenty minutes)"
	@echo "make test-long            run the long tests too"
	@echo "make test-asan, test-tsan the tests under AddressSanitizer+UBSan, under ThreadSanitizer"
	@echo "make coverage             the share of lines that the tests run, by folder"
	@echo "make lint                 clang-tidy on one file of each folder"
	@echo "make install PREFIX=dir   build and install; the installed tree can be moved"
	@echo "make package-deb          Debian packages, into out/packages (make package-wheel: for pip)"
	@echo "make package-source       Debian's source package of what is committed, for dpkg-buildpackage and sbuild"
	@echo "make site                 the documents as a web site, into out/site"
	@echo "make bench                compare with the other MPIs of this machine, into out/bench"
	@echo "make build PRESET=debug   only build (presets: release, debug, asan, tsan)"
	@echo "make clean                remove build/ and out/"

dependencies:
	@tools/install_dependencies

configure: dependencies
	@cmake --preset $(PRESET) --log-level=NOTICE >/dev/null

build: configure
	@$(BUILD)

run: configure
	@$(BUILD) --target $(PRODUCTS) examples/all
	@examples/heat/show build/$(PRESET)

# Tests wait most of their time, so three times as many run at once as there are cores.
test: build
	@ctest --preset $(PRESET) --parallel $$((3 * $(JOBS))) $(LONG)

test-long: LONG :=
test-long: test

# One sanitized build after the other, so that two of them never compete for the memory.
test-asan:
	@$(MAKE) --no-print-directory test PRESET=asan
test-tsan:
	@$(MAKE) --no-print-directory test PRESET=tsan

# A test that fails (many wait longer than usual) does not keep the share from being counted.
coverage:
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	-@$(MAKE) --no-print-directory test PRESET=coverage LONG="-LE long\|style"
	@tools/coverage build/coverage

lint: build
	@tools/lint build/$(PRESET)

install: configure
	@$(BUILD) --target $(PRODUCTS)
	@cmake --install build/$(PRESET) --prefix $(PREFIX)

package-deb package-wheel: package-%: configure
	@$(BUILD) --target $(PRODUCTS)
	@mkdir -p out/packages
	@packaging/build_$* build/$(PRESET) out/packages

package-source:
	@mkdir -p out/packages
	@packaging/build_deb --source out/packages

site:
	@tools/build_site out/site

bench: configure
	@$(BUILD) --target $(PRODUCTS)
	@mpi/bench/run --build build/$(PRESET)

clean:
	@rm -rf build out

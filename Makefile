# Short names for what is done often. The build itself is CMake with presets (CMakePresets.json).

PREFIX       ?= /usr/local
JOBS         ?= $(shell nproc 2>/dev/null || echo 2)
CLANG_FORMAT ?= clang-format-19
FUZZ_SECONDS ?= 60
PROPERTY_CASES ?= 1000
WERROR       ?= OFF
BENCH_ARGS   ?=

CONFIGURE = tools/configure.sh
BUILD     = cmake --build --parallel $(JOBS) --preset
SOURCES   = { git ls-files -co --exclude-standard -- '*.cpp' '*.h' ':!third_party' 2>/dev/null || \
              find src tests tools -name '*.cpp' -o -name '*.h'; } | sort -u | \
            while read -r f; do if [ -f "$$f" ]; then echo "$$f"; fi; done

.PHONY: help demo build configured test bench bench-against bench-worst property faults install dist reference format \
        check-format dev asan tsan tsan-all clang fuzz headers odr clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | \
	  awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

demo: configured ## install what is missing, build, and show an example trace, its loops and its idle time
	@$(BUILD) release --target lockstep
	build/release/lockstep info examples/llama_eager.json.gz
	build/release/lockstep cycles examples/llama_eager.json.gz --top 3
	build/release/lockstep anomalies examples/llama_eager.json.gz --brief

build: configured ## build the program and the library for in-kernel profiles: build/release
	@$(BUILD) release --target lockstep lockstep_session

# The tests need more packages than the program, so a first build goes without them. A tree that is
# configured already stays as it is.
configured:
	@tools/install_deps.sh build
	@test -f build/release/build.ninja || $(CONFIGURE) release -DLOCKSTEP_TESTS=OFF

test: ## install what is missing, build and run every test
	@tools/install_deps.sh build test device
	@$(CONFIGURE) release -DLOCKSTEP_WERROR=$(WERROR)
	@$(BUILD) release
	ctest --preset release

bench: build ## measure speed and memory on generated traces
	@tools/install_deps.sh bench
	@$(BUILD) release --target lockstep-tracegen lockstep-cycle-bench
	python3 benchmarks/run.py build/release/lockstep build/release/tools/trace_gen/lockstep-tracegen $(BENCH_ARGS)
	python3 benchmarks/formats.py build/release/lockstep build/release/tools/trace_gen/lockstep-tracegen $(FORMAT_BENCH_ARGS)
	python3 benchmarks/cycles.py build/release/tools/cycle_bench/lockstep-cycle-bench $(CYCLE_BENCH_ARGS)
	python3 benchmarks/anomalies.py build/release/lockstep build/release/tools/trace_gen/lockstep-tracegen $(ANOMALIES_BENCH_ARGS)
	python3 benchmarks/kernel_decode.py build/release/lockstep $(KERNEL_BENCH_ARGS)

bench-against: build ## compare speed with another build: make bench-against OLD=PROGRAM
	@tools/install_deps.sh bench
	@$(BUILD) release --target lockstep-tracegen
	python3 benchmarks/against.py $(OLD) build/release/lockstep build/release/tools/trace_gen/lockstep-tracegen $(AGAINST_BENCH_ARGS)

bench-worst: build ## measure the worst known inputs at n and 4n; fails where time or memory is out of proportion
	@tools/install_deps.sh bench
	python3 benchmarks/worst_cases.py build/release/lockstep $(WORST_BENCH_ARGS)

property: ## run the property tests with other cases than the gate's: PROPERTY_SEED=N, PROPERTY_CASES=N
	@tools/install_deps.sh build test
	@$(CONFIGURE) release
	@$(BUILD) release
	@python3 tests/properties/run_properties.py . build/release --jobs $(JOBS) --cases $(PROPERTY_CASES) \
	  $(if $(PROPERTY_SEED),--seed $(PROPERTY_SEED))

faults: ## run every fault, mutation and sweep, not only those that 'make test' runs
	@tools/install_deps.sh build test
	@$(CONFIGURE) release
	@$(BUILD) release
	tests/faults/run_all.sh build/release

install: build ## put program, man pages, completions, libraries and headers under PREFIX (DESTDIR is respected)
	@$(BUILD) release --target lockstep_shared lockstep_static
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"
	DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)" --component library

dist: build ## make a tarball that runs on a bare machine of this distribution
	@tools/install_deps.sh dist
	@tools/make_dist.sh build/release build/dist

reference: build ## write man pages, completions and option tables anew from the records of the options
	@$(BUILD) release --target lockstep-reference
	build/release/tools/reference/lockstep-reference .

format: ## format every source file
	@tools/install_deps.sh lint
	@$(SOURCES) | xargs -r $(CLANG_FORMAT) -i

check-format: ## fail where a source file is not formatted
	@tools/install_deps.sh lint
	@$(SOURCES) | xargs -r $(CLANG_FORMAT) --dry-run -Werror

dev: ## build with assertions and warnings as errors, run the tests
asan: ## run the tests with AddressSanitizer and UndefinedBehaviorSanitizer
tsan: ## run the program and the tests of what starts threads with ThreadSanitizer
tsan-all: ## run every test with ThreadSanitizer
clang: ## the same as dev with clang 19
dev asan tsan tsan-all clang:
	@tools/install_deps.sh build test $(if $(filter-out dev,$@),lint)
	@$(CONFIGURE) $(@:-all=)
	@$(BUILD) $@
	ctest --preset $@

fuzz: ## run the fuzz targets of the build for asan for FUZZ_SECONDS in all, but each for at least 10
	@tools/install_deps.sh build test lint
	@$(CONFIGURE) asan
	@$(BUILD) fuzz
	@tools/run_fuzz.sh build/asan $(FUZZ_SECONDS) $(JOBS)

headers: ## compile every source and header alone
	@tools/install_deps.sh build test lint
	@$(CONFIGURE) headers
	@$(BUILD) headers

odr: ## link everything as one and fail where one name is two types
	@tools/install_deps.sh build
	@$(CONFIGURE) odr
	@$(BUILD) odr

clean: ## remove everything that was built
	rm -rf build

# Front door. Each goal installs the Debian packages it needs (packages.txt), builds, and does its job. See `make help`.
SHELL = /bin/bash
PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
export DESTDIR

all: build

help:
	@echo 'make            build the tool: build/pliant'
	@echo 'make demo       build, run the gallery, write pictures and frames to out/demo (DEMO=name for one scene)'
	@echo 'make test       what every change must pass; ends with "N passed, N failed"'
	@echo 'make test-all   all tests in all builds, the long ones too, and 5 s of every fuzz target'
	@echo 'make bench      measurements'
	@echo 'make soak       ten minutes of the studio with viewers that read, stall, come and go: rate and memory must stay flat'
	@echo 'make python     the Python package: build/python/bin/python3 can import it, its wheel is in build/wheels'
	@echo 'make blender    the Blender add-on: build/pliant-blender.zip'
	@echo 'make install    headers, libraries, tool, man page and completions (PREFIX=/usr/local, DESTDIR=)'
	@echo 'make dist       build/pliant-VERSION.tar.gz: the sources with the studio'"'"'s page, so that nobody needs Node'
	@echo 'make fuzz       FUZZ_SECONDS=60 of libFuzzer on every reader'
	@echo 'make coverage   fraction of the lines of src/ that the tests run'
	@echo 'make docs       API reference: build/docs/html/index.html'
	@echo 'make generate   what is written from the tables of parameters: headers, schema, tables of the documentation'
	@echo 'make format     clang-format on every C file'
	@echo 'make tidy       clang-tidy on every C file (FILES="src/base/arena.c ..." for some)'
	@echo 'make clean      remove build/ and out/'

build:
	@scripts/packages.sh build
	@scripts/build.sh release product

# The picture first: the tool alone, without the libraries' other forms.
demo:
	@scripts/packages.sh build
	@scripts/build.sh release pliant-tool
	@scripts/demo.sh $(DEMO)

test:
	@scripts/packages.sh build python test
	@scripts/test.sh

test-all:
	@scripts/packages.sh build python test
	@scripts/test.sh --all

bench: build
	@build/pliant bench $(BENCH)

soak: build
	@scripts/measure_studio.py --soak

install: build
	cmake --install build/release --prefix '$(PREFIX)' > build/install.log || { cat build/install.log; exit 1; }
	@if [ -z '$(DESTDIR)' ] && [ "$$(id -u)" = 0 ]; then ldconfig; fi
	@echo 'installed under $(DESTDIR)$(PREFIX); build/release/install_manifest.txt lists the files'

python:
	@scripts/packages.sh build python
	@scripts/python.sh
	@echo 'build/python/bin/python3 -c "import pliant"'

blender:
	@scripts/blender.sh

dist:
	@scripts/packages.sh build
	@scripts/dist.sh

fuzz:
	@scripts/packages.sh build test
	@test/fuzz/run.sh $(FUZZ_SECONDS)

coverage:
	@scripts/packages.sh build test
	@scripts/coverage.py

docs:
	@scripts/packages.sh test
	@scripts/reference.sh
	@echo 'build/docs/html/index.html'

# Headers first: the tool, which writes the schema, is built from them.
generate:
	@scripts/packages.sh build
	@scripts/generate.py
	@scripts/build.sh release pliant-tool
	@build/pliant check --schema docs/scene.schema.json
	@scripts/schema_tables.py

format:
	@scripts/packages.sh test
	@scripts/format.sh

tidy:
	@scripts/packages.sh build test develop
	@scripts/tidy.sh $(FILES)

clean:
	rm -rf build out

.PHONY: all help build demo test test-all bench soak install python blender dist fuzz coverage docs generate format tidy clean

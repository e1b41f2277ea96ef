"""Builds wheel and sdist of the package without a network: python3 setup.py bdist_wheel, or sdist.

The package holds the shared library and a layer that is generated from the headers it was built from. In a checkout both come from the tree around this
folder. An sdist carries the sources of the library along, in native/, and builds it by CMake.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from wheel.bdist_wheel import bdist_wheel
except ImportError:
    bdist_wheel = None

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE / "native" if (HERE / "native").is_dir() else pathlib.Path(os.environ.get("PLIANT_TREE") or HERE.parent)
LIBRARY = "libpliant-python.so"
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "cmake", "include", "src", "scripts/generate.py", "scripts/generate_python.py", "scripts/generate_stubs.py", "scripts/tree.py")


def version():
    text = (TREE / "include/pliant/base.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define PL_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", text, re.M))


def library(folder):
    """The shared library, without the paths of this machine in it: installed by CMake."""
    build = pathlib.Path(os.environ.get("PLIANT_BUILD") or TREE / "build" / "release")
    prefix = pathlib.Path(folder).resolve() / "prefix"
    if not (build / "build.ninja").is_file():
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DPLIANT_TESTS=OFF", "-DPLIANT_TOOL=OFF"]
        subprocess.run(["cmake", "-S", str(TREE), "-B", str(build), "-G", "Ninja", *options], check=True)
    subprocess.run(["cmake", "--build", str(build), "--target", "pliant-python"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--install", str(build), "--component", "python", "--prefix", str(prefix)], check=True, stdout=subprocess.DEVNULL)
    found = next(prefix.rglob(LIBRARY), None)
    if found is None:
        sys.exit(f"setup.py: {build} has installed no {LIBRARY}; configure it with -DPLIANT_LAB=ON and -DPLIANT_INSTALL=ON")
    return found


class BuildPackage(build_py):
    """Adds what is generated."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "pliant"
        (package / "lib").mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, str(TREE / "scripts/generate_python.py"), str(package / "_capi.py")], check=True)
        shutil.copyfile(library(self.build_lib + "/../native").resolve(), package / "lib" / LIBRARY)
        subprocess.run([sys.executable, str(TREE / "scripts/generate_stubs.py"), str(package)], check=True)


class WithSources(sdist):
    """Carries the sources of the library along."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        for name in SOURCES:
            source, target = TREE / name, pathlib.Path(base_dir) / "native" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, target)


class Binary(Distribution):
    """Not pure Python: the wheel is for one platform."""

    def has_ext_modules(self):
        return True


commands = {"build_py": BuildPackage, "sdist": WithSources}
if bdist_wheel is not None:
    class PlatformWheel(bdist_wheel):
        """For any Python 3 of this platform: the library is reached by ctypes."""

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]
    commands["bdist_wheel"] = PlatformWheel

setup(
    name="pliant",
    version=version(),
    description="Deformable bodies by example: simulation, capture and actors",
    python_requires=">=3.9",
    install_requires=["numpy"],
    packages=["pliant"],
    package_data={"pliant": ["py.typed", "*.html"]},
    cmdclass=commands,
    distclass=Binary,
    zip_safe=False,
)

"""As much of Conan 2 as packaging/conan uses, on the system's packages in place of Conan's: to run its recipes where Conan
is not."""

import pathlib
import shutil
import subprocess
import sys
import types


class Folders:
    """What Conan hands a recipe: where things are, for whom it builds, and the settings of this test."""

    def __init__(self, work, recipe, options, compiler, launcher):
        self.recipe_folder = str(recipe)
        self.export_sources_folder = self.source_folder = str(work / "source")
        # As far below its sources as all builds are, so that it is the same for ccache.
        self.build_folder, self.package_folder = str(work / "source/build/conan"), str(work / "package")
        self.settings = types.SimpleNamespace(os="Linux", arch="x86_64", build_type="Release")
        self.options = types.SimpleNamespace(**{**self.default_options, **options})
        self.required, self.variables, self.asked = [], {}, (compiler, launcher)
        self.cpp_info = Information()

    def requires(self, reference, **_):
        self.required.append(reference)


class Information:
    def __init__(self):
        self.components, self.properties = Components(), {}
        self.libs, self.requires, self.system_libs, self.defines = [], [], [], []

    def set_property(self, name, value):
        self.properties[name] = value


class Components(dict):
    def __missing__(self, name):
        self[name] = Information()
        return self[name]


class Toolchain:
    def __init__(self, recipe):
        self.recipe, self.cache_variables = recipe, {}

    def generate(self):
        self.recipe.variables.update(self.cache_variables)


class Build:
    def __init__(self, recipe):
        self.recipe = recipe

    def run(self, *words):
        subprocess.run(["cmake", *words], check=True, stdout=subprocess.DEVNULL)

    def configure(self):
        recipe = self.recipe
        compiler, launcher = recipe.asked
        variables = {"CMAKE_BUILD_TYPE": recipe.settings.build_type, "BUILD_SHARED_LIBS": recipe.options.shared,
                     "CMAKE_CXX_COMPILER": compiler, "CMAKE_CXX_COMPILER_LAUNCHER": launcher, **recipe.variables}
        self.run("-G", "Ninja", "-S", recipe.source_folder, "-B", recipe.build_folder, "-DCMAKE_INSTALL_LIBDIR=lib",
                 *(f"-D{name}={value}" for name, value in variables.items()))

    def build(self):
        self.run("--build", self.recipe.build_folder)

    def install(self):
        self.run("--install", self.recipe.build_folder, "--prefix", self.recipe.package_folder)


def copy(_, pattern, src, dst):
    """Matched against the path as a whole, as Conan does: a star takes slashes, too."""
    import fnmatch

    for path in sorted(pathlib.Path(src).rglob("*")):
        name = path.relative_to(src).as_posix()
        if path.is_file() and not name.startswith("build/") and fnmatch.fnmatch(name, pattern):
            to = pathlib.Path(dst) / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, to)


def module(name, **contents):
    made = types.ModuleType(name)
    vars(made).update(contents)
    sys.modules[name] = made


class InvalidConfiguration(Exception):
    pass


def install_modules():
    nothing = lambda *_: types.SimpleNamespace(generate=lambda: None)  # noqa: E731
    module("conan", ConanFile=Folders)
    module("conan.errors", ConanInvalidConfiguration=InvalidConfiguration)
    module("conan.tools")
    module("conan.tools.build", check_min_cppstd=lambda *_: None, can_run=lambda _: True)
    module("conan.tools.cmake", CMake=Build, CMakeDeps=nothing, CMakeToolchain=Toolchain, cmake_layout=lambda _: None)
    module("conan.tools.files", copy=copy, rmdir=lambda _, path: shutil.rmtree(path, ignore_errors=True),
           load=lambda _, path: pathlib.Path(path).read_text(encoding="utf-8"))
    module("conan.tools.gnu", PkgConfigDeps=nothing)

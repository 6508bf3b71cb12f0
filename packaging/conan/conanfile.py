"""EvenCube as a package of Conan 2, made of the clone in which this stands, as it is:

    conan create CLONE/packaging/conan --build=missing
"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class EvenCube(ConanFile):
    name = "evencube"
    description = "A C++20 task runtime that plans where work goes"
    license = "Apache-2.0"
    topics = ("parallelism", "tasks", "load-balancing")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "hwloc": [True, False], "simulator": [True, False]}
    default_options = {"shared": False, "fPIC": True, "hwloc": True, "simulator": False}
    implements = ["auto_shared_fpic"]

    @property
    def _clone(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._clone, "CMakeLists.txt"))
        self.version = re.search(r"project\(EvenCube VERSION ([0-9.]+)", text)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "balancers/*", "runtime/*", "algorithms/*", "interop/*",
                        "trace/*", "simulator/*"):
            copy(self, pattern, src=self._clone, dst=self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("EvenCube runs on Linux alone")

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        if self.options.hwloc:
            self.requires("hwloc/[>=2.9 <3]")
        if self.options.simulator:
            self.requires("zlib/[>=1.2.11 <2]")
            # Headers alone, within the library.
            self.requires("fmt/[>=9 <11]", visible=False, options={"header_only": True})
            self.requires("nlohmann_json/[>=3.11 <4]", visible=False)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["EVENCUBE_DEVELOPER"] = False
        toolchain.cache_variables["EVENCUBE_HWLOC"] = bool(self.options.hwloc)
        toolchain.cache_variables["EVENCUBE_SIMULATOR"] = bool(self.options.simulator)
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", src=self.source_folder, dst=os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        # Conan writes its own, from what stands below.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "EvenCube")
        self.cpp_info.set_property("pkg_config_name", "evencube-all")
        self._component("balancers", library="evencube_balancers")
        runtime = self._component("evencube", library="evencube_runtime", requires=["balancers"])
        runtime.set_property("pkg_config_name", "evencube")
        runtime.system_libs = ["pthread"]
        if self.options.hwloc:
            runtime.requires.append("hwloc::hwloc")
        if self.options.shared:
            runtime.defines = ["EVENCUBE_SHARED"]
        self._component("algorithms", requires=["evencube"])
        self._component("interop", requires=["algorithms"])
        if self.options.simulator:
            trace = self._component("trace", library="evencube_trace", requires=["balancers", "zlib::zlib"])
            trace.requires += ["fmt::fmt", "nlohmann_json::nlohmann_json"]
            simulator = self._component("simulator", library="evencube_simulator", requires=["balancers", "trace"])
            simulator.set_property("pkg_config_name", "evencube-simulator")

    def _component(self, name, library=None, requires=()):
        component = self.cpp_info.components[name]
        component.set_property("cmake_target_name", f"EvenCube::{name}")
        component.libs = [library] if library else []
        component.requires = list(requires)
        return component

#!/usr/bin/env python3
"""The recipes of packaging/: what they say agrees with CMake's files, and they build a client.

usage: recipes_test.py ROOT WORK CXX

vcpkg and Conan themselves are not here: their functions are replaced by vcpkg_shim.cmake and conan_shim.py. What
these do not have is how either finds the packages that the libraries stand on.
"""

import ast
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import conan_shim  # noqa: E402

ROOT, WORK = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
COMPILER = sys.argv[3]
LAUNCHER = shutil.which("ccache") or ""
VCPKG, CONAN = ROOT / "packaging/vcpkg", ROOT / "packaging/conan"
PROJECT = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
DESCRIPTION = re.search(r'DESCRIPTION "([^"]+)"', PROJECT)[1]
VERSION = re.search(r"project\(EvenCube VERSION ([0-9.]+)", PROJECT)[1]


def run(*command, **settings):
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True, **settings)
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def fresh(name):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def options_of_cmake():
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "CMakeLists.txt", *ROOT.glob("*/src/*/CMakeLists.txt"),
                                                                  *ROOT.glob("*/CMakeLists.txt")))
    return set(re.findall(r"option\((EVENCUBE_\w+)", text))


def build_client(folder, *settings):
    run("cmake", "-G", "Ninja", "-S", CONAN / "test_package", "-B", folder, f"-DCMAKE_CXX_COMPILER={COMPILER}",
        "-DCMAKE_BUILD_TYPE=Release", *settings)
    run("cmake", "--build", folder)
    return run(folder / "client", timeout=60)


class Vcpkg(unittest.TestCase):
    manifest = json.loads((VCPKG / "vcpkg.json").read_text(encoding="utf-8"))
    portfile = (VCPKG / "portfile.cmake").read_text(encoding="utf-8")

    def test_the_manifest_is_one(self):
        allowed = {"name", "version", "description", "license", "supports", "dependencies", "default-features", "features"}
        self.assertLessEqual(set(self.manifest), allowed)
        for feature in self.manifest["features"].values():
            self.assertEqual(set(feature), {"description", "dependencies"})
        lists = [self.manifest["dependencies"], *(one["dependencies"] for one in self.manifest["features"].values())]
        for dependency in (one for some in lists for one in some):
            name = dependency if isinstance(dependency, str) else dependency["name"]
            self.assertRegex(name, r"^[a-z0-9]+(-[a-z0-9]+)*$")
        self.assertLessEqual(set(self.manifest["default-features"]), set(self.manifest["features"]))

    def test_it_says_what_cmake_says(self):
        self.assertEqual(self.manifest["version"], VERSION)
        self.assertEqual(self.manifest["description"], DESCRIPTION)
        self.assertEqual(self.manifest["license"], "Apache-2.0")
        self.assertIn("Apache License", (ROOT / "LICENSE").read_text(encoding="utf-8"))
        options = set(re.findall(r"EVENCUBE_[A-Z]+", self.portfile))
        self.assertLessEqual(options, options_of_cmake())
        for feature in self.manifest["features"]:
            self.assertRegex(self.portfile, rf"\b{feature} EVENCUBE_{feature.upper()}\b")

    def test_the_usage_names_targets_that_there_are(self):
        usage = (VCPKG / "usage").read_text(encoding="utf-8")
        names = set(re.findall(r"EvenCube::(\w+)", usage))
        made = set()
        for path in ROOT.glob("*/CMakeLists.txt"):
            made |= set(re.findall(r"EXPORT_NAME (\w+)", path.read_text(encoding="utf-8")))
        self.assertGreater(len(names), 2)
        self.assertLessEqual(names, made)

    def test_the_port_is_built_and_used(self):
        work = fresh("vcpkg")
        run("cmake", f"-DPORTFILE={VCPKG / 'portfile.cmake'}", "-DFEATURES=hwloc;simulator", f"-DWORK={work}", "-DSHARED=OFF",
            f"-DBUILD={WORK.parent / 'recipes-vcpkg'}", f"-DLAUNCHER={LAUNCHER}", f"-DCXX={COMPILER}", "-P", ROOT / "tests/packages/vcpkg_shim.cmake")
        installed = work / "packages"
        for name in ("share/evencube/copyright", "share/evencube/usage", "share/EvenCube/EvenCubeConfig.cmake",
                     "lib/pkgconfig/evencube.pc", "lib/pkgconfig/evencube-simulator.pc", "lib/libevencube_simulator.a"):
            self.assertTrue((installed / name).is_file(), name)
        self.assertIn(VERSION, build_client(work / "client", f"-DCMAKE_PREFIX_PATH={installed}"))


class Conan(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        conan_shim.install_modules()
        cls.recipe = cls.load(CONAN / "conanfile.py")

    @staticmethod
    def load(path):
        ast.parse(path.read_text(encoding="utf-8"))
        spec = importlib.util.spec_from_file_location("recipe", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return next(one for one in vars(module).values() if isinstance(one, type) and issubclass(one, conan_shim.Folders)
                    and one is not conan_shim.Folders)

    def made(self, work, **options):
        return self.recipe(work, CONAN, options, COMPILER, LAUNCHER)

    def test_it_says_what_cmake_says(self):
        recipe = self.made(WORK)
        recipe.set_version()
        self.assertEqual((recipe.name, recipe.version, recipe.description, recipe.license),
                         ("evencube", VERSION, DESCRIPTION, "Apache-2.0"))
        self.assertEqual(set(recipe.options.__dict__), set(recipe.default_options))
        recipe.generate()
        self.assertLessEqual(set(recipe.variables), options_of_cmake())

    def test_other_systems_are_refused(self):
        recipe = self.made(WORK)
        recipe.validate()
        recipe.settings.os = "Windows"
        with self.assertRaises(conan_shim.InvalidConfiguration):
            recipe.validate()

    def test_only_what_is_asked_for_is_required(self):
        for options, number in (({"hwloc": False}, 0), ({}, 1), ({"simulator": True}, 4)):
            recipe = self.made(WORK, **options)
            recipe.requirements()
            self.assertEqual(len(recipe.required), number)

    def test_the_test_package_is_a_recipe(self):
        recipe = self.load(CONAN / "test_package/conanfile.py")
        self.assertTrue(all(hasattr(recipe, name) for name in ("build", "test", "requirements")))

    def test_the_package_is_built_and_used(self):
        work = fresh("conan")
        recipe = self.made(work, shared=True, simulator=True)
        recipe.validate()
        recipe.export_sources()
        recipe.generate()
        recipe.build()
        recipe.package()
        recipe.package_info()
        package = pathlib.Path(recipe.package_folder)
        libraries = {re.sub(r"^lib|\.(a|so)$", "", path.name) for path in (package / "lib").iterdir()
                     if path.suffix in (".a", ".so")}
        components = recipe.cpp_info.components
        self.assertEqual({name for one in components.values() for name in one.libs}, libraries)
        self.assertTrue((package / "licenses/LICENSE").is_file())
        self.assertFalse((package / "lib/cmake").exists())
        # The client by what the recipe says of its components, and by nothing else.
        words, seen, waiting = ["-I" + str(package / "include"), "-L" + str(package / "lib")], [], ["algorithms"]
        while waiting:
            name = waiting.pop(0)
            if "::" in name:
                words += run("pkg-config", "--libs", name.partition("::")[0]).split()
            elif name not in seen:
                seen.append(name)
                one = components[name]
                words += [f"-D{define}" for define in one.defines]
                words += [f"-l{library}" for library in one.libs + one.system_libs]
                waiting += one.requires
        client = work / "client"
        run(COMPILER, "-std=c++20", CONAN / "test_package/client.cpp", "-o", client, *words)
        path = {**os.environ, "LD_LIBRARY_PATH": str(package / "lib")}
        self.assertIn(VERSION, run(client, timeout=60, env=path))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

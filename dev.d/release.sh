# What leaves the clone: installation, packages, site, release. Read by ./dev.

install_prefix() {  # [PREFIX]: absolute; says what is wrong with it
  (($# <= 1)) || fail 2 'one prefix at most'
  local prefix=${1-/usr/local}
  [[ -n $prefix ]] || fail 2 'the prefix is empty'
  realpath -m -- "$prefix"
}

into() {  # FOLDER COMMAND...: as root where the folder, or the nearest that there is, is not ours to write to
  local place=$1
  shift
  while [[ ! -e $place ]]; do place=$(dirname -- "$place"); done
  if [[ -w $place ]]; then
    "$@"
  else
    as_root "$@"
  fi
}

# Below the prefix: what uninstall, of this clone or another one, has to remove.
manifest=share/evencube/installed-files

command_install() {
  local prefix listed
  prefix=$(install_prefix "$@")
  need "$packages_to_build"
  build release evencube_installed
  into "$prefix" cmake --install "$root/build/release" --prefix "$prefix" >/dev/null
  listed=$root/build/release/installed-files
  # The list that CMake leaves does not end with a new line.
  { cat "$root/build/release/install_manifest.txt"; echo; } | sed "s|^$prefix/||" >"$listed"
  into "$prefix" install -D -m 644 "$listed" "$prefix/$manifest"
  echo "Installed $(grep -c . "$listed") files into $prefix; ./dev uninstall${1+ $prefix} removes them."
}

command_uninstall() {
  local prefix
  prefix=$(install_prefix "$@")
  [[ -f $prefix/$manifest ]] || fail 2 "./dev install has put nothing into $prefix: there is no $prefix/$manifest"
  # Files first, then the folders that are empty without them, the deepest first.
  # shellcheck disable=SC2016  # for the shell that it starts
  into "$prefix/$manifest" bash -c '
    cd -- "$1"
    mapfile -t files < <(grep . "$2"; echo "$2")
    rm -f -- "${files[@]}"
    for file in "${files[@]}"; do
      while [[ $file == */* ]]; do
        file=${file%/*}
        echo "$file"
      done
    done | sort -ru | while read -r folder; do
      rmdir --ignore-fail-on-non-empty -- "$folder" 2>/dev/null || true
    done' uninstall "$prefix" "$manifest"
  echo "Removed from $prefix what ./dev install had put there."
}

make_packages() {
  build packages
  rm -f "$root"/build/packages/*.deb
  (cd -- "$root/build/packages" && quietly cpack -G DEB)
  ls -1 "$root"/build/packages/*.deb
}

command_package() {
  (($# == 0)) || fail 2 "package takes no arguments, not '$1'"
  need "$packages_to_build$packages_to_package"
  make_packages
}

command_single() {
  (($# <= 1)) || fail 2 "single takes at most one file, not also '${*: -1}'"
  local file=${1-$root/build/evencube_single.hpp}
  [[ -n $file ]] || fail 2 'the name of the file is empty'
  need "$packages_for_the_header"
  mkdir -p -- "$(dirname -- "$file")"
  python3 -B "$root/packaging/single_header/make.py" "$file"
  echo "Wrote $file."
}

# As root, for it makes roots and mounts layers over them.
command_machines() {
  need "$packages_of_machines"
  exec python3 -B "$root/dev.d/machines.py" "$root" "$@"
}

command_abi() {
  [[ $# == 0 || "$*" == --renew ]] || fail 2 "abi takes --renew or nothing, not '$*'"
  need "$packages_to_build"
  build packages evencube_runtime evencube_simulator
  python3 -B "$root/packaging/abi/check.py" "$@" "$root/build/packages"
}

command_docs() {
  (($# == 0)) || fail 2 "docs takes no arguments, not '$1'"
  need "$packages_to_document"
  python3 -B "$root/docs/site/make.py" "$root" "$root/build/site"
}

command_release() {
  (($# == 1)) || fail 2 'release takes one version, such as 1.2.3'
  [[ $1 =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail 2 "release: '$1' is no version such as 1.2.3"
  local version
  version=$(sed -n 's/^project(EvenCube VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  [[ $version == "$1" ]] || fail 1 "release: CMakeLists.txt says version $version, not $1"
  grep -Eq "^## \[${1//./\\.}\] - [0-9]{4}-[0-9]{2}-[0-9]{2}$" "$root/CHANGELOG.md" ||
    fail 1 "release: CHANGELOG.md has no section \"## [$1] - YYYY-MM-DD\""
  ! git -C "$root" rev-parse -q --verify "refs/tags/v$1" >/dev/null || fail 1 "release: there is a tag v$1 already"
  [[ -z $(git -C "$root" status --porcelain) ]] || fail 1 'release: there are changes that are not committed'
  need "$packages_of_machines"
  skip_passed=true
  test_all lint release ctest clang tsan asan fuzz packages machines
  "$root/dev" docs
  git -C "$root" tag -a "v$1" -m "EvenCube $1"
  printf 'Tagged v%s. What is left: git push origin v%s, and the files of build/packages and build/site.\n' "$1" "$1"
}

"""Puts the licences of everything inside a wheel into it: licences.py WHEEL --hdf5 SOURCE

Libraries that auditwheel copied are looked up in Debian's packages, whose copyright files go into the wheel as they are;
what is compiled in is in the table below. A library that no package owns is an error: nothing goes unnamed.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from importlib import metadata

# Compiled into our own files: headers of Debian packages.
HEADERS = {"Eigen": "libeigen3-dev", "nlohmann-json": "nlohmann-json3-dev", "CLI11": "libcli11-dev"}
COPYRIGHT = pathlib.Path("/usr/share/doc")
HASH = re.compile(r"-[0-9a-f]{8}(?=\.|$)")  # auditwheel's part of a name: libfmt-1a2b3c4d.so.9.1.0


def run(*command: object) -> str:
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def build_id(file: pathlib.Path) -> str:
    """What tells one build of a library from another; copying and patching leave it alone."""
    return "".join(re.findall(r"Build ID: (\w+)", run("readelf", "-n", file)))


def owner(library: pathlib.Path) -> str:
    """The Debian package that a copied library comes from."""
    name = HASH.sub("", library.name)
    found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True).stdout
    lines = [line.split(": ", 1) for line in found.splitlines() if line.endswith(f"/{name}")]
    packages = {package.split(":")[0] for package, file in lines if build_id(pathlib.Path(file)) == build_id(library)}
    if len(packages) != 1:
        sys.exit(f"licences.py: {name}: expected one Debian package with this build, found {sorted(packages) or 'none'}")
    return packages.pop()


def version(package: str) -> str:
    return run("dpkg-query", "-W", "-f", "${Version}", package)


def short_names(text: str) -> str:
    """The names of the licences in a copyright file of Debian's machine-readable format."""
    names = re.findall(r"^License:[ \t]*(\S.*)$", text, flags=re.MULTILINE)
    return ", ".join(dict.fromkeys(name.strip() for name in names)) or "see the text"


def collect(package: pathlib.Path, hdf5: pathlib.Path) -> list[tuple[str, str, str, str]]:
    """(part, where it comes from, names of its licences, text) of everything inside."""
    out = []
    by_package: dict[str, list[str]] = {}
    for library in sorted((package / "pliant.libs").iterdir()):
        by_package.setdefault(owner(library), []).append(library.name)
    for part, debian in HEADERS.items():
        by_package.setdefault(debian, []).append(f"{part} (compiled in)")
    for debian, parts in sorted(by_package.items()):
        text = (COPYRIGHT / debian / "copyright").read_text(encoding="utf-8")
        out.append((", ".join(parts), f"Debian {debian} {version(debian)}", short_names(text), text))
    text = (hdf5 / "COPYING").read_text(encoding="utf-8")
    out.append(("HDF5 (compiled in)", "Debian source hdf5, without its support for the cloud", "BSD-style", text))
    nanobind = metadata.distribution("nanobind")
    text = "\n".join(f.read_text() for f in nanobind.files or [] if f.name.upper().startswith("LICENSE"))
    if not text:
        sys.exit("licences.py: nanobind: its licence is not where it was")
    out.append(("nanobind (compiled in)", f"PyPI nanobind {nanobind.version}", "BSD-3-Clause", text))
    return out


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--hdf5", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        run(sys.executable, "-m", "wheel", "unpack", "-d", work, arguments.wheel)
        package = next(pathlib.Path(work).iterdir())
        parts = collect(package, arguments.hdf5)
        folder = next(package.glob("*.dist-info")) / "licenses"
        folder.mkdir(exist_ok=True)
        lines = ["What is inside this wheel beside pliant, where it comes from, and its licences. Full texts follow.\n"]
        lines += [f"{part}\n    {source}\n    {names}\n" for part, source, names, _ in parts]
        texts = [f"{'=' * 80}\n{part}\n{source}\n{'=' * 80}\n\n{text.rstrip()}\n" for part, source, _, text in parts]
        (folder / "THIRD-PARTY.txt").write_text("\n".join(lines + texts), encoding="utf-8")
        arguments.wheel.unlink()
        run(sys.executable, "-m", "wheel", "pack", "-d", arguments.wheel.parent, package)
    print(f"{len(parts)} parts with their licences")


if __name__ == "__main__":
    main()

"""Write the third-party notice and the bill of materials (CycloneDX 1.6) of Almunia's dependencies.

    python -m tools.bill --out FOLDER                  # the dependencies of `almunia[web,postgres]`
    python -m tools.bill --extra web --extra client --out FOLDER

It reads the metadata of this environment and the lists of vendored files (VENDOR.toml). For each package it gives the
installed version, the licence and the licence texts of the package. A package that is not installed is an error.
"""

import argparse
import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HOME = Path(__file__).parents[1]
PROJECT = "almunia"
EXTRAS = ("web", "postgres")  # the default: the extras of a site
BILL, NOTICE = "almunia.cdx.json", "THIRD-PARTY.txt"
LICENCE_FILE_PREFIXES = ("LICEN", "COPYING", "NOTICE", "AUTHORS")  # of the names of licence files
LICENCE_CLASSIFIER = "License :: "


class Part(NamedTuple):
    """A third-party package or file that is used or shipped."""

    name: str
    version: str
    licence: str
    texts: tuple[str, ...]  # of its licence and notices
    needs: tuple[str, ...] = ()  # names of packages
    sha256: tuple[str, ...] = ()  # of its files that are vendored
    is_expression: bool = True  # whether the licence is an SPDX expression

    @property
    def ref(self) -> str:
        """The package URL, which says where the part comes from."""
        name = self.name.replace("@", "%40")  # the scope of an npm package
        return f"pkg:{'npm' if self.sha256 else 'pypi'}/{name}@{self.version}"


def installed_parts(extras: Iterable[str]) -> list[Part]:
    """Return the packages that Almunia needs with these extras. Raise PackageNotFoundError if one is missing."""
    distributions: dict[tuple[str, str], Distribution] = {}
    for name, extra in dependency_closure(extras):
        distributions[name, extra] = distribution(name)
    packages = {name: package for (name, _), package in distributions.items() if name != PROJECT}
    return [part_of(name, packages[name]) for name in sorted(packages)]


def dependency_closure(extras: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each needed package with each of its wanted extras, Almunia first, without duplicates."""
    queue, seen = [(PROJECT, ""), *((PROJECT, extra) for extra in extras)], set[tuple[str, str]]()
    while queue:
        name, extra = queue.pop(0)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        yield name, extra
        for requirement in requirements(distribution(name), extra):
            package = canonicalize_name(requirement.name)
            queue += [(package, ""), *((package, wanted_extra) for wanted_extra in sorted(requirement.extras))]


def requirements(package: Distribution, extra: str) -> list[Requirement]:
    """Return the requirements of a package on this machine, with one of its extras or none ("")."""
    all_requirements = map(Requirement, package.requires or ())
    return [one for one in all_requirements if one.marker is None or one.marker.evaluate({"extra": extra})]


def part_of(name: str, package: Distribution) -> Part:
    """Return a package as a part, from its metadata."""
    needs = tuple(sorted({canonicalize_name(one.name) for one in requirements(package, "")}))
    expression = package.metadata.get("License-Expression")
    licence, texts = expression or licence_text(package), tuple(texts_of(package))
    return Part(name, package.version, licence, texts, needs, is_expression=bool(expression))


def licence_text(package: Distribution) -> str:
    """Return the licence of a package without an SPDX expression: its classifiers, or the first line of its field."""
    metadata = package.metadata
    classes = [one for one in metadata.get_all("Classifier") or () if one.startswith(LICENCE_CLASSIFIER)]
    names = [one.rpartition(" :: ")[2] for one in classes if one != f"{LICENCE_CLASSIFIER}OSI Approved"]
    first = (metadata.get("License") or "").strip().partition("\n")[0]
    return ", ".join(names) or first or "unknown"


def texts_of(package: Distribution) -> Iterator[str]:
    """Yield the texts of a package's licences and notices."""
    for file in sorted(package.files or (), key=str):
        path = Path(str(file.locate()))
        has_name = ".dist-info" in str(file) and Path(file.name).stem.upper().startswith(LICENCE_FILE_PREFIXES)
        if has_name and path.is_file():
            yield path.read_text("utf-8", "replace").strip()


def vendored_parts(home: Path) -> list[Part]:
    """Return the packages of vendored files, as the VENDOR.toml files list them."""
    parts: dict[str, Part] = {}
    for path in sorted((home / "src").rglob("vendor/VENDOR.toml")):
        for group in tomllib.loads(path.read_text("utf-8")).values():
            for entry in group if isinstance(group, list) else [group]:
                name, file = entry["package"], entry.get("licence_file")
                texts = (path.with_name(file).read_text("utf-8").strip(),) if file else ()
                hashes = (*(parts[name].sha256 if name in parts else ()), entry["sha256"])
                parts[name] = Part(name, entry["version"], entry["licence"], texts, (), hashes)
    return [*parts.values()]


def bill(version: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Return the bill of materials. It depends on the version and the parts only."""
    refs = {part.name: part.ref for part in parts}
    root = f"pkg:pypi/{PROJECT}@{version}"
    names = "\0".join(sorted(refs.values()))
    application = {"type": "application", "name": PROJECT, "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, root + names)}",
        "version": 1,
        "metadata": {"component": {**application, "bom-ref": root, "purl": root}},
        "components": [component(part) for part in parts],
        "dependencies": [
            {"ref": root, "dependsOn": sorted(refs.values())},
            *({"ref": part.ref, "dependsOn": sorted(refs[one] for one in part.needs if one in refs)} for part in parts),
        ],
    }


def component(part: Part) -> dict[str, Any]:
    """Return a part as a component of the bill."""
    facts: dict[str, Any] = {"type": "library", "name": part.name, "version": part.version, "bom-ref": part.ref}
    licence = {"expression": part.licence} if part.is_expression else {"license": {"name": part.licence}}
    facts |= {"purl": part.ref, "licenses": [licence]}
    if part.sha256:
        facts["hashes"] = [{"alg": "SHA-256", "content": content} for content in part.sha256]
    return facts


def notice(parts: Sequence[Part]) -> str:
    """Return the notice: each part with its licence, then each licence text once."""
    lines = ["Third-party software that is used by or shipped with Almunia.", ""]
    for part in parts:
        lines += [f"{part.name} {part.version}: {part.licence}", f"    {part.ref}"]
    texts: dict[str, list[str]] = {}
    for part in parts:
        for text in part.texts:
            texts.setdefault(text, []).append(part.name)
    for text, names in texts.items():
        lines += ["", "-" * 78, ", ".join(dict.fromkeys(names)), "", text]
    return "\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write both files. Return 2 if a package is not installed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--extra", action="append", default=[], help=f"an extra of Almunia (default: {', '.join(EXTRAS)})"
    )
    parser.add_argument("--out", type=Path, default=Path(), help="the folder to write into (default: this one)")
    args = parser.parse_args(argv)
    try:
        parts = [*installed_parts(args.extra or EXTRAS), *vendored_parts(HOME)]
    except PackageNotFoundError as error:
        sys.stderr.write(f"{error.name} is not installed here: install almunia with these extras first.\n")
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    version = distribution(PROJECT).version
    (args.out / BILL).write_text(json.dumps(bill(version, parts), indent=2) + "\n", "utf-8")
    (args.out / NOTICE).write_text(notice(parts), "utf-8")
    sys.stdout.write(f"{len(parts)} parts are in {args.out / BILL} and {args.out / NOTICE}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

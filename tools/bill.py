"""Write the third-party notice and the bill of materials (CycloneDX 1.6) of what is installed beside Almunia.

    python -m tools.bill --out FOLDER                  # for all that is wanted by `almunia[web,postgres]`
    python -m tools.bill --extra web --extra client --out FOLDER

It reads the metadata of this environment and the lists of vendored files (VENDOR.toml). Of each package it names the
version that is installed, its licence, and the texts that the package brings; what is not installed is an error.
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
US = "almunia"
EXTRAS = ("web", "postgres")  # what a site is installed with
BILL, NOTICE = "almunia.cdx.json", "THIRD-PARTY.txt"
TEXTS = ("LICEN", "COPYING", "NOTICE", "AUTHORS")  # how the files begin that a package has to come with
CLASSIFIER = "License :: "


class Part(NamedTuple):
    """Something of others that is used or shipped."""

    name: str
    version: str
    licence: str
    texts: tuple[str, ...]  # of its licence and notices
    needs: tuple[str, ...] = ()  # names of packages
    sha256: str = ""  # of a file that is vendored
    is_expression: bool = True  # is the licence an expression of SPDX?

    @property
    def ref(self) -> str:
        """Return its package URL, which says where it comes from."""
        return f"pkg:{'npm' if self.sha256 else 'pypi'}/{self.name}@{self.version}"


def installed(extras: Iterable[str]) -> list[Part]:
    """Return the packages that Almunia with these extras needs here; PackageNotFoundError if one is missing."""
    found: dict[tuple[str, str], Distribution] = {}
    for name, extra in closure(extras):
        found[name, extra] = distribution(name)
    packages = {name: one for (name, _), one in found.items() if name != US}
    return [part_of(name, packages[name]) for name in sorted(packages)]


def closure(extras: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each package with each extra of it that is wanted, Almunia first, each once."""
    waiting, seen = [(US, ""), *((US, extra) for extra in extras)], set[tuple[str, str]]()
    while waiting:
        name, extra = waiting.pop(0)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        yield name, extra
        for wanted in needed(distribution(name), extra):
            package = canonicalize_name(wanted.name)
            waiting += [(package, ""), *((package, more) for more in sorted(wanted.extras))]


def needed(package: Distribution, extra: str) -> list[Requirement]:
    """Return what a package requires on this machine, with one of its extras or none."""
    known = map(Requirement, package.requires or ())
    return [one for one in known if one.marker is None or one.marker.evaluate({"extra": extra})]


def part_of(name: str, package: Distribution) -> Part:
    """Return what the metadata of a package says of it."""
    needs = tuple(sorted({canonicalize_name(one.name) for one in needed(package, "")}))
    expression = package.metadata.get("License-Expression")
    licence, texts = expression or licence_in_words(package), tuple(texts_of(package))
    return Part(name, package.version, licence, texts, needs, is_expression=bool(expression))


def licence_in_words(package: Distribution) -> str:
    """Return the licence of a package that has no expression: its classifiers, else the first line of its own words."""
    said = package.metadata
    classes = [one for one in said.get_all("Classifier") or () if one.startswith(CLASSIFIER)]
    names = [one.rpartition(" :: ")[2] for one in classes if one != f"{CLASSIFIER}OSI Approved"]
    first = (said.get("License") or "").strip().partition("\n")[0]
    return ", ".join(names) or first or "unknown"


def texts_of(package: Distribution) -> Iterator[str]:
    """Yield the texts of licences and notices that a package brings."""
    for file in sorted(package.files or (), key=str):
        inside = ".dist-info" in str(file)
        if inside and Path(file.name).stem.upper().startswith(TEXTS) and Path(str(file.locate())).is_file():
            yield Path(str(file.locate())).read_text("utf-8", "replace").strip()


def vendored(home: Path) -> list[Part]:
    """Return the files of others that are shipped, as the VENDOR.toml beside them lists them."""
    found = []
    for listed in sorted((home / "src").rglob("vendor/VENDOR.toml")):
        for group in tomllib.loads(listed.read_text("utf-8")).values():
            for one in group if isinstance(group, list) else [group]:
                name, version, licence = one["package"], one["version"], one["licence"]
                found.append(Part(name, version, licence, (), (), one["sha256"]))
    return found


def bill(version: str, parts: Sequence[Part]) -> dict[str, Any]:
    """Return the bill of materials; the same parts give the same bill."""
    refs = {part.name: part.ref for part in parts}
    root = f"pkg:pypi/{US}@{version}"
    names, about = "\0".join(sorted(refs.values())), {"type": "application", "name": US, "version": version}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, root + names)}",
        "version": 1,
        "metadata": {"component": {**about, "bom-ref": root, "purl": root}},
        "components": [component(part) for part in parts],
        "dependencies": [
            {"ref": root, "dependsOn": sorted(refs.values())},
            *({"ref": part.ref, "dependsOn": sorted(refs[one] for one in part.needs if one in refs)} for part in parts),
        ],
    }


def component(part: Part) -> dict[str, Any]:
    """Return what the bill says of a part."""
    facts: dict[str, Any] = {"type": "library", "name": part.name, "version": part.version, "bom-ref": part.ref}
    licence = {"expression": part.licence} if part.is_expression else {"license": {"name": part.licence}}
    facts |= {"purl": part.ref, "licenses": [licence]}
    if part.sha256:
        facts["hashes"] = [{"alg": "SHA-256", "content": part.sha256}]
    return facts


def notice(parts: Sequence[Part]) -> str:
    """Return the notice: each part with its licence, and each text once."""
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
    """Write both files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--extra", action="append", default=[], help=f"an extra of Almunia (default: {', '.join(EXTRAS)})"
    )
    parser.add_argument("--out", type=Path, default=Path(), help="the folder to write into (default: this one)")
    args = parser.parse_args(argv)
    try:
        parts = [*installed(args.extra or EXTRAS), *vendored(HOME)]
    except PackageNotFoundError as error:
        sys.stderr.write(f"{error.name} is not installed here: install almunia with these extras first.\n")
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    version = distribution(US).version
    (args.out / BILL).write_text(json.dumps(bill(version, parts), indent=2) + "\n", "utf-8")
    (args.out / NOTICE).write_text(notice(parts), "utf-8")
    sys.stdout.write(f"{len(parts)} parts are in {args.out / BILL} and {args.out / NOTICE}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Files that lie: one line that says what is wrong and where, soon, in little memory."""

import gzip
import subprocess

import h5py
import numpy as np
import pliant as pl
import pytest

MEMORY = 256 << 20  # bytes of its own that no small file may take
LONGEST = 60  # seconds


def read_by(command, file):
    return subprocess.run(
        [command, "info", str(file), "--memory-limit", str(MEMORY)], capture_output=True, timeout=LONGEST, errors="replace"
    )


def refused(command, file):
    """The command refuses the file in one line, in bounded memory and time."""
    done = read_by(command, file)
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith("pliant: ") and done.stderr.count("\n") == 1, done.stderr
    assert file.name in done.stderr and "out of memory" not in done.stderr, done.stderr
    with pytest.raises(pl.InputError):
        pl.load(file)


HUGE = 10**18
NL = "g3 1 1 0\n {n} {m} 1 0 0\n 1 1\n 0 0\n 1 1 1\n 0 0 0 1\n 0 0 0 0 0\n 1 1\n 0 0\n 0 0 0 0 0\n"
NL_REST = "O0 0\nn0\nr\n1 1\nb\n3\nk0\nJ0 1\n0 1\n"
CBF = "VER\n3\n\nOBJSENSE\nMIN\n\n"
TEXTS = {
    # sizes nobody has
    "variables.cbf": f"{CBF}VAR\n{HUGE} 1\nF {HUGE}\n",
    "entries.cbf": f"{CBF}VAR\n1 1\nF 1\n\nCON\n1 1\nL- 1\n\nACOORD\n{HUGE}\n0 0 1\n",
    "order.cbf": f"{CBF}PSDVAR\n1\n{HUGE}\n",
    "cones.cbf": f"{CBF}VAR\n1 {HUGE}\nF 1\n",
    "variables.dat-s": f"{HUGE}\n1\n2\n1.0\n",
    "blocks.dat-s": f"1\n{HUGE}\n2 2\n1.0\n",
    "order.dat-s": f"1\n1\n{HUGE}\n1.0\n",
    "diagonal.dat-s": f"1\n1\n-{HUGE}\n1.0\n",
    "variables.nl": NL.format(n=HUGE, m=1) + "C0\nn0\n",
    "rows.nl": NL.format(n=1, m=HUGE) + "C0\nn0\n",
    "many.nl": NL.format(n=2 * 10**9, m=1) + "C0\nn0\n" + NL_REST,
    # depth
    "brackets.lp": "min\n obj: " + "[ " * 100000 + "x ^ 2" + " ]" * 100000 + "\nst\n c: x >= 1\nend\n",
    # numbers and words of a megabyte
    "number.mps": "NAME a\nROWS\n N c\n L r\nCOLUMNS\n x c " + "1" * 10**6 + " r 1\nRHS\nENDATA\n",
    "name.mps": "NAME a\nROWS\n N c\n L " + "r" * 10**6 + "\nENDATA\n",
    "number.lp": "min\n " + "9" * 10**6 + " x\nst\n c: x >= 1\nend\n",
    "number.nl": NL.format(n=1, m=1) + "C0\nn" + "9" * 10**6 + "\n" + NL_REST,
    "number.cbf": f"{CBF}VAR\n{'1' * 10**6} 1\nF 1\n",
    "number.dat-s": "1" * 10**6 + "\n1\n2\n1.0\n",
    # what is no text
    "zero.mps": "NAME a\0b\nROWS\n N c\nENDATA\n",
    "zero.lp": "min\n x\0\nst\n c: x >= 1\nend\n",
    "zero.cbf": "VER\n3\0\n",
    "zero.dat-s": "1\0\n1\n2\n1.0\n",
    "wide.mps": "NAME a\nROWS\n N c\nENDATA\n".encode("utf-16"),
    "wide.lp": "min\n x\nst\n c: x >= 1\nend\n".encode("utf-32"),
    "latin.mps": "NAME é\nROWS\n N c\n L r\nCOLUMNS\n x c 1 r 1\nRHS\n RHS r 1\nENDATA\n".encode("latin1"),
    # nothing but air
    "air.mps.gz": gzip.compress(b"* comment\n" * 3 * 10**6),
    "air.lp.gz": gzip.compress(b"\\ comment\n" * 3 * 10**6),
    "blank.nl.gz": gzip.compress(b"g" + b" " * 3 * 10**7),
    "line.mps.gz": gzip.compress(b" " * 10**8),
}


#: Strange, and legal: read in little memory and without recursion.
LEGAL = {
    "deep.nl": NL.format(n=1, m=1) + "C0\n" + "o16\n" * 10**6 + "v0\n" + NL_REST,
    "sums.nl": NL.format(n=1, m=1) + "C0\n" + "o0\n" * 200000 + "v0\n" * 200001 + NL_REST,
    "signs.lp": "min\n " + "+ " * 500000 + " x\nst\n c: x >= 1\nend\n",
}


@pytest.mark.parametrize("name", LEGAL)
def test_strange_but_legal(command, name, tmp_path):
    file = tmp_path / name
    file.write_text(LEGAL[name])
    done = read_by(command, file)
    assert (done.returncode, done.stderr) == (0, "")
    assert pl.load(file).n == 1


@pytest.mark.parametrize("name", TEXTS)
def test_text(command, name, tmp_path):
    file, text = tmp_path / name, TEXTS[name]
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(command, file)


def big_attribute(file):
    file.attrs["n"] = HUGE


def absurd_shape(file):
    del file["constraints/0/G"]
    file.create_dataset("constraints/0/G", shape=(10**12, 3), chunks=(1000, 3), dtype="f8")[0, 0] = 1.0


def huge_chunks(file):
    del file["constraints/0/G"]
    file.create_dataset("constraints/0/G", (5, 3), maxshape=(None, 3), chunks=(10**8, 3), dtype="f8", compression="gzip")


def bomb(file):
    del file["constraints/0/G"]
    zeros = file.create_dataset("constraints/0/G", shape=(3 * 10**7, 3), chunks=(10**6, 3), dtype="f8", compression="gzip")
    zeros[: 10**6] = 0.0


def soft_link(file):
    del file["constraints/0/G"]
    file["constraints/0/G"] = h5py.SoftLink("/objective/0/c")


def dangling_link(file):
    del file["constraints/0/G"]
    file["constraints/0/G"] = h5py.SoftLink("/nowhere")


def external_link(file):
    del file["constraints/0/G"]
    file["constraints/0/G"] = h5py.ExternalLink("/etc/passwd", "/")


def external_group(file):
    del file["constraints"]
    file["constraints"] = h5py.ExternalLink("other.h5", "/constraints")


def external_storage(file):
    del file["constraints/0/G"]
    file.create_dataset("constraints/0/G", shape=(5, 3), dtype="f8", external=[("/etc/passwd", 0, 120)])


def cycle(file):
    file["constraints/0/again"] = file["constraints"]


def cycle_instead_of_data(file):
    del file["constraints/0/G"]
    file["constraints/0/G"] = file["constraints"]


def many_members(file):
    for k in range(1, 2000):
        file[f"constraints/{k}"] = file["constraints/0/G"]


def references(file):
    del file["constraints/0/G"]
    file.create_dataset("constraints/0/G", data=np.array([file.ref] * 15).reshape(5, 3), dtype=h5py.ref_dtype)


def compound(file):
    del file["constraints/0/G"]
    file.create_dataset("constraints/0/G", data=np.zeros((5, 3), dtype=[("a", "f8"), ("b", "f8", (1000,))]))


def ragged(file):
    del file["constraints/0/G"]
    file.create_dataset("constraints/0/G", shape=(5, 3), dtype=h5py.vlen_dtype(np.float64))


def virtual(file):
    del file["constraints/0/G"]
    layout = h5py.VirtualLayout(shape=(5, 3), dtype="f8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", shape=(5, 3))
    file.create_virtual_dataset("constraints/0/G", layout)


HOSTILE = [big_attribute, absurd_shape, huge_chunks, bomb, soft_link, dangling_link, external_link, external_group,
           external_storage, cycle, cycle_instead_of_data, many_members, references, compound, ragged, virtual]


@pytest.mark.parametrize("spoil", HOSTILE, ids=lambda f: f.__name__)
def test_containers(command, spoil, tmp_path):
    file = tmp_path / "p.h5"
    pl.generate.dense_lp(n=3, m=5).save(file)
    with h5py.File(file, "r+") as opened:
        spoil(opened)
    refused(command, file)


@pytest.mark.parametrize(
    "text", ["[" * 10**6, '{"x": ' + "[" * 10**6, '{"x": [' + "9" * 10**6 + "]}", '{"x": [1e999]}', "{\0}"]
)
def test_solutions(command, text, tmp_path):
    problem, solution = tmp_path / "p.h5", tmp_path / "x.json"
    pl.generate.dense_lp(n=3, m=5).save(problem)
    solution.write_text(text)
    done = subprocess.run(
        [command, "check", problem, solution, "--memory-limit", str(MEMORY)], capture_output=True, timeout=LONGEST, text=True
    )
    assert done.returncode == 1 and done.stderr.startswith("pliant: ") and done.stderr.count("\n") == 1, done.stderr
    assert "x.json" in done.stderr

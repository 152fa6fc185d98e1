"""The functions of the module are those of the library's registrations (include/pliant/kinds.hpp)."""

import inspect
import re

import pliant as pl
import pytest
from pliant import _core

SIGNATURE = re.compile(r"`(\w+)\(([^)]*)\)`")
KINDS = [kind for kinds in (_core.objective_kinds(), _core.prox_kinds(), _core.constraint_kinds()) for kind in kinds]
REGISTERED = sorted({match for _, texts in KINDS for text in texts for match in SIGNATURE.findall(text)})


def parameters(function):
    names, keyword_only = [], False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            names.append("*")
            keyword_only = True
        names.append(parameter.name)
    return names


@pytest.mark.parametrize("name, given", REGISTERED)
def test_functions_have_the_registered_signatures(name, given):
    assert parameters(getattr(pl, name)) == [part.strip() for part in given.split(",") if part.strip()]


def test_every_kind_can_be_made_in_python():
    for name, texts in KINDS:
        assert SIGNATURE.search(texts[0]), name


def test_every_function_of_terms_and_families_is_registered():
    made = {name for name, _ in REGISTERED}
    elsewhere = {"conic", "soc_le", "lmi_le", "equal", "callback_le"}  # cones, equalities, functions of the caller
    for module in ("_terms", "_regularizers", "_constraints"):
        members = inspect.getmembers(getattr(pl, module), inspect.isfunction)
        public = {name for name, f in members if not name.startswith("_") and f.__module__ == f"pliant.{module}"}
        assert public - elsewhere <= made, module

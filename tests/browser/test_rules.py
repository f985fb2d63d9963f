"""The rules on paper."""

import re

import pytest

import almunia
from almunia.server.rulebook import is_short

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", [meta.name for meta in almunia.all_games() if is_short(meta.name)])
def test_the_rules_in_short_fit_one_page(come, name):
    page = come()
    page.goto(f"/games/{name}/summary")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1

"""The table of pages, and the menu made of it."""

from __future__ import annotations

from penstock.panel.routes import ADMINISTRATOR, MANAGEMENT
from penstock.panel.site.assets import FOLDER
from penstock.panel.site.pages import LOGIN, PAGES, menu


def names(*tags: str) -> list[str]:
    return [page.title for group in menu(tags) for page in group.pages]


def test_the_menu_offers_administration_to_administrators_only() -> None:
    assert "Users" not in names(MANAGEMENT)
    assert {"Users", "Audit log"} <= set(names(MANAGEMENT, ADMINISTRATOR))
    assert "Queues" in names(MANAGEMENT)


def test_groups_stand_together_and_in_order() -> None:
    assert [group.name for group in menu([ADMINISTRATOR])] == ["Broker", "Work", "Data", "Administration"]


def test_every_page_has_a_module_a_path_and_a_key_of_its_own() -> None:
    for page in (*PAGES, LOGIN):
        assert (FOLDER / "pages" / page.module).exists()
    assert len({page.path for page in PAGES}) == len(PAGES)
    keys = [page.key for page in PAGES if page.group]
    assert len(set(keys)) == len(keys)


def test_a_page_outside_the_menu_belongs_to_one_in_it() -> None:
    paths = {page.path for page in PAGES if page.group}
    assert all(page.under in paths for page in PAGES if not page.group)

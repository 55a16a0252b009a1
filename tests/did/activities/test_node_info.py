from __future__ import annotations

from penstock.did.activities.node_info import media_type, node_info, well_known


def test_the_well_known_place_leads_to_both_versions() -> None:
    links = well_known("https://a.example")["links"]
    assert [link["href"] for link in links] == [
        "https://a.example/nodeinfo/2.0",
        "https://a.example/nodeinfo/2.1",
    ]
    assert links[0]["rel"] == "http://nodeinfo.diaspora.software/ns/schema/2.0"
    assert media_type("2.1").endswith('profile="http://nodeinfo.diaspora.software/ns/schema/2.1#"')


def test_a_domain_tells_what_it_runs_and_how_much_it_does() -> None:
    old, new = (
        node_info(version, release="1.2", source="https://s.example", posts=3, comments=4)
        for version in ("2.0", "2.1")
    )
    assert old["software"] == {"name": "penstock", "version": "1.2"}
    assert new["software"] == {"name": "penstock", "version": "1.2", "repository": "https://s.example"}
    assert new["usage"] == {"users": {"total": 1}, "localPosts": 3, "localComments": 4}
    assert (old["version"], new["protocols"]) == ("2.0", ["activitypub"])

"""Arms give a task no memory, or the first tiers of it: what the simulated study (`loci-bench study`) compares."""


def row_arms_show_their_tiers(world):
    """A task of the arm off is shown nothing; tier1 knowledge; tier2 rules, too; tier3 preferences, too."""
    status, body = world.http("POST", "/v1/repos", {"name": "acme/shop"})
    assert status in (200, 201), body
    first = {"task_id": "t-0", "repo": "acme/shop", "user": "dana", "user_id": "7", "description": "Fix the cart"}
    status, body = world.http("POST", "/v1/tasks", first)
    assert status == 201, body
    learned = {"learnings_text": "**[Cart module]:** `prices.invalidate()` must be called before a cart test."}
    status, body = world.http("POST", "/v1/tasks/t-0/complete", learned)
    assert status == 202, body
    rule = {"text": "Use `Money` for amounts in the cart, never floating point."}
    status, body = world.http("POST", "/v1/repos/acme/shop/rules", rule)
    assert status in (200, 201), body
    wish = {"text": "Small pull requests, one concern each."}
    status, body = world.http("PUT", "/v1/users/dana/preferences/pr_size", wish)
    assert status in (200, 201), body
    world.settle()
    marks = {"knowledge": "prices.invalidate()", "rules": "`Money`", "preferences": "one concern each"}
    for arm, tiers in (("off", 0), ("tier1", 1), ("tier2", 2), ("tier3", 3)):
        task = dict(first, task_id=f"t-{arm}", memory_arm=arm, description="Rounding in the cart")
        status, body = world.http("POST", "/v1/tasks", task)
        assert status == 201, body
        status, shown = world.http("POST", f"/v1/tasks/t-{arm}/hydrate", {"paths": ["src/cart/totals.ts"]})
        assert status == 200 and shown["arm"] == arm, shown
        block = shown.get("rendered") or ""
        for tier, (kind, mark) in enumerate(marks.items(), start=1):
            assert (mark in block) == (tier <= tiers), (arm, kind, block)

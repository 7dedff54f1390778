"""Prompts are versioned artefacts: evaluated against a labelled set, and edited by what tasks lacked."""

import json


def row_eval_prompts_in_pull_mode(world):
    """`loci eval prompts` asks all three prompts, takes a model's answers and stores the figures with each version."""
    lines = world.loci("eval", "prompts", "--questions").splitlines()
    questions = [json.loads(line) for line in lines]
    prompts = {question["prompt"] for question in questions}
    assert prompts == {"learnings@1", "self_feedback@1", "review_rules@1"}, prompts
    nothing = {
        "learnings@1": "No new repository learnings.",
        "self_feedback@1": "No missing context identified.",
        "review_rules@1": "NO_RULES_EXTRACTED",
    }
    answers = []
    for question in questions:
        assert question["system"] and question["input"], question
        output = nothing[question["prompt"]]
        if question["case"] == "l-01":
            output = "**[Auth module]:** Call `SessionStore.clear` before a test changes a role."
        answers.append({"prompt": question["prompt"], "case": question["case"], "output": output})
    text = "\n".join(json.dumps(answer) for answer in answers)
    answer = world.loci("eval", "prompts", "--answers", "-", "--model", "a-model", "--json", input=text)
    figures = {one["prompt"]: one for one in json.loads(answer)}
    assert set(figures) == prompts, figures
    learnings = figures["learnings@1"]
    assert learnings["precision"] == 1.0 and 0 < learnings["recall"] < 1, learnings
    assert learnings["mode"] == "pull" and learnings["model"] == "a-model", learnings
    stored = json.loads(world.loci("eval", "prompts", "--list", "--prompt", "learnings@1", "--json"))
    assert [one["evaluation_id"] for one in stored] == [learnings["evaluation_id"]], stored


def row_a_changed_prompt_is_evaluated_first(world):
    """A changed prompt is a candidate, and becomes current after an evaluation."""
    text = "Say what you learned about {repo}, or exactly: No new repository learnings."
    world.loci("prompt", "extraction", "put", "learnings", "-", input=text)
    status, refused = world.http("POST", "/v1/extraction-prompts/learnings/rollback", {"to": 1001})
    assert status == 409, (status, refused)
    lines = world.loci("eval", "prompts", "--prompt", "learnings@1001", "--questions").splitlines()
    output = "No new repository learnings."
    answers = [dict(json.loads(line), output=output) for line in lines]
    text = "\n".join(json.dumps(answer) for answer in answers)
    world.loci("eval", "prompts", "--answers", "-", "--model", "a-model", input=text)
    world.loci("prompt", "extraction", "rollback", "learnings", "--to", "1001")
    status, current = world.http("GET", "/v1/extraction-prompts/learnings")
    assert status == 200 and current["id"] == "learnings@1001", current


def row_themes_become_an_edit_of_the_prompt(world):
    """What three tasks lacked is proposed as a difference of the repository's prompt, and accepting it stores a version."""
    repo = world.repo({"README.md": "# Shop\n"})
    added = json.loads(world.loci("repo", "add", "acme/shop", "--json", cwd=repo))
    assert added, added
    world.loci("prompt", "add", "-", "--template", "new-task", input="Work carefully.\n")
    for number in range(3):
        task = {"task_id": f"t-{number}", "repo": "acme/shop", "description": f"Task {number}"}
        status, body = world.http("POST", "/v1/tasks", task)
        assert status == 201, body
        lacked = f"**[Test database]:** `make db-up` must run before test suite {number}; nothing says so."
        status, body = world.http("POST", f"/v1/tasks/t-{number}/complete", {"self_feedback_text": lacked})
        assert status == 202, body
    world.settle()
    template = ("--template", "new-task")
    answer = world.loci("repo", "themes", "acme/shop", "--propose", *template, "--json")
    proposal = json.loads(answer)
    assert " Work carefully." in proposal["diff"] and "+- Test database: " in proposal["diff"], proposal
    done = world.loci("repo", "themes", "acme/shop", "--accept", proposal["proposal"], *template, "--json")
    accepted = json.loads(done)
    assert accepted["previous"] == proposal["from"] and len(accepted["closed"]) == 1, accepted
    status, prompt = world.http("GET", f"/v1/prompts/{accepted['prompt_version']}")
    assert status == 200 and prompt["text"] == proposal["text"], prompt
    themes = json.loads(world.loci("repo", "themes", "acme/shop", "--json"))
    assert themes["themes"] == [], themes

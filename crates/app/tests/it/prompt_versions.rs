//! Versions of prompts on the command line: from a file to a name, a list, a difference, and a
//! rollback.

use serde_json::{Value, json};

use crate::program::Home;

#[test]
fn a42_versions_from_files() {
    let home = Home::new();
    let template = |text: &str| {
        let path = home.path("template.txt");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let add = |text: &str, more: &[&str]| {
        let file = template(text);
        home.json(&[&["prompt", "add", file.as_str(), "--template", "new-task"], more].concat())
    };
    let text = "You work on {repo}.\n{memory_context}\n";
    let first = add(text, &["--model", "a-model"]);
    assert_eq!((&first["prompt_version"], first.get("previous")), (&json!("df5f9bd70264"), None));
    let more =
        ["--overrides", r#"{"max_turns":40,"append":"Be brief."}"#, "--tool", "edit", "--tool", "bash"];
    let second = add(text, &[&more[..], &["--extraction-prompt", "learnings@1"]].concat());
    assert_eq!(second["prompt_version"], "083a2b8f0475");
    assert_eq!(second["diff_url"], "/v1/prompts/df5f9bd70264..083a2b8f0475/diff");
    let listed = home.ok(&["prompt", "list", "--template", "new-task"]);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(
        lines.len() == 3 && lines[1].starts_with("083a2b8f0475") && lines[1].ends_with("current"),
        "{listed}"
    );
    let diff = home.run(&["prompt", "diff", "df5f9bd70264", "083a2b8f0475"]);
    let shown = String::from_utf8(diff.stdout).unwrap();
    assert_eq!(diff.status.code(), Some(5));
    assert!(shown.contains("+tool: bash") && shown.contains("-overrides: {}"), "{shown}");
    assert_eq!(home.ok(&["prompt", "rollback", "new-task", "--to", "df5f9bd70264"]).trim(), "df5f9bd70264");
    let listed = home.json(&["prompt", "list"]);
    assert_eq!(listed["prompts"][0]["prompt_version"], "df5f9bd70264");
    let prompt = home.json(&["prompt", "show", "083a2b8f0475"]);
    assert_eq!((&prompt["text"], &prompt["tools"]), (&json!(text), &json!(["bash", "edit"])), "{prompt}");
    home.fails(3, &["prompt", "show", "none"]);
    home.fails(2, &["prompt", "add", &template("x"), "--template", "t", "--overrides", "[]"]);
}

#[test]
fn extraction_prompts_of_ones_own() {
    let home = Home::new();
    let path = home.path("learnings.md");
    std::fs::write(&path, "Say what you learned about {repo}.\n").unwrap();
    let put = ["prompt", "extraction", "put", "learnings", path.to_str().unwrap(), "--note", "shorter"];
    let changed = home.json(&[&put[..], &["--force"]].concat());
    let expect = json!({
        "id": "learnings@1001", "name": "learnings", "version": 1001, "current": true, "previous": 1,
    });
    assert_eq!(changed, expect);
    let shown = home.ok(&["prompt", "extraction", "show", "learnings", "--repo", "acme/shop"]);
    assert_eq!(shown, "Say what you learned about acme/shop.\n");
    let listed = home.ok(&["prompt", "extraction", "list"]);
    assert!(
        listed.contains("learnings@1001  current  shorter") && listed.contains("review_rules@1"),
        "{listed}"
    );
    let back = home.ok(&["prompt", "extraction", "rollback", "learnings", "--to", "1"]);
    assert_eq!(back.trim(), "learnings@1");
    home.fails(3, &["prompt", "extraction", "rollback", "learnings", "--to", "7"]);
}

#[test]
fn a_candidate_is_evaluated_by_a_model_of_ones_own() {
    let home = Home::new();
    let path = home.path("mine.md");
    std::fs::write(&path, "Say what you learned about {repo}.\n").unwrap();
    let candidate = home.json(&["prompt", "extraction", "put", "learnings", path.to_str().unwrap()]);
    let expect = json!({ "id": "learnings@1001", "name": "learnings", "version": 1001, "current": false });
    assert_eq!(candidate, expect);
    let back = ["prompt", "extraction", "rollback", "learnings", "--to", "1001"];
    home.fails(4, &back);
    // No model is configured.
    home.fails(2, &["eval", "prompts", "--prompt", "learnings@1001"]);
    let questions = home.ok(&["eval", "prompts", "--prompt", "learnings@1001", "--questions"]);
    let answered = questions.lines().map(|line| {
        let mut one: Value = serde_json::from_str(line).unwrap();
        assert_eq!(one["system"], "Say what you learned about acme/shop.");
        let is_first = one["case"] == "l-01";
        let said =
            if is_first { "**[Auth]:** `SessionStore.clear` first." } else { "No new repository learnings." };
        one["output"] = json!(said);
        one.to_string()
    });
    let answers = home.path("answers.jsonl");
    std::fs::write(&answers, answered.collect::<Vec<_>>().join("\n")).unwrap();
    let answers = ["eval", "prompts", "--answers", answers.to_str().unwrap(), "--model", "m-1"];
    let figures = home.json(&answers);
    assert_eq!((&figures[0]["precision"], &figures[0]["mode"]), (&json!(1.0), &json!("pull")), "{figures}");
    let listed = home.ok(&["eval", "prompts", "--list", "--prompt", "learnings@1001"]);
    assert!(listed.contains("learnings@1001") && listed.contains("pull"), "{listed}");
    assert_eq!(home.ok(&back).trim(), "learnings@1001");
}

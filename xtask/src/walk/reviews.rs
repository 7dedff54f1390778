//! The second part of the workflow of a coding agent's task. A review arrives by a signed webhook,
//! despite an exhausted rate limit, then again, edited and dismissed. The comments of two people
//! become a rule. The next task gets the rule with its source, and the outcome of that task counts
//! for the rules that it got.

use super::forge::{self, Forge};
use super::stage::{RunningServer, Stage};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

/// The comment on both pull requests.
const RULE: &str = "Please always name test files after the module that they test.";
/// A further comment, about a single place.
const ONE_OFF: &str = "This variable should be called `total` here.";
/// The maximum number of polls. Each takes a process.
const LOOKS_MAX: usize = 600;

/// A person at the forge.
#[derive(Clone, Copy)]
struct Person(u64, &'static str);

const ALICE: Person = Person(5, "alice");
const CAROL: Person = Person(6, "carol");

/// The state of this part of the workflow.
struct Part<'s> {
    stage: &'s Stage,
    forge: Forge,
    server: RunningServer,
}

/// Runs this part, after the first one.
pub(super) fn walk(stage: &Stage) -> Result<()> {
    let forge = Forge::new()?;
    let config = format!(
        "[[forge]]\nkind = \"github\"\nhost = \"github.com\"\napi = \"{}\"\ntoken_env = \"FORGE_TOKEN\"\n\
         [coding.github]\nwebhook_secrets_env = [\"HOOK_SECRET\"]\ndebounce_ms = 0\n",
        forge.url
    );
    let variables = [("HOOK_SECRET", forge::SECRET), ("FORGE_TOKEN", "forge-token")];
    let server = stage.serve(&config, &variables)?;
    let part = Part { stage, forge, server };
    for person in [ALICE, CAROL] {
        let path = format!("/repos/acme/shop/collaborators/{}/permission", person.1);
        part.forge.put(&path, json!({"permission": "write", "role_name": "write", "user": person.shown()}));
    }
    part.one_says_it()?;
    part.again_edited_dismissed()?;
    part.two_say_it()?;
    part.the_next_task_is_shown_it()?;
    part.what_came_of_it()
}

impl Person {
    fn shown(self) -> Value {
        json!({"login": self.1, "id": self.0, "type": "User"})
    }
}

fn pull_request(number: u64) -> Value {
    json!({"number": number, "state": "open", "draft": false, "user": {"login": "shop-agent[bot]", "id": 9, "type": "Bot"},
        "title": "Add totals", "body": null, "head": {"ref": format!("agent/pr-{number}"), "sha": "a".repeat(40), "repo": {"id": 186_853_002}},
        "base": {"ref": "main", "sha": "b".repeat(40), "repo": {"id": 186_853_002}}, "labels": [], "html_url": "https://github.com/acme/shop",
        "merged_at": null, "merged_by": null, "merge_commit_sha": null, "closed_at": null, "commits": 1, "review_comments": 1,
        "additions": 10, "deletions": 2, "changed_files": 1, "created_at": "2026-11-22T08:00:00Z", "updated_at": "2026-11-22T08:10:00Z"})
}

fn repository() -> Value {
    json!({"id": 186_853_002, "full_name": "acme/shop", "html_url": "https://github.com/acme/shop", "default_branch": "main"})
}

/// Returns a person's review. Its number is that of the pull request with an eight before it.
fn review(pr: u64, person: Person, state: &str, body: &str) -> Value {
    json!({"id": 800 + pr, "user": person.shown(), "body": body, "state": state, "commit_id": "a".repeat(40),
        "html_url": format!("https://github.com/acme/shop/pull/{pr}#pullrequestreview-{}", 800 + pr),
        "submitted_at": "2026-11-22T08:05:00Z", "author_association": "CONTRIBUTOR"})
}

fn comment(pr: u64, person: Person) -> Value {
    json!({"id": 900 + pr, "pull_request_review_id": 800 + pr, "in_reply_to_id": null, "path": "src/page.rs", "line": 1,
        "diff_hunk": "@@ -1 +1 @@", "body": ONE_OFF, "user": person.shown(), "author_association": "CONTRIBUTOR",
        "created_at": "2026-11-22T08:05:00Z", "updated_at": "2026-11-22T08:05:00Z"})
}

impl Part<'_> {
    /// Sets the forge's responses about a pull request with one review.
    fn answers(&self, pr: u64, person: Person, state: &str, body: &str) {
        let pull = format!("/repos/acme/shop/pulls/{pr}");
        let review = review(pr, person, &state.to_uppercase(), body);
        self.forge.put(&pull, pull_request(pr));
        self.forge.put(&format!("{pull}/reviews/{}", 800 + pr), review.clone());
        self.forge.put(&format!("{pull}/reviews?per_page=100"), json!([review]));
        self.forge.put(&format!("{pull}/comments?per_page=100"), json!([comment(pr, person)]));
        self.forge.put(&format!("{pull}/commits?per_page=100"), json!([]));
    }

    /// Sends a webhook and waits until the server has processed it.
    fn told(&self, guid: &str, event: &str, payload: &Value) -> Result<()> {
        let state = forge::send(&self.server.url, guid, event, payload)?;
        ensure!(state == "queued", "{guid}: {state}");
        for _ in 0..LOOKS_MAX {
            let list = self.stage.loci(&["reviews", "deliveries"])?;
            let rows = list["deliveries"].as_array().context("deliveries")?;
            let row = rows.iter().find(|row| row["guid"] == guid).cloned().unwrap_or_default();
            if row["state"] != "received" {
                ensure!(row["state"] == "done", "{guid}: {row}");
                return Ok(());
            }
        }
        anyhow::bail!("{guid} is not dealt with")
    }

    fn reviewed(
        &self,
        guid: &str,
        pr: u64,
        person: Person,
        (action, state, body): (&str, &str, &str),
    ) -> Result<()> {
        self.answers(pr, person, state, body);
        let payload = json!({"action": action, "review": review(pr, person, state, body), "pull_request": pull_request(pr),
            "sender": person.shown(), "repository": repository()});
        self.told(guid, "pull_request_review", &payload)
    }

    /// Returns the rules in a state.
    fn rules(&self, state: &str) -> Result<Vec<Value>> {
        let list = self.stage.loci(&["rule", "list", "acme/shop", "--state", state])?;
        list["rules"].as_array().cloned().context("rules")
    }

    fn expect(&self, what: &str, candidates: usize, active: usize) -> Result<()> {
        let found = (self.rules("candidate")?, self.rules("active")?);
        ensure!((found.0.len(), found.1.len()) == (candidates, active), "{what}: {found:?}");
        Ok(())
    }

    fn one_says_it(&self) -> Result<()> {
        self.forge.put("/repos/acme/shop/pulls/7/comments?per_page=100", json!([]));
        self.answers(7, ALICE, "changes_requested", RULE);
        self.forge.refuse_once("/repos/acme/shop/pulls/7/comments?per_page=100");
        let payload = json!({"action": "submitted", "review": review(7, ALICE, "changes_requested", RULE),
            "pull_request": pull_request(7), "sender": ALICE.shown(), "repository": repository()});
        self.told("walk-1", "pull_request_review", &payload)?;
        self.expect("one person is not enough", 1, 0)?;
        let again = forge::send(&self.server.url, "walk-1", "pull_request_review", &payload)?;
        ensure!(again == "duplicate", "sent again: {again}");
        self.expect("again is once", 1, 0)
    }

    fn again_edited_dismissed(&self) -> Result<()> {
        self.reviewed("walk-2", 7, ALICE, ("edited", "changes_requested", "Thanks, looks good."))?;
        self.expect("edited away", 0, 0)?;
        self.reviewed("walk-3", 7, ALICE, ("edited", "changes_requested", RULE))?;
        self.expect("edited back", 1, 0)?;
        self.reviewed("walk-4", 7, ALICE, ("dismissed", "dismissed", RULE))?;
        self.expect("dismissed", 0, 0)?;
        self.reviewed("walk-5", 7, ALICE, ("submitted", "changes_requested", RULE))?;
        self.expect("said once more", 1, 0)
    }

    fn two_say_it(&self) -> Result<()> {
        self.reviewed("walk-6", 8, CAROL, ("submitted", "changes_requested", RULE))?;
        self.expect("two people on two pull requests", 0, 1)
    }

    fn the_next_task_is_shown_it(&self) -> Result<()> {
        let created = ["task", "create", "--id", "t-010", "--user", "bob", "--pr", "60", "Test the pages"];
        self.stage.loci(&created)?;
        let found = self.stage.loci(&["task", "hydrate", "t-010", "--strict"])?;
        let rule = &found["rules"][0];
        let text = rule["text"].as_str().context("a rule")?;
        ensure!(text.contains("name test files after the module"), "{found}");
        let block = found["rendered"].as_str().context("a block")?;
        ensure!(block.contains(text) && !block.contains("called `total`"), "{block}");
        let source = &rule["sources"][0];
        ensure!(
            source["pr"].is_u64() && source["reviewer"].is_string() && source["url"].is_string(),
            "{rule}"
        );
        Ok(())
    }

    fn what_came_of_it(&self) -> Result<()> {
        self.stage.loci(&[
            "task",
            "complete",
            "t-010",
            "--status",
            "completed",
            "--summary",
            "Tested the pages.",
        ])?;
        let mut merged = pull_request(60);
        merged["state"] = json!("closed");
        merged["merged"] = json!(true);
        merged["merged_at"] = json!("2026-11-22T10:00:00Z");
        merged["closed_at"] = json!("2026-11-22T10:00:00Z");
        merged["merged_by"] = ALICE.shown();
        merged["merge_commit_sha"] = json!("c".repeat(40));
        self.forge.put("/repos/acme/shop/pulls/60", merged.clone());
        self.forge.put("/repos/acme/shop/pulls/60/commits?per_page=100", json!([]));
        let payload = json!({"action": "closed", "pull_request": merged, "sender": ALICE.shown(), "repository": repository()});
        self.told("walk-7", "pull_request", &payload)?;
        let outcome = self.stage.loci(&["task", "outcome", "t-010"])?;
        ensure!(outcome["outcome"] == "merged_as_is" && outcome["value"] == json!(1.0), "{outcome}");
        let rules = self.rules("active")?;
        let rule = rules.first().and_then(|rule| rule["id"].as_str()).context("the rule")?;
        let useful = self.stage.loci(&["repo", "metrics", "acme/shop", "--record", rule])?;
        let of = &useful["records"][0];
        ensure!(of["shown"] == 1 && of["outcome_sum"] == json!(1.0), "{useful}");
        Ok(())
    }
}

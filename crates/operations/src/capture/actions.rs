//! Actions that agents' answers and a final answer report: entries of a section such as "Actions
//! taken", sentences in the first person or without a subject, and tool calls. Pure.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use loci_model::limits::{
    SRE_ITEMS_MAX as ITEMS_MAX, SRE_NAME_CHARS_MAX as NAME_CHARS_MAX, SRE_TEXT_CHARS_MAX as TEXT_CHARS_MAX,
};
use loci_text::split::sentences;
use regex::Regex;
use serde_json::{Value, json};

use super::author_prose::own_prose_with_names;

/// Verbs in the past tense for actions of agents.
const VERBS: &str = "restarted|scaled|rolled back|reverted|increased|decreased|raised|lowered|deleted|removed|drained|cordoned|uncordoned|applied|patched|deployed|redeployed|cleared|flushed|killed|terminated|evicted|rotated|updated|upgraded|downgraded|changed|configured|disabled|enabled|opened|closed|created|added|stopped|started|paused|resumed|failed over|checked|ran|executed|queried|inspected|collected|analy[sz]ed|reviewed|examined|verified|tested|searched|fetched|retrieved|measured|compared|escalated|notified|paged|contacted|pulled|listed";

/// A sentence in the first person: "I restarted the pod", "We have rolled it back".
static OWN: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"(?i)^(?:then,?\s+|next,?\s+|first,?\s+|finally,?\s+)?(?:I|we)(?:'ve| have)?\s+(?:also\s+|then\s+|successfully\s+|manually\s+)?(?:{VERBS}|set|read)\b"
    ))
});
/// A sentence without a subject: "Restarted the pod". A number after the verb is a count of events,
/// not an action.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(&format!(
        r"(?i)^(?:successfully\s+|manually\s+)?(?:{VERBS})\s+(?:the|a|an|all|both|each|its|our|logs|metrics|traces|[a-z0-9]+[-_./][a-z0-9_./-]*)(?:\s|$|\.)"
    ))
});
/// Headings of sections that list actions.
static HEADING: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^[#*_\s]*(?:(?:immediate |remediation |corrective )?(?:actions?|steps?) (?:taken|performed|executed|completed)|what (?:I|we) did|actions)[*_]*\s*:?[*_]*\s*$",
    )
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// The text of one agent, from which actions are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AgentText<'a> {
    /// The agent. `None` for the supervisor's final answer.
    pub(crate) by: Option<&'a str>,
    /// The text.
    pub(crate) text: &'a str,
    /// The tool calls reported with the text.
    pub(crate) calls: &'a [Value],
}

/// Returns the distinct actions of all reports in order, and the number of actions over the limit.
pub(crate) fn actions(reports: &[AgentText<'_>]) -> (Vec<Value>, usize) {
    let (mut found, mut whats, mut seen) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let mut lost = 0;
    for report in reports {
        let said = headed(report.text).into_iter().chain(stated(report.text));
        let called = report.calls.iter().filter_map(tool).map(|name| format!("called {name}"));
        let by = report.by.filter(|by| by.chars().count() <= NAME_CHARS_MAX);
        for what in said.chain(called).filter(|what| what.chars().count() <= TEXT_CHARS_MAX) {
            // A final answer repeats the actions of agents.
            let is_known = by.is_none() && whats.contains(&what);
            if is_known || !seen.insert((by, what.clone())) {
                continue;
            }
            whats.insert(what.clone());
            if found.len() == ITEMS_MAX {
                lost += 1;
                continue;
            }
            found.push(by.map_or_else(|| json!({ "what": what }), |by| json!({"what": what, "by": by})));
        }
    }
    (found, lost)
}

/// Returns the entries under a heading of actions.
fn headed(text: &str) -> Vec<String> {
    let (mut found, mut is_of_actions) = (Vec::new(), false);
    for line in text.lines() {
        let line = line.trim();
        if HEADING.is_match(line) {
            is_of_actions = true;
            continue;
        }
        let entry = line.trim_start_matches(|sign: char| sign.is_ascii_digit());
        let entry = ["- ", "* ", "+ ", "• ", ". ", ") "].iter().find_map(|mark| entry.strip_prefix(mark));
        match entry.map(str::trim).filter(|entry| !entry.is_empty()) {
            Some(entry) if is_of_actions => found.push(entry.to_owned()),
            Some(_) => {}
            None => is_of_actions = is_of_actions && line.is_empty(),
        }
    }
    found
}

/// Returns the sentences that report actions.
fn stated(text: &str) -> Vec<String> {
    let prose = own_prose_with_names(text);
    let bare = |sentence: &str| sentence.trim().trim_start_matches(['-', '*', '•', ' ']).to_owned();
    let is_action = |sentence: &String| {
        let plain = sentence.replace('’', "'");
        !plain.ends_with('?') && !plain.contains('…') && (OWN.is_match(&plain) || BARE.is_match(&plain))
    };
    sentences(&prose).into_iter().map(bare).filter(is_action).collect()
}

fn tool(call: &Value) -> Option<&str> {
    let name = call.get("name").and_then(Value::as_str)?.trim();
    (!name.is_empty() && name.chars().count() <= NAME_CHARS_MAX).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(text: &str) -> Vec<String> {
        let (found, _) = actions(&[AgentText { by: None, text, calls: &[] }]);
        found.iter().map(|one| one["what"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn actions_are_found() {
        let check = |text: &str, expect: &[&str]| assert_eq!(whats(text), expect, "{text}");
        check("I restarted the api-server deployment.", &["I restarted the api-server deployment."]);
        check("We've rolled back the release. It is stable.", &["We've rolled back the release."]);
        check("Scaled `checkout-api` to 5 replicas.", &["Scaled checkout-api to 5 replicas."]);
        check("Checked the pod logs.\nThe pod leaks.", &["Checked the pod logs."]);
        check(
            "## Actions taken\n1. Restart of the pod\n- Limit to 1Gi\n\n## Cause\n- a leak",
            &["Restart of the pod", "Limit to 1Gi"],
        );
        check("**Actions taken:**\n* raised the limit", &["raised the limit"]);
    }

    #[test]
    fn other_sentences_are_none() {
        let check = |text: &str| assert_eq!(whats(text), Vec::<String>::new(), "{text}");
        check("The pod restarted 14 times.");
        check("Restarted 14 times in an hour.");
        check("Increased error rate since 14:00.");
        check("I did not restart the pod.");
        check("You should restart the pod.");
        check("Restart the pod.");
        check("The log says \"I restarted the pod\".");
        check("Have I restarted the pod?");
        check("## Recommendations\n- Restart the pod");
        check("");
    }

    #[test]
    fn agents_are_named_and_calls_count_once() {
        let calls =
            [json!({"id": "1", "name": "get_pods"}), json!({"id": "2", "name": "get_pods"}), json!({})];
        let of = |by, text| AgentText { by, text, calls: &[] };
        let reports = [
            AgentText { calls: &calls, ..of(Some("kubernetes-agent"), "I restarted the pod.") },
            of(Some("logs-agent"), "I restarted the pod."),
            of(None, "I restarted the pod."),
        ];
        let (found, lost) = actions(&reports);
        assert_eq!(
            found,
            [
                json!({"what": "I restarted the pod.", "by": "kubernetes-agent"}),
                json!({"what": "called get_pods", "by": "kubernetes-agent"}),
                json!({"what": "I restarted the pod.", "by": "logs-agent"}),
            ]
        );
        assert_eq!(lost, 0);
        let many: String = (0..=ITEMS_MAX).map(|at| format!("I restarted the pod {at}.\n")).collect();
        assert_eq!(actions(&[of(None, &many)]).1, 1);
    }
}

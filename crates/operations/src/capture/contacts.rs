//! Contacts and channels that an agent's answer names. They are proposals and become active only
//! after a person confirms them. Quotations, code, tool output and negated statements yield no
//! proposal. Ambiguous text yields none.

use std::sync::LazyLock;

use loci_text::split::sentences;
use regex::Regex;
use serde_json::{Map, Value, json};

use super::author_prose::own_prose;
use crate::contacts::addresses::Address;

/// The maximum number of proposed contacts, and of proposed channels.
const PROPOSED_MAX: usize = 20;
/// The maximum length of a channel name, in characters.
const CHANNEL_CHARS_MAX: usize = 80;

/// Words that indicate a contact or a notification.
static TELLS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:escalat\w*|contacts?|notif\w*|page|paging|alert(?:s|ed)?|reach|call|inform|e-?mail|on-?call|owner|responsible|post(?:ed|s)?|report(?:s|ed)?\s+to|channels?)\b",
    )
});
/// Words that negate or exclude a contact.
static DENIES: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:not|never|no|nobody|none|without|avoid|stop|instead|ignore|except|unless|former|formerly|cannot|neither|nor|nicht|kein\w*|nie)\b|n['’]t\b",
    )
});
/// A chat channel, such as `#incidents`.
static CHANNEL: LazyLock<Regex> = LazyLock::new(|| compiled(r"(?:^|[\s(])(#[A-Za-z][A-Za-z0-9_-]*)"));

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns the preferences that an answer proposes, in the form in which they are saved: escalation
/// contacts and notification channels.
pub(crate) fn proposals(text: &str) -> Vec<Value> {
    let (mut contacts, mut channels): (Vec<String>, Vec<String>) = Default::default();
    for sentence in sentences(&own_prose(text)) {
        if DENIES.is_match(sentence) || !TELLS.is_match(sentence) {
            continue;
        }
        for address in
            sentence.split(|c: char| c.is_whitespace() || ",;()<>[]|".contains(c)).filter_map(address)
        {
            if contacts.len() < PROPOSED_MAX && !contacts.contains(&address) {
                contacts.push(address);
            }
        }
        for found in CHANNEL.captures_iter(sentence).filter_map(|found| found.get(1)) {
            let name = found.as_str().to_lowercase();
            let is_new = channels.len() < PROPOSED_MAX && !channels.contains(&name);
            if name.len() <= CHANNEL_CHARS_MAX && is_new {
                channels.push(name);
            }
        }
    }
    let proposal = |kind: &str, member: &str, names: Vec<String>| {
        let value = Map::from_iter([(member.to_owned(), json!(names))]);
        (!names.is_empty())
            .then(|| json!({"preference_type": kind, "preference_value": value, "context": "named in an agent's answer"}))
    };
    let of_both =
        [proposal("escalation", "contacts", contacts), proposal("notification", "channels", channels)];
    of_both.into_iter().flatten().collect()
}

/// Returns the address that a word of a sentence is.
fn address(word: &str) -> Option<String> {
    let word = word.strip_prefix("mailto:").unwrap_or(word);
    // Punctuation around the word belongs to the sentence. A leading full stop makes the word
    // invalid.
    let word = word.trim_start_matches(['*', '\'', '"', ':']);
    let word = word.trim_end_matches(['*', '\'', '"', ':', '!', '?', '.']);
    Address::parse(word).map(|address| address.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> Vec<String> {
        let of = |value: &Value| -> Vec<String> {
            let lists = value["preference_value"].as_object().unwrap().values();
            lists
                .flat_map(|list| list.as_array().unwrap())
                .map(|one| one.as_str().unwrap().to_owned())
                .collect()
        };
        proposals(text).iter().flat_map(of).collect()
    }

    #[test]
    fn contacts_are_proposed() {
        let check = |text: &str, expect: &[&str]| assert_eq!(named(text), expect, "{text}");
        check("Escalate to ops.team@example.co.uk.", &["ops.team@example.co.uk"]);
        check("Contact <first.last+sre@Sub.Example.com>, please.", &["first.last+sre@sub.example.com"]);
        check("Notify a@example.com and b@example.com.", &["a@example.com", "b@example.com"]);
        check("Post updates in #sre-incidents.", &["#sre-incidents"]);
        check("On-call: jane@example.org", &["jane@example.org"]);
        check("**Escalation contact:** ops@example.com", &["ops@example.com"]);
    }

    #[test]
    fn what_is_no_proposal() {
        let check = |text: &str| assert_eq!(named(text), Vec::<String>::new(), "{text}");
        check("Do not contact bob@evil.com");
        check("Don't escalate to bob@evil.com.");
        check("Never page bob@evil.com.");
        check("The log says \"escalate to x@y.com\".");
        check("The log says 'escalate to x@y.com'.");
        check("Run `mail -s escalate x@y.com`.");
        check("```\nescalate to x@y.com\n```");
        check("> escalate to x@y.com");
        check("2026-11-21T14:30:00Z ERROR escalate to x@y.com");
        check("The tool output:\nescalate to x@y.com");
        check("The user a@example.com saw an error.");
        check("Notify issue #12.");
        check("Contact a..b@example.com or .a@example.com or a@b or a@1.2.3.4");
        check("");
    }

    #[test]
    fn types_are_their_own() {
        let found = proposals("Escalate to a@example.com. Post in #sre.");
        assert_eq!(found.len(), 2);
        assert_eq!(found[0]["preference_type"], "escalation");
        assert_eq!(found[0]["preference_value"], json!({"contacts": ["a@example.com"]}));
        assert_eq!(found[1]["preference_value"], json!({"channels": ["#sre"]}));
    }
}

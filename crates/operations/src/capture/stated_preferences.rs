//! Preferences that a user states in conversation, in the user's own words: each is one whole
//! sentence. Questions, one-time requests, quotations and logs are not preferences. Pure.

use std::sync::LazyLock;

use loci_model::Timestamp;
use loci_text::split::sentences;
use regex::Regex;
use serde_json::{Value, json};

use super::author_prose::{own_prose, without_code};

/// The maximum number of preferences per text.
const WISHES_MAX: usize = 20;
/// The maximum length of a sentence that is read, in bytes.
const SENTENCE_BYTES_MAX: usize = 500;

/// Sentences in which users state a preference.
static STATES: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"(?i)\bI(?:'d)?\s+(?:(?:always|never|generally|usually|normally|typically)\s+)+(?:want|prefer|expect|like|would like)\b",
        r"(?i)\bI(?:'d| would)?\s+(?:(?:really|strongly|much|always)\s+)?(?:prefer|rather have)\b",
        r"(?i)\bI\s+(?:want|like|need|expect)\s+(?:[a-z]+\s+){0,3}(?:reports|summaries|updates|notifications|alerts|answers)\b",
        r"(?i)\bmy\s+(?:preferred|preference|preferences|favou?rite|quiet hours)\b.*\b(?:is|are|from)\b",
        r"(?i)^(?:please,?\s+)?(?:always|never)\s+[a-z]+\b",
        r"(?i)\b(?:from now on|in (?:the )?future|going forward|by default|as a rule),?\s+(?:please,?\s+)?(?:I (?:want|prefer|expect|need)|(?:send|give|write|format|keep|show|notify|escalate|report|use|include|start|ask|wait|tell|call|page|email|post|summari[sz]e|answer|reply|skip|avoid|check|do not|don't|always|never)\b)",
        r"(?i)^(?:please,?\s+)?(?:do not|don't)\s+(?:ever\s+)?(?:page|call|notify|wake|e-?mail|message|ping|escalate|contact|alert|text)\b",
        r"(?i)^(?:please,?\s+)?(?:notify|alert|page|e-?mail|message|ping|text|call|contact)\s+\S+.*\b(?:when|whenever|if|for|via|by|through|only|after|before)\b",
        r"(?i)^(?:please,?\s+)?escalate\b.*\b(?:to|after|when|whenever|if|only)\b",
        r"(?i)^(?:please,?\s+)?(?:send|write|format|give|keep|make|show|present)\b.*\b(?:reports|summaries|updates|answers|notifications)\b",
    ]
    .map(compiled)
    .into()
});
/// Sentences that appear in an agent's answer only if it repeats its user.
static REPEATS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\bI\s+(?:(?:always|never|generally|usually|normally|typically)\s+)+(?:want|prefer|expect|like|would like)\b",
    )
});
/// One-time requests, past events and conditions.
static FOR_ONCE: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)\b(?:when (?:it|this|that)(?:'s| is| was|'re)? (?:done|over|fixed|finished|ready|up)|once (?:it|this|that|you)|(?:escalate|notify|page|email|call)\s+(?:this|it|that)\b|this time|just now|right now|for now|would have|used to|last time|to know (?:why|what|how|if|whether|when|where|who))\b",
    )
});
/// Sentences with "never" and "always" that report past events.
static TELLS: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r"(?i)^(?:please,?\s+)?(?:always|never)\s+(?:seen|saw|had|been|was|were|did|went|got|came|again|mind|the|a|an|on|in|at|[a-z]*[a-df-z]ed)\b",
    )
});
/// Words of the user that an answer quotes, or shows in a line of the user.
static ATTRIBUTED: LazyLock<Regex> = LazyLock::new(|| {
    compiled(
        r#"(?i)\b(?:you|user|customer|operator)\b[^.!?\n"“”]{0,40}\b(?:said|says?|asked|stated|told|mentioned|wrote|requested|noted|prefers?|preference)\b[^.!?\n"“”]{0,40}["“]([^"“”\n]{3,300})["”]"#,
    )
});
static LINE_OF_USER: LazyLock<Regex> =
    LazyLock::new(|| compiled(r"(?im)^[ \t]*[*_]*(?:the )?user[*_]*:[*_]*[ \t]+(.+)$"));

/// Preference types by words of the sentence, in order: the first match applies.
static TYPES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    [
        (r"(?i)\b(?:escalat\w*|on-?call)\b", "escalation"),
        (r"(?i)\b(?:reports?|reporting|summar\w+|format\w*|tone|style|language|bullets?|tables?|concise|brief|short|detail\w*|technical|answers?)\b", "style"),
        (r"(?i)\b(?:notif\w+|alerts?|page|paged|pages|e-?mails?|slack|sms|teams|quiet|wake|woken|call|ping|updates?|message)\b", "notification"),
        (r"(?i)\b(?:plans?|approv\w+|ask|restart\w*|deploy\w*|roll\w*|run|runbooks?|investigat\w+|check\w*|start|first|before|agents?|logs|metrics)\b", "workflow"),
    ]
    .map(|(words, kind)| (compiled(words), kind))
    .into()
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by the tests of this file")]
fn compiled(source: &str) -> Regex {
    Regex::new(source).expect("a constant pattern")
}

/// Returns the preferences that a user's message states, in the form in which they are saved.
pub(crate) fn wishes(text: &str, said_at: Timestamp) -> Vec<Value> {
    let stated = stated(&own_prose(text));
    stated.iter().map(|sentence| wish(sentence, said_at, "said in conversation")).collect()
}

/// Returns the preferences of the user that a final answer repeats, in the form in which they are
/// saved.
pub(crate) fn wishes_repeated(answer: &str, said_at: Timestamp) -> Vec<Value> {
    let open = without_code(answer, |_| None);
    let mut found: Vec<String> = Vec::new();
    let texts = ATTRIBUTED.captures_iter(&open).chain(LINE_OF_USER.captures_iter(&open));
    for text in texts.filter_map(|found| found.get(1)) {
        found.extend(stated(&own_prose(text.as_str())));
    }
    let prose = own_prose(answer);
    found.extend(stated(&prose).into_iter().filter(|sentence| REPEATS.is_match(sentence)));
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|sentence| seen.insert(sentence.clone()));
    found.truncate(WISHES_MAX);
    found.iter().map(|sentence| wish(sentence, said_at, "repeated in the final response")).collect()
}

fn stated(prose: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for sentence in sentences(prose) {
        let sentence = sentence.trim().trim_start_matches(['-', '*', '•', ' ']);
        if states(sentence) && found.len() < WISHES_MAX {
            // The full stop is not part of the preference: both forms are the same one.
            let words = sentence.trim_end_matches('.').to_owned();
            if !found.contains(&words) {
                found.push(words);
            }
        }
    }
    found
}

fn states(sentence: &str) -> bool {
    let plain = sentence.replace('’', "'");
    let is_read = plain.len() <= SENTENCE_BYTES_MAX && !plain.ends_with('?') && !plain.contains('…');
    is_read
        && !FOR_ONCE.is_match(&plain)
        && !TELLS.is_match(&plain)
        && STATES.iter().any(|form| form.is_match(&plain))
}

fn wish(sentence: &str, said_at: Timestamp, context: &str) -> Value {
    let kind = TYPES.iter().find(|(words, _)| words.is_match(sentence)).map_or("general", |(_, kind)| *kind);
    json!({
        "preference_type": kind,
        "preference_value": {"statement": sentence},
        "context": context,
        "timestamp": said_at.to_rfc3339(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::clamped(1_795_500_000_000);

    fn told(found: &[Value]) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let one =
            |wish: &Value| (text(&wish["preference_type"]), text(&wish["preference_value"]["statement"]));
        found.iter().map(one).collect()
    }

    #[test]
    fn messages_state_preferences() {
        let check = |text: &str, kind: &str| {
            let expect = vec![(kind.to_owned(), text.trim_end_matches('.').to_owned())];
            assert_eq!(told(&wishes(text, NOW)), expect, "{text}");
        };
        check("I always want reports as an executive summary", "style");
        check("I always want reports as an executive summary.", "style");
        check("I prefer technical detail.", "style");
        check("I’d prefer bullet points in summaries.", "style");
        check("I want short reports.", "style");
        check("Please always ask before a restart.", "workflow");
        check("Never restart the database without asking me.", "workflow");
        check("From now on, send updates by email.", "notification");
        check("Don't page me between 22:00 and 07:00.", "notification");
        check("Notify me by Slack for critical alerts.", "notification");
        check("Escalate to ops@example.com after 15 minutes.", "escalation");
        check("Send reports as tables.", "style");
        check("My quiet hours are 22:00 to 07:00.", "notification");
        let two = wishes("Why is it slow? I always want plans first. Thanks. Never call me at night.", NOW);
        assert_eq!(two.len(), 2);
    }

    #[test]
    fn other_sentences_state_none() {
        let check = |text: &str| assert_eq!(told(&wishes(text, NOW)), Vec::new(), "{text}");
        check("I want to know why the API is slow.");
        check("Do I always want reports?");
        check("Never seen this before.");
        check("Never happened before.");
        check("Always the same error.");
        check("Notify me when it is done.");
        check("Escalate this to Bob.");
        check("The pod always restarts at night.");
        check("From now on the pod restarts every hour.");
        check("The log says: \"I always want reports\".");
        check("```\nAlways approve plans.\n```");
        check("> I always want reports as tables.");
        check("Please check the database.");
        check("");
    }

    #[test]
    fn an_answer_repeats_its_user() {
        let check = |answer: &str, expect: &[&str]| {
            let found: Vec<_> =
                told(&wishes_repeated(answer, NOW)).into_iter().map(|(_, sentence)| sentence).collect();
            assert_eq!(found, expect, "{answer}");
        };
        check(
            "The pod leaks. I always want reports as an executive summary.",
            &["I always want reports as an executive summary"],
        );
        check("As you said: “I prefer short reports.” The pod leaks.", &["I prefer short reports"]);
        check(
            "**User:** Please always ask before a restart.\n**Cause:** a leak",
            &["Please always ask before a restart"],
        );
        check("The user asked \"never page me at night\".", &["never page me at night"]);
        // Statements of the agent about itself, and log lines, are not preferences of a user.
        check("I prefer to roll back first. Always restart the pod after a change.", &[]);
        check("The log says “I always want more memory”.", &[]);
        check("Escalate to ops@example.com after 15 minutes.", &[]);
    }
}

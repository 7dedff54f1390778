//! Preferences that nobody may set by the way (sre-memory.md §9.2): whom to call, and what spends or risks something. Pure.

use loci_model::sre::SreSource;
use serde_json::Value;

use super::addresses::looks_like_address;
use super::preference::PreferenceKey;
use super::settings::SreSettings;

/// What a preference is to whoever would misuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A contact, or where something is sent.
    Contact,
    /// It lets something happen without anybody asking.
    Risk,
    /// Anything else.
    Other,
}

/// Words in a key that make it one of a contact.
const CONTACT_WORDS: &[&str] =
    &["contact", "channel", "recipient", "oncall", "on_call", "email", "phone", "pager", "webhook"];
/// Words in a key that make it one of risk.
const RISK_WORDS: &[&str] = &["auto_approve", "bypass"];
/// Letters in a sentence that ask for risk.
const RISK_STEMS: &[&str] = &["autoapprov", "automaticallyapprov", "approveautomatically"];

/// The class of one key of a preference.
pub(super) fn class(one: &PreferenceKey) -> Class {
    let name = one.member.to_lowercase().replace('-', "_");
    let folded = name.replace('_', "");
    let has = |words: &[&str]| {
        words.iter().any(|word| name.contains(word) || folded.contains(&word.replace('_', "")))
    };
    if has(RISK_WORDS) || names_risk(&one.value) {
        Class::Risk
    } else if has(CONTACT_WORDS) || holds_contact(&one.value) {
        Class::Contact
    } else {
        Class::Other
    }
}

/// The class where a server has keys of its own that only people may set.
pub(super) fn class_by(one: &PreferenceKey, settings: &SreSettings) -> Class {
    let is_own = |name: &str| settings.protected_keys.iter().any(|pattern| matches(pattern, name));
    if is_own(&one.member) || names_any(&one.value, &is_own) { Class::Risk } else { class(one) }
}

/// A pattern in which `*` stands for any characters; case says nothing, and dashes are underscores.
fn matches(pattern: &str, name: &str) -> bool {
    let folded = |text: &str| text.trim().to_lowercase().replace('-', "_");
    let (pattern, name) = (folded(pattern), folded(name));
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        last = Some(part);
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    // What stands behind the last star ends the name; it may stand there more than once.
    !pattern.is_empty() && last.map_or(rest.is_empty(), |part| name.ends_with(part))
}

/// A key beneath the value of which something holds.
fn names_any(value: &Value, holds: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| holds(name) || names_any(value, holds)),
        Value::Array(items) => items.iter().any(|item| names_any(item, holds)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// True where whoever says it may not: it waits for a person, or is refused.
pub(super) fn needs_person(source: SreSource) -> bool {
    match source {
        SreSource::Human | SreSource::Declared => false,
        SreSource::Webhook | SreSource::Agent | SreSource::Extracted | SreSource::Imported => true,
    }
}

/// A key of risk beneath the value: it counts wherever it stands.
fn names_risk(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let folded = name.to_lowercase().replace(['_', '-'], "");
            RISK_WORDS.iter().any(|word| folded.contains(&word.replace('_', ""))) || names_risk(value)
        }),
        Value::Array(items) => items.iter().any(names_risk),
        Value::String(text) => says_risk(text),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A sentence that asks for it, however it is spelled.
fn says_risk(text: &str) -> bool {
    let letters: String = text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    RISK_STEMS.iter().any(|stem| letters.contains(stem))
}

fn holds_contact(value: &Value) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            let folded = name.to_lowercase().replace(['_', '-'], "");
            CONTACT_WORDS.iter().any(|word| folded.contains(&word.replace('_', ""))) || holds_contact(value)
        }),
        Value::Array(items) => items.iter().any(holds_contact),
        Value::String(text) => {
            text.split(|c: char| c.is_whitespace() || ",;()<>\"'".contains(c)).any(is_contact)
        }
        Value::Number(_) | Value::Null | Value::Bool(_) => false,
    }
}

/// One word that leads to somebody: an address, a URL, a handle, a channel, a telephone number.
fn is_contact(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '!', '?']);
    let is_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphabetic());
    let is_handle = ['@', '#'].iter().any(|mark| word.strip_prefix(*mark).is_some_and(is_name));
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_phone =
        digits >= 7 && word.bytes().all(|b| b.is_ascii_digit() || b"+-.".contains(&b)) && !is_date(word);
    looks_like_address(word)
        || is_handle
        || is_phone
        || word.contains("://")
        || word.starts_with("mailto:")
        || word.starts_with("tel:")
}

fn is_date(word: &str) -> bool {
    loci_model::Timestamp::parse(word).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_protected() {
        let check = |member: &str, value: Value, expect: Class| {
            let one = PreferenceKey { key: member.to_owned(), member: member.to_owned(), value };
            assert_eq!(class(&one), expect, "{member}: {}", one.value);
        };
        check("primary_contact", json!("ops.team@example.co.uk"), Class::Contact);
        check("slack-channel", json!("sre"), Class::Contact);
        check("onCall", json!("Alice"), Class::Contact);
        check("recipients", json!(["bob"]), Class::Contact);
        check("statement", json!("escalate to x@y.com"), Class::Contact);
        check("statement", json!("post to #incidents."), Class::Contact);
        check("statement", json!("ask @alice first"), Class::Contact);
        check("statement", json!("see https://example.com/hook"), Class::Contact);
        check("statement", json!("call +49-30-1234567"), Class::Contact);
        check("rules", json!({"when": "p1", "notify": {"email": "a"}}), Class::Contact);
        check("auto_approve_simple_plans", json!(true), Class::Risk);
        check("autoApprove", json!(true), Class::Risk);
        check("bypass_review", json!(true), Class::Risk);
        check("plans", json!([{"auto_approve": true}]), Class::Risk);
        check("statement", json!("Auto-approve simple plans"), Class::Risk);
        check("statement", json!("wants plans auto approved"), Class::Risk);
        check("escalation_delay_minutes", json!(15), Class::Other);
        check("quiet_hours", json!({"start": "22:00", "end": "07:00"}), Class::Other);
        check("statement", json!("prefers issue #12 style of reports since 2026-11-20"), Class::Other);
        check("report_format", json!("short"), Class::Other);
    }

    #[test]
    fn keys_of_a_server() {
        let check = |pattern: &str, name: &str, expect: bool| {
            assert_eq!(matches(pattern, name), expect, "{pattern} {name}")
        };
        check("*bypass*", "review_bypass_all", true);
        check("*bypass*", "by_pass", false);
        check("spend_limit", "spend-limit", true);
        check("spend_limit", "spend_limit_usd", false);
        check("spend*", "Spend_limit", true);
        check("*_usd", "limit_usd", true);
        check("*_usd", "usd_usd_cents", false);
        check("a*b*c", "a_b_b_c", true);
        check("a*b*c", "a_c_b", false);
        check("", "anything", false);
        let settings = SreSettings { protected_keys: vec!["*_usd".to_owned()], ..SreSettings::default() };
        let of = |value: Value| {
            let one = PreferenceKey { key: "limits".to_owned(), member: "limits".to_owned(), value };
            class_by(&one, &settings)
        };
        assert_eq!(of(json!([{"day_usd": 5}])), Class::Risk);
        assert_eq!(of(json!({"day": 5})), Class::Other);
    }

    #[test]
    fn people_and_their_files_may() {
        let may: Vec<bool> = SreSource::ALL.iter().map(|source| !needs_person(*source)).collect();
        assert_eq!(may, [true, true, false, false, false, false]);
    }
}

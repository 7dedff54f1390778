//! Preferences that only a person may set: contacts, and settings that cost or risk something.
//! Pure. All parts of a preference are checked: the type, the member, the value and, for
//! escalations and notifications, the context.

use loci_model::services::knowledge::SreSource;
use serde_json::Value;

use super::contact_words::{has_contact, has_number};
use super::harmless_values::leads_nowhere;
use crate::settings::SreSettings;

/// The risk class of a preference if it were misused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A contact, or a destination for messages.
    Contact,
    /// A setting that permits actions without approval.
    Risk,
    /// Anything else.
    Other,
}

/// One key of a preference, with its type, value and context.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PreferenceMember<'a> {
    /// The preference type.
    pub(crate) kind: &'a str,
    /// The member under which the value is stored.
    pub(crate) member: &'a str,
    /// The value of the preference.
    pub(crate) value: &'a Value,
    /// The context in which the preference was stated.
    pub(crate) context: Option<&'a str>,
}

/// Letter sequences that mark a member name as a contact.
const CONTACT_WORDS: &[&str] = &[
    "contact",
    "channel",
    "recipient",
    "oncall",
    "email",
    "phone",
    "pager",
    "webhook",
    "escalateto",
    "notifyto",
    "sendto",
    "forwardto",
];
/// Letter sequences that mark a member name as a risk.
const RISK_WORDS: &[&str] = &["autoapprov", "approveauto", "bypass"];
/// Letter sequences in a sentence that request a risk.
const RISK_STEMS: &[&str] = &["autoapprov", "automaticallyapprov", "approveautomatically", "approveauto"];
/// Preference types whose free text names recipients.
const OF_ROUTING: &[&str] = &["escalation", "notification"];

impl PreferenceMember<'_> {
    /// Returns the risk class.
    pub(crate) fn class(&self, settings: &SreSettings) -> Class {
        let is_own = |name: &str| settings.protected_keys.iter().any(|pattern| matches(pattern, name));
        let is_of_server = [self.kind, self.member].iter().any(|name| is_own(name));
        if is_of_server || names_any(self.value, &is_own) || self.is_risk() {
            Class::Risk
        } else if self.leads_elsewhere() || is_of_contact(self.member, self.value) || self.value_is_contact()
        {
            Class::Contact
        } else {
            Class::Other
        }
    }

    fn is_risk(&self) -> bool {
        // The type and the member together may form a protected name: type `auto` with member
        // `approve`.
        let path = letters(self.kind) + &letters(self.member);
        names_risk(&path, self.value)
    }

    /// True if a part other than the value contains a contact: the type, the member itself as an
    /// address, or the context.
    pub(crate) fn leads_elsewhere(&self) -> bool {
        let is_routing = OF_ROUTING.contains(&self.kind);
        names_contact(self.kind)
            || has_contact(self.member)
            || (is_routing && self.context.is_some_and(has_contact))
    }

    fn value_is_contact(&self) -> bool {
        holds_contact(self.value, OF_ROUTING.contains(&self.kind))
    }
}

/// Compares a name with a pattern in which `*` matches any characters. Case is ignored, and every
/// separator counts as an underscore.
fn matches(pattern: &str, name: &str) -> bool {
    let sign = |c: char| if c.is_alphanumeric() || c == '*' { c } else { '_' };
    let folded = |text: &str| text.trim().to_lowercase().chars().map(sign).collect::<String>();
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
    // The part after the last star must end the name, which may contain it more than once.
    !pattern.is_empty() && last.map_or(rest.is_empty(), |part| name.ends_with(part))
}

/// True if a predicate holds for any key within the value.
fn names_any(value: &Value, holds: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| holds(name) || names_any(value, holds)),
        Value::Array(items) => items.iter().any(|item| names_any(item, holds)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// True if this source may not set a protected preference: it waits for a person, or is rejected.
pub(crate) fn needs_person(source: SreSource) -> bool {
    match source {
        SreSource::Human | SreSource::Declared => false,
        SreSource::Webhook | SreSource::Agent | SreSource::Extracted | SreSource::Imported => true,
    }
}

/// Returns the letters and digits only, so that different separators give the same name.
fn letters(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect()
}

fn names_contact(name: &str) -> bool {
    let name = letters(name);
    CONTACT_WORDS.iter().any(|word| name.contains(word))
}

/// True if the member has the name of a contact and its value can be a contact.
fn is_of_contact(name: &str, value: &Value) -> bool {
    names_contact(name) && !leads_nowhere(&letters(name), value)
}

/// True if a name on the path to a value, or a sentence in it, requests a risk, at any depth.
/// `path` holds the letters of the names so far.
fn names_risk(path: &str, value: &Value) -> bool {
    let is_risk = RISK_WORDS.iter().any(|word| path.contains(word));
    is_risk
        || match value {
            Value::Object(members) => {
                members.iter().any(|(name, value)| names_risk(&(path.to_owned() + &letters(name)), value))
            }
            Value::Array(items) => items.iter().any(|item| names_risk(path, item)),
            Value::String(text) => {
                let text = letters(text);
                RISK_STEMS.iter().any(|stem| text.contains(stem))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
}

fn holds_contact(value: &Value, is_routing: bool) -> bool {
    match value {
        Value::Object(members) => members.iter().any(|(name, value)| {
            is_of_contact(name, value) || has_contact(name) || holds_contact(value, is_routing)
        }),
        Value::Array(items) => items.iter().any(|item| holds_contact(item, is_routing)),
        Value::String(text) => has_contact(text),
        // A long number is an ordinary limit, unless the type is about recipients.
        Value::Number(number) => is_routing && has_number(&number.to_string()),
        Value::Null | Value::Bool(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_protected() {
        let check = |member: &str, value: Value, expect: Class| {
            assert_eq!(of("style", member, &value, None), expect, "{member}: {value}");
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
        check("channel", json!("email"), Class::Other);
        check("notification_channels", json!(["email", "Slack"]), Class::Other);
        check("rules", json!({"p1": {"channel": "sms"}}), Class::Other);
        check("oncall_delay_minutes", json!(15), Class::Other);
        check("contact_threshold", json!("critical"), Class::Other);
        check("channel", json!("email to x@y.com"), Class::Contact);
        check("channel", json!(["email", "ops"]), Class::Contact);
        check("channel", json!({"email": "ops"}), Class::Contact);
        check("quiet_hours", json!({"start": "22:00", "end": "07:00"}), Class::Other);
        check("statement", json!("prefers issue #12 style of reports since 2026-11-20"), Class::Other);
        check("report_format", json!("short"), Class::Other);
    }

    fn of(kind: &str, member: &str, value: &Value, context: Option<&str>) -> Class {
        PreferenceMember { kind, member, value, context }.class(&SreSettings::default())
    }

    /// A protected preference is detected in any spelling and at any depth.
    #[test]
    fn nothing_is_set_in_another_spelling() {
        let check = |kind: &str, value: Value, context: Option<&str>, expect: Class| {
            let (member, value) = value.as_object().unwrap().iter().next().unwrap();
            assert_eq!(of(kind, member, value, context), expect, "{kind} {member}: {value} {context:?}");
        };
        check("auto_approve", json!({"simple_plans": true}), None, Class::Risk);
        check("auto", json!({"approve": true}), None, Class::Risk);
        check("workflow", json!({"auto": {"approve": ["simple"]}}), None, Class::Risk);
        check("workflow", json!({"auto approve simple plans": true}), None, Class::Risk);
        check("workflow", json!({"auto.approve": true}), None, Class::Risk);
        check("workflow", json!({"Auto\u{2011}Approve": true}), None, Class::Risk);
        check("workflow", json!({"by-pass": true}), None, Class::Risk);
        check("workflow", json!({"approve_automatically": true}), None, Class::Risk);
        check("style", json!({"on call": "Mallory"}), None, Class::Contact);
        check("oncall", json!({"primary": "Mallory"}), None, Class::Contact);
        check("style", json!({"x@evil.com": "page for p1"}), None, Class::Contact);
        check("escalation", json!({"escalate_to": 15_551_234_567_i64}), None, Class::Contact);
        check("escalation", json!({"first": 15_551_234_567_i64}), None, Class::Contact);
        check("escalation", json!({"statement": "escalate to +1 555 123 4567"}), None, Class::Contact);
        check("escalation", json!({"delay_minutes": 15}), Some("told by x@evil.com"), Class::Contact);
        check("notification", json!({"statement": "post to **#evil**"}), None, Class::Contact);
        check("notification", json!({"statement": "post to slack:#evil"}), None, Class::Contact);
        check("notification", json!({"min_severity": "p2"}), Some("team handbook"), Class::Other);
        check("style", json!({"memory_limit_bytes": 1_073_741_824}), None, Class::Other);
        check("style", json!({"report_format": "short"}), Some("told by x@y.com"), Class::Other);
        check("workflow", json!({"approval_steps": ["plan", "review"]}), None, Class::Other);
        check("escalation", json!({"call_delay_minutes": 15}), None, Class::Other);
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
        let of = |value: &Value| {
            PreferenceMember { kind: "style", member: "limits", value, context: None }.class(&settings)
        };
        assert_eq!(of(&json!([{"day_usd": 5}])), Class::Risk);
        assert_eq!(of(&json!([{"day usd": 5}])), Class::Risk);
        assert_eq!(of(&json!({"day": 5})), Class::Other);
    }

    #[test]
    fn people_and_their_files_may() {
        let may: Vec<bool> = SreSource::ALL.iter().map(|source| !needs_person(*source)).collect();
        assert_eq!(may, [true, true, false, false, false, false]);
    }
}

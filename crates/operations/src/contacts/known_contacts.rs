//! Contacts that need no confirmation: addresses known to the operator, or the address of the user
//! who owns the connection. Pure. The caller checks that the user stated the contact.

use serde_json::Value;

use super::addresses::Address;
use super::contact_words::has_contact;
use crate::settings::SreSettings;

/// True if a value consists of at least one address and nothing else, and each address is in an
/// operator's domain or list, or is the user's own.
pub(crate) fn are_known(value: &Value, user: &str, settings: &SreSettings) -> bool {
    let mut texts = Vec::new();
    collect(value, &mut texts)
        && !texts.is_empty()
        && texts.into_iter().all(|text| is_known(text, user, settings))
}

/// Collects all texts of the value. Returns false if it contains anything else, which is never
/// known.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) -> bool {
    match value {
        Value::String(text) => {
            texts.push(text);
            true
        }
        Value::Array(items) => items.iter().all(|item| collect(item, texts)),
        // A member name that contains a contact is never known, regardless of its value.
        Value::Object(members) => {
            members.iter().all(|(name, value)| !has_contact(name) && collect(value, texts))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_known(text: &str, user: &str, settings: &SreSettings) -> bool {
    let address = text.trim().to_lowercase();
    let Some(Address { domain, .. }) = Address::parse(&address) else { return false };
    let holds = |allowed: &String| {
        let above = domain.strip_suffix(allowed.as_str());
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    };
    address == user.to_lowercase()
        || settings.contact_roster.contains(&address)
        || settings.contact_allow_domains.iter().filter(|allowed| !allowed.is_empty()).any(holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_is_known() {
        let settings = SreSettings {
            contact_allow_domains: vec!["example.co.uk".to_owned(), String::new()],
            contact_roster: vec!["carol@other.com".to_owned()],
            ..SreSettings::default()
        };
        let check = |value: Value, expect: bool| {
            assert_eq!(are_known(&value, "alice@home.org", &settings), expect, "{value}");
        };
        check(json!("ops.team@example.co.uk"), true);
        check(json!("Ops.Team@Example.CO.UK"), true);
        check(json!("ops@sre.example.co.uk"), true);
        check(json!("carol@other.com"), true);
        check(json!("alice@home.org"), true);
        check(json!(["ops@example.co.uk", "carol@other.com"]), true);
        check(json!({"first": "ops@example.co.uk"}), true);
        check(json!({"x@evil.com": "ops@example.co.uk"}), false);
        check(json!("ops@evilexample.co.uk"), false);
        check(json!("ops@example.co.uk.evil.com"), false);
        check(json!("dave@other.com"), false);
        check(json!(["ops@example.co.uk", "bob"]), false);
        check(json!("escalate to ops@example.co.uk"), false);
        check(json!("x@evil.com ops@example.co.uk"), false);
        check(json!("a..b@example.co.uk"), false);
        check(json!("a@-example.co.uk"), false);
        check(json!("#channel"), false);
        check(json!(true), false);
        check(json!([]), false);
    }
}

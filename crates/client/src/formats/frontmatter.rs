//! A text with a YAML head, in which each value is JSON, which is also YAML, on one line. And names
//! as parts of paths and ids.

use sha2::{Digest, Sha256};

/// The server's maximum of characters of a title and of a description.
const TITLE_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 160;

/// Returns a file. A title or description that is no short line gets another key, so that nothing
/// is lost.
pub(super) fn file(title: &str, description: Option<&str>, more: &[(&str, String)], body: &str) -> String {
    let mut file = "---\n".to_owned();
    let mut say = |key: &str, value: &str| file.push_str(&format!("{key}: {}\n", quoted(value)));
    say(if is_line(title, TITLE_CHARS_MAX) { "title" } else { "source_title" }, title);
    if let Some(text) = description.filter(|text| !text.is_empty()) {
        say(if is_line(text, DESCRIPTION_CHARS_MAX) { "description" } else { "source_description" }, text);
    }
    for (key, value) in more {
        say(key, value);
    }
    file.push_str("---\n\n");
    file.push_str(body);
    file
}

fn quoted(value: &str) -> String {
    serde_json::Value::String(value.to_owned()).to_string()
}

fn is_line(text: &str, max: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= max && !text.contains(char::is_control)
}

/// Returns a name as an actor id, which is ASCII and begins with a letter or digit. If the
/// conversion loses characters, a digest is appended, so that different names stay different.
pub(super) fn actor(name: &str) -> String {
    if name.is_ascii() && name.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return segment(name);
    }
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let kept: String = name.chars().map(word).collect();
    let kept: Vec<&str> = kept.split('-').filter(|part| !part.is_empty()).collect();
    let kept: String = if kept.is_empty() { "agent".to_owned() } else { kept.join("-") };
    let digest: [u8; 32] = Sha256::digest(name).into();
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{digest}", kept.chars().take(51).collect::<String>())
}

/// Returns a name as a path segment.
pub(super) fn segment(name: &str) -> String {
    let word = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let segment: String = name.chars().map(word).take(60).collect();
    let segment = segment.trim_matches('-').to_owned();
    if segment.is_empty() { "unnamed".to_owned() } else { segment }
}

//! A text with a head of YAML: each value is JSON, which is YAML too, on one line.

/// Characters of a title, and of a description, that the server takes.
const TITLE_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 160;

/// A file. Title and description that are no short line come under names of their own, so that nothing of them is lost.
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

/// A name as a segment of a path.
pub(super) fn segment(name: &str) -> String {
    let word = |c: char| if c.is_alphanumeric() || c == '-' || c == '_' { c } else { '-' };
    let segment: String = name.chars().map(word).take(60).collect();
    let segment = segment.trim_matches('-').to_owned();
    if segment.is_empty() { "unnamed".to_owned() } else { segment }
}

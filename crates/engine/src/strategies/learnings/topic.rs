//! The opening of a learning: `**[Topic]:** text`, `**Topic:** text` or `[Topic]: text`, with an
//! optional category in parentheses after the topic; and the scope that a topic states.

use super::Category;

/// Maximum length of a topic in characters: a longer one is part of the text.
pub const TOPIC_CHARS_MAX: usize = 120;
/// Prefix of a module name in a scope.
pub const MODULE: &str = "module:";
/// Length of a file extension in bytes.
const EXTENSION_BYTES: std::ops::RangeInclusive<usize> = 1..=8;

/// A paragraph with its opening.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HeadedParagraph {
    pub(crate) topic: Option<String>,
    pub(crate) category: Option<Category>,
    pub(crate) text: String,
}

/// Splits off the topic, if there is one with text after it.
pub(crate) fn split(paragraph: &str) -> HeadedParagraph {
    let whole = || HeadedParagraph { topic: None, category: None, text: paragraph.to_owned() };
    let Some((head, text)) = bold(paragraph).or_else(|| bracketed(paragraph)) else { return whole() };
    let (topic, category) = tagged(unwrapped(head));
    let fits = !topic.is_empty() && topic.chars().count() <= TOPIC_CHARS_MAX;
    if !fits || text.trim().is_empty() {
        return whole();
    }
    HeadedParagraph { topic: Some(topic.to_owned()), category, text: text.trim().to_owned() }
}

/// Splits `**head:** text` or `**head**: text`. A topic may itself be a glob that begins or ends in
/// stars.
fn bold(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("**")?;
    let line = rest.lines().next()?;
    let (inside, outside) = (line.find(":**"), line.find("**:"));
    let at = match (inside, outside) {
        (Some(inside), Some(outside)) => inside.min(outside),
        (one, other) => one.or(other)?,
    };
    let head = rest.get(..at)?;
    // Two stars before a space end the bold text: the colon belongs to something later.
    (!head.contains("** ")).then_some((head, rest.get(at + 3..)?))
}

/// Splits `[head]: text`.
fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (head, rest) = text.strip_prefix('[')?.split_once("]:")?;
    (!head.contains(['[', ']', '\n'])).then_some((head, rest))
}

/// Returns a topic without surrounding brackets and backticks.
fn unwrapped(head: &str) -> &str {
    let head = head.trim();
    let head = head.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(head).trim();
    head.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')).unwrap_or(head).trim()
}

/// Returns a topic and the category after it, as in `Migrations (gotcha)`.
fn tagged(topic: &str) -> (&str, Option<Category>) {
    let Some((before, tag)) = topic.strip_suffix(')').and_then(|rest| rest.rsplit_once('(')) else {
        return (topic, None);
    };
    match Category::parse(tag.trim()) {
        Some(category) => (before.trim_end(), Some(category)),
        None => (topic, None),
    }
}

/// Returns the scope that a topic names, in its normal form; `None` means the whole repository.
pub fn scope_of(topic: &str) -> Option<String> {
    let topic = topic.trim();
    let lower = topic.to_lowercase();
    let module = lower.strip_prefix(MODULE).or_else(|| lower.strip_suffix(" module"));
    if let Some(name) = module.map(str::trim).filter(|name| !name.is_empty()) {
        return Some(format!("{MODULE}{}", name.replace(' ', "-")));
    }
    if topic.contains(char::is_whitespace) || topic.contains("://") {
        return None;
    }
    let path = topic.replace('\\', "/");
    let path = path.trim_start_matches("./").trim_start_matches('/');
    if path.is_empty() || !is_place(path) {
        return None;
    }
    Some(place_of(path))
}

/// Returns the normal form of a path: a directory includes its subtree.
pub fn place_of(path: &str) -> String {
    let last = path.rsplit('/').next().unwrap_or(path);
    let is_directory = path.ends_with('/') || (!path.contains('*') && !has_extension(last));
    if is_directory { format!("{}/**", path.trim_end_matches('/')) } else { path.to_owned() }
}

/// Returns true for text that can only be a path or a glob.
fn is_place(path: &str) -> bool {
    path.contains(['/', '*']) || has_extension(path)
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, end)| {
        EXTENSION_BYTES.contains(&end.len()) && end.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes() {
        let check =
            |topic: &str, expect: Option<&str>| assert_eq!(scope_of(topic).as_deref(), expect, "{topic}");
        check("Auth module", Some("module:auth"));
        check("Order history module", Some("module:order-history"));
        check("module:Auth", Some("module:auth"));
        check("src/legacy/", Some("src/legacy/**"));
        check("./src/legacy", Some("src/legacy/**"));
        check("src\\api\\orders.ts", Some("src/api/orders.ts"));
        check("**/*.test.ts", Some("**/*.test.ts"));
        check("package.json", Some("package.json"));
        check("Build", None);
        check("Build and test", None);
        check("module", None);
        check("https://x.example/a.html", None);
    }

    #[test]
    fn heads() {
        let check = |text: &str, topic: Option<&str>, category: Option<Category>, said: &str| {
            let topic = topic.map(str::to_owned);
            assert_eq!(split(text), HeadedParagraph { topic, category, text: said.to_owned() }, "{text}");
        };
        check("**A:** b", Some("A"), None, "b");
        check("**A**: b", Some("A"), None, "b");
        check("**[A]**: b", Some("A"), None, "b");
        check("**Db (gotcha):** b", Some("Db"), Some(Category::Gotcha), "b");
        check("**Db (old):** b", Some("Db (old)"), None, "b");
        check("**A:**", None, None, "**A:**");
        check("**a** b **c:** d", None, None, "**a** b **c:** d");
        check("**a** b: c", None, None, "**a** b: c");
        check("[a]: b: c", Some("a"), None, "b: c");
        check("[a] b", None, None, "[a] b");
    }
}

//! The text form of summaries: `<topic name="…">…</topic>` blocks, written and parsed.
//!
//! Content is escaped, so that it may contain markup. This module does not decide on topics.

/// A topic of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicText {
    /// The name of the topic.
    pub name: String,
    /// The statements about the topic, one on each line.
    pub content: String,
}

/// Returns topics as consecutive blocks.
pub fn write(topics: &[TopicText]) -> String {
    let mut text = String::new();
    for topic in topics {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str("<topic name=\"");
        escape(&topic.name, &mut text);
        text.push_str("\">\n");
        escape(&topic.content, &mut text);
        text.push_str("\n</topic>");
    }
    text
}

/// Parses the topics of a text that [`write()`] made; other text is ignored.
pub fn read(text: &str) -> Vec<TopicText> {
    let mut topics = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("<topic name=\"") {
        let Some((name, after)) = after.split_once("\">") else { break };
        let Some((content, after)) = after.split_once("</topic>") else { break };
        topics.push(TopicText { name: unescape(name), content: unescape(content.trim_matches('\n')) });
        rest = after;
    }
    topics
}

fn escape(text: &str, into: &mut String) {
    for c in text.chars() {
        match c {
            '&' => into.push_str("&amp;"),
            '<' => into.push_str("&lt;"),
            '>' => into.push_str("&gt;"),
            '"' => into.push_str("&quot;"),
            other => into.push(other),
        }
    }
}

/// Returns the unescaped text.
pub(super) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn form() {
        let topics = [
            TopicText { name: "a \"b\"".into(), content: "User: x < y & z".into() },
            TopicText { name: "c".into(), content: "l1\nl2".into() },
        ];
        let text = write(&topics);
        assert_eq!(
            text,
            "<topic name=\"a &quot;b&quot;\">\nUser: x &lt; y &amp; z\n</topic>\n<topic name=\"c\">\nl1\nl2\n</topic>"
        );
        assert_eq!(read(&text), topics);
        assert_eq!(read("<topic name=\"x"), []);
        assert_eq!(read("nothing"), []);
    }

    proptest! {
        #[test]
        fn reads_what_it_writes(name in "\\PC{0,20}", content in "[^\n]\\PC{0,40}[^\n]") {
            let topics = vec![TopicText { name, content }];
            prop_assert_eq!(read(&write(&topics)), topics);
        }
    }
}

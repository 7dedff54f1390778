//! Safety: what is done to every text before it is written. One sanitiser, one redactor, used by every write.
//!
//! Texts are kept as they came: a step here refuses, marks or redacts; it never rewrites meaning in silence. Sanitising
//! marks hidden characters and keeps them out of the *index* only, for the server stores verbatim (memory-manager.md
//! W-23); redaction masks secrets, in place, where the engine's settings ask for it. Neither judges what a text says.
//!
//! To add a step: a file with a pure function, one line in [`prepare`].

pub mod redact;
pub mod sanitise;

use loci_model::event::PayloadItem;

pub use redact::{RedactionMode, SecretKind};

/// A text that went through every step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SafeText {
    /// What is stored.
    pub text: String,
    /// What the index reads, where that differs.
    pub index_text: Option<String>,
    /// Hidden characters were found: the record is marked by a lower trust.
    pub hidden: bool,
    /// Kinds of secrets that were masked; sorted, each once.
    pub masked: Vec<SecretKind>,
}

impl SafeText {
    /// Trust of a record that holds the text, 0 to 1: what hides characters is trusted half.
    pub fn trust(&self) -> f64 {
        if self.hidden { 0.5 } else { 1.0 }
    }
}

/// All steps on the text of a record, and on what the index is to read of it.
pub fn prepare(text: String, index_text: Option<String>, mode: RedactionMode) -> SafeText {
    let (text, mut masked) = redact::redact(text, mode);
    let index_text = index_text.map(|index_text| {
        let (index_text, more) = redact::redact(index_text, mode);
        masked.extend(more);
        index_text
    });
    masked.sort();
    masked.dedup();
    let visible = sanitise::visible(index_text.as_deref().unwrap_or(&text));
    let hidden = sanitise::hides_characters(&text);
    let index_text = visible.or(index_text);
    SafeText { text, index_text, hidden, masked }
}

/// The steps on what an event says: messages are masked where the mode asks for it, blobs and JSON stay byte for byte
/// (clients restore their state from them).
pub fn prepare_payload(payload: &mut [PayloadItem], mode: RedactionMode) -> Vec<SecretKind> {
    let mut masked = Vec::new();
    for item in payload {
        if let PayloadItem::Conversational { text, .. } = item {
            let (clean, kinds) = redact::redact(std::mem::take(text), mode);
            *text = clean;
            masked.extend(kinds);
        }
    }
    masked.sort();
    masked.dedup();
    masked
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::Document;
    use loci_model::event::Role;

    #[test]
    fn every_step_is_taken() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let safe = prepare(format!("key {key}\u{200b} here"), None, RedactionMode::Mask);
        assert_eq!(safe.text, "key [redacted]\u{200b} here");
        assert_eq!(safe.index_text.as_deref(), Some("key [redacted] here"));
        assert_eq!((safe.hidden, safe.masked), (true, vec![SecretKind::AwsAccessKey]));
        let plain = prepare("a".into(), Some("b".into()), RedactionMode::Off);
        assert_eq!((plain.text.as_str(), plain.index_text.as_deref(), plain.trust()), ("a", Some("b"), 1.0));
    }

    #[test]
    fn only_messages_are_masked() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let blob = Document::parse(&format!("\"{key}\"")).unwrap();
        let mut payload = vec![
            PayloadItem::Conversational { role: Role::User, text: format!("my {key}") },
            PayloadItem::Blob(blob.clone()),
        ];
        assert!(prepare_payload(&mut payload, RedactionMode::Off).is_empty());
        assert_eq!(prepare_payload(&mut payload, RedactionMode::Mask), [SecretKind::AwsAccessKey]);
        let text = "my [redacted]".to_owned();
        assert_eq!(
            payload,
            [PayloadItem::Conversational { role: Role::User, text }, PayloadItem::Blob(blob)]
        );
    }
}

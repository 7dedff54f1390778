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
use loci_model::findings::Findings;
use loci_model::record::{RecordState, TrustTier};
use loci_model::settings::{InjectionMode, MemorySettings};

use crate::settings::EngineSettings;

pub use redact::{RedactionMode, SecretKind};

/// What the steps do to a text: the engine's settings, the memory's, and who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SafetyPolicy {
    /// Secrets are masked.
    pub secrets: RedactionMode,
    /// Texts that look like instructions to their reader. No step looks for them yet.
    pub injection: InjectionMode,
    /// How far the source is trusted.
    pub tier: TrustTier,
}

impl SafetyPolicy {
    /// The policy of a memory for what agents and clients say.
    pub fn of(engine: &EngineSettings, memory: &MemorySettings) -> Self {
        Self {
            secrets: memory.safety.secrets.unwrap_or(engine.redaction),
            injection: memory.safety.injection,
            tier: TrustTier::default(),
        }
    }
}

/// A text that went through every step.
#[derive(Debug, Clone, PartialEq)]
pub struct SafeText {
    /// What is stored.
    pub text: String,
    /// What the index reads, where that differs.
    pub index_text: Option<String>,
    /// Hidden characters were found: the record is marked by a lower trust.
    pub hidden: bool,
    /// Kinds of secrets that were masked; sorted, each once.
    pub masked: Vec<SecretKind>,
    /// What a record keeps of the findings.
    pub findings: Findings,
    /// How far the record is trusted.
    pub tier: TrustTier,
    /// The state a new record starts in.
    pub state: RecordState,
}

impl SafeText {
    /// Trust of a record that holds the text, 0 to 1: what hides characters is trusted half.
    pub fn trust(&self) -> f64 {
        if self.hidden { 0.5 } else { 1.0 }
    }
}

/// All steps on the text of a record, and on what the index is to read of it.
pub fn prepare(text: String, index_text: Option<String>, policy: &SafetyPolicy) -> SafeText {
    let mode = policy.secrets;
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
    SafeText {
        text,
        index_text,
        hidden,
        masked,
        findings: Findings::default(),
        tier: policy.tier,
        state: RecordState::Active,
    }
}

/// A text as a language model may see it: without hidden characters, its secrets masked whatever the settings are. Never
/// empty where the text was not.
pub fn for_model(text: &str) -> String {
    let visible = sanitise::visible(text).unwrap_or_else(|| text.to_owned());
    let (masked, _) = redact::redact(visible, RedactionMode::Mask);
    if masked.is_empty() && !text.is_empty() { redact::MASK.to_owned() } else { masked }
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
        let masking = SafetyPolicy { secrets: RedactionMode::Mask, ..SafetyPolicy::default() };
        let safe = prepare(format!("key {key}\u{200b} here"), None, &masking);
        assert_eq!(safe.text, "key [redacted]\u{200b} here");
        assert_eq!(safe.index_text.as_deref(), Some("key [redacted] here"));
        assert_eq!((safe.hidden, safe.masked), (true, vec![SecretKind::AwsAccessKey]));
        let plain = prepare("a".into(), Some("b".into()), &SafetyPolicy::default());
        assert_eq!((plain.text.as_str(), plain.index_text.as_deref(), plain.trust()), ("a", Some("b"), 1.0));
    }

    #[test]
    fn models_see_neither_secrets_nor_hidden_characters() {
        let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
        let check = |text: &str, expect: &str| assert_eq!(for_model(text), expect);
        check("", "");
        check("plain", "plain");
        check(&format!("key {key}\u{200b} here"), "key [redacted] here");
        check("\u{e0041}\u{e0042}", "[redacted]");
    }

    #[test]
    fn a_memory_may_mask_where_the_server_does_not() {
        use loci_model::settings::SafetySettings;
        let engine = EngineSettings::default();
        let check = |secrets, expect| {
            let safety = SafetySettings { secrets, ..SafetySettings::default() };
            let memory = MemorySettings { safety, ..MemorySettings::default() };
            assert_eq!(SafetyPolicy::of(&engine, &memory).secrets, expect);
        };
        check(None, RedactionMode::Off);
        check(Some(RedactionMode::Mask), RedactionMode::Mask);
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

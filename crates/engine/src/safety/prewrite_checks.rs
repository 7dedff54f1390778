//! Safety checks of long texts before their write, if they are known then. The write itself reads
//! the memory's settings, and uses these texts if the settings are unchanged. Short texts are
//! checked in the write, which costs less than another thread. `safe_store` handles texts that only
//! a write knows.

use loci_model::event::PayloadItem;
use loci_model::limits;
use loci_model::ports::store::StoreExt;
use loci_model::{MemoryId, Result};

use super::{RedactionMode, SafeText, SafetyPolicy, SecretKind, prepare, prepare_payload};
use crate::Engine;

/// A payload with masked messages, and the kinds of secrets found in them.
#[derive(Debug, Clone)]
pub(crate) struct MaskedPayload {
    pub(crate) payload: Vec<PayloadItem>,
    pub(crate) kinds: Vec<SecretKind>,
}

/// Checked texts of records, and the policy of the checks.
#[derive(Debug, Clone, Default)]
pub(crate) struct SafeTexts(Option<(SafetyPolicy, Vec<SafeText>)>);

impl SafeTexts {
    /// Returns the text at that index, if it was checked with this policy.
    pub(crate) fn get(&self, at: usize, policy: &SafetyPolicy) -> Option<SafeText> {
        let (made_by, texts) = self.0.as_ref()?;
        if made_by == policy { texts.get(at).cloned() } else { None }
    }
}

impl Engine {
    /// Masks a long payload, if the memory requires it. `None` leaves it to the write.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn masked_beforehand(
        &self,
        memory: &MemoryId,
        payload: &[PayloadItem],
    ) -> Result<Option<MaskedPayload>> {
        let bytes: usize = payload.iter().map(message_bytes).sum();
        if bytes < limits::LONG_TEXT_BYTES_MIN {
            return Ok(None);
        }
        let mode = self.policy_of(memory).await?.map_or(RedactionMode::Off, |policy| policy.secrets);
        if mode == RedactionMode::Off {
            return Ok(None);
        }
        let mut payload = payload.to_vec();
        let masked = move || {
            let kinds = prepare_payload(&mut payload, mode);
            MaskedPayload { payload, kinds }
        };
        self.long_work.run(masked).await.map(Some)
    }

    /// Checks long texts of records.
    ///
    /// # Errors
    /// Errors of the store.
    pub(crate) async fn safe_beforehand(&self, memory: &MemoryId, texts: Vec<String>) -> Result<SafeTexts> {
        if texts.iter().map(String::len).sum::<usize>() < limits::LONG_TEXT_BYTES_MIN {
            return Ok(SafeTexts::default());
        }
        let Some(policy) = self.policy_of(memory).await? else { return Ok(SafeTexts::default()) };
        let made = move || texts.into_iter().map(|text| prepare(text, None, &policy)).collect();
        let texts = self.long_work.run(made).await?;
        Ok(SafeTexts(Some((policy, texts))))
    }

    /// Checks a text; a long one on the thread for long texts.
    ///
    /// # Errors
    /// `Unavailable` if that thread cannot be started.
    pub(crate) async fn prepared(
        &self,
        text: String,
        index_text: Option<String>,
        policy: SafetyPolicy,
    ) -> Result<SafeText> {
        if text.len() + index_text.as_ref().map_or(0, String::len) < limits::LONG_TEXT_BYTES_MIN {
            return Ok(prepare(text, index_text, &policy));
        }
        self.long_work.run(move || prepare(text, index_text, &policy)).await
    }

    /// Returns the safety settings of the memory; `None` if it does not exist, which the write
    /// reports.
    async fn policy_of(&self, memory: &MemoryId) -> Result<Option<SafetyPolicy>> {
        let (memory, settings) = (memory.clone(), self.settings.clone());
        self.store
            .read(move |tx| {
                let memory = tx.memories().get(&memory)?;
                Ok(memory.map(|memory| SafetyPolicy::of(&settings, &memory.settings)))
            })
            .await
    }
}

fn message_bytes(item: &PayloadItem) -> usize {
    match item {
        PayloadItem::Conversational { text, .. } => text.len(),
        PayloadItem::Blob(_) | PayloadItem::Json(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_policy_that_they_were_made_by() {
        let masking = SafetyPolicy { secrets: RedactionMode::Mask, ..SafetyPolicy::default() };
        let made = SafeTexts(Some((masking, vec![prepare("a".to_owned(), None, &masking)])));
        assert_eq!(made.get(0, &masking).map(|safe| safe.text).as_deref(), Some("a"));
        assert_eq!(made.get(1, &masking), None);
        assert_eq!(made.get(0, &SafetyPolicy::default()), None, "the settings changed since");
        assert_eq!(SafeTexts::default().get(0, &masking), None);
    }
}

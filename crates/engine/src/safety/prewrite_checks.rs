//! Safety checks of long texts before the write that stores them, so that the write is short. The
//! write reads the memory's settings again, and uses these texts only if the settings are
//! unchanged. Short texts are checked in the write itself.

use loci_model::event::PayloadItem;
use loci_model::limits;
use loci_model::ports::store::StoreExt;
use loci_model::{MemoryId, Result};

use super::{RedactionMode, SafeText, SafetyPolicy, SecretKind, prepare, prepare_payload};
use crate::Engine;

/// The payload of an event in which secrets are masked, and the kinds of secrets that were found.
#[derive(Debug, Clone)]
pub(crate) struct MaskedPayload {
    pub(crate) payload: Vec<PayloadItem>,
    pub(crate) kinds: Vec<SecretKind>,
}

/// The checked texts of records, and the safety settings with which they were checked. `None` if
/// they were not checked before the write.
#[derive(Debug, Clone, Default)]
pub(crate) struct SafeTexts(Option<(SafetyPolicy, Vec<SafeText>)>);

impl SafeTexts {
    /// Returns the checked text at an index, if it was checked with these safety settings.
    pub(crate) fn get(&self, at: usize, policy: &SafetyPolicy) -> Option<SafeText> {
        let (made_by, texts) = self.0.as_ref()?;
        if made_by == policy { texts.get(at).cloned() } else { None }
    }
}

impl Engine {
    /// Masks the secrets in a long payload, if the memory requires it; `None` if the write must
    /// do it.
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

    /// Checks the long texts of records before their write.
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

    /// Checks one text. A long text is checked on the thread for long texts.
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

    /// Returns the safety settings of a memory; `None` if the memory does not exist, which the
    /// write reports as an error.
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

//! `providers_probe`: calls every external provider in the configuration once, concurrently, each
//! with a timeout. It checks that a provider responds, not the quality of the response.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::{Either, join_all, select};
use loci_model::Result;
use loci_model::job::exchange::Step;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::language_model::{Completion, Finish, LanguageModel, OutputForm};
use loci_model::principal::Principal;

use crate::{Engine, access};

/// The timeout of each call to a provider, in milliseconds.
const PROBE_MS_MAX: u64 = 10_000;
/// The maximum number of tokens in the answer to a test question. Reasoning models need some
/// before they write an answer.
const PROBE_TOKENS: u32 = 64;

/// The result of a test call to one external provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderProbe {
    /// The kind of provider, `model` or `embedder`, and its name.
    pub name: String,
    /// True if the provider answered.
    pub ok: bool,
    /// The time that the answer took, or the reason for a failure. It contains no content and no
    /// key.
    pub detail: String,
}

impl Engine {
    /// Calls every configured model and the embedder once.
    ///
    /// # Errors
    /// `Denied` without administration of the server. The failure of a provider is a result, not an
    /// error.
    pub async fn providers_probe(&self, caller: &Principal) -> Result<Vec<ProviderProbe>> {
        access::require_server_admin(caller)?;
        let mut models: BTreeMap<&str, &Arc<dyn LanguageModel>> = BTreeMap::new();
        models.extend(
            self.models.by_id.values().chain(&self.models.default).map(|model| (model.name(), model)),
        );
        let mut probes: Vec<BoxFuture<'_, ProviderProbe>> = Vec::new();
        for model in models.into_values() {
            probes.push(Box::pin(self.bounded(format!("model {}", model.name()), ask(model.as_ref()))));
        }
        if let Some(embedder) = &self.embedder {
            probes.push(Box::pin(self.bounded("embedder".to_owned(), embed(embedder.as_ref()))));
        }
        Ok(join_all(probes).await)
    }

    /// Runs a call and returns its name, its time and its result, with a timeout.
    async fn bounded(
        &self,
        name: String,
        call: impl Future<Output = std::result::Result<String, String>>,
    ) -> ProviderProbe {
        let began = self.clock.monotonic_us();
        let answered = match select(Box::pin(call), self.clock.sleep(PROBE_MS_MAX)).await {
            Either::Left((answered, _)) => answered,
            Either::Right(_) => Err(format!("no answer within {} s", PROBE_MS_MAX / 1_000)),
        };
        let ms = self.clock.monotonic_us().saturating_sub(began) / 1_000;
        match answered {
            Ok(how) => ProviderProbe { name, ok: true, detail: format!("{how}, {ms} ms") },
            Err(why) => ProviderProbe { name, ok: false, detail: why },
        }
    }
}

async fn ask(model: &dyn LanguageModel) -> std::result::Result<String, String> {
    let completion = Completion {
        step: Step::Extract,
        system: "You are asked whether you can be reached.".to_owned(),
        input: "Answer with the word ok.".to_owned(),
        output: OutputForm::Text,
        max_output_tokens: PROBE_TOKENS,
    };
    let reply = model.complete(&completion).await.map_err(|error| error.message)?;
    let how = match reply.finish {
        Finish::Complete | Finish::CutOff => "answers",
        Finish::Refused(_) => return Err(format!("{} refuses to answer with the word ok", reply.model)),
    };
    let usage = reply.usage;
    Ok(format!("{} {how}, {} + {} tokens", reply.model, usage.input_tokens, usage.output_tokens))
}

async fn embed(embedder: &dyn Embedder) -> std::result::Result<String, String> {
    let question = embedder.embed_question("ok".to_owned()).await.map_err(|error| error.message)?;
    Ok(format!("{} answers, {} numbers", embedder.model_id(), question.vector.len()))
}

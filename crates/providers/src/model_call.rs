//! One call of a model, for any protocol. The request uses the features that the server is known to
//! accept, and is repeated with fewer if the server rejects one. The call is counted once.

use std::sync::{Mutex, PoisonError};

use loci_model::job::exchange::Usage;
use loci_model::limits;
use loci_model::ports::BoxFuture;
use loci_model::ports::language_model::{
    Completion, Finish, LanguageModel, ModelError, ModelErrorKind, OutputForm, Reply,
};
use loci_model::ports::observe::ModelCallObservation;
use loci_model::ports::trace;
use loci_outbound::request::OutboundAnswer;
use loci_outbound::retry::asked_pause_ms;
use serde_json::Value;

use crate::dialect::{Dialect, PendingQuestion, word};
use crate::failure::{self, garbled, refused, unanswered};
use crate::registry::{JsonMode, ModelConfig, ModelEnvironment};
use crate::reply_text::unwrapped;
use crate::server_capabilities::{JsonForm, ServerCapabilities, after_refusal, both};

/// The maximum number of repeated requests in one call that use fewer features: another form of
/// JSON, no temperature, another name of the limit.
const LESSONS_MAX: u32 = 4;
/// The maximum size of an error response that is searched for the name of an unsupported feature,
/// in bytes.
const LESSON_BYTES_MAX: usize = 16 * 1024;

/// A language model from the configuration, with the features that its server accepts.
pub(crate) struct ConfiguredModel {
    config: ModelConfig,
    dialect: &'static dyn Dialect,
    around: ModelEnvironment,
    /// The name of the model in error messages.
    who: String,
    manners: Mutex<ServerCapabilities>,
}

impl ConfiguredModel {
    pub(crate) fn new(config: ModelConfig, dialect: &'static dyn Dialect, around: ModelEnvironment) -> Self {
        let forms = dialect.forms();
        let wanted = match config.json {
            JsonMode::Auto | JsonMode::Schema => JsonForm::Schema,
            JsonMode::Object => JsonForm::Object,
            JsonMode::None => JsonForm::Words,
        };
        let form = if forms.contains(&wanted) { wanted } else { JsonForm::Schema };
        let manners =
            ServerCapabilities { form, temperature: config.temperature.is_some(), old_limit: false };
        let who = format!("model `{}`", config.endpoint.name);
        Self { config, dialect, around, who, manners: Mutex::new(manners) }
    }

    /// Returns the reply of the model. `tries` receives the number of requests.
    async fn run(&self, completion: &Completion, tries: &mut u32) -> Result<Reply, ModelError> {
        for _ in 0..=LESSONS_MAX {
            let asking = PendingQuestion {
                config: &self.config,
                completion,
                manners: *self.manners.lock().unwrap_or_else(PoisonError::into_inner),
                max_output_tokens: completion.max_output_tokens.min(self.config.max_output_tokens),
            };
            let request = self.dialect.request(&asking);
            let answer = self.around.transport.send(request).await.map_err(|error| {
                *tries += 1;
                unanswered(&self.who, &error)
            })?;
            *tries += answer.tries;
            if (200..300).contains(&answer.status) {
                return self.read(&answer, &asking);
            }
            if !self.learns(&answer, asking.manners) {
                let pause = asked_pause_ms(&answer.headers, &answer.body, self.around.clock.now());
                return Err(refused(&self.who, &answer, &self.dialect.failure(&answer), pause));
            }
        }
        Err(garbled(&self.who))
    }

    fn read(&self, answer: &OutboundAnswer, asking: &PendingQuestion<'_>) -> Result<Reply, ModelError> {
        let body: Value = loci_json::from_slice(&answer.body).map_err(|_| garbled(&self.who))?;
        let mut reply = self.dialect.read(&body, asking).ok_or_else(|| garbled(&self.who))?;
        if reply.text.len() > limits::MODEL_REPLY_BYTES_MAX {
            return Err(ModelError::new(
                ModelErrorKind::Garbled,
                format!("{} answers more than {} bytes", self.who, limits::MODEL_REPLY_BYTES_MAX),
            ));
        }
        if matches!(asking.completion.output, OutputForm::Json { .. }) {
            let inside = unwrapped(&reply.text);
            if inside.len() != reply.text.len() {
                reply.text = inside.to_owned();
            }
        }
        if reply.text.is_empty() && reply.finish == Finish::Complete {
            return Err(ModelError::new(
                ModelErrorKind::Garbled,
                format!("{} answers with nothing", self.who),
            ));
        }
        reply.finish = match reply.finish {
            Finish::Refused(why) => Finish::Refused(word(&why)),
            other => other,
        };
        Ok(reply)
    }

    /// Removes a feature that an error response rejects from the known ones. Returns true if the
    /// request can be repeated without it.
    fn learns(&self, answer: &OutboundAnswer, asked: ServerCapabilities) -> bool {
        if !matches!(answer.status, 400 | 422) || answer.body.len() > LESSON_BYTES_MAX {
            return false;
        }
        let message = String::from_utf8_lossy(&answer.body);
        let forms = self.dialect.forms();
        let may_change_form = self.config.json == JsonMode::Auto;
        let Some(lesson) = after_refusal(asked, &message, forms, self.dialect.form_words(), may_change_form)
        else {
            return false;
        };
        let mut manners = self.manners.lock().unwrap_or_else(PoisonError::into_inner);
        *manners = both(*manners, lesson, forms);
        tracing::info!(model = %self.config.endpoint.name, manners = ?*manners, "the server takes less than was asked");
        true
    }
}

impl LanguageModel for ConfiguredModel {
    fn name(&self) -> &str {
        &self.config.endpoint.name
    }

    fn model_id(&self) -> &str {
        &self.config.endpoint.model
    }

    fn complete<'a>(&'a self, completion: &'a Completion) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let began = self.around.clock.monotonic_us();
            let mut tries = 0;
            let span = self.around.observe.open_span();
            let outcome = trace::under(span, self.run(completion, &mut tries)).await;
            self.around.observe.model_call(&ModelCallObservation {
                provider: &self.config.endpoint.name,
                model: &self.config.endpoint.model,
                answered_by: outcome.as_ref().ok().map(|reply| reply.model.as_str()),
                step: Some(completion.step),
                outcome: match &outcome {
                    Ok(Reply { finish: Finish::Complete, .. }) => "complete",
                    Ok(Reply { finish: Finish::CutOff, .. }) => "cut_off",
                    Ok(Reply { finish: Finish::Refused(_), .. }) => "refused",
                    Err(error) => error.kind.as_str(),
                },
                usage: outcome.as_ref().map_or_else(|_| Usage::default(), |reply| reply.usage),
                tries,
                elapsed_ms: self.around.clock.monotonic_us().saturating_sub(began) / 1_000,
                span,
            });
            outcome
        })
    }
}

/// Returns the meaning of a refusal by its status, with the vendor's code.
pub(crate) fn by_status(answer: &OutboundAnswer, code: &str) -> failure::ProviderFailure {
    failure::ProviderFailure { kind: failure::kind_of_status(answer.status), code: word(code) }
}

//! The configured language models for the engine: names become adapters, variables become keys.
//!
//! A key whose variable is unset does not prevent the start of a server. The model then answers
//! each request with that error, jobs fail as with any failing model, and `loci doctor` reports it.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use loci_engine::Models;
use loci_model::ports::BoxFuture;
use loci_model::ports::embedder::Embedder;
use loci_model::ports::language_model::{Completion, LanguageModel, ModelError, ModelErrorKind, Reply};
use loci_outbound::client::OutboundOptions;
use loci_outbound::secret::Secret;
use loci_providers::registry::{AwsKeys, Endpoint, ModelConfig, ModelEnvironment, language_model};

use crate::adapters::lower_own_priority;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::models::{ModelEntry, ModelIdEntry};
use crate::wiring::embedder::ConfiguredEmbedder;

/// The external services, read from configuration and environment, before any connection.
#[derive(Debug, Default)]
pub struct Outside {
    /// The HTTP policy.
    pub outbound: OutboundOptions,
    models: Vec<Configured>,
    ids: Vec<ModelIdEntry>,
    llm: crate::config::llm::LlmSection,
    embedder: Option<ConfiguredEmbedder>,
    previous: VectorSource,
}

/// The source of the vectors that are not recomputed yet.
#[derive(Debug, Default)]
enum VectorSource {
    #[default]
    Nobody,
    BuiltIn,
    Named(Box<ConfiguredEmbedder>),
}

impl VectorSource {
    fn read(config: &Config, environment: &Environment) -> Self {
        let Some(name) = config.embedding.previous() else { return Self::Nobody };
        ConfiguredEmbedder::named(name, config, environment)
            .map_or(Self::BuiltIn, |named| Self::Named(Box::new(named)))
    }

    fn is_quiet(&self) -> bool {
        match self {
            Self::Nobody | Self::BuiltIn => true,
            Self::Named(configured) => configured.is_quiet(),
        }
    }
}

/// A model, or the reason why it is unavailable.
#[derive(Debug, Clone)]
enum Configured {
    Ready(ModelConfig),
    Lacks { name: String, model: String, message: String },
}

impl Outside {
    /// Reads the services of a configuration, with the keys in its variables.
    pub fn read(config: &Config, environment: &Environment) -> Self {
        Self {
            outbound: config.outbound.options(),
            models: config.models.iter().map(|entry| configured(entry, config, environment)).collect(),
            ids: config.model_ids.clone(),
            llm: config.llm.clone(),
            embedder: ConfiguredEmbedder::read(config, environment),
            previous: VectorSource::read(config, environment),
        }
    }

    /// True if a process makes no calls, so that it needs no HTTP client.
    pub fn is_quiet(&self) -> bool {
        self.models.is_empty()
            && self.embedder.as_ref().is_none_or(ConfiguredEmbedder::is_quiet)
            && self.previous.is_quiet()
    }

    /// Returns the embedder if it is not the built-in one.
    ///
    /// # Errors
    /// Its configuration is invalid.
    pub fn embedder(&self, around: &ModelEnvironment) -> Result<Option<Arc<dyn Embedder>>> {
        self.embedder.as_ref().map(|configured| configured.embedder(around)).transpose()
    }

    /// Returns the previous embedder, for questions only.
    ///
    /// # Errors
    /// Its configuration is invalid.
    pub fn previous(&self, around: &ModelEnvironment) -> Result<Option<Arc<dyn Embedder>>> {
        match &self.previous {
            VectorSource::Nobody => Ok(None),
            VectorSource::BuiltIn => {
                Ok(Some(Arc::new(loci_embed::BuiltInEmbedder::start(1, lower_own_priority)?)))
            }
            VectorSource::Named(configured) => configured.embedder(around).map(Some),
        }
    }

    /// Returns the models, each by its name, by the vendor's name, and by configured model ids. If
    /// the configuration names no default, the only model is the default.
    ///
    /// # Errors
    /// The configuration of a model is invalid.
    pub fn models(&self, around: &ModelEnvironment) -> Result<Models> {
        let mut by_name: BTreeMap<String, Arc<dyn LanguageModel>> = BTreeMap::new();
        let mut by_id: BTreeMap<String, Arc<dyn LanguageModel>> = BTreeMap::new();
        for configured in &self.models {
            let model = configured.model(around)?;
            by_id.entry(model.model_id().to_owned()).or_insert_with(|| Arc::clone(&model));
            by_name.insert(model.name().to_owned(), model);
        }
        by_id.extend(by_name.iter().map(|(name, model)| (name.clone(), Arc::clone(model))));
        for entry in &self.ids {
            let model = by_name
                .get(&entry.model)
                .with_context(|| format!("there is no [[model]] {}", entry.model))?;
            by_id.insert(entry.id.clone(), Arc::clone(model));
        }
        let only = || by_name.values().next().filter(|_| by_name.len() == 1);
        let default = self.llm.model.as_ref().map_or_else(only, |name| by_name.get(name)).cloned();
        Ok(Models { mode: self.llm.mode, default, by_id })
    }
}

impl Configured {
    fn model(&self, around: &ModelEnvironment) -> Result<Arc<dyn LanguageModel>> {
        match self {
            Self::Ready(config) => {
                language_model(config.clone(), around).map_err(|error| anyhow::anyhow!(error.message))
            }
            Self::Lacks { name, model, message } => {
                tracing::warn!(model = %name, "{message}");
                Ok(Arc::new(KeylessModel {
                    name: name.clone(),
                    model: model.clone(),
                    message: message.clone(),
                }))
            }
        }
    }
}

fn configured(entry: &ModelEntry, config: &Config, environment: &Environment) -> Configured {
    let variables = Variables {
        key: entry.key_env.as_ref(),
        access_key: entry.access_key_env.as_ref(),
        secret_key: entry.secret_key_env.as_ref(),
        session_token: entry.session_token_env.as_ref(),
    };
    match variables.read(environment) {
        Err(why) => Configured::Lacks {
            name: entry.name.clone(),
            model: entry.model.clone(),
            message: format!("model `{}` has no key: {why}", entry.name),
        },
        Ok((key, aws)) => Configured::Ready(ModelConfig {
            endpoint: Endpoint {
                name: entry.name.clone(),
                protocol: entry.protocol.provider(),
                base_url: entry.base_url.clone(),
                model: entry.model.clone(),
                key,
                aws,
                region: entry.region.clone(),
                timeout_ms: entry.timeout_ms.unwrap_or(config.outbound.timeout_ms),
                concurrency: entry.concurrency,
            },
            temperature: entry.temperature.value(),
            json: entry.json.provider(),
            max_output_tokens: entry.max_output_tokens,
        }),
    }
}

/// The variables that a section names.
pub(crate) struct Variables<'a> {
    pub(crate) key: Option<&'a String>,
    pub(crate) access_key: Option<&'a String>,
    pub(crate) secret_key: Option<&'a String>,
    pub(crate) session_token: Option<&'a String>,
}

impl Variables<'_> {
    /// Returns their values, or the error for the first unset one.
    pub(crate) fn read(
        &self,
        environment: &Environment,
    ) -> std::result::Result<(Option<Secret>, Option<AwsKeys>), String> {
        let secret = |member: &str, variable: Option<&String>| {
            let Some(variable) = variable else { return Ok(None) };
            let found = environment.secret(variable).map(Secret::new);
            found
                .map(Some)
                .ok_or_else(|| format!("the variable {variable}, which {member} names, is not set"))
        };
        let key = secret("key_env", self.key)?;
        let access_key = secret("access_key_env", self.access_key)?;
        let secret_key = secret("secret_key_env", self.secret_key)?;
        let session_token = secret("session_token_env", self.session_token)?;
        let aws = access_key.zip(secret_key).map(|(access_key, secret)| AwsKeys {
            access_key: access_key.expose().to_owned(),
            secret,
            session_token,
        });
        Ok((key, aws))
    }
}

/// A model without its key.
struct KeylessModel {
    name: String,
    model: String,
    message: String,
}

impl LanguageModel for KeylessModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn model_id(&self) -> &str {
        &self.model
    }

    fn complete<'a>(&'a self, _: &'a Completion) -> BoxFuture<'a, std::result::Result<Reply, ModelError>> {
        let error = ModelError::new(ModelErrorKind::Denied, self.message.clone());
        Box::pin(std::future::ready(Err(error)))
    }
}

#[cfg(test)]
mod tests {
    use loci_model::ports::observe::NoObserver;
    use loci_outbound::client::{Outbound, OutboundParts};

    use super::*;
    use crate::adapters::{RandomIds, SystemClock};

    fn models(text: &str, variables: &[(&str, &str)]) -> Result<Models> {
        let (outside, around) = outside(text, variables)?;
        outside.models(&around)
    }

    fn outside(text: &str, variables: &[(&str, &str)]) -> Result<(Outside, ModelEnvironment)> {
        let config: Config = toml::from_str(text).unwrap();
        let outside = Outside::read(&config, &Environment::of(variables));
        let (clock, observe) = (Arc::new(SystemClock::new()), Arc::new(NoObserver));
        let parts = OutboundParts::new(clock.clone(), Arc::new(RandomIds::new()?), observe.clone());
        let transport = Arc::new(Outbound::new(outside.outbound.clone(), parts)?);
        Ok((outside, ModelEnvironment { transport, clock, observe }))
    }

    #[test]
    fn the_embedder_before() {
        let check = |section: &str, expect: Option<&str>| {
            let one = |name: &str, model: &str| {
                format!(
                    "[[embedder]]\nname = \"{name}\"\nprotocol = \"openai\"\nmodel = \"{model}\"\ndimensions = 8\n"
                )
            };
            let text = format!("[embedding]\n{section}\n{}{}", one("e", "x"), one("f", "y"));
            let (outside, around) = outside(&text, &[]).unwrap();
            let previous = outside.previous(&around).unwrap();
            assert_eq!(previous.as_ref().map(|embedder| embedder.model_id()), expect, "{section}");
        };
        check("use = \"built-in\"", None);
        check("use = \"e\"", Some("all-minilm-l6-v2/int8-1"));
        check("use = \"e\"\nprevious = \"f\"", Some("openai/y/8"));
        check("use = \"built-in\"\nprevious = \"e\"", Some("openai/x/8"));
    }

    const TWO: &str = r#"
        [[model]]
        name = "near"
        protocol = "openai"
        base_url = "http://127.0.0.1:1"
        model = "qwen3:8b"
        [[model]]
        name = "far"
        protocol = "anthropic"
        model = "claude-small"
        key_env = "FAR_KEY"
        [[model_id]]
        id = "anthropic.claude-3-5-sonnet-20241022-v2:0"
        model = "far"
    "#;

    #[test]
    fn ids_lead_to_models() {
        let models = models(TWO, &[("FAR_KEY", "k")]).unwrap();
        let check = |id: &str, expect: Option<&str>| {
            assert_eq!(models.choose(Some(id)).as_ref().map(|model| model.name()), expect, "{id}");
        };
        check("near", Some("near"));
        check("qwen3:8b", Some("near"));
        check("claude-small", Some("far"));
        check("anthropic.claude-3-5-sonnet-20241022-v2:0", Some("far"));
        check("unknown", None);
    }

    #[test]
    fn the_default_is_named_or_the_only_one() {
        let named = models(&format!("[llm]\nmodel = \"far\"\n{TWO}"), &[("FAR_KEY", "k")]).unwrap();
        assert_eq!(named.choose(None).unwrap().name(), "far");
        let one = "[[model]]\nname = \"m\"\nprotocol = \"openai\"\nmodel = \"x\"\n";
        assert_eq!(models(one, &[]).unwrap().choose(None).unwrap().name(), "m");
    }

    #[test]
    fn a_key_that_is_not_there_is_said_when_the_model_is_asked() {
        let models = models(TWO, &[]).unwrap();
        let completion = Completion {
            step: loci_model::job::exchange::Step::Extract,
            system: String::new(),
            input: String::new(),
            output: loci_model::ports::language_model::OutputForm::Text,
            max_output_tokens: 1,
        };
        let far = models.choose(Some("far")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let error = runtime.block_on(far.complete(&completion)).unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Denied);
        assert_eq!(
            error.message,
            "model `far` has no key: the variable FAR_KEY, which key_env names, is not set"
        );
    }

    #[test]
    fn a_model_without_a_limit_of_its_own_has_that_of_all_requests() {
        let one = "[[model]]\nname = \"m\"\nprotocol = \"openai\"\nmodel = \"x\"\n";
        let check = |text: String, expect: u64| {
            let config: Config = toml::from_str(&text).unwrap();
            match configured(&config.models[0], &config, &Environment::of(&[])) {
                Configured::Ready(model) => assert_eq!(model.endpoint.timeout_ms, expect, "{text}"),
                Configured::Lacks { message, .. } => panic!("{message}"),
            }
        };
        check(one.to_owned(), 60_000);
        check(format!("[outbound]\ntimeout_ms = 7\n{one}"), 7);
        check(format!("[outbound]\ntimeout_ms = 7\n{one}timeout_ms = 8\n"), 8);
    }

    #[test]
    fn what_cannot_work_is_said_at_once() {
        let text = "[[model]]\nname = \"m\"\nprotocol = \"bedrock\"\nmodel = \"x\"\nregion = \"us-east-1\"\n";
        let error = models(text, &[]).unwrap_err().to_string();
        assert!(error.contains("model.access_key_env of `m`"), "{error}");
    }
}

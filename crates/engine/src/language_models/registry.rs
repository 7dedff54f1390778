//! The language models of an engine: a default model, and other models by id. Many servers have
//! none.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use loci_model::memory::Memory;
pub use loci_model::memory::settings::ModelMode;
use loci_model::ports::language_model::LanguageModel;

use crate::Engine;

/// The language models of a server, and the mode in which they are asked.
#[derive(Clone, Default)]
pub struct Models {
    /// The mode for memories whose settings name none.
    pub mode: ModelMode,
    /// The model for strategies that name no model, or one that is not configured.
    pub default: Option<Arc<dyn LanguageModel>>,
    /// The configured models, by the id that strategies name.
    pub by_id: BTreeMap<String, Arc<dyn LanguageModel>>,
}

impl Models {
    /// Returns true if no model is configured.
    pub fn is_empty(&self) -> bool {
        self.default.is_none() && self.by_id.is_empty()
    }

    /// Returns the model for the id that a strategy names; the default one for an unknown id.
    /// `None` if no model is configured.
    pub fn choose(&self, model_id: Option<&str>) -> Option<Arc<dyn LanguageModel>> {
        let named = model_id.and_then(|id| self.by_id.get(id));
        if named.is_none()
            && let Some(model_id) = model_id
        {
            tracing::warn!(model_id, "the model is not configured: the default one is asked");
        }
        named.or(self.default.as_ref()).cloned()
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Models")
            .field("mode", &self.mode)
            .field("default", &self.default.as_ref().map(|model| model.name()))
            .field("by_id", &self.by_id.keys())
            .finish()
    }
}

impl Engine {
    /// Returns the mode in which models extract records in a memory.
    pub fn model_mode(&self, memory: &Memory) -> ModelMode {
        memory.settings.model_mode.unwrap_or(self.models.mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loci_model::ports::BoxFuture;
    use loci_model::ports::language_model::{Completion, ModelError, ModelErrorKind, Reply};

    struct Named(&'static str);

    impl LanguageModel for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn model_id(&self) -> &str {
            self.0
        }

        fn complete<'a>(&'a self, _: &'a Completion) -> BoxFuture<'a, Result<Reply, ModelError>> {
            Box::pin(async { Err(ModelError::new(ModelErrorKind::Unavailable, "never")) })
        }
    }

    #[test]
    fn ids_are_mapped_and_unknown_ones_mean_the_default() {
        let none = Models::default();
        assert!(none.choose(None).is_none() && none.choose(Some("big")).is_none());
        let models = Models {
            mode: ModelMode::Provider,
            default: Some(Arc::new(Named("usual"))),
            by_id: BTreeMap::from([("big".to_owned(), Arc::new(Named("large")) as Arc<dyn LanguageModel>)]),
        };
        let check = |id: Option<&str>, expect: &str| {
            assert_eq!(models.choose(id).unwrap().name(), expect, "{id:?}");
        };
        check(None, "usual");
        check(Some("big"), "large");
        check(Some("unheard of"), "usual");
    }
}

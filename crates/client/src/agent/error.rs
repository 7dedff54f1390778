//! What can go wrong: a store's own error with its class, and the manager's with the rule that was broken.

/// Whether the same may succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// It may; whether the store took what was sent is unknown.
    Transient,
    /// It will not, whatever happens: what was sent is at fault.
    Permanent,
    /// The store cannot tell.
    Unclassified,
}

/// Why a store did not do what it was asked. The message holds no content of entries or messages.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// Whether the same may succeed later.
    pub class: ErrorClass,
    /// What failed.
    pub message: String,
    /// The cause.
    #[source]
    pub source: Option<std::sync::Arc<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// It may succeed later.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Transient, message)
    }

    /// It will never succeed.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Permanent, message)
    }

    /// Nobody knows.
    pub fn unclassified(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Unclassified, message)
    }

    /// Of a class.
    pub fn of(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), source: None }
    }

    /// The same with its cause.
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(std::sync::Arc::new(source));
        self
    }
}

/// What one store failed with.
#[derive(Debug, Clone)]
pub struct StoreFailure {
    /// The store.
    pub store_name: String,
    /// Its error.
    pub error: StoreError,
}

/// Why the manager did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// It cannot be made of what it was given.
    #[error("{0}")]
    Configuration(String),
    /// An argument breaks a rule.
    #[error("{0}")]
    Argument(String),
    /// A store could not be made ready.
    #[error("store '{store_name}' could not be initialised: {source}")]
    Initialization {
        /// The store.
        store_name: String,
        /// Its error.
        source: StoreError,
    },
    /// Some stores did not keep what was added; the others did.
    #[error("failed to add to store(s): {}", names(.0))]
    Add(Vec<StoreFailure>),
}

fn names(failures: &[StoreFailure]) -> String {
    failures.iter().map(|failure| failure.store_name.as_str()).collect::<Vec<_>>().join(", ")
}

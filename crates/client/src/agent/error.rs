//! Errors of memory for agents: an error of a store with its class, and an error of the manager
//! with the rule that was broken.

/// The classification of an error by the use of a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// A retry may succeed. The store may have processed the failed request or not.
    Transient,
    /// A retry never succeeds, because the request itself is at fault.
    Permanent,
    /// The store does not know if a retry may succeed.
    Unclassified,
}

/// An error of a store. Its message contains no content of entries or messages.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// The classification of the error: if a retry may succeed.
    pub class: ErrorClass,
    /// A message for people that names the failed operation.
    pub message: String,
    /// The error that caused this one.
    #[source]
    pub source: Option<std::sync::Arc<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// Creates a transient error, which a retry may resolve.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Transient, message)
    }

    /// Creates a permanent error, which no retry resolves.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Permanent, message)
    }

    /// Creates an unclassified error: nobody knows if a retry helps.
    pub fn unclassified(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Unclassified, message)
    }

    /// Creates an error of a class.
    pub fn of(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), source: None }
    }

    /// Returns the error with its cause.
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(std::sync::Arc::new(source));
        self
    }
}

/// The error of one of several stores.
#[derive(Debug, Clone)]
pub struct StoreFailure {
    /// The name of the failed store.
    pub store_name: String,
    /// The error of the store.
    pub error: StoreError,
}

/// An error of a [`MemoryManager`](crate::agent::MemoryManager).
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The configuration of the manager breaks a rule. The text names the rule.
    #[error("{0}")]
    Configuration(String),
    /// An argument of a call breaks a rule. The text names the rule.
    #[error("{0}")]
    Argument(String),
    /// The initialization of a store failed.
    #[error("store '{store_name}' could not be initialised: {source}")]
    Initialization {
        /// The name of the failed store.
        store_name: String,
        /// The error of the store.
        source: StoreError,
    },
    /// Some of the stores did not store the entry. All other target stores stored it.
    #[error("failed to add to store(s): {}", names(.0))]
    Add(Vec<StoreFailure>),
}

fn names(failures: &[StoreFailure]) -> String {
    failures.iter().map(|failure| failure.store_name.as_str()).collect::<Vec<_>>().join(", ")
}

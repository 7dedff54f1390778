//! Errors of the client: a store's own error with its class, and the manager's with the violated
//! rule.

/// The prospect of a retry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// A retry may succeed; the store may or may not have taken the request.
    Transient,
    /// A retry never succeeds, because the request itself is at fault.
    Permanent,
    /// The store does not know.
    Unclassified,
}

/// An error of a store. The message contains no content of entries or messages.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    /// The prospect of a retry.
    pub class: ErrorClass,
    /// The failed operation.
    pub message: String,
    /// The cause.
    #[source]
    pub source: Option<std::sync::Arc<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// Creates an error that a retry may resolve.
    pub fn transient(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Transient, message)
    }

    /// Creates an error that no retry resolves.
    pub fn permanent(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Permanent, message)
    }

    /// Creates an error whose prospect is unknown.
    pub fn unclassified(message: impl Into<String>) -> Self {
        Self::of(ErrorClass::Unclassified, message)
    }

    /// Creates an error of a class.
    pub fn of(class: ErrorClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), source: None }
    }

    /// Adds the cause to the error.
    pub fn caused_by(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(std::sync::Arc::new(source));
        self
    }
}

/// The failure of one store.
#[derive(Debug, Clone)]
pub struct StoreFailure {
    /// The name of the store.
    pub store_name: String,
    /// The error of the store.
    pub error: StoreError,
}

/// An error of the manager.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The configuration breaks a rule.
    #[error("{0}")]
    Configuration(String),
    /// An argument breaks a rule.
    #[error("{0}")]
    Argument(String),
    /// The initialization of a store failed.
    #[error("store '{store_name}' could not be initialised: {source}")]
    Initialization {
        /// The name of the store.
        store_name: String,
        /// The error of the store.
        source: StoreError,
    },
    /// Some stores did not store the entry; the others did.
    #[error("failed to add to store(s): {}", names(.0))]
    Add(Vec<StoreFailure>),
}

fn names(failures: &[StoreFailure]) -> String {
    failures.iter().map(|failure| failure.store_name.as_str()).collect::<Vec<_>>().join(", ")
}

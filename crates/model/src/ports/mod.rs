//! The ports: the engine's interfaces to the outside, as small object-safe traits. Adapters live in
//! their own crates.
//!
//! A port returns boxed futures and names no runtime. Synchronous parts ([`store::Tx`]) do not
//! wait.

pub mod alerts;
pub mod clock;
pub mod code;
pub mod deliver;
pub mod embedder;
pub mod files;
pub mod forge;
pub mod ids;
pub mod language_model;
pub mod objects;
pub mod observe;
pub mod score;
pub mod search;
pub mod store;
pub mod trace;
pub mod vault;

/// A future that ports return.
pub type BoxFuture<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

//! The built-in embedding model, all-MiniLM-L6-v2 with int8 weights, on the CPU. It downloads nothing and reads no file: the
//! weights lie in the binary. It knows no store and no wire.
//!
//! * `embedder`: the engine's port, on threads of its own;
//! * `minilm`: texts and questions to vectors, on the caller's thread;
//! * `wordpiece`: text to ids; `windows`: how a long text is cut;
//! * `forward`: ids to vectors, through `kernels`, one file per kind of processor;
//! * `weights` and `layout`: the model file in place; `cargo xtask model` makes it.

mod embedder;
mod forward;
mod kernels;
mod layout;
mod minilm;
mod weights;
mod windows;
mod wordpiece;

pub use embedder::BuiltInEmbedder;
pub use minilm::MiniLm;

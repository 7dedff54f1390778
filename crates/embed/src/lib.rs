//! The built-in embedding model, all-MiniLM-L6-v2 with int8 weights, on the CPU. It downloads
//! nothing and reads no file, because the binary contains the weights. It depends on neither a
//! store nor a network protocol.
//!
//! * `embedder`: the engine's port, on its own threads;
//! * `minilm`: converts texts and questions to vectors, on the caller's thread;
//! * `wordpiece`: converts text to ids; `windows`: splits a long text;
//! * `forward`: converts ids to vectors, through `kernels`, one file per kind of processor;
//! * `weights` and `layout`: the model file in place; `cargo xtask model` creates it.

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

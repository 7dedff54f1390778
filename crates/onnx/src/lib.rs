//! Encoders that a user brings in ONNX files, run on the CPU by `rten`: the `Embedder` port beside the built-in model
//! (docs/decisions/0059). Compiled with the feature `onnx` of the binary alone.
//!
//! | file | idea |
//! |---|---|
//! | [`embedder`] | the port, on threads of its own |
//! | `encoder` | the model: windows of ids become unit vectors |
//! | `tokens` | the tokenizer: a text becomes windows of ids |
//! | [`pooling`] | rows of tokens become one vector |

pub mod embedder;
mod encoder;
pub mod pooling;
mod tokens;

pub use embedder::OnnxEmbedder;
pub use pooling::Pooling;

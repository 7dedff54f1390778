//! Encoders in ONNX files of the user, run on the CPU by `rten`: the `Embedder` port as an
//! alternative to the built-in model (docs/decisions/0059). Compiled only with the feature `onnx`
//! of the binary.
//!
//! | file | idea |
//! |---|---|
//! | [`embedder`] | the port, on its own threads |
//! | `encoder` | the model: converts windows of ids to unit vectors |
//! | `tokens` | the tokenizer: converts a text to windows of ids |
//! | [`pooling`] | converts rows of tokens to one vector |

pub mod embedder;
mod encoder;
pub mod pooling;
mod tokens;

pub use embedder::OnnxEmbedder;
pub use pooling::Pooling;

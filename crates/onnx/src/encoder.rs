//! The model of an encoder: converts windows of ids to unit vectors. It knows no threads and no
//! queues.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use loci_model::{Error, Result};
use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use crate::pooling::{Pooling, unit};
use crate::tokens::Window;

/// Names of outputs in exports: rows of tokens, or vectors of texts.
const OUTPUTS: [&str; 3] = ["last_hidden_state", "token_embeddings", "sentence_embedding"];

/// The inputs of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Ids,
    Mask,
    Kinds,
}

/// A loaded model.
pub(crate) struct Encoder {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    pooling: Pooling,
}

impl Encoder {
    /// Reads a model.
    ///
    /// # Errors
    /// Invalid: the file is not an encoder.
    pub(crate) fn read(file: Vec<u8>, pooling: Pooling) -> Result<Self> {
        let model = guarded(|| ModelOptions::with_all_ops().load(file).map_err(|error| error.to_string()))
            .map_err(|why| broken(&why))?;
        let inputs = model.input_ids().iter().map(|id| input(&model, *id)).collect::<Result<Vec<_>>>()?;
        if !inputs.iter().any(|(_, input)| *input == Input::Ids) {
            return Err(broken("it has no input input_ids"));
        }
        let named = |name: &&str| model.find_node(name).filter(|id| model.output_ids().contains(id));
        let found = OUTPUTS.iter().find_map(named).or_else(|| model.output_ids().first().copied());
        let output = found.ok_or_else(|| broken("it has no output"))?;
        Ok(Self { model, inputs, output, pooling })
    }

    /// Returns one unit vector per window.
    ///
    /// # Errors
    /// Unavailable: the model cannot be run on the windows, or its outputs are not vectors.
    pub(crate) fn vectors(&self, windows: &[&Window], pool: &Arc<ThreadPool>) -> Result<Vec<Vec<f32>>> {
        let ids_max = windows.iter().map(|window| window.ids.len()).max().unwrap_or(0);
        if ids_max == 0 {
            return Err(failed("a text has no tokens"));
        }
        let given = |kind: Input| {
            let mut numbers = Vec::with_capacity(windows.len() * ids_max);
            for window in windows {
                let ids = window.ids.len();
                match kind {
                    Input::Ids => numbers.extend_from_slice(&window.ids),
                    Input::Kinds => numbers.extend_from_slice(&window.kinds),
                    Input::Mask => numbers.resize(numbers.len() + ids, 1),
                }
                numbers.resize(numbers.len() + ids_max - ids, 0);
            }
            NdTensor::<i32, 2>::from_data([windows.len(), ids_max], numbers)
        };
        let inputs = self.inputs.iter().map(|(id, kind)| (*id, given(*kind).into())).collect();
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(pool)));
        let run = || self.model.run(inputs, &[self.output], Some(options)).map_err(|error| error.to_string());
        let output = guarded(run).map_err(|why| failed(&why))?.into_iter().next();
        let rows: Tensor<f32> = output
            .and_then(Value::into_tensor)
            .ok_or_else(|| failed("its output is not in single precision"))?;
        self.pooled(windows, ids_max, &rows).ok_or_else(|| {
            failed(&format!("its output has the shape {:?}, or numbers without a direction", rows.shape()))
        })
    }

    fn pooled(&self, windows: &[&Window], ids_max: usize, rows: &Tensor<f32>) -> Option<Vec<Vec<f32>>> {
        let numbers = rows.to_vec();
        match *rows.shape() {
            [texts, width] if texts == windows.len() && width > 0 => {
                numbers.chunks_exact(width).map(|one| unit(one.to_vec())).collect()
            }
            [texts, ids, width] if texts == windows.len() && ids == ids_max && width > 0 => numbers
                .chunks_exact(ids * width)
                .zip(windows)
                .map(|(rows, window)| self.pooling.pool(rows.get(..window.ids.len() * width)?, width))
                .collect(),
            _ => None,
        }
    }
}

fn input(model: &Model, id: NodeId) -> Result<(NodeId, Input)> {
    let info = model.node_info(id);
    let name = info.as_ref().and_then(|info| info.name()).unwrap_or_default();
    match name {
        "input_ids" => Ok((id, Input::Ids)),
        "attention_mask" => Ok((id, Input::Mask)),
        "token_type_ids" => Ok((id, Input::Kinds)),
        other => Err(broken(&format!(
            "it wants an input {other}: encoders have input_ids, attention_mask and token_type_ids"
        ))),
    }
}

/// Runs external code on an untrusted file. A panic in it must not end a thread.
fn guarded<T>(work: impl FnOnce() -> std::result::Result<T, String>) -> std::result::Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("it is not as the runtime expects".to_owned()))
}

fn broken(why: &str) -> Error {
    Error::invalid("embedder.path", format!("embedder.path is no encoder that can be run: {why}"))
}

fn failed(why: &str) -> Error {
    Error::unavailable(format!("The embedder's model gives no vectors: {why}"))
}

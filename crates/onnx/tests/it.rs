//! A tiny encoder, run for real: its vectors equal those that `encoder.py` computed without an ONNX
//! runtime.

#![cfg(test)]

use std::path::{Path, PathBuf};

use futures::executor::block_on;
use futures::future::join;
use loci_model::ports::embedder::Embedder;
use loci_onnx::{OnnxEmbedder, Pooling};
use serde_json::Value;

/// The tolerance of single precision after some hundred sums.
const NEAR: f32 = 2e-5;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn start(pooling: Pooling, threads: usize) -> OnnxEmbedder {
    OnnxEmbedder::start(&file("encoder.onnx"), &file("tokenizer.json"), pooling, threads).unwrap()
}

fn expected() -> Vec<Value> {
    serde_json::from_slice(&std::fs::read(file("expected.json")).unwrap()).unwrap()
}

fn assert_near(found: &[f32], expect: &Value, text: &str) {
    let expect: Vec<f32> = expect.as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
    assert_eq!(found.len(), expect.len());
    let apart = found.iter().zip(&expect).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(apart < NEAR, "{text:?}: {apart} apart: {found:?} {expect:?}");
}

#[test]
fn vectors_are_those_of_the_model() {
    for (pooling, word, threads) in [(Pooling::Mean, "mean", 1), (Pooling::Cls, "cls", 2)] {
        let embedder = start(pooling, threads);
        assert_eq!(embedder.dimensions(), 16);
        let expected = expected();
        let texts: Vec<String> =
            expected.iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect();
        let vectors = block_on(embedder.embed(texts.clone())).unwrap();
        for ((text, vector), expect) in texts.iter().zip(&vectors).zip(&expected) {
            assert_near(vector, &expect[word], text);
            let alone = block_on(embedder.embed(vec![text.clone()])).unwrap();
            assert_near(&alone[0], &expect[word], text);
        }
    }
}

#[test]
fn a_long_question_is_known_by_its_ends() {
    let embedder = start(Pooling::Mean, 1);
    for expect in expected() {
        let text = expect["text"].as_str().unwrap();
        let windows = expect["ids"].as_array().unwrap().len();
        let question = block_on(embedder.embed_question(text.to_owned())).unwrap();
        assert_near(&question.vector, &expect["question"], text);
        assert_eq!(question.shortened, windows > 2, "{text}");
    }
    let long = "the boat lies in largs ".repeat(20);
    let (batch, question) = block_on(join(embedder.embed(vec![long.clone()]), embedder.embed_question(long)));
    assert!(question.unwrap().shortened);
    assert_eq!(batch.unwrap().len(), 1);
}

#[test]
fn ids_tell_models_apart() {
    let (mean, cls) = (start(Pooling::Mean, 1), start(Pooling::Cls, 1));
    let parts: Vec<&str> = mean.model_id().split('/').collect();
    assert_eq!((parts.len(), parts[0], parts[1].len(), parts[2]), (3, "onnx", 12, "16"));
    assert_eq!(mean.model_id(), start(Pooling::Mean, 2).model_id());
    assert_ne!(mean.model_id(), cls.model_id(), "their vectors must never be compared");
}

#[test]
fn what_is_no_encoder_is_said() {
    let check = |model: &Path, tokenizer: &Path, field: &str, part: &str| {
        let error = OnnxEmbedder::start(model, tokenizer, Pooling::Mean, 1).err().unwrap();
        assert_eq!(error.field.as_deref(), Some(field), "{}", error.message);
        assert!(error.message.contains(part), "{}", error.message);
    };
    let (model, tokenizer) = (file("encoder.onnx"), file("tokenizer.json"));
    check(&file("nothing.onnx"), &tokenizer, "embedder.path", "nothing.onnx");
    check(&model, &file("nothing.json"), "embedder.tokenizer", "nothing.json");
    check(&tokenizer, &tokenizer, "embedder.path", "no encoder");
    check(&model, &model, "embedder.tokenizer", "no tokenizer.json");
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.onnx");
    std::fs::write(&cut, &std::fs::read(&model).unwrap()[..9_000]).unwrap();
    check(&cut, &tokenizer, "embedder.path", "no encoder");
}

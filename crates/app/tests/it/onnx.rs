//! An encoder in a file as the embedder, with the feature `onnx`: it recomputes all vectors, and
//! searches use it.

use serde_json::Value;

use crate::models::settled;
use crate::program::Home;

fn file(name: &str) -> String {
    format!("{}/../onnx/tests/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn configured(home: &Home, path: &str) -> String {
    let text = format!(
        "[embedding]\nuse = \"own\"\n[[embedder]]\nname = \"own\"\nprotocol = \"onnx\"\npath = \"{}\"\n\
         tokenizer = \"{}\"\npooling = \"mean\"\n",
        file(path),
        file("tokenizer.json")
    );
    let config = home.path("config.toml");
    std::fs::write(&config, text).unwrap();
    config.display().to_string()
}

#[test]
fn an_encoder_from_a_file_makes_the_vectors() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes", "--strategy", "semantic"]);
    home.ok(&[
        "event",
        "create",
        "--memory",
        "notes",
        "--actor",
        "me",
        "--session",
        "s",
        "The boat lies in Largs.",
    ]);
    let config = configured(&home, "encoder.onnx");
    let server = home.serve_with(&["--config", &config], &[]);
    let memories = home.json(&["memory", "list"]);
    settled(&server, memories["memories"][0]["id"].as_str().unwrap());

    let report = home.json(&["doctor"]);
    let findings = report["findings"].as_array().unwrap();
    let detail = |begins: &str| {
        let named = |finding: &&Value| finding["name"].as_str().unwrap().starts_with(begins);
        findings.iter().find(named).unwrap()["detail"].as_str().unwrap().to_owned()
    };
    let embedder = detail("embedder");
    assert!(embedder.starts_with("onnx/") && embedder.contains("/16 answers, 16 numbers, "), "{embedder}");
    let index = detail("index of");
    let passages = index.split_once(" passages").unwrap().0;
    assert!(index.contains(&format!("{passages} passages, {passages} vectors")), "{index}");
    let found = home.json(&["search", "--memory", "notes", "Where is the boat?"]).to_string();
    assert!(found.contains("Largs") && !found.contains("embedding_"), "{found}");
    assert!(server.stop());
}

#[test]
fn a_file_that_is_no_encoder_is_named_at_the_start() {
    let home = Home::new();
    let config = configured(&home, "expected.json");
    let said = home.fails(1, &["serve", "--listen", "127.0.0.1:0", "--config", &config]);
    assert!(said.contains("[[embedder]] own") && said.contains("no encoder"), "{said}");
}

//! Compares the built-in model with the published one: ids and vectors of our own texts, as written
//! by `bench/embed/check.py --fixture` from the fp32 weights. It does not measure retrieval.

#![cfg(test)]

use loci_embed::MiniLm;

struct Case {
    text: String,
    ids: Vec<u16>,
    vector: Vec<f32>,
}

fn cases() -> Vec<Case> {
    let file: serde_json::Value = serde_json::from_str(include_str!("reference.json")).unwrap();
    let hexadecimal = |text: &str| -> Vec<f32> {
        let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        (0..text.len()).step_by(2).map(|at| f32::from(byte(at).cast_signed())).collect()
    };
    let case = |entry: &serde_json::Value| Case {
        text: entry["text"].as_str().unwrap().to_owned(),
        ids: entry["ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_u64().unwrap().try_into().unwrap())
            .collect(),
        vector: hexadecimal(entry["vector"].as_str().unwrap()),
    };
    file.as_array().unwrap().iter().map(case).collect()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn ids_are_those_of_the_reference_tokeniser() {
    let model = MiniLm::new();
    let cases = cases();
    assert!(cases.len() >= 100);
    for case in cases {
        assert_eq!(model.token_ids(&case.text), case.ids, "{:?}", case.text);
    }
}

#[test]
fn vectors_are_close_to_the_fp32_reference() {
    let cases = cases();
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    let vectors = MiniLm::new().embed(&texts);
    assert_eq!(vectors.len(), cases.len());
    let cosines: Vec<f32> =
        vectors.iter().zip(&cases).map(|(vector, case)| cosine(vector, &case.vector)).collect();
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    let (least, text) = cosines.iter().zip(&texts).min_by(|a, b| a.0.total_cmp(b.0)).unwrap();
    assert!(mean >= 0.995 && *least >= 0.98, "mean {mean}, least {least} for {text:?}");
}

#[test]
fn vectors_have_length_one_and_ignore_their_neighbours() {
    let model = MiniLm::new();
    let cases = cases();
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    for (text, together) in texts.iter().zip(model.embed(&texts)).step_by(3) {
        assert_eq!(together.len(), model.dimensions());
        assert!((together.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
        assert_eq!(model.embed(&[text]), [together], "{text:?}");
    }
    assert_eq!(model.embed(&[]), Vec::<Vec<f32>>::new());
}

#[test]
fn a_long_question_is_its_two_ends_and_says_so() {
    let model = MiniLm::new();
    let (start, end) = (vec!["storm"; 254].join(" "), vec!["piano"; 254].join(" "));
    let question = format!("{start} {} {end}", vec!["cheese"; 300].join(" "));
    let long = model.embed_question(&question);
    assert!(long.shortened);
    let ends = model.embed(&[&start, &end]);
    let sum: Vec<f32> = ends[0].iter().zip(&ends[1]).map(|(a, b)| a + b).collect();
    assert!(cosine(&long.vector, &sum) > 0.999_99);

    let short = model.embed_question("When did Alice move to Lisbon?");
    assert!(!short.shortened);
    assert_eq!([short.vector], *model.embed(&["When did Alice move to Lisbon?"]));
}

#[test]
fn related_texts_are_closer_than_unrelated_ones() {
    let model = MiniLm::new();
    let vectors = model.embed(&[
        "When did Alice move?",
        "Alice moved house in March.",
        "Salt the water before boiling pasta.",
    ]);
    assert!(cosine(&vectors[0], &vectors[1]) > cosine(&vectors[0], &vectors[2]) + 0.3);
}

//! Reads texts, one JSON string per line, and writes the output of the model for
//! `bench/embed/check.py`: `ids` (a JSON array per line), `vectors` (f32, little-endian), or
//! `speed [kernels]` (milliseconds per text, one thread). The mode `rounds` is the measured side of
//! `bench/embed/peer.py`. Its first output line lists the kernels that this processor supports. For
//! each input line `{"kernels", "calls", "texts"}` it then writes the duration of each call in
//! milliseconds, including tokenisation.

use std::io::{BufRead, Write};
use std::time::Instant;

use loci_embed::MiniLm;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mode = std::env::args().nth(1).unwrap_or_default();
    let model = MiniLm::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if mode == "speed" {
        let wanted = std::env::args().nth(2);
        let chosen = |model: &MiniLm| wanted.as_deref().is_none_or(|name| name == model.kernels());
        return MiniLm::variants()
            .iter()
            .filter(|model| chosen(model))
            .try_for_each(|model| speed(model, &mut out));
    }
    if mode == "rounds" {
        return rounds(&mut out);
    }
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        match mode.as_str() {
            "ids" => writeln!(out, "{}", serde_json::to_string(&model.token_ids(&text))?)?,
            "vectors" => {
                for vector in model.embed(&[&text]) {
                    vector.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
                }
            }
            other => return Err(format!("mode {other:?} is not one of ids, vectors, speed, rounds").into()),
        }
    }
    Ok(out.flush()?)
}

/// Prints the best and the median time of many calls, for texts of 14, 62 and 254 ids (16, 64 and
/// 256 rows) and for batches.
fn speed(model: &MiniLm, out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    writeln!(out, "kernels {}", model.kernels())?;
    for (ids, texts, calls) in [(14, 1, 300), (62, 1, 100), (254, 1, 30), (62, 64, 5)] {
        let text = "memory ".repeat(ids);
        let batch = vec![text.as_str(); texts];
        let mut times = Vec::new();
        for _ in 0..calls {
            #[expect(clippy::disallowed_methods, reason = "a measurement")]
            let start = Instant::now();
            assert_eq!(model.embed(&batch).len(), texts);
            times.push(start.elapsed().as_secs_f64() * 1e3 / texts as f64);
        }
        times.sort_by(f64::total_cmp);
        let (best, middle) =
            (times.first().copied().unwrap_or_default(), times.get(calls / 2).copied().unwrap_or_default());
        writeln!(out, "{texts:>3} × {:>3} rows: best {best:.2} ms, median {middle:.2} ms per text", ids + 2)?;
    }
    Ok(out.flush()?)
}

/// Answers rounds until the input ends.
fn rounds(out: &mut impl Write) -> Result<(), Box<dyn std::error::Error>> {
    let models = MiniLm::variants();
    let names: Vec<&str> = models.iter().map(MiniLm::kernels).collect();
    writeln!(out, "{}", serde_json::to_string(&names)?)?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let round: serde_json::Value = serde_json::from_str(&line?)?;
        let model =
            models.iter().find(|model| round["kernels"] == model.kernels()).ok_or("no such kernels")?;
        let texts: Vec<&str> =
            round["texts"].as_array().into_iter().flatten().filter_map(|text| text.as_str()).collect();
        let mut times = Vec::new();
        for _ in 0..round["calls"].as_u64().unwrap_or(1) {
            #[expect(clippy::disallowed_methods, reason = "a measurement")]
            let start = Instant::now();
            assert_eq!(model.embed(&texts).len(), texts.len());
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        writeln!(out, "{}", serde_json::to_string(&times)?)?;
        out.flush()?;
    }
    Ok(())
}

//! Snapshots of one size: their size, the time to write and to load, and the longest lock of the
//! index.

use std::fs::File;
use std::io::{BufReader, Write};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use loci_index::{MemoryIndex, SnapshotSaver};

/// The number of timed loads; the fastest counts.
const LOADS: usize = 3;

/// The costs of a snapshot.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) bytes: u64,
    pub(crate) save_seconds: f64,
    /// The longest time for which the index cannot change during a snapshot, in milliseconds.
    pub(crate) hold_ms: f64,
    pub(crate) load_seconds: f64,
}

/// Writes and loads a snapshot in a temporary file, which is then removed.
pub(crate) fn measure(index: &MemoryIndex) -> Result<Snapshot> {
    let path = std::env::temp_dir().join(format!("loci-growth-{}.snap", std::process::id()));
    let outcome = write_and_load(index, &path);
    std::fs::remove_file(&path)?;
    outcome
}

fn write_and_load(index: &MemoryIndex, path: &std::path::Path) -> Result<Snapshot> {
    let start = Instant::now();
    let mut file = File::create(path)?;
    let (mut saver, mut block, mut hold) = (SnapshotSaver::new(), Vec::new(), Duration::ZERO);
    loop {
        let step = Instant::now();
        let more = saver.next(index, &mut block);
        hold = hold.max(step.elapsed());
        if !more {
            break;
        }
        file.write_all(&block)?;
        block.clear();
    }
    let save_seconds = start.elapsed().as_secs_f64();
    let mut load = Duration::MAX;
    for _ in 0..LOADS {
        let start = Instant::now();
        let back = MemoryIndex::load(&mut BufReader::with_capacity(1 << 16, File::open(path)?))?;
        load = load.min(start.elapsed());
        ensure!(back.info().digest == index.info().digest, "a loaded snapshot differs from its index");
    }
    Ok(Snapshot {
        bytes: std::fs::metadata(path)?.len(),
        save_seconds,
        hold_ms: hold.as_secs_f64() * 1_000.0,
        load_seconds: load.as_secs_f64(),
    })
}

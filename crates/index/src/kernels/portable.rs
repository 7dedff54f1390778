//! The loops in plain Rust: for any machine, and the measure of the others.

use super::{Kernels, Line, WideLine};

/// The portable loops.
pub(super) fn kernels() -> Kernels {
    Kernels { dot, dot_rows, distances }
}

fn dot(question: &[WideLine], row: &[Line]) -> i32 {
    let line = |(q, v): (&WideLine, &Line)| {
        q.0.iter().zip(&v.0).map(|(q, v)| i32::from(*q) * i32::from(*v)).sum::<i32>()
    };
    question.iter().zip(row).map(line).sum()
}

fn dot_rows(left: &[Line], right: &[Line]) -> i32 {
    let line = |(a, b): (&Line, &Line)| {
        a.0.iter().zip(&b.0).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>()
    };
    left.iter().zip(right).map(line).sum()
}

fn distances(sketch: &[u64], rows: &[u64], distances: &mut Vec<u16>) {
    distances.clear();
    if sketch.is_empty() {
        return;
    }
    let distance =
        |row: &[u64]| row.iter().zip(sketch).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>() as u16;
    distances.extend(rows.chunks_exact(sketch.len()).map(distance));
}

//! The vectors of the passages, by model: rows of bytes, their scales and their sketches. It does not choose among them.

use std::sync::Arc;

use crate::bits::Bits;
use crate::columns::NONE;
use crate::input::StoredVector;
use crate::kernels::{self, Line, WideLine};
use crate::sketch;

/// All vectors of one model.
#[derive(Debug)]
pub(crate) struct Space {
    /// Model and quantisation.
    pub(crate) model: Arc<str>,
    /// Values of a vector.
    pub(crate) dimensions: usize,
    lines: Vec<Line>,
    scales: Vec<f32>,
    sketches: Vec<u64>,
    passages: Vec<u32>,
    /// Passages that have a vector here.
    pub(crate) holders: Bits,
}

/// A question as the kernels take it: `scale · values`.
#[derive(Debug)]
pub(crate) struct Question {
    lines: Vec<WideLine>,
    scale: f32,
    /// Its sketch.
    pub(crate) sketch: Vec<u64>,
}

/// The vectors of all models.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    spaces: Vec<Space>,
}

impl Vectors {
    /// Adds a vector of a passage yet to be named by [`Vectors::give`]; `None` for a vector without values.
    pub(crate) fn add(&mut self, vector: &StoredVector) -> Option<(u16, u32)> {
        let dimensions = vector.values.len();
        if dimensions == 0 {
            return None;
        }
        let at = self.position(&vector.model, dimensions).or_else(|| {
            self.spaces.push(Space::new(Arc::clone(&vector.model), dimensions));
            Some(self.spaces.len() - 1)
        })?;
        let number = u16::try_from(at).ok()?;
        self.spaces.get_mut(at).map(|space| (number, space.push(vector)))
    }

    /// Names the passage a row belongs to, or none with [`NONE`].
    pub(crate) fn give(&mut self, (space, row): (u16, u32), passage: u32) {
        let Some(space) = self.spaces.get_mut(usize::from(space)) else { return };
        let Some(holder) = space.passages.get_mut(row as usize) else { return };
        let before = std::mem::replace(holder, passage);
        if before != NONE {
            space.holders.clear(before);
        }
        if passage != NONE {
            space.holders.set(passage);
        }
    }

    /// The space of a question.
    pub(crate) fn space(&self, model: &str, dimensions: usize) -> Option<(u16, &Space)> {
        let at = self.position(model, dimensions)?;
        Some((u16::try_from(at).ok()?, self.spaces.get(at)?))
    }

    /// The space of a number.
    pub(crate) fn by_number(&self, number: u16) -> Option<&Space> {
        self.spaces.get(usize::from(number))
    }

    /// Every space.
    pub(crate) fn spaces(&self) -> &[Space] {
        &self.spaces
    }

    /// Drops rows without a passage, renames the others' passages, and tells each new row.
    pub(crate) fn compact(&mut self, renamed: &[u32], mut moved: impl FnMut(u32, u32)) {
        for space in &mut self.spaces {
            space.compact(renamed, &mut moved);
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.spaces.iter().map(Space::bytes).sum()
    }

    fn position(&self, model: &str, dimensions: usize) -> Option<usize> {
        self.spaces.iter().position(|space| space.dimensions == dimensions && &*space.model == model)
    }
}

impl Space {
    fn new(model: Arc<str>, dimensions: usize) -> Self {
        let (lines, scales, sketches, passages) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { model, dimensions, lines, scales, sketches, passages, holders: Bits::default() }
    }

    fn push(&mut self, vector: &StoredVector) -> u32 {
        self.lines.extend(kernels::lines(&vector.values));
        self.scales.push(vector.scale);
        sketch::of_row(&vector.values, &mut self.sketches);
        self.passages.push(NONE);
        (self.passages.len() - 1) as u32
    }

    /// Lines of one row.
    fn width(&self) -> usize {
        self.dimensions.div_ceil(kernels::LINE)
    }

    /// The lines of a row; empty for a row that does not exist.
    pub(crate) fn row(&self, row: u32) -> &[Line] {
        let start = row as usize * self.width();
        self.lines.get(start..start + self.width()).unwrap_or_default()
    }

    /// The scale of a row.
    pub(crate) fn scale(&self, row: u32) -> f32 {
        self.scales.get(row as usize).copied().unwrap_or(0.0)
    }

    /// All sketches, row by row.
    pub(crate) fn sketches(&self) -> &[u64] {
        &self.sketches
    }

    /// The passage of each row; [`NONE`] for a row that is free.
    pub(crate) fn passages(&self) -> &[u32] {
        &self.passages
    }

    /// A question to this space; `None` if it has no direction.
    pub(crate) fn question(&self, vector: &[f32]) -> Option<Question> {
        let greatest = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        if vector.len() != self.dimensions || !greatest.is_finite() || greatest <= 0.0 {
            return None;
        }
        let step = f32::from(kernels::widest(self.width())) / greatest;
        let values: Vec<i16> = vector.iter().map(|value| (value * step).round() as i16).collect();
        let square: f64 = values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
        let line = |chunk: &[i16]| WideLine(std::array::from_fn(|at| chunk.get(at).copied().unwrap_or(0)));
        let lines = values.chunks(kernels::LINE).map(line).collect();
        Some(Question { lines, scale: (1.0 / square.sqrt()) as f32, sketch: sketch::of_question(vector) })
    }

    /// Cosine of a question and a row.
    #[inline]
    pub(crate) fn cosine(&self, question: &Question, row: u32) -> f32 {
        (kernels::chosen().dot)(&question.lines, self.row(row)) as f32 * question.scale * self.scale(row)
    }

    /// Dot product of two rows.
    pub(crate) fn between(&self, left: u32, right: u32) -> f32 {
        (kernels::chosen().dot_rows)(self.row(left), self.row(right)) as f32
            * self.scale(left)
            * self.scale(right)
    }

    fn compact(&mut self, renamed: &[u32], moved: &mut impl FnMut(u32, u32)) {
        let (width, words) = (self.width(), sketch::words(self.dimensions));
        let mut to = 0usize;
        for from in 0..self.passages.len() {
            let Some(passage) = renamed.get(self.passages[from] as usize).copied().filter(|new| *new != NONE)
            else {
                continue;
            };
            self.lines.copy_within(from * width..(from + 1) * width, to * width);
            self.sketches.copy_within(from * words..(from + 1) * words, to * words);
            self.scales[to] = self.scales[from];
            self.passages[to] = passage;
            moved(passage, to as u32);
            to += 1;
        }
        self.lines.truncate(to * width);
        self.sketches.truncate(to * words);
        self.scales.truncate(to);
        self.passages.truncate(to);
        self.holders = self.passages.iter().copied().collect();
    }

    fn bytes(&self) -> usize {
        self.lines.len() * kernels::LINE
            + self.sketches.len() * 8
            + self.passages.len() * 8
            + self.holders.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(values: &[f32], model: &str) -> StoredVector {
        StoredVector::quantise(values, model)
    }

    #[test]
    fn models_and_lengths_are_kept_apart() {
        let mut vectors = Vectors::default();
        assert_eq!(vectors.add(&stored(&[1.0, 0.0], "a")), Some((0, 0)));
        assert_eq!(vectors.add(&stored(&[1.0, 0.0], "b")), Some((1, 0)));
        assert_eq!(vectors.add(&stored(&[1.0], "a")), Some((2, 0)));
        assert_eq!(vectors.add(&stored(&[0.0, 1.0], "a")), Some((0, 1)));
        assert_eq!(vectors.add(&stored(&[], "a")), None);
        assert!(vectors.space("b", 1).is_none());
    }

    #[test]
    fn cosines_and_compaction() {
        let mut vectors = Vectors::default();
        for (passage, values) in [[1.0, 0.0], [0.6, 0.8], [0.0, -1.0]].iter().enumerate() {
            let row = vectors.add(&stored(values, "m")).unwrap();
            vectors.give(row, passage as u32);
        }
        let cosine = |vectors: &Vectors, row| {
            let (_, space) = vectors.space("m", 2).unwrap();
            space.cosine(&space.question(&[0.0, 3.0]).unwrap(), row)
        };
        for (row, expect) in [(0, 0.0), (1, 0.8), (2, -1.0)] {
            assert!((cosine(&vectors, row) - expect).abs() < 0.005);
        }
        vectors.give((0, 0), NONE);
        let mut seen = Vec::new();
        vectors.compact(&[NONE, 0, 1], |passage, row| seen.push((passage, row)));
        assert_eq!(seen, [(0, 0), (1, 1)]);
        assert!((cosine(&vectors, 0) - 0.8).abs() < 0.005);
        assert_eq!(vectors.spaces()[0].holders.iter().collect::<Vec<_>>(), [0, 1]);
        assert!((vectors.spaces()[0].between(0, 1) + 0.8).abs() < 0.01);
    }

    #[test]
    fn a_question_without_direction_is_none() {
        let space = Space::new("m".into(), 2);
        for vector in [&[0.0f32, 0.0][..], &[1.0], &[f32::INFINITY, 1.0], &[f32::NAN, 0.0]] {
            assert!(space.question(vector).is_none(), "{vector:?}");
        }
    }
}

//! The vectors of the passages, by model: rows of bytes, their scales and their sketches. It does
//! not select among them.

pub(super) mod segment;
pub(super) mod sketch;

use std::sync::Arc;

use loci_model::Result;

use crate::columns::NONE;
use crate::input::StoredVector;
use crate::kernels::{self, Line, Tables, WideLine};
use crate::primitives::bits::Bits;
use crate::snapshot::bytes::{ByteReader, ByteWriter, damaged};
use crate::vectors::segment::{SEGMENT, Segment};
use crate::vectors::sketch::Sketcher;

/// All vectors of one model.
#[derive(Debug)]
pub(crate) struct ModelVectors {
    /// The model and the quantisation.
    pub(crate) model: Arc<str>,
    /// The number of values of a vector.
    pub(crate) dimensions: usize,
    sketcher: Sketcher,
    /// The segments; all except the last are full.
    segments: Vec<Segment>,
    /// The passages with a vector in this space.
    pub(crate) holders: Bits,
}

/// A question in the form for kernels: `scale · values`.
#[derive(Debug)]
pub(crate) struct Question {
    lines: Vec<WideLine>,
    scale: f32,
    /// The distances that parts of a sketch add.
    pub(crate) tables: Vec<Tables>,
    /// The greatest possible distance.
    pub(crate) farthest: u16,
}

/// The vectors of all models.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    spaces: Vec<ModelVectors>,
}

impl Vectors {
    /// Adds a vector, whose passage [`Vectors::give`] sets later; `None` for a vector without
    /// values.
    pub(crate) fn add(&mut self, vector: &StoredVector) -> Option<(u16, u32)> {
        let dimensions = vector.values.len();
        if dimensions == 0 {
            return None;
        }
        let number = self.open(&vector.model, dimensions)?;
        self.spaces.get_mut(usize::from(number)).map(|space| (number, space.push(vector)))
    }

    /// Returns the number of the space of a model, and adds it if new.
    pub(crate) fn open(&mut self, model: &str, dimensions: usize) -> Option<u16> {
        let at = self.position(model, dimensions).unwrap_or_else(|| {
            self.spaces.push(ModelVectors::new(model.into(), dimensions));
            self.spaces.len() - 1
        });
        u16::try_from(at).ok()
    }

    /// Adds rows of a snapshot to every space. `read` receives the number of dimensions. Returns
    /// the number of rows by space. They have no passage yet.
    pub(crate) fn load<'a>(&mut self, mut read: impl FnMut(usize) -> Result<RowsIn<'a>>) -> Result<Vec<u32>> {
        let mut counts = Vec::with_capacity(self.spaces.len());
        for space in &mut self.spaces {
            let mut rows = read(space.dimensions)?;
            counts.push(rows.len());
            while !rows.is_empty() {
                space.load_row(&mut rows)?;
            }
        }
        Ok(counts)
    }

    /// Sets the passage of a row; [`NONE`] frees it.
    pub(crate) fn give(&mut self, (space, row): (u16, u32), passage: u32) {
        let Some(space) = self.spaces.get_mut(usize::from(space)) else { return };
        let Some(segment) = space.segments.get_mut(row as usize / SEGMENT) else { return };
        let before = segment.give(row as usize % SEGMENT, passage);
        if before != NONE {
            space.holders.clear(before);
        }
        if passage != NONE {
            space.holders.set(passage);
        }
    }

    /// Returns the space of a question.
    pub(crate) fn space(&self, model: &str, dimensions: usize) -> Option<(u16, &ModelVectors)> {
        let at = self.position(model, dimensions)?;
        Some((u16::try_from(at).ok()?, self.spaces.get(at)?))
    }

    /// Returns the space with a number.
    pub(crate) fn by_number(&self, number: u16) -> Option<&ModelVectors> {
        self.spaces.get(usize::from(number))
    }

    /// Returns all spaces.
    pub(crate) fn spaces(&self) -> &[ModelVectors] {
        &self.spaces
    }

    /// Removes rows without a passage, renumbers the passages of the others, and reports each new
    /// row.
    pub(crate) fn compact(&mut self, renamed: &[u32], mut moved: impl FnMut(u32, u32)) {
        for space in &mut self.spaces {
            space.compact(renamed, &mut moved);
        }
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.spaces.iter().map(ModelVectors::bytes).sum()
    }

    fn position(&self, model: &str, dimensions: usize) -> Option<usize> {
        self.spaces.iter().position(|space| space.dimensions == dimensions && &*space.model == model)
    }
}

impl ModelVectors {
    fn new(model: Arc<str>, dimensions: usize) -> Self {
        let sketcher = Sketcher::new(dimensions);
        Self { model, dimensions, sketcher, segments: Vec::new(), holders: Bits::default() }
    }

    fn push(&mut self, vector: &StoredVector) -> u32 {
        let sketch = self.sketcher.of_row(&vector.values);
        self.append(|last| last.push(kernels::lines(&vector.values), vector.scale, &sketch))
    }

    /// Adds the row that `add` puts into the last segment, and returns its number.
    fn append(&mut self, add: impl FnOnce(&mut Segment)) -> u32 {
        if self.segments.last().is_none_or(|last| last.len() == SEGMENT) {
            // The first segment grows gradually, for small memories.
            let new = if self.segments.is_empty() { Segment::new } else { Segment::with_room };
            self.segments.push(new(self.width(), sketch::bytes(self.dimensions)));
        }
        let full = (self.segments.len() - 1) * SEGMENT;
        let Some(last) = self.segments.last_mut() else { return NONE };
        add(last);
        (full + last.len() - 1) as u32
    }

    /// Writes a row to a snapshot.
    pub(crate) fn save_row(&self, row: u32, out: &mut RowsOut) {
        out.count += 1;
        out.scales.u32(self.scale(row).to_bits());
        let sketch = self.segment(row).map(|segment| segment.sketch(row as usize % SEGMENT));
        out.sketches.bytes(&sketch.unwrap_or_default());
        let mut left = self.dimensions;
        for line in self.row(row) {
            let bytes = line.0.map(i8::cast_unsigned);
            out.values.bytes(bytes.get(..left).unwrap_or(&bytes));
            left = left.saturating_sub(kernels::LINE);
        }
    }

    fn load_row(&mut self, rows: &mut RowsIn<'_>) -> Result<()> {
        let row = rows.next(self.dimensions).ok_or_else(|| damaged("a missing vector"))?;
        let (whole, rest) = row.values.as_chunks();
        let last = (!rest.is_empty()).then(|| {
            let mut line = [0; kernels::LINE];
            line.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            line
        });
        let lines = whole.iter().copied().chain(last).map(|line| Line(line.map(u8::cast_signed)));
        self.append(|segment| segment.push(lines, row.scale, row.sketch));
        Ok(())
    }

    /// Returns the number of lines in a row.
    fn width(&self) -> usize {
        self.dimensions.div_ceil(kernels::LINE)
    }

    /// Returns the rows in segments of [`SEGMENT`].
    pub(crate) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    fn segment(&self, row: u32) -> Option<&Segment> {
        self.segments.get(row as usize / SEGMENT)
    }

    /// Returns the lines of a row. Empty for an unknown row.
    #[inline]
    pub(crate) fn row(&self, row: u32) -> &[Line] {
        self.segment(row).map_or(&[], |segment| segment.lines(row as usize % SEGMENT))
    }

    /// Returns the scale of a row.
    #[inline]
    pub(crate) fn scale(&self, row: u32) -> f32 {
        self.segment(row).map_or(0.0, |segment| segment.scale(row as usize % SEGMENT))
    }

    /// Returns the passage of a row; [`NONE`] for a free row.
    pub(crate) fn passage(&self, row: u32) -> u32 {
        self.segment(row).map_or(NONE, |segment| segment.passage(row as usize % SEGMENT))
    }

    /// Converts a question to this space; `None` for a zero vector.
    pub(crate) fn question(&self, vector: &[f32]) -> Option<Question> {
        let greatest = vector.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        if vector.len() != self.dimensions || !greatest.is_finite() || greatest <= 0.0 {
            return None;
        }
        let step = f32::from(kernels::widest(self.width())) / greatest;
        if !step.is_finite() {
            return None;
        }
        let values: Vec<i16> = vector.iter().map(|value| (value * step).round() as i16).collect();
        let square: f64 = values.iter().map(|value| f64::from(*value) * f64::from(*value)).sum();
        let line = |chunk: &[i16]| WideLine(std::array::from_fn(|at| chunk.get(at).copied().unwrap_or(0)));
        let lines = values.chunks(kernels::LINE).map(line).collect();
        let (tables, farthest) = self.sketcher.of_question(&values);
        Some(Question { lines, scale: (1.0 / square.sqrt()) as f32, tables, farthest })
    }

    /// Returns the cosine of a question and a row.
    #[inline]
    pub(crate) fn cosine(&self, question: &Question, row: u32) -> f32 {
        (kernels::chosen().dot)(&question.lines, self.row(row)) as f32 * question.scale * self.scale(row)
    }

    /// Returns the dot product of two rows.
    pub(crate) fn between(&self, left: u32, right: u32) -> f32 {
        (kernels::chosen().dot_rows)(self.row(left), self.row(right)) as f32
            * self.scale(left)
            * self.scale(right)
    }

    fn compact(&mut self, renamed: &[u32], moved: &mut impl FnMut(u32, u32)) {
        self.holders = Bits::default();
        for from in std::mem::take(&mut self.segments) {
            for row in 0..from.len() {
                let passage = renamed.get(from.passage(row) as usize).copied().unwrap_or(NONE);
                if passage == NONE {
                    continue;
                }
                let number = self.append(|to| {
                    from.copy_to(row, to);
                    to.give(to.len() - 1, passage);
                });
                self.holders.set(passage);
                moved(passage, number);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.segments.iter().map(Segment::bytes).sum::<usize>() + self.holders.bytes()
    }
}

/// Rows of one space to be written to a block of a snapshot.
#[derive(Debug, Default)]
pub(crate) struct RowsOut {
    count: u32,
    scales: ByteWriter,
    sketches: ByteWriter,
    values: ByteWriter,
}

impl RowsOut {
    /// Returns the number of bytes so far.
    pub(crate) fn bytes(&self) -> usize {
        self.scales.0.len() + self.sketches.0.len() + self.values.0.len()
    }

    /// Appends them to the block.
    pub(crate) fn write(&self, out: &mut ByteWriter) {
        out.u32(self.count).bytes(&self.scales.0).bytes(&self.sketches.0).bytes(&self.values.0);
    }
}

/// The remaining rows of one space in a block of a snapshot.
#[derive(Debug)]
pub(crate) struct RowsIn<'a> {
    scales: &'a [[u8; 4]],
    sketches: &'a [u8],
    values: &'a [u8],
}

struct RowIn<'a> {
    scale: f32,
    sketch: &'a [u8],
    values: &'a [u8],
}

impl<'a> RowsIn<'a> {
    /// Locates the rows in a block. No value may be −128: the kernels depend on it.
    pub(crate) fn read(block: &mut ByteReader<'a>, dimensions: usize) -> Result<Self> {
        let too_many = || damaged("more vectors than fit");
        let count = block.count(4)?;
        let sketches = count.checked_mul(sketch::bytes(dimensions)).ok_or_else(too_many)?;
        let scales = block.bytes(count * 4)?.as_chunks().0;
        let sketches = block.bytes(sketches)?;
        let values = block.bytes(count.checked_mul(dimensions).ok_or_else(too_many)?)?;
        if values.contains(&0x80) || scales.iter().any(|scale| !f32::from_le_bytes(*scale).is_finite()) {
            return Err(damaged("a vector that cannot be"));
        }
        Ok(Self { scales, sketches, values })
    }

    /// Returns the number of remaining rows.
    fn len(&self) -> u32 {
        self.scales.len() as u32
    }

    /// True if no row remains.
    fn is_empty(&self) -> bool {
        self.scales.is_empty()
    }

    fn next(&mut self, dimensions: usize) -> Option<RowIn<'a>> {
        let (scale, scales) = self.scales.split_first()?;
        let (sketch, sketches) = self.sketches.split_at_checked(sketch::bytes(dimensions))?;
        let (values, rest) = self.values.split_at_checked(dimensions)?;
        (self.scales, self.sketches, self.values) = (scales, sketches, rest);
        Some(RowIn { scale: f32::from_le_bytes(*scale), sketch, values })
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
        let space = ModelVectors::new("m".into(), 2);
        for vector in [&[0.0f32, 0.0][..], &[1.0], &[f32::INFINITY, 1.0], &[f32::NAN, 0.0], &[1e-40, 0.0]] {
            assert!(space.question(vector).is_none(), "{vector:?}");
        }
    }
}

//! A segment of rows of one model: values, scales, sketches and passages. It does not interpret the
//! model.
//!
//! Rows are stored in segments of fixed length, so that a large memory grows without copying and
//! without spare capacity.

use crate::columns::NONE;
use crate::kernels::{self, BLOCK, GROUP, Line, Tile};
use crate::primitives::bits::Bits;

/// The number of rows in a full segment.
pub(crate) const SEGMENT: usize = 4096;

/// A segment of up to [`SEGMENT`] rows.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// The number of lines in a row.
    width: usize,
    /// The number of tiles in a block of sketches.
    tiles_width: usize,
    lines: Vec<Line>,
    tiles: Vec<Tile>,
    scales: Vec<f32>,
    passages: Vec<u32>,
    groups: Vec<GroupUsage>,
}

/// The used rows of a group, and their passages.
#[derive(Debug, Clone, Copy)]
struct GroupUsage {
    taken: u64,
    /// The passage of the group's first row, if the passages of used rows are contiguous like the
    /// rows; otherwise [`NONE`].
    base: u32,
}

/// Up to [`GROUP`] rows, the unit of a scan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group<'a> {
    /// The index of the first row within its segment.
    pub(crate) first: usize,
    /// Their sketches.
    pub(crate) tiles: &'a [Tile],
    passages: &'a [u32],
    place: GroupUsage,
}

impl Segment {
    /// Returns a segment for rows of `width` lines and sketches of `sketch` bytes.
    pub(crate) fn new(width: usize, sketch: usize) -> Self {
        Self { width, tiles_width: sketch / 4, ..Self::default() }
    }

    /// Returns a segment with capacity for all rows, which never reallocates.
    pub(crate) fn with_room(width: usize, sketch: usize) -> Self {
        let mut segment = Self::new(width, sketch);
        segment.lines.reserve_exact(SEGMENT * width);
        segment.tiles.reserve_exact(SEGMENT / BLOCK * segment.tiles_width);
        segment.scales.reserve_exact(SEGMENT);
        segment.passages.reserve_exact(SEGMENT);
        segment
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.passages.len()
    }

    /// Adds a row without a passage.
    pub(crate) fn push(&mut self, lines: impl Iterator<Item = Line>, scale: f32, sketch: &[u8]) {
        let row = self.len();
        make_room(&mut self.lines, self.width, SEGMENT * self.width);
        make_room(&mut self.scales, 1, SEGMENT);
        make_room(&mut self.passages, 1, SEGMENT);
        self.lines.extend(lines);
        self.lines.resize((row + 1) * self.width, Line([0; kernels::LINE]));
        self.scales.push(scale);
        self.passages.push(NONE);
        if row.is_multiple_of(BLOCK) {
            make_room(&mut self.tiles, self.tiles_width, SEGMENT / BLOCK * self.tiles_width);
            let tiles = self.tiles.len() + self.tiles_width;
            self.tiles.resize(tiles, Tile([0; kernels::LINE]));
        }
        if row.is_multiple_of(GROUP) {
            self.groups.push(GroupUsage::FREE);
        }
        self.set_sketch(row, sketch);
    }

    /// Returns the lines of a row. Empty for an unknown row.
    #[inline]
    pub(crate) fn lines(&self, row: usize) -> &[Line] {
        self.lines.get(row * self.width..(row + 1) * self.width).unwrap_or_default()
    }

    /// Returns the scale of a row.
    #[inline]
    pub(crate) fn scale(&self, row: usize) -> f32 {
        self.scales.get(row).copied().unwrap_or(0.0)
    }

    /// Returns the passage of a row; [`NONE`] for a free row.
    #[inline]
    pub(crate) fn passage(&self, row: usize) -> u32 {
        self.passages.get(row).copied().unwrap_or(NONE)
    }

    /// Returns the sketch of a row.
    pub(crate) fn sketch(&self, row: usize) -> Vec<u8> {
        let start = row / BLOCK * self.tiles_width;
        let tiles = self.tiles.get(start..start + self.tiles_width).unwrap_or_default();
        tiles.iter().flat_map(|tile| tile.0.iter().skip(row % BLOCK).step_by(BLOCK).copied()).collect()
    }

    fn set_sketch(&mut self, row: usize, sketch: &[u8]) {
        let start = row / BLOCK * self.tiles_width;
        let tiles = self.tiles.get_mut(start..start + self.tiles_width).unwrap_or_default();
        for (tile, bytes) in tiles.iter_mut().zip(sketch.chunks(kernels::LINE / BLOCK)) {
            for (to, from) in tile.0.iter_mut().skip(row % BLOCK).step_by(BLOCK).zip(bytes) {
                *to = *from;
            }
        }
    }

    /// Sets the passage of a row, or frees it with [`NONE`]. Returns its previous passage.
    pub(crate) fn give(&mut self, row: usize, passage: u32) -> u32 {
        let Some(holder) = self.passages.get_mut(row) else { return NONE };
        let before = std::mem::replace(holder, passage);
        let Some(place) = self.groups.get_mut(row / GROUP) else { return before };
        if before == NONE {
            place.take(row % GROUP, passage);
        } else {
            *place = GroupUsage::FREE;
            let group = self.passages.iter().skip(row / GROUP * GROUP).take(GROUP);
            group.enumerate().for_each(|(at, passage)| place.take(at, *passage));
        }
        before
    }

    /// Returns its groups, in order.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let tiles = self.tiles.chunks(self.tiles_width.max(1) * (GROUP / BLOCK));
        let parts = tiles.zip(self.passages.chunks(GROUP)).zip(&self.groups).enumerate();
        parts.map(|(at, ((tiles, passages), place))| Group {
            first: at * GROUP,
            tiles,
            passages,
            place: *place,
        })
    }

    /// Moves a row to another position in this segment or an earlier one.
    pub(crate) fn copy_to(&self, row: usize, to: &mut Self) {
        to.push(self.lines(row).iter().copied(), self.scale(row), &self.sketch(row));
    }

    /// Returns the memory use in bytes.
    pub(crate) fn bytes(&self) -> usize {
        (self.lines.capacity() + self.tiles.capacity()) * kernels::LINE
            + (self.scales.capacity() + self.passages.capacity()) * 4
            + self.groups.capacity() * size_of::<GroupUsage>()
    }
}

impl Group<'_> {
    /// Returns the used rows, as bits.
    pub(crate) fn taken(&self) -> u64 {
        self.place.taken
    }

    /// Returns the rows whose passage is in scope, as bits.
    #[inline]
    pub(crate) fn within(&self, scope: &Bits) -> u64 {
        if self.place.base != NONE {
            return scope.word_from(self.place.base) & self.place.taken;
        }
        let held = |bits, (at, passage): (usize, &u32)| bits | u64::from(scope.has(*passage)) << at;
        self.passages.iter().enumerate().fold(0, held) & self.place.taken
    }
}

impl GroupUsage {
    const FREE: Self = Self { taken: 0, base: NONE };

    /// Records that the free row `at` belongs to a passage.
    fn take(&mut self, at: usize, passage: u32) {
        if passage == NONE {
            return;
        }
        let base = passage.checked_sub(at as u32).unwrap_or(NONE);
        self.base = if self.taken == 0 || self.base == base { base } else { NONE };
        self.taken |= 1 << at;
    }
}

/// Reserves capacity for `more` items: doubles it, but never beyond a full segment.
fn make_room<T>(items: &mut Vec<T>, more: usize, full: usize) {
    if items.len() + more > items.capacity() {
        let room = (items.capacity() * 2).min(full).max(items.len() + more);
        items.reserve_exact(room - items.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn segment(rows: usize) -> Segment {
        let mut segment = Segment::new(2, 16);
        for row in 0..rows {
            let sketch: Vec<u8> = (0..16).map(|at| (row * 31 + at) as u8).collect();
            segment.push([Line([row as i8; crate::kernels::LINE]); 2].into_iter(), row as f32, &sketch);
        }
        segment
    }

    #[test]
    fn rows_come_back_as_they_went_in() {
        let segment = segment(150);
        for row in [0, 15, 16, 63, 64, 149] {
            assert_eq!(segment.lines(row), [Line([row as i8; crate::kernels::LINE]); 2]);
            assert_eq!((segment.scale(row), segment.passage(row)), (row as f32, NONE));
            let sketch: Vec<u8> = (0..16).map(|at| (row * 31 + at) as u8).collect();
            assert_eq!(segment.sketch(row), sketch);
        }
        assert!(segment.lines(150).is_empty());
        let tiles: Vec<usize> = segment.groups().map(|group| group.tiles.len()).collect();
        assert_eq!(tiles, [16, 16, 8]);
    }

    #[test]
    fn a_full_segment_has_no_room_to_spare() {
        let segment = segment(SEGMENT);
        let each = 2 * crate::kernels::LINE + 16 + 8;
        assert!(segment.bytes() - each * SEGMENT <= SEGMENT / GROUP * size_of::<GroupUsage>());
    }

    proptest! {
        #[test]
        fn groups_tell_the_rows_in_scope(
            gives in proptest::collection::vec((0usize..150, 0u32..300, any::<bool>()), 0..300),
            shift in 0u32..90,
            in_scope in proptest::collection::btree_set(0u32..300, 0..200),
        ) {
            let mut segment = segment(150);
            let mut passages = vec![NONE; 150];
            // Rows in the order of their passages, as is usual; then changes.
            let in_order = (0..150).map(|row| (row, row as u32 + shift, false));
            for (row, passage, free) in in_order.chain(gives) {
                let passage = if free { NONE } else { passage };
                prop_assert_eq!(segment.give(row, passage), std::mem::replace(&mut passages[row], passage));
            }
            let scope: Bits = in_scope.iter().copied().collect();
            for (at, group) in segment.groups().enumerate() {
                prop_assert_eq!(group.first, at * GROUP);
                let rows = passages.iter().skip(at * GROUP).take(GROUP).enumerate();
                let bits = |wanted: &dyn Fn(u32) -> bool| {
                    rows.clone().filter(|(_, p)| wanted(**p)).fold(0u64, |bits, (at, _)| bits | 1 << at)
                };
                prop_assert_eq!(group.taken(), bits(&|passage| passage != NONE));
                prop_assert_eq!(group.within(&scope), bits(&|passage| in_scope.contains(&passage)));
            }
        }
    }
}

//! Lengths in one byte, for bounds: exact for short passages, then with sixteen steps per doubling.
//! Exact lengths are counted from the terms.

/// The limit below which each length has its own class.
const EXACT: u32 = 64;
/// The number of steps per doubling, as a power of two.
const STEPS_LOG2: u32 = 4;
/// The number of classes.
pub(crate) const CLASSES: usize = 256;

/// Returns the class of a length.
pub(crate) fn of(length: u32) -> u8 {
    if length < EXACT {
        return length as u8;
    }
    let log2 = length.ilog2();
    let step = (length >> (log2 - STEPS_LOG2)) & ((1 << STEPS_LOG2) - 1);
    let class = EXACT + ((log2 - EXACT.ilog2()) << STEPS_LOG2) + step;
    u8::try_from(class).unwrap_or(u8::MAX)
}

/// Returns the minimum length of a class.
pub(crate) fn least(class: u8) -> u32 {
    let class = u32::from(class);
    if class < EXACT {
        return class;
    }
    let (doublings, step) = ((class - EXACT) >> STEPS_LOG2, (class - EXACT) & ((1 << STEPS_LOG2) - 1));
    ((1 << STEPS_LOG2) + step) << (EXACT.ilog2() - STEPS_LOG2 + doublings)
}

/// Returns the maximum length of a class.
pub(crate) fn greatest(class: u8) -> u32 {
    class.checked_add(1).map_or(u32::MAX, |next| least(next) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_lies_within_its_class() {
        let many = (0..200_000u32).chain([262_143, 262_144, 1 << 30, u32::MAX]);
        for length in many {
            let class = of(length);
            assert!(least(class) <= length && length <= greatest(class), "{length} {class}");
        }
        assert_eq!((of(63), of(64), of(65), of(68), of(127), of(128)), (63, 64, 64, 65, 79, 80));
    }

    #[test]
    fn classes_are_narrow() {
        for class in 0..u8::MAX {
            let (least, greatest) = (f64::from(least(class)), f64::from(greatest(class)));
            assert!(greatest <= least * 1.0625, "{class}: {least} to {greatest}");
        }
    }
}

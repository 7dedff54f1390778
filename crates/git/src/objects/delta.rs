//! Deltas of objects in packs: pieces copied from a base, and literal pieces. Every number is
//! checked against its bounds.

use loci_model::ports::code::CodeResult;

use crate::fault;

/// Returns the sizes in the header of a delta: of the base, and of the result. `None` if the data
/// is too short.
pub(crate) fn sizes(delta: &[u8]) -> Option<(u64, u64, usize)> {
    let (base, next) = size(delta, 0)?;
    let (result, next) = size(delta, next)?;
    Some((base, result, next))
}

/// Returns the result of a delta applied to its base.
pub(crate) fn apply(base: &[u8], delta: &[u8]) -> CodeResult<Vec<u8>> {
    let broken = || fault::damaged("a difference between objects");
    let (base_bytes, result_bytes, mut at) = sizes(delta).ok_or_else(broken)?;
    if base_bytes != base.len() as u64 {
        return Err(broken());
    }
    let result_bytes = usize::try_from(result_bytes).map_err(|_| broken())?;
    let mut result = Vec::with_capacity(result_bytes.min(delta.len().saturating_add(base.len())));
    while let Some(op) = delta.get(at).copied() {
        at += 1;
        let piece = if op & 0x80 != 0 {
            let (from, bytes, next) = copied(op, delta, at).ok_or_else(broken)?;
            at = next;
            base.get(from..from.saturating_add(bytes)).ok_or_else(broken)?
        } else if op != 0 {
            let own = delta.get(at..at + usize::from(op)).ok_or_else(broken)?;
            at += usize::from(op);
            own
        } else {
            return Err(broken());
        };
        if result.len() + piece.len() > result_bytes {
            return Err(broken());
        }
        result.extend_from_slice(piece);
    }
    if result.len() == result_bytes { Ok(result) } else { Err(broken()) }
}

/// Reads a little-endian number with seven bits per byte.
fn size(delta: &[u8], mut at: usize) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let byte = *delta.get(at)?;
        at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value, at));
        }
    }
    None
}

/// Returns the offset and length of a copied piece: the bits of `op` state which bytes of the two
/// numbers follow.
fn copied(op: u8, delta: &[u8], mut at: usize) -> Option<(usize, usize, usize)> {
    let mut numbers = [0_usize; 2];
    for bit in 0..7 {
        if op & (1 << bit) != 0 {
            let byte = usize::from(*delta.get(at)?);
            at += 1;
            if bit < 4 {
                numbers[0] |= byte << (8 * bit);
            } else {
                numbers[1] |= byte << (8 * (bit - 4));
            }
        }
    }
    let [from, bytes] = numbers;
    Some((from, if bytes == 0 { 0x10000 } else { bytes }, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_gives_its_result_or_an_error() {
        let base = b"abcdefghij";
        for (delta, expect) in [
            (&b"\x0a\x05\x91\x02\x03\x02XY"[..], Some(&b"cdeXY"[..])),
            (b"\x0a\x00", Some(b"")),
            (b"\x09\x05\x91\x02\x03\x02XY", None), // another base
            (b"\x0a\x04\x91\x02\x03\x02XY", None), // more comes out than said
            (b"\x0a\x06\x91\x02\x03\x02XY", None), // less
            (b"\x0a\x05\x91\x08\x05", None),       // past the base's end
            (b"\x0a\x05\x05XY", None),             // past the difference's end
            (b"\x0a\x05\x91", None),               // cut off within a number
            (b"\x0a\x05\x00", None),               // an operation git keeps for later
            (b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", None),
            (b"", None),
        ] {
            assert_eq!(apply(base, delta).ok().as_deref(), expect, "{delta:x?}");
        }
    }
}

//! The source of ids. Randomness is an argument, so that tests control it.

/// Generates random bytes.
pub trait IdSource: Send + Sync {
    /// Returns sixteen random bytes.
    fn random(&self) -> [u8; 16];
}

/// Returns a UUID of version 7 at `time_ms`, in its usual spelling, which sorts by time.
pub fn uuid7(source: &dyn IdSource, time_ms: i64) -> String {
    let mut bytes = source.random();
    let time = u64::try_from(time_ms).unwrap_or(0).to_be_bytes();
    bytes[..6].copy_from_slice(&time[2..]);
    bytes[6] = 0x70 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    spell(&bytes)
}

/// Returns the UUID of version 7 with another time.
pub fn uuid7_at(id: &str, time_ms: i64) -> String {
    let time = format!("{:012x}", u64::try_from(time_ms).unwrap_or(0) & 0xffff_ffff_ffff);
    let (high, low) = time.split_at(8);
    format!("{high}-{low}{}", id.get(13..).unwrap_or_default())
}

/// Returns a UUID of version 4, in its usual spelling.
pub fn uuid4(source: &dyn IdSource) -> String {
    let mut bytes = source.random();
    bytes[6] = 0x40 | (bytes[6] & 0x0f);
    bytes[8] = 0x80 | (bytes[8] & 0x3f);
    spell(&bytes)
}

/// Returns `length` letters and digits (at most 16): the end of memory and strategy ids.
pub fn letters_and_digits(source: &dyn IdSource, length: usize) -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    source.random().iter().take(length).map(|byte| char::from(ALPHABET[usize::from(*byte) % 62])).collect()
}

fn spell(bytes: &[u8; 16]) -> String {
    let mut out = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        out.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
        out.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;
    impl IdSource for Fixed {
        fn random(&self) -> [u8; 16] {
            [0xff; 16]
        }
    }

    #[test]
    fn spelling() {
        assert_eq!(uuid4(&Fixed), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(uuid7(&Fixed, 1), "00000000-0001-7fff-bfff-ffffffffffff");
        assert_eq!(uuid7_at(&uuid7(&Fixed, 1), 2), uuid7(&Fixed, 2));
        assert_eq!(letters_and_digits(&Fixed, 10).len(), 10);
    }
}

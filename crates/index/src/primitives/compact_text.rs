//! Record and event ids in few bytes. Order and spelling are those of the text, without loss.

use std::borrow::Cow;
use std::cmp::Ordering;

use loci_model::{RecordId, Result};

use crate::snapshot::bytes::{ByteReader, ByteWriter, damaged};

const RECORD_PREFIX: &str = "mem-";

/// A text that is usually `mem-` with a UUID, or an event id in Loci's own format.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum CompactText {
    /// `mem-` and a UUID in lower case.
    Record([u8; 16]),
    /// Nineteen digits, `#` and eight hex digits in lower case.
    Event([u8; 8], u32),
    /// Anything else.
    Other(Box<str>),
}

impl CompactText {
    /// Packs `text`.
    pub(crate) fn new(text: &str) -> Self {
        let packed = record(text).or_else(|| event(text));
        packed.filter(|packed| packed.spell() == text).unwrap_or_else(|| Self::Other(text.into()))
    }

    /// Returns the number of a record id in the usual form. Such ids sort by their numbers.
    pub(crate) fn number(&self) -> Option<u128> {
        match self {
            Self::Record(bytes) => Some(u128::from_be_bytes(*bytes)),
            Self::Event(..) | Self::Other(_) => None,
        }
    }

    /// Returns the text.
    pub(crate) fn spell(&self) -> Cow<'_, str> {
        match self {
            Self::Record(bytes) => Cow::Owned(RecordId::of_uuid(u128::from_be_bytes(*bytes)).to_string()),
            Self::Event(time, place) => Cow::Owned(format!("{:019}#{place:08x}", u64::from_be_bytes(*time))),
            Self::Other(text) => Cow::Borrowed(text),
        }
    }

    /// Writes it to a snapshot.
    pub(crate) fn save(&self, out: &mut ByteWriter) {
        match self {
            Self::Record(bytes) => out.u8(0).bytes(bytes),
            Self::Event(time, place) => out.u8(1).bytes(time).u32(*place),
            Self::Other(text) => out.u8(2).text(text),
        };
    }

    /// Reads a text written by [`CompactText::save`].
    pub(crate) fn load(from: &mut ByteReader<'_>) -> Result<Self> {
        let packed = match from.u8()? {
            0 => Some(Self::Record(from.array()?)),
            1 => Some(Self::Event(from.array()?, from.u32()?)),
            2 => Some(Self::Other(from.text()?.into())),
            _ => None,
        };
        // Each text has one form: order and equality depend on it.
        let is_usual = |id: &Self| match id {
            Self::Record(_) => true,
            Self::Event(time, _) => u64::from_be_bytes(*time) < 10_u64.pow(19),
            Self::Other(text) => matches!(Self::new(text), Self::Other(_)),
        };
        packed.filter(is_usual).ok_or_else(|| damaged("an id of unknown form"))
    }
}

impl Ord for CompactText {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Record(a), Self::Record(b)) => a.cmp(b),
            (Self::Event(a, i), Self::Event(b, j)) => a.cmp(b).then(i.cmp(j)),
            (Self::Other(a), Self::Other(b)) => a.cmp(b),
            (Self::Record(_) | Self::Event(..) | Self::Other(_), _) => self.spell().cmp(&other.spell()),
        }
    }
}

impl PartialOrd for CompactText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn record(text: &str) -> Option<CompactText> {
    let uuid = text.strip_prefix(RECORD_PREFIX).filter(|uuid| uuid.len() == 36)?;
    let mut bytes = [0u8; 16];
    let mut digits = uuid.bytes().filter(|byte| *byte != b'-').map(|byte| char::from(byte).to_digit(16));
    for byte in &mut bytes {
        let (high, low) = (digits.next()??, digits.next()??);
        *byte = u8::try_from(high * 16 + low).ok()?;
    }
    Some(CompactText::Record(bytes))
}

fn event(text: &str) -> Option<CompactText> {
    let (time, place) = text.split_once('#')?;
    let time: u64 = time.parse().ok()?;
    Some(CompactText::Event(time.to_be_bytes(), u32::from_str_radix(place, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usual_ids_are_packed() {
        let check = |text: &str, packed: bool| {
            let compact = CompactText::new(text);
            assert_eq!(compact.spell(), text);
            assert_eq!(!matches!(compact, CompactText::Other(_)), packed, "{text}");
        };
        check("mem-0190c3f2-7b1a-7c3d-8e4f-0123456789ab", true);
        check("mem-0190C3F2-7b1a-7c3d-8e4f-0123456789ab", false);
        check("mem-0190c3f27-b1a-7c3d-8e4f-0123456789ab", false);
        check("0000001752235548000#97f30a6b", true);
        check("0000001752235548000#97F30A6B", false);
        check("1#2", false);
        check("99999999999999999999#00000000", false);
        check("", false);
    }

    fn ids() -> impl Strategy<Value = String> {
        prop_oneof![
            "mem-[0-9a-f]{2}000000-0000-4000-8000-0000000000[0-9a-f]{2}",
            "000000000000000000[0-9]#0000000[0-9a-f]",
            "mem-[0-9a-zA-Z_-]{36,40}",
            any::<String>(),
        ]
    }

    proptest! {
        #[test]
        fn order_and_spelling_are_those_of_the_text(a in ids(), b in ids()) {
            let (x, y) = (CompactText::new(&a), CompactText::new(&b));
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!(x.spell(), a);
        }
    }
}

//! Numbers at the edges of what their fields can hold, in messages that are right otherwise.

use prost::encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint};

/// What a number is replaced by.
pub(crate) const EDGES: [u64; 16] = [
    0,
    1,
    2,
    64,
    127,
    1_000,
    18_000,
    1_000_001,
    u32::MAX as u64 - 1,
    u32::MAX as u64,
    1 << 50,
    i64::MAX as u64 - 1,
    i64::MAX as u64,
    i64::MIN as u64,
    u64::MAX - 1,
    u64::MAX,
];
/// Messages in messages that are looked into.
const DEPTH: usize = 8;

/// The message with its `nth` number replaced, those of the messages in it counted too. As it is where it has not so many, or is none.
pub(crate) fn replaced(message: &[u8], nth: usize, by: u64) -> Vec<u8> {
    rewritten(message, &mut Some(nth), by, DEPTH).unwrap_or_else(|| message.to_vec())
}

fn rewritten(message: &[u8], left: &mut Option<usize>, by: u64, depth: usize) -> Option<Vec<u8>> {
    let (mut rest, mut written) = (message, Vec::with_capacity(message.len() + 10));
    while !rest.is_empty() {
        let (tag, wire) = decode_key(&mut rest).ok()?;
        encode_key(tag, wire, &mut written);
        let copied = match wire {
            WireType::Varint => {
                let number = decode_varint(&mut rest).ok()?;
                encode_varint(if *left == Some(0) { by } else { number }, &mut written);
                *left = left.and_then(|n| n.checked_sub(1));
                continue;
            }
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
                let (part, after) = rest.split_at_checked(length)?;
                rest = after;
                let inner = if depth > 0 { rewritten(part, left, by, depth - 1) } else { None };
                let part = inner.unwrap_or_else(|| part.to_vec());
                encode_varint(part.len() as u64, &mut written);
                written.extend(part);
                continue;
            }
            WireType::ThirtyTwoBit => 4,
            WireType::SixtyFourBit => 8,
            WireType::StartGroup | WireType::EndGroup => return None,
        };
        let (part, after) = rest.split_at_checked(copied)?;
        written.extend(part);
        rest = after;
    }
    Some(written)
}

#[test]
fn a_number_is_replaced_wherever_it_stands() {
    use prost::Message;
    use zeitnot::wire::v1;
    let sides = |left_ms, counter| {
        let side = |left_ms, counter| Some(v1::Side { left_ms, counter, ..Default::default() });
        v1::Sides { white: side(left_ms, 7), black: side(5, counter) }
    };
    let bytes = sides(6, 8).encode_to_vec();
    for (nth, wanted) in [(0, sides(u32::MAX.into(), 8)), (3, sides(6, u32::MAX)), (4, sides(6, 8))] {
        assert_eq!(v1::Sides::decode(replaced(&bytes, nth, u32::MAX.into()).as_slice()), Ok(wanted));
    }
    assert_eq!(replaced(b"\xff\xff", 0, 1), b"\xff\xff");
}
